package document

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// Revert takes a change set back, the newest or an older one: its inverse edits
// are carried through every later change set and made at the head, as a new
// revision. note picks the edits of one note; 0 takes the whole change set, or
// what is left of it where notes were taken back before.
//
// Refusals: UnknownDocument, UnknownChange, OverlapsLater (Detail names the
// later change set), NoOp when it is already taken back, LeaseHeld.
func (s *Service) Revert(ctx context.Context, documentID, changeSetID string, note int, actor string) (Result, error) {
	return s.append(ctx, documentID, actor, func(tx *store.Tx, l ledger) (proposal, error) {
		return planRevert(tx, l, documentID, changeSetID, note)
	})
}

// Undo takes back the newest change set made here of which something is in
// force and which is no revert. What another program changed is taken back by
// name only. Refusals: UnknownChange when there is none, and those of Revert.
func (s *Service) Undo(ctx context.Context, documentID, actor string) (Result, error) {
	return s.UndoNote(ctx, documentID, 0, actor)
}

// UndoNote is Undo for the edits of one note alone; 0 takes all that is left.
func (s *Service) UndoNote(ctx context.Context, documentID string, note int, actor string) (Result, error) {
	return s.append(ctx, documentID, actor, func(tx *store.Tx, l ledger) (proposal, error) {
		c, ok, err := l.undo(tx)
		if err != nil {
			return proposal{}, err
		}
		if !ok {
			return proposal{}, core.Errorf(core.UnknownChange, "there is no change left to take back").
				WithHint("`proofmark changes FILE` lists them").In("document.Undo")
		}
		return planRevert(tx, l, documentID, c.ID, note)
	})
}

// Redo puts back the newest revert in force, as long as nothing but reverts and
// redos came after it. Refusals: NothingToRedo, LeaseHeld.
func (s *Service) Redo(ctx context.Context, documentID, actor string) (Result, error) {
	return s.append(ctx, documentID, actor, func(tx *store.Tx, l ledger) (proposal, error) {
		c, ok, err := l.redo(tx)
		if err != nil {
			return proposal{}, err
		}
		if !ok {
			return proposal{}, core.Errorf(core.NothingToRedo, "there is nothing to put back").
				WithHint("Only what was taken back last can be put back, and only while no new change has followed.").In("document.Redo")
		}
		undone, err := tx.ChangeSet(c.ID)
		if err != nil {
			return proposal{}, err
		}
		edits, err := inverse(tx, undone, func(core.Edit) bool { return true })
		if err != nil {
			return proposal{}, err
		}
		edits, err = carry(tx, l, documentID, c.Generation, edits, undone.Computed)
		return proposal{edits: edits, computed: undone.Computed, source: core.SourceRedo, reverts: c.Reverts, note: c.RevertNote}, err
	})
}

// Restore makes the bytes of an earlier generation the head again, as a new
// revision. Refusals: UnknownRevision, NoOp when the head has these bytes
// already, LeaseHeld.
func (s *Service) Restore(ctx context.Context, documentID string, generation int64, actor string) (Result, error) {
	return s.append(ctx, documentID, actor, func(tx *store.Tx, _ ledger) (proposal, error) {
		r, err := tx.RevisionAt(documentID, generation)
		if err != nil {
			return proposal{}, err
		}
		target, err := tx.Blob(r.SHA256)
		if err != nil {
			return proposal{}, err
		}
		_, _, now, err := head(tx, documentID)
		if err != nil {
			return proposal{}, err
		}
		return proposal{edits: textpatch.Diff(now, target), computed: true, source: core.SourceRestore}, nil
	})
}

// proposal is what to append: edits against the head's bytes.
type proposal struct {
	edits    []core.Edit
	computed bool // see core.ChangeSet
	source   core.RevisionSource
	reverts  string
	note     int
}

// append plans a proposal on one snapshot and commits it under the lease.
func (s *Service) append(ctx context.Context, documentID, actor string, plan func(*store.Tx, ledger) (proposal, error)) (res Result, err error) {
	err = s.WithLease(ctx, documentID, func(l core.WriterLease) error {
		q := CommitRequest{DocumentID: documentID, Lease: l, Actor: actor}
		if err := s.st.Read(ctx, func(tx *store.Tx) error {
			d, _, before, err := head(tx, documentID)
			if err != nil {
				return err
			}
			l, err := readLedger(tx, documentID)
			if err != nil {
				return err
			}
			p, err := plan(tx, l)
			if err != nil {
				return err
			}
			q.ExpectedHead, q.ExpectedStateRev = d.HeadID, d.StateRev
			q.Edits, q.Computed, q.Source, q.Reverts, q.RevertNote = p.edits, p.computed, p.source, p.reverts, p.note
			if q.After, err = textpatch.Apply(before, p.edits); err == nil && bytes.Equal(q.After, before) {
				err = alreadySo(p)
			}
			return err
		}); err != nil {
			return err
		}
		res, err = s.commit(ctx, q)
		return err
	})
	return res, err
}

