package annotate

import (
	"context"
	"slices"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Change is a new text for a draft.
type Change struct {
	Instruction string
	Seen        time.Time // UpdatedAt of the draft the text was written over; zero writes over whatever is there
}

// Edit gives a draft another text. It refuses RequestConflict where the draft
// was changed since it was seen, or is no draft any more: then nothing is stored,
// and the error holds the text that was not ("yours") and the annotation as it is
// ("now"). It refuses WrongSession for another session's draft. Saving a text
// that is stored already does nothing, so that it can be saved again when nobody
// knows whether the first time arrived.
func (s *Service) Edit(ctx context.Context, sessionID, annotationID string, c Change) (core.Annotation, error) {
	const op = "annotate.Edit"
	if err := checkInstruction(op, c.Instruction); err != nil {
		return core.Annotation{}, err
	}
	var out core.Annotation
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		a, err := own(tx, op, sessionID, annotationID)
		if err != nil {
			return err
		}
		out = a
		if a.State == core.AnnotationDraft && a.Instruction == c.Instruction {
			return nil
		}
		if !unmoved(a, c.Seen) {
			return moved(op, a).With("yours", c.Instruction)
		}
		out.Instruction = c.Instruction
		out.UpdatedAt, err = tx.UpdateDraft(a.ID, a.UpdatedAt, c.Instruction, a.Order)
		return err
	})
	if err != nil {
		return core.Annotation{}, err
	}
	return out, nil
}

// Move gives a draft another place, counted from 1, among the drafts of its
// session and document; a place behind the last is the last. The others keep
// their order. Their texts are not touched, so that Move is in nobody's way who
// edits one. It refuses RequestConflict where the annotation is no draft any more.
func (s *Service) Move(ctx context.Context, sessionID, annotationID string, place int) error {
	const op = "annotate.Move"
	if place < 1 {
		return core.Errorf(core.Usage, "a note's place counts from 1").In(op)
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		a, err := own(tx, op, sessionID, annotationID)
		if err != nil {
			return err
		}
		if a.State != core.AnnotationDraft {
			return moved(op, a)
		}
		list, err := tx.Annotations(a.DocumentID, sessionID, core.AnnotationDraft)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(o core.Annotation) bool { return o.ID == a.ID })
		list = slices.Insert(list, min(place-1, len(list)), a)
		for i, o := range list {
			if o.Order == i+1 {
				continue
			}
			if err := tx.SetDraftOrder(o.ID, i+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// Discard takes a draft away; its row stays, marked as discarded. Discarding it
// again does nothing. It refuses RequestConflict where the annotation was sent,
// or changed since it was seen; a zero time discards whatever is there.
func (s *Service) Discard(ctx context.Context, sessionID, annotationID string, seen time.Time) error {
	const op = "annotate.Discard"
	return s.store.Write(ctx, func(tx *store.Tx) error {
		a, err := own(tx, op, sessionID, annotationID)
		if err != nil || a.State == core.AnnotationDiscarded {
			return err
		}
		if !unmoved(a, seen) {
			return moved(op, a)
		}
		return tx.SetAnnotationState(a.ID, a.State, core.AnnotationDiscarded, "")
	})
}

// Drafts gives the drafts with these ids in this order, or without ids all
// drafts of the session and document in theirs. It refuses NotFound, WrongSession
// for a draft of another session or document, RequestConflict for an annotation
// that is no draft any more.
func (s *Service) Drafts(ctx context.Context, sessionID, documentID string, ids ...string) ([]core.Annotation, error) {
	if len(ids) == 0 {
		return s.List(ctx, sessionID, documentID, core.AnnotationDraft)
	}
	const op = "annotate.Drafts"
	var out []core.Annotation
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			a, err := own(tx, op, sessionID, id)
			switch {
			case err != nil:
				return err
			case a.DocumentID != documentID:
				return core.Errorf(core.WrongSession, "the note %s belongs to another document", id).In(op)
			case a.State != core.AnnotationDraft:
				return moved(op, a)
			}
			out = append(out, a)
		}
		return nil
	})
	return out, err
}

// own gives an annotation of the session.
func own(tx *store.Tx, op, sessionID, annotationID string) (core.Annotation, error) {
	a, err := tx.Annotation(annotationID)
	if err != nil {
		return a, err
	}
	if a.SessionID != sessionID {
		return core.Annotation{}, core.Errorf(core.WrongSession, "the note belongs to another session").In(op)
	}
	return a, nil
}

// unmoved tells whether an annotation is a draft still, and the one that was seen.
func unmoved(a core.Annotation, seen time.Time) bool {
	return a.State == core.AnnotationDraft && (seen.IsZero() || seen.Equal(a.UpdatedAt))
}

// moved refuses what came too late for an annotation, and says what it is now.
func moved(op string, now core.Annotation) *core.Error {
	e := core.Errorf(core.RequestConflict, "the note was changed elsewhere; nothing was stored").
		WithHint("Look at what it says now, and do it again if it should still be done.")
	switch now.State {
	case core.AnnotationSent:
		e = core.Errorf(core.RequestConflict, "the note was already sent; nothing was stored").
			WithHint("What was sent stays as it is. Write another note, or ask for its turn's notes again.").With("turn", now.TurnID)
	case core.AnnotationDiscarded:
		e = core.Errorf(core.RequestConflict, "the note was already discarded; nothing was stored").
			WithHint("Write it anew if it is still wanted.")
	}
	return e.With("annotation", now.ID).With("now", now).In(op)
}
