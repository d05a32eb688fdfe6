package turn

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// begin moves an accepted turn to running. Only one caller gets it.
func (e *Engine) begin(ctx context.Context, t core.Turn) error {
	return e.Store.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.Turn(t.ID)
		if err != nil {
			return err
		}
		if e.Now().Sub(now.At) > core.TurnTimeout {
			return core.Errorf(core.TurnEnded, "the turn was accepted more than %s ago and is not begun any more", core.TurnTimeout).
				WithHint("Send the notes again.").In("turn.Run")
		}
		return tx.SetTurnState(t.ID, core.TurnAccepted, core.TurnRunning)
	})
}

// end moves a running turn to its last state; an applied one is there already,
// since its commit. That it ended is true even where this cannot be stored;
// Reconcile then puts it right at a later start.
func (e *Engine) end(ctx context.Context, turnID string, out Outcome) {
	if out.Status == Applied {
		return
	}
	_ = e.Store.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.SetTurnState(turnID, core.TurnRunning, endState(out.Status))
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

// Reconciled counts what Reconcile found.
type Reconciled struct {
	Failed int   // turns that had not ended when their process died
	Drafts int64 // left-over drafts removed
}

// Reconcile settles, at start, the turns an earlier process left unfinished:
// they are failed and never run again. A commit ends its turn in its own
// transaction, so none of them changed anything. Then it removes their drafts.
// A turn that may still be running in another process is left alone: it has
// core.TurnTimeout from its acceptance to begin and as long again to end.
func (e *Engine) Reconcile(ctx context.Context) (Reconciled, error) {
	var out Reconciled
	err := e.Store.Write(ctx, func(tx *store.Tx) error {
		open, err := tx.UnfinishedTurns()
		if err != nil {
			return err
		}
		for _, t := range open {
			patience := core.TurnTimeout
			if t.State == core.TurnRunning {
				patience *= 2
			}
			if e.Now().Sub(t.At) <= patience {
				continue
			}
			if err := tx.SetTurnState(t.ID, t.State, core.TurnFailed); err != nil {
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
