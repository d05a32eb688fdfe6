package workbench

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// shown waits until a proposal waits for a decision.
func shown(r *Running) *candidate.Proposal {
	for {
		if p, _ := r.Proposal(); p != nil {
			return p
		}
		runtime.Gosched()
	}
}

// Attack 22: a decision is about the bytes that were seen, and is made once: a
// second one, however late, never falls on the proposal that comes next.
func TestDecisionIsForOneProposal(t *testing.T) {
	r := &Running{done: make(chan struct{})}
	refused := func(err error, want core.Code) {
		t.Helper()
		if core.CodeOf(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refused(r.Decide("", true), core.TurnEnded)
	first, second := candidate.Proposal{After: []byte("one")}, candidate.Proposal{After: []byte("two")}
	sha := core.SHA256Hex(first.After)
	for _, want := range []bool{true, false} {
		said := make(chan bool)
		go func() { said <- r.review(t.Context(), first) }()
		if p := shown(r); string(p.After) != "one" {
			t.Errorf("shown: %q", p.After)
		}
		refused(r.Decide(core.SHA256Hex(second.After), true), core.StaleReceipt)
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = r.Decide(sha, want) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else {
				refused(err, core.TurnEnded)
			}
		}
		if got := <-said; got != want || made != 1 {
			t.Errorf("decided %t, %d times; want %t", got, made, want)
		}
		refused(r.Decide(sha, want), core.TurnEnded)
	}
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan bool)
	go func() { said <- r.review(ctx, second) }()
	shown(r)
	refused(r.Decide(sha, true), core.StaleReceipt) // about the first one
	cancel()
	if <-said {
		t.Error("committed when the turn was ended")
	}
	refused(r.Decide(core.SHA256Hex(second.After), true), core.TurnEnded)
}

// C-31: a proposal nobody decides on is dropped after a minute; while somebody is
// reading, its time stands still, and a decision counts to the last moment.
func TestReviewExpires(t *testing.T) {
	p := candidate.Proposal{After: []byte("one")}
	sha := core.SHA256Hex(p.After)
	begin := func(r *Running) (said chan bool, at time.Time) {
		said = make(chan bool, 1)
		at = time.Now()
		go func() { said <- r.review(context.Background(), p) }()
		synctest.Wait()
		return said, at
	}
	synctest.Test(t, func(t *testing.T) {
		r := &Running{done: make(chan struct{})}
		said, at := begin(r)
		if _, until := r.Proposal(); until.Sub(at) != time.Minute {
			t.Errorf("it waits %v", until.Sub(at))
		}
		if <-said || time.Since(at) != time.Minute || !r.Expired() {
			t.Errorf("dropped after %v, expired %t", time.Since(at), r.Expired())
		}
		if err := r.Decide(sha, true); core.CodeOf(err) != core.TurnEnded {
			t.Errorf("decided afterwards: %v", err)
		}

		r = &Running{done: make(chan struct{})}
		said, at = begin(r)
		if _, err := r.Reading("other"); core.CodeOf(err) != core.StaleReceipt {
			t.Errorf("reading another one: %v", err)
		}
		// Signs every 4 s for 2 minutes: the time stands still from the first to 10 s
		// behind the last.
		time.Sleep(50 * time.Second)
		var until time.Time
		for range 31 {
			var err error
			if until, err = r.Reading(sha); err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * time.Second)
		}
		if want := at.Add(50*time.Second + 130*time.Second + 10*time.Second); !until.Equal(want) {
			t.Errorf("dropped at %v, want %v", until.Sub(at), want.Sub(at))
		}
		time.Sleep(time.Until(until) - time.Millisecond)
		if err := r.Decide(sha, true); err != nil || !<-said || r.Expired() {
			t.Errorf("decided in the last moment: %v", err)
		}
	})
}
