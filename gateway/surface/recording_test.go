package surface

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"proofmark/bridge/contract"
)

// R-PREV-2: the first answer is the answer, failures included, for everyone who
// shares the recording.
func TestRecordingReplays(t *testing.T) {
	r := NewRecording()
	n := 0
	ask := func(context.Context) (contract.FetchResponse, error) {
		n++
		return contract.FetchResponse{Status: 200, Body: []byte{byte(n)}}, nil
	}
	for range 3 {
		if a, ok := r.answer(t.Context(), "u", ask); !ok || a.Body[0] != 1 {
			t.Fatal(a, ok)
		}
	}
	fail := func(context.Context) (contract.FetchResponse, error) {
		n++
		return contract.FetchResponse{}, errors.New("offline")
	}
	if _, ok := r.answer(t.Context(), "v", fail); ok {
		t.Fatal("a failure was an answer")
	}
	if _, ok := r.answer(t.Context(), "v", ask); ok {
		t.Fatal("a failure was forgotten: base and candidate would differ")
	}
	if n != 2 {
		t.Fatalf("asked %d times", n)
	}
}

// Several at once ask once; one that goes away before it has an answer leaves
// nothing behind.
func TestRecordingAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRecording()
		var asks, oks atomic.Int64
		gate := make(chan struct{})
		for range 5 {
			go func() {
				_, ok := r.answer(t.Context(), "u", func(context.Context) (contract.FetchResponse, error) {
					asks.Add(1)
					<-gate
					return contract.FetchResponse{Status: 200}, nil
				})
				if ok {
					oks.Add(1)
				}
			}()
		}
		synctest.Wait()
		close(gate)
		synctest.Wait()
		if asks.Load() != 1 || oks.Load() != 5 {
			t.Fatalf("asked %d times, %d answers", asks.Load(), oks.Load())
		}

		gone, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = r.answer(gone, "w", func(ctx context.Context) (contract.FetchResponse, error) {
				<-ctx.Done()
				return contract.FetchResponse{}, ctx.Err()
			})
		}()
		synctest.Wait()
		var second atomic.Bool
		go func() {
			_, ok := r.answer(t.Context(), "w", func(context.Context) (contract.FetchResponse, error) {
				return contract.FetchResponse{Status: 200}, nil
			})
			second.Store(ok)
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !second.Load() {
			t.Fatal("the failure of a closed surface was recorded")
		}
	})
}

func TestRecordingIsBounded(t *testing.T) {
	r := NewRecording()
	piece := make([]byte, maxFetchBytes)
	for i := range maxFetchPageBytes / maxFetchBytes {
		if _, ok := r.answer(t.Context(), fmt.Sprint(i), func(context.Context) (contract.FetchResponse, error) {
			return contract.FetchResponse{Body: piece}, nil
		}); !ok {
			t.Fatalf("piece %d was refused", i)
		}
	}
	if _, ok := r.answer(t.Context(), "more", func(context.Context) (contract.FetchResponse, error) {
		return contract.FetchResponse{Body: []byte{1}}, nil
	}); ok || r.room() != 0 {
		t.Fatalf("one byte more than the page may have, %d left", r.room())
	}
	many := NewRecording()
	for i := range maxFetchEntries + 1 {
		_, ok := many.answer(t.Context(), fmt.Sprint(i), func(context.Context) (contract.FetchResponse, error) {
			return contract.FetchResponse{}, nil
		})
		if ok != (i < maxFetchEntries) {
			t.Fatalf("entry %d: %v", i, ok)
		}
	}
}
