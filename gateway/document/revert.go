package document

import (
	"bytes"
	"context"
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

// Undo takes back the newest change set in force that is not a revert.
// Refusals: NoOp when there is none, and those of Revert.
func (s *Service) Undo(ctx context.Context, documentID, actor string) (Result, error) {
	return s.append(ctx, documentID, actor, func(tx *store.Tx, l ledger) (proposal, error) {
		c, ok := l.undo()
		if !ok {
			return proposal{}, core.Errorf(core.NoOp, "there is no change left to take back").In("document.Undo")
		}
		return planRevert(tx, l, documentID, c.ID, 0)
	})
}

// Redo puts back the newest revert in force, as long as nothing but reverts and
// redos came after it. Refusals: NothingToRedo, LeaseHeld.
func (s *Service) Redo(ctx context.Context, documentID, actor string) (Result, error) {
	return s.append(ctx, documentID, actor, func(tx *store.Tx, l ledger) (proposal, error) {
		c, ok := l.redo()
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
			heads, err := tx.ChangeHeads(documentID)
			if err != nil {
				return err
			}
			p, err := plan(tx, newLedger(heads))
			if err != nil {
				return err
			}
			q.ExpectedHead, q.ExpectedStateRev = d.HeadID, d.StateRev
			q.Edits, q.Computed, q.Source, q.Reverts, q.RevertNote = p.edits, p.computed, p.source, p.reverts, p.note
			q.After, err = textpatch.Apply(before, p.edits)
			return err
		}); err != nil {
			return err
		}
		res, err = s.commit(ctx, q)
		return err
	})
	return res, err
}

func planRevert(tx *store.Tx, l ledger, documentID, changeSetID string, note int) (proposal, error) {
	const op = "document.Revert"
	c, err := tx.ChangeSet(changeSetID)
	if err != nil {
		return proposal{}, err
	}
	if c.DocumentID != documentID {
		return proposal{}, core.Errorf(core.UnknownChange, "the change %s belongs to another document", changeSetID).In(op)
	}
	for _, p := range []part{{changeSetID, 0}, {changeSetID, note}} {
		if by, ok := l.takenBy[p]; ok {
			return proposal{}, core.Errorf(core.NoOp, "the change is already taken back").With("by", by).In(op)
		}
	}
	edits, err := inverse(tx, c, func(e core.Edit) bool {
		if note != 0 {
			return e.For(note)
		}
		_, gone := l.takenBy[part{changeSetID, e.Note}]
		return e.Note == 0 || !gone
	})
	if err != nil {
		return proposal{}, err
	}
	if len(edits) == 0 {
		return proposal{}, nothingOf(c, note)
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

func nothingOf(c core.ChangeSet, note int) error {
	if note == 0 {
		return core.Errorf(core.NoOp, "all notes of the change are already taken back").In("document.Revert")
	}
	notes := []int{}
	for _, e := range c.Edits {
		if e.Note != 0 && (len(notes) == 0 || notes[len(notes)-1] != e.Note) {
			notes = append(notes, e.Note)
		}
	}
	return core.Errorf(core.UnknownChange, "the change has no edit for note %d", note).With("notes", notes).In("document.Revert")
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

// carry takes edits against the bytes of a generation through every later
// change set, so that they can be made at the head. Where later bytes are the
// very same again, what lies between has cancelled out and is stepped over.
// computed tells that the edits are a difference of two texts.
func carry(tx *store.Tx, l ledger, documentID string, generation int64, edits []core.Edit, computed bool) ([]core.Edit, error) {
	shaAt := map[int64]string{}  // of each generation's bytes
	lastOf := map[string]int64{} // the newest generation with these bytes
	for _, c := range l.heads {
		shaAt[c.Generation] = c.SHAAfter
		lastOf[c.SHAAfter] = max(lastOf[c.SHAAfter], c.Generation)
	}
	newest := int64(1)
	if len(l.heads) > 0 {
		newest = l.heads[0].Generation
	}
	for at := lastOf[shaAt[generation]]; at < newest; at = lastOf[shaAt[at+1]] {
		c, err := tx.ChangeSetAt(documentID, at+1)
		if err != nil {
			return nil, err
		}
		if edits, err = across(tx, c, edits, computed); err != nil {
			if core.CodeOf(err) != core.OverlapsLater {
				return nil, err
			}
			return nil, core.Wrap(core.OverlapsLater, err, "a later change (generation %d, %s) has touched the same place; nothing was changed", at+1, c.Source).
				WithHint("Take change %s back first, or restore an earlier version.", c.ID).
				With("changeSet", c.ID).With("generation", at+1).In("document.Revert")
		}
	}
	return edits, nil
}

// across carries edits over one change set. Where either is known by its two
// texts alone, certainty takes more than that their spans are apart.
func across(tx *store.Tx, c core.ChangeSet, edits []core.Edit, computed bool) ([]core.Edit, error) {
	if !c.Computed && !computed {
		return textpatch.ReprojectEdits(edits, c.Edits)
	}
	before, err := tx.Blob(c.SHABefore)
	if err != nil {
		return nil, err
	}
	after, err := tx.Blob(c.SHAAfter)
	if err != nil {
		return nil, err
	}
	var carried []core.Edit
	if c.Computed {
		carried, err = textpatch.Relocate(before, after, edits)
	} else {
		carried, err = textpatch.ReprojectEdits(edits, c.Edits)
	}
	if err != nil || !computed {
		return carried, err
	}
	return carried, commutes(before, after, edits, carried, c.Edits)
}

// commutes refuses edits that are a difference of two texts where the later
// change, made after them instead of before, would not certainly come to the
// same text. A difference may hold a line for moved, and carry what was done to
// it to its neighbour.
func commutes(before, after []byte, edits, carried, later []core.Edit) error {
	one, err := textpatch.Apply(after, carried)
	if err != nil {
		return err
	}
	without, err := textpatch.Apply(before, edits)
	if err != nil {
		return err
	}
	moved, err := textpatch.Relocate(before, without, later)
	if err != nil {
		return err
	}
	other, err := textpatch.Apply(without, moved)
	if err != nil {
		return err
	}
	if !bytes.Equal(one, other) {
		return core.Errorf(core.OverlapsLater, "the places of the two changes cannot be told apart for certain").In("document.Revert")
	}
	return nil
}

// Taken tells, for each change set or note that is taken back at this moment,
// which revert did it. The key is the change set's id; note 0 is the whole.
func (s *Service) Taken(ctx context.Context, documentID string) (map[string]map[int]string, error) {
	out := map[string]map[int]string{}
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		heads, err := tx.ChangeHeads(documentID)
		if err != nil {
			return err
		}
		for p, by := range newLedger(heads).takenBy {
			if out[p.changeSet] == nil {
				out[p.changeSet] = map[int]string{}
			}
			out[p.changeSet][p.note] = by
		}
		return nil
	})
	return out, err
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
