package workbench

import (
	"context"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/scene"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

// reserve counts a turn in before it is sent, so that what is sent can run.
func (w *Workbench) reserve(r *Running) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return core.Errorf(core.ShuttingDown, "the gateway is ending")
	}
	if w.running >= maxRunning {
		return core.Errorf(core.TooMany, "%d turns are running already", w.running).WithHint("Wait for one to end, or end one.")
	}
	w.running++
	return nil
}

func (w *Workbench) release(*Running) {
	w.mu.Lock()
	w.running--
	w.mu.Unlock()
}

// begin makes a turn known, and waited for by Close; false where it is too late.
func (w *Workbench) begin(r *Running) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		w.running--
		return false
	}
	w.turns[r.Turn.ID] = r
	w.work.Add(1)
	return true
}

// retire counts an ended turn off and forgets the oldest of those.
func (w *Workbench) retire(r *Running) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.ended = append(w.ended, r.Turn.ID)
	if len(w.ended) > keptTurns {
		delete(w.turns, w.ended[0])
		w.ended = w.ended[1:]
	}
}

// recall gives a turn of another process, or of an earlier one.
func (w *Workbench) recall(ctx context.Context, id string) (*Running, error) {
	r := &Running{done: make(chan struct{})}
	var err error
	if r.Turn, err = w.Stored(ctx, id); err != nil {
		return nil, err
	}
	out, err := w.engine.Recall(ctx, id)
	switch core.CodeOf(err) {
	case "":
		r.end(out, nil)
	case core.RequestConflict: // it may be running elsewhere
	default:
		return nil, err
	}
	return r, nil
}

// Running gives the turns that run here, the oldest first.
func (w *Workbench) Running() []*Running {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := []*Running{}
	for _, r := range w.turns {
		if _, ended := r.Result(); !ended {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Running) int { return a.Turn.At.Compare(b.Turn.At) })
	return out
}

// ReadOnly says why nothing can be stored, or gives nil.
func (w *Workbench) ReadOnly() error { return w.c.Store.ReadOnly() }

// Stored gives a turn's row as it is now.
func (w *Workbench) Stored(ctx context.Context, id string) (t core.Turn, err error) {
	err = w.c.Store.Read(ctx, func(tx *store.Tx) error {
		t, err = tx.Turn(id)
		return err
	})
	return t, err
}

// Count says what a message and its notes would come to if they were sent now,
// and what the model would be told of the person's view (nil: nothing).
func (w *Workbench) Count(ctx context.Context, documentID, message string, notes []core.Annotation, v *View) (turn.Preview, *scene.Snapshot, error) {
	p, err := w.engine.Preview(ctx, documentID, message, notes)
	if err != nil || v == nil {
		return p, nil, err
	}
	d, err := w.c.Documents.Get(ctx, documentID)
	if err != nil {
		return p, nil, err
	}
	s := w.scene(ctx, d, *v, p.Head, p.Notes)
	return p, &s, nil
}

// Again makes drafts of what an earlier turn did not apply.
func (w *Workbench) Again(ctx context.Context, r turn.AgainRequest) (turn.Again, error) {
	return w.engine.Again(ctx, r)
}

// Follow gives stored events and then those that come; see turn.Engine.Follow.
func (w *Workbench) Follow(ctx context.Context, s turn.Scope, after int64, f func(turn.Event) error) error {
	return w.engine.Follow(ctx, s, after, f)
}
