package turn_test

import (
	"context"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// fence does what kill does to turns, and switches nothing off if it is not to.
func (r *rig) fence(off bool) []core.Turn {
	r.t.Helper()
	var ended []core.Turn
	if err := r.Store.Write(context.Background(), func(tx *store.Tx) (err error) {
		if ended, err = turn.Fence(tx); err != nil || !off {
			return err
		}
		return tx.InsertSwitch(store.Switch{Feature: core.FeatureAnnotations, Off: true, Actor: "test"})
	}); err != nil {
		r.t.Fatal(err)
	}
	return ended
}

// told gives the last event that is stored of a turn.
func (r *rig) told(id string) turn.Event {
	r.t.Helper()
	list, err := r.engine.Events(context.Background(), turn.Scope{Turn: id}, 0, 0)
	if err != nil || len(list) == 0 {
		r.t.Fatal(len(list), err)
	}
	return list[len(list)-1]
}

// R-SEC-6, D-113: a turn that was fenced publishes nothing, wherever it stands
// and though its feature is on again; whoever follows it is told at once.
func TestFencedTurnPublishesNothing(t *testing.T) {
	for _, at := range []int{0, 1, 2, 3} {
		r := withBrowser(t, page)
		steps := []script.Step{inspect(), setText("Other"), look(), finish()}
		step := steps[at]
		steps[at] = func(q llm.Request) (llm.Response, error) {
			if ended := r.fence(false); len(ended) != 1 {
				t.Errorf("at %d: %d turns were ended", at, len(ended))
			}
			return step(q)
		}
		sent := r.send(r.draft("h1", "rename"))
		out := r.runTurn(context.Background(), sent, script.New(steps...))
		wantStatus(t, out, turn.Refused, core.TurnEnded)
		if last := r.told(sent.ID); last.Kind != turn.Ended || last.Code != core.FeatureOff || r.state(sent.ID) != core.TurnFailed {
			t.Errorf("at %d: told %+v, state %s", at, last, r.state(sent.ID))
		}
		for _, e := range r.events {
			if e.Kind == turn.Unrecorded {
				t.Errorf("at %d: what another process told counts as lost", at)
			}
		}
		if r.Now().Generation != 1 || r.HeadBytes() != page {
			t.Errorf("at %d: generation %d: %s", at, r.Now().Generation, r.HeadBytes())
		}
		wantStatus(t, r.run(work("Other"), r.draft("h1", "rename")), turn.Applied, "") // the next one is none of it
	}
}

// hanging is a model that says nothing until it is told to stop.
type hanging struct{ asked chan struct{} }

func (hanging) Name() string { return "hanging" }
func (hanging) Vision() bool { return false }
func (h hanging) Complete(ctx context.Context, _ llm.Request, _ func(llm.Event)) (llm.Response, error) {
	close(h.asked)
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

// A turn whose model hangs stops waiting for it when it was fenced, or when the
// feature is off; a turn that has nothing to change goes on.
func TestFenceStopsAHangingModel(t *testing.T) {
	for off, want := range map[bool]core.Code{true: core.FeatureOff, false: core.TurnEnded} {
		r := newRig(t, page, nil)
		h := hanging{make(chan struct{})}
		go func() { <-h.asked; r.fence(off) }()
		wantStatus(t, r.run(h, r.draft("h1", "rename")), turn.Refused, want)
		r.untouched()
	}
	r := newRig(t, page, nil)
	answer := script.New(func(llm.Request) (llm.Response, error) {
		if ended := r.fence(true); len(ended) != 0 {
			t.Errorf("a turn without notes was ended: %v", ended)
		}
		return llm.Response{Text: "It is a report."}, nil
	})
	wantStatus(t, r.run(answer), turn.Answered, "")
	_, err := r.engine.Send(context.Background(), r.request(r.draft("h1", "rename")))
	if core.CodeOf(err) != core.FeatureOff {
		t.Errorf("notes are sent though it is off: %v", err)
	}
}
