package turn

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// begin moves an accepted turn to running and tells so. Only one caller gets it.
func (r *run) begin(ctx context.Context, events ...Event) error {
	e, t := r.e, r.turn
	if err := ctx.Err(); err != nil {
		return core.Wrap(core.Cancelled, err, "the turn was stopped before it began").In("turn.Run")
	}
	return r.feed.first(func(tx *store.Tx) error {
		now, err := tx.Turn(t.ID)
		if err != nil {
			return err
		}
		if e.Now().Sub(now.At) > core.TurnTimeout {
			return core.Errorf(core.TurnEnded, "the turn was accepted more than %s ago and is not begun any more", core.TurnTimeout).
				WithHint("Send the notes again.").In("turn.Run")
		}
		return tx.SetTurnState(t.ID, core.TurnAccepted, core.TurnRunning)
	}, events...)
}

// end moves a running turn to its last state and tells so; an applied one is
// there already, since its commit. That it ended is true even where this cannot
// be stored; Reconcile then puts it right at a later start.
func (r *run) end(out Outcome) {
	last := Event{Kind: Ended, Status: out.Status}
	if out.Err != nil {
		last.Code = out.Err.Code
	}
	_ = r.feed.record(func(tx *store.Tx) error {
		if out.Status == Applied {
			return nil
		}
		return tx.SetTurnState(r.turn.ID, core.TurnRunning, endState(out.Status))
	}, last)
}

// Stop ends a turn that has not ended, whoever runs it or ran it: nothing of it
// is published any more, its process gives up when it notices, and who follows it
// is told Cancelled. What a turn has committed stays. Refusal: NotFound.
func (e *Engine) Stop(ctx context.Context, turnID string) error {
	return e.Store.Write(ctx, func(tx *store.Tx) error {
		t, err := tx.Turn(turnID)
		if err != nil || !open(t.State) {
			return err
		}
		return abandon(tx, t, core.Cancelled)
	})
}

// maxTurnsRead bounds how many of a document's turns are looked through for
// those of one session.
const maxTurnsRead = 200

// turns gives a document's latest turns, newest first.
func (e *Engine) turns(ctx context.Context, documentID string) ([]core.Turn, error) {
	var all []core.Turn
	err := e.Store.Read(ctx, func(tx *store.Tx) error {
		var err error
		all, err = tx.Turns(documentID, maxTurnsRead)
		return err
	})
	return all, err
}

// patience is how long after its acceptance a turn in a state may still be going
// on: it has core.TurnTimeout to begin and as long again to end.
func patience(s core.TurnState) time.Duration {
	if s == core.TurnRunning {
		return 2 * core.TurnTimeout
	}
	return core.TurnTimeout
}

// Reconciled counts what Reconcile found.
type Reconciled struct {
	Failed int   // turns that had not ended when their process died
	Drafts int64 // left-over drafts removed
}

// Reconcile settles, at start, the turns an earlier process left unfinished:
// they are failed and never run again. A commit ends its turn in its own
// transaction, so none of them changed anything. Then it removes their drafts.
// A turn that may still be running in another process is left alone. Whoever
// follows a failed turn is told its end.
func (e *Engine) Reconcile(ctx context.Context) (Reconciled, error) {
	var out Reconciled
	err := e.Store.Write(ctx, func(tx *store.Tx) error {
		open, err := tx.UnfinishedTurns()
		if err != nil {
			return err
		}
		for _, t := range open {
			if e.Now().Sub(t.At) <= patience(t.State) {
				continue
			}
			if err := abandon(tx, t, core.TurnEnded); err != nil {
				return err
			}
			out.Failed++
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	out.Drafts, err = e.Candidates.Reconcile(ctx)
	return out, err
}
