package workbench

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// shown waits until a proposal waits for a decision.
func shown(r *Running) *candidate.Proposal {
	for {
		if p := r.Proposal(); p != nil {
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
