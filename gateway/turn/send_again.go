package turn

import (
	"context"
	"errors"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// AgainRequest names a turn whose notes are wanted as drafts once more.
type AgainRequest struct {
	SessionID  string // the drafts will belong to
	DocumentID string
	// TurnID is the turn; without it, the newest with notes is meant. Naming a
	// turn that has not ended ends it: whatever process runs it can then publish
	// nothing more.
	TurnID string
	// AnySession also takes the turns of other sessions, for whoever owns them all.
	AnySession bool
}

// Again is what came of an AgainRequest.
type Again struct {
	Turn   core.Turn         // as it is now
	Drafts []core.Annotation // in the order of the turn's notes
	Ended  bool              // the turn had not ended and was ended
}

// Again stores drafts that say what the notes of an earlier turn said and were
// not applied by it, about the same elements as they are found in the head now.
// Nothing is sent: an old instruction runs again only where somebody sends it
// (R-SEND-3). A draft that says the same about the same elements already is not
// stored twice, also where two ask at once. Refusals: NotFound; WrongSession;
// Usage where every note was applied, or there is no turn with notes;
// RequestConflict where the newest turn has not ended and is not named, or others
// changed the drafts all the time.
func (e *Engine) Again(ctx context.Context, r AgainRequest) (Again, error) {
	for range maxSendTries {
		out, err := e.again(ctx, r)
		if !errors.Is(err, errOvertaken) {
			return out, err
		}
	}
	return Again{}, core.Errorf(core.RequestConflict, "the notes were changed elsewhere all the time; nothing was stored").
		WithHint("Try it again.").In(opAgain)
}

// errOvertaken says that what was read is not so any more when it is written.
var errOvertaken = errors.New("overtaken")

func (e *Engine) again(ctx context.Context, r AgainRequest) (Again, error) {
	head, tree, err := e.head(ctx, r.DocumentID)
	if err != nil {
		return Again{}, err
	}
	var t core.Turn
	var notes []core.SentNote
	var waiting []core.Annotation
	if err := e.Store.Read(ctx, func(tx *store.Tx) error {
		if t, err = earlierTurn(tx, r); err != nil {
			return err
		}
		if notes, err = leftOver(tx, t); err != nil {
			return err
		}
		waiting, err = tx.Annotations(r.DocumentID, r.SessionID, core.AnnotationDraft)
		return err
	}); err != nil {
		return Again{}, err
	}
	wanted, err := e.Annotations.Resolve(ctx, asSent(notes), head, tree)
	if err != nil {
		return Again{}, err
	}
	there, err := e.Annotations.Resolve(ctx, waiting, head, tree)
	if err != nil {
		return Again{}, err
	}
	out := Again{Turn: t}
	err = e.Store.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.Turn(t.ID)
		if err != nil {
			return err
		}
		drafts, err := tx.Annotations(r.DocumentID, r.SessionID, core.AnnotationDraft)
		if err != nil {
			return err
		}
		if now.State != t.State || !slices.EqualFunc(drafts, waiting, sameDraft) {
			return errOvertaken
		}
		if open(t.State) {
			if err := abandon(tx, t, core.TurnEnded); err != nil {
				return err
			}
			out.Ended, out.Turn.State = true, core.TurnFailed
		}
		out.Drafts, err = e.Annotations.Redraft(tx, r.SessionID, head, wanted, there)
		return err
	})
	if err != nil {
		return Again{}, err
	}
	return out, nil
}

func sameDraft(a, b core.Annotation) bool { return a.ID == b.ID && a.UpdatedAt.Equal(b.UpdatedAt) }

const opAgain = "turn.Again"

// earlierTurn gives the turn that is meant.
func earlierTurn(tx *store.Tx, r AgainRequest) (core.Turn, error) {
	mine := func(t core.Turn) bool { return r.AnySession || t.SessionID == r.SessionID }
	if r.TurnID != "" {
		t, err := tx.Turn(r.TurnID)
		switch {
		case err != nil:
			return t, err
		case t.DocumentID != r.DocumentID:
			return t, core.Errorf(core.NotFound, "the turn %s is not one on this page", t.ID).In(opAgain)
		case !mine(t):
			return t, core.Errorf(core.WrongSession, "the turn %s belongs to another session", t.ID).In(opAgain)
		}
		return t, nil
	}
	all, err := tx.Turns(r.DocumentID, maxTurnsRead)
	if err != nil {
		return core.Turn{}, err
	}
	i := slices.IndexFunc(all, func(t core.Turn) bool { return mine(t) && len(t.Notes) > 0 })
	if i < 0 {
		return core.Turn{}, core.Errorf(core.Usage, "no notes were sent on this page that could be sent again").In(opAgain)
	}
	if t := all[i]; open(t.State) {
		return t, core.Errorf(core.RequestConflict, "the turn %s has not ended; it may be at work", t.ID).
			WithHint("Wait for its end, or name the turn: then it is ended, and its notes can be sent again.").With("turn", t.ID).In(opAgain)
	}
	return all[i], nil
}

// leftOver gives the notes of a turn that it did not apply.
func leftOver(tx *store.Tx, t core.Turn) ([]core.SentNote, error) {
	notes := slices.Clone(t.Notes)
	if t.State == core.TurnApplied {
		c, err := tx.ChangeSetByTurn(t.ID)
		if err != nil {
			return nil, err
		}
		for _, n := range c.Notes {
			if n.Outcome == "applied" {
				notes = slices.DeleteFunc(notes, func(s core.SentNote) bool { return s.Order == n.Order })
			}
		}
	}
	switch {
	case len(t.Notes) == 0:
		return nil, core.Errorf(core.Usage, "the turn %s had no notes", t.ID).In(opAgain)
	case len(notes) == 0:
		return nil, core.Errorf(core.Usage, "every note of the turn %s was applied; there is none to send again", t.ID).
			WithHint("What was taken back since is put back by redo.").With("turn", t.ID).In(opAgain)
	}
	return notes, nil
}

// asSent gives notes as they were sent in the form of annotations, so that they
// can be carried on from where their turn found them.
func asSent(notes []core.SentNote) []core.Annotation {
	out := make([]core.Annotation, 0, len(notes))
	for _, n := range notes {
		a := core.Annotation{ID: n.AnnotationID, Order: n.Order, Instruction: n.Instruction}
		for _, t := range n.Targets {
			a.Anchors = append(a.Anchors, t.Anchor)
		}
		out = append(out, a)
	}
	return out
}

// open tells whether a turn in the state has not ended.
func open(s core.TurnState) bool { return s == core.TurnAccepted || s == core.TurnRunning }

// abandon ends a turn that did not come to an end by itself, and tells whoever
// follows it; code says why. Its process, should it live, can publish nothing any more: a commit
// moves the turn from running to applied in its own transaction.
func abandon(tx *store.Tx, t core.Turn, code core.Code) error {
	if err := tx.SetTurnState(t.ID, t.State, core.TurnFailed); err != nil {
		return err
	}
	_, err := appendEvent(tx, t.ID, Event{Kind: Ended, Status: Refused, Code: code})
	if core.CodeOf(err) == core.TurnEnded { // it is told already
		return nil
	}
	return err
}
