package turn

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/store"
)

// ByRequest gives the turn that a client's request made, and whether there is
// one.
func (e *Engine) ByRequest(ctx context.Context, sessionID, requestID string) (t core.Turn, found bool, err error) {
	err = e.Store.Read(ctx, func(tx *store.Tx) error {
		t, found, err = tx.TurnByRequest(sessionID, requestID)
		return err
	})
	return t, found, err
}

// Recall says what became of a turn that has ended, as far as it is stored, so
// that asking again for what was done gets the same answer. Why a turn failed is
// stored as a code alone. A turn that has not ended is refused with
// RequestConflict.
func (e *Engine) Recall(ctx context.Context, turnID string) (Outcome, error) {
	var out Outcome
	err := e.Store.Read(ctx, func(tx *store.Tx) error {
		t, err := tx.Turn(turnID)
		if err != nil {
			return err
		}
		if open(t.State) {
			return core.Errorf(core.RequestConflict, "the turn %s is being carried out; it has not ended", t.ID).
				WithHint("Follow it to its end.").With("turn", t.ID).With("state", t.State).In("turn.Recall")
		}
		out, err = recall(tx, t)
		return err
	})
	return out, err
}

func recall(tx *store.Tx, t core.Turn) (Outcome, error) {
	out := Outcome{Status: statusOf(t.State)}
	rows, err := tx.TurnEvents(store.TurnEventScope{Turn: t.ID}, 0, 0)
	if err != nil {
		return out, err
	}
	for _, row := range rows {
		ev, err := event(row)
		if err != nil {
			return out, err
		}
		switch ev.Kind {
		case Said:
			out.Text = ev.Text
		case Used:
			out.Usage.add(ev)
		case Ended:
			if t.State != core.TurnApplied { // which is true whatever was told
				out.Status = ev.Status
			}
			if ev.Code != "" {
				out.Err = core.Errorf(ev.Code, "the turn ended so: %s (%s)", ev.Status, ev.Code).
					WithHint("Nothing was done now; send the notes again to try it anew.").With("turn", t.ID)
			}
		}
	}
	if t.State == core.TurnApplied {
		return out, recallResult(tx, t, &out)
	}
	if out.Err == nil && (out.Status == Refused || out.Status == Conflict) {
		out.Err = core.Errorf(core.TurnEnded, "the turn ended without a word of why").With("turn", t.ID)
	}
	out.Notes = untouched(t, out)
	return out, nil
}

// recallResult puts in what an applied turn published.
func recallResult(tx *store.Tx, t core.Turn, out *Outcome) error {
	var res document.Result
	var err error
	if res.ChangeSet, err = tx.ChangeSetByTurn(t.ID); err != nil {
		return err
	}
	if res.Revision, err = tx.Revision(res.ChangeSet.ResultID); err != nil {
		return err
	}
	if res.Document, err = tx.Document(t.DocumentID); err != nil {
		return err
	}
	res.Replayed = true
	c := res.ChangeSet
	out.Result, out.Notes, out.Edits, out.Flags, out.Verification = &res, c.Notes, c.Edits, c.Flags, c.Evidence
	return nil
}

// statusOf gives what a turn's last state says by itself.
func statusOf(s core.TurnState) Status {
	switch s {
	case core.TurnApplied:
		return Applied
	case core.TurnAnswered:
		return Answered
	case core.TurnDiscarded:
		return Dropped
	}
	return Refused
}