// alreadySo refuses a proposal that leaves the newest version as it is.
func alreadySo(p proposal) error {
	switch p.source {
	case core.SourceRestore:
		return core.Errorf(core.NoOp, "the newest version has these bytes already").In("document.Restore")
	case core.SourceRevert:
		return core.Errorf(core.NoOp, "what is left of the change %s makes no difference any more", p.reverts).
			WithHint("name an older one: `proofmark changes FILE` lists them").In("document.Revert")
	}
	return core.Errorf(core.NoOp, "the newest version is as it would become").In("document.Redo")
}

func planRevert(tx *store.Tx, l ledger, documentID, changeSetID string, note int) (proposal, error) {
	const op = "document.Revert"
	if note < 0 {
		return proposal{}, core.Errorf(core.UnknownChange, "notes count from 1").In(op)
	}
	c, err := tx.ChangeSet(changeSetID)
	if err != nil {
		return proposal{}, err
	}
	if c.DocumentID != documentID {
		return proposal{}, core.Errorf(core.UnknownChange, "the change %s belongs to another document", changeSetID).
			WithHint("`proofmark changes FILE` lists the file's own").In(op)
	}
	by := "" // what took back all that was asked for
	edits, err := inverse(tx, c, func(e core.Edit) bool {
		if note != 0 && !e.For(note) {
			return false
		}
		taken := l.takenBy(changeSetID, e.Note).by
		by = cmp.Or(by, taken)
		return taken == ""
	})
	if err != nil {
		return proposal{}, err
	}
	if len(edits) == 0 && by != "" {
		what := "the change " + c.ID
		if note != 0 {
			what = fmt.Sprintf("note %d of the change %s", note, c.ID)
		}
		return proposal{}, core.Errorf(core.NoOp, "%s is already taken back", what).
			WithHint("%s did it; `proofmark changes FILE` lists what is in force", by).With("by", by).In(op)
	}
	if len(edits) == 0 {
		return proposal{}, unknownNote(c)
	}
	if note != 0 {
		if i := slices.IndexFunc(edits, core.Edit.Joint); i >= 0 {
			return proposal{}, core.Errorf(core.Overlap, "note %d shares an edit with other notes of the change, so it cannot be taken back alone", note).
				WithHint("take the whole change %s back", c.ID).With("notes", edits[i].Notes.List()).In(op)
		}
	}
	r, err := tx.Revision(c.ResultID)
	if err != nil {
		return proposal{}, err
	}
	edits, err = carry(tx, l, documentID, r.Generation, edits, c.Computed)
	return proposal{edits: edits, computed: c.Computed, source: core.SourceRevert, reverts: changeSetID, note: note}, err
}

func unknownNote(c core.ChangeSet) error {
	notes := []int{}
	for _, e := range c.Edits {
		for _, n := range append(e.Notes.List(), e.Note) {
			if n > 0 && !slices.Contains(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	slices.Sort(notes)
	return core.Errorf(core.UnknownChange, "the change has no edit for that note").
		WithHint("`proofmark changes FILE` tells what each note of it did").With("notes", notes).In("document.Revert")
}

// inverse gives those of a change set's inverse edits whose note is wanted,
// against the bytes of its result.
func inverse(tx *store.Tx, c core.ChangeSet, want func(core.Edit) bool) ([]core.Edit, error) {
	before, err := tx.Blob(c.SHABefore)
	if err != nil {
		return nil, err
	}
	all := textpatch.Inverse(before, c.Edits)
	if len(all) != len(c.Edits) {
		return nil, core.Errorf(core.StorageDamaged, "the edits of change %s do not fit its bytes", c.ID)
	}
	out := make([]core.Edit, 0, len(all))
	for _, e := range all {
		if want(e) {
			out = append(out, e)
		}
	}
	return out, nil
}

// ChangeBytes gives the bytes before and after a change set, and stands for it
// that its edits make the one from the other and leave every other byte alone.
func (s *Service) ChangeBytes(ctx context.Context, changeSetID string) (c core.ChangeSet, before, after []byte, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if c, err = tx.ChangeSet(changeSetID); err != nil {
			return err
		}
		before, after, err = checkChange(tx, c)
		return err
	})
	return c, before, after, err
}

func checkChange(tx *store.Tx, c core.ChangeSet) (before, after []byte, err error) {
	if before, err = tx.Blob(c.SHABefore); err != nil {
		return nil, nil, err
	}
	if after, err = tx.Blob(c.SHAAfter); err != nil {
		return nil, nil, err
	}
	made, err := textpatch.Apply(before, c.Edits)
	if err != nil || core.SHA256Hex(made) != c.SHAAfter {
		return nil, nil, core.Wrap(core.StorageDamaged, err, "the edits of change %s do not make its bytes", c.ID).With("changeSet", c.ID)
	}
	return before, after, nil
}
