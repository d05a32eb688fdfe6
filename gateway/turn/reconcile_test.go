package turn_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// blocked is a model that never answers.
type blocked struct{ asked chan struct{} }

func (blocked) Name() string { return "blocked" }
func (blocked) Vision() bool { return false }

func (m blocked) Complete(ctx context.Context, _ llm.Request, _ func(llm.Event)) (llm.Response, error) {
	close(m.asked)
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

// R-TURN-6: the time of a turn is bounded, and its end discards.
func TestTimeout(t *testing.T) {
	r := newRig(t, page, nil)
	r.engine.Timeout = 50 * time.Millisecond
	sent := r.send(r.draft("h1", "rename"))
	out := r.runTurn(context.Background(), sent, blocked{make(chan struct{})})
	wantStatus(t, out, turn.Dropped, core.Timeout)
	if r.state(sent.ID) != core.TurnDiscarded {
		t.Errorf("state %s", r.state(sent.ID))
	}
	r.untouched()
}

func TestCancelWhileTheModelThinks(t *testing.T) {
	r := newRig(t, page, nil)
	ctx, cancel := context.WithCancel(context.Background())
	m := blocked{make(chan struct{})}
	go func() {
		<-m.asked
		cancel()
	}()
	wantStatus(t, r.runTurn(ctx, r.send(r.draft("h1", "rename")), m), turn.Dropped, core.Cancelled)
	r.untouched()
}

// R-DOC-5: what a dead process left is failed and never run again; what may
// still be running is left alone.
func TestReconcile(t *testing.T) {
	ctx := context.Background()
	r := newRig(t, page, nil)
	dead, waiting := r.send(r.draft("h1", "a")), r.send(r.draft("p", "b"))
	err := r.Store.Write(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.SetTurnState(dead.ID, core.TurnAccepted, core.TurnRunning), tx.PutCandidate(store.Candidate{
			TurnID: dead.ID, DocumentID: r.Doc.ID, BaseID: r.Head.ID, SHA: r.Head.SHA256, Epoch: 1,
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after  time.Duration
		failed int
		drafts int64
	}{
		{0, 0, 0},
		{core.TurnTimeout + time.Minute, 1, 0}, // the one nobody began
		{2*core.TurnTimeout + time.Minute, 1, 1},
		{3 * core.TurnTimeout, 0, 0},
	} {
		r.engine.Now = func() time.Time { return time.Now().Add(step.after) }
		got, err := r.engine.Reconcile(ctx)
		if err != nil || got.Failed != step.failed || got.Drafts != step.drafts {
			t.Errorf("after %s: %+v, %v", step.after, got, err)
		}
	}
	if r.state(dead.ID) != core.TurnFailed || r.state(waiting.ID) != core.TurnFailed {
		t.Errorf("states %s and %s", r.state(dead.ID), r.state(waiting.ID))
	}
	r.engine.Now = time.Now
	_, err = r.engine.Run(ctx, waiting, script.New(script.Say("late")), r.opt, nil)
	wantCode(t, err, core.TurnEnded)
	r.untouched()
}

// A turn that waited too long is not begun any more.
func TestOldTurnIsNotBegun(t *testing.T) {
	r := newRig(t, page, nil)
	sent := r.send(r.draft("h1", "a"))
	r.engine.Now = func() time.Time { return time.Now().Add(core.TurnTimeout + time.Minute) }
	m := script.New(script.Say("late"))
	_, err := r.engine.Run(context.Background(), sent, m, r.opt, nil)
	wantCode(t, err, core.TurnEnded)
	if len(m.Requests()) != 0 || r.state(sent.ID) != core.TurnAccepted {
		t.Errorf("%d calls, state %s", len(m.Requests()), r.state(sent.ID))
	}
}
