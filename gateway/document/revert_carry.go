package document

import (
	"bytes"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// carry takes edits against the bytes of a generation through every later
// change set, so that they can be made at the head. Where later bytes are the
// very same again, what lies between has cancelled out and is stepped over; so
// is a change of the same place after which the place was made what it had been.
// computed tells that the edits are a difference of two texts.
func carry(tx *store.Tx, l ledger, documentID string, generation int64, edits []core.Edit, computed bool) ([]core.Edit, error) {
	shaAt := map[int64]string{}  // of each generation's bytes
	lastOf := map[string]int64{} // the newest generation with these bytes
	for _, c := range l.heads {
		shaAt[c.Generation] = c.SHAAfter
		lastOf[c.SHAAfter] = max(lastOf[c.SHAAfter], c.Generation)
	}
	asked, newest := edits, int64(1)
	if len(l.heads) > 0 {
		newest = l.heads[0].Generation
	}
	from := lastOf[shaAt[generation]]
	for at := from; at < newest; at = lastOf[shaAt[at]] {
		c, err := tx.ChangeSetAt(documentID, at+1)
		if err != nil {
			return nil, err
		}
		carried, err := across(tx, c, edits, computed)
		if err == nil {
			edits, at = carried, at+1
			continue
		}
		if core.CodeOf(err) != core.OverlapsLater {
			return nil, err
		}
		carried, behind, netErr := acrossNet(tx, documentID, at, at+1, newest, edits, computed)
		if netErr == nil && behind == 0 && at > from {
			// What stands in the way may take back what was stepped over.
			carried, behind, netErr = acrossNet(tx, documentID, from, at+1, newest, asked, computed)
		}
		if netErr != nil {
			return nil, netErr
		}
		if behind == 0 {
			return nil, overlapsLater(l, c, at+1, err)
		}
		edits, at = carried, behind
	}
	return edits, nil
}

// netBytes bounds the text that is composed to find out whether a place was made
// again what it had been; beyond it a conflict is stated.
const netBytes = 256 << 20

// acrossNet carries edits against a generation over as few of the change sets
// behind it, those up to the generation least among them, as together leave
// their places alone, and tells the generation it came to; 0 when there is none.
func acrossNet(tx *store.Tx, documentID string, generation, least, newest int64, edits []core.Edit, computed bool) ([]core.Edit, int64, error) {
	if computed {
		return nil, 0, nil // each step has to be certain of its own
	}
	var src []byte
	var net []core.Edit
	for at, work := generation+1, 0; at <= newest && work <= netBytes; at, work = at+1, work+len(src) {
		c, err := tx.ChangeSetAt(documentID, at)
		if err != nil {
			return nil, 0, err
		}
		if c.Computed {
			return nil, 0, nil
		}
		if src == nil {
			if src, err = tx.Blob(c.SHABefore); err != nil {
				return nil, 0, err
			}
		}
		if net, err = textpatch.Compose(src, net, c.Edits); err != nil {
			return nil, 0, core.Wrap(core.StorageDamaged, err, "the edits of change %s do not fit its bytes", c.ID)
		}
		if at < least {
			continue
		}
		carried, err := textpatch.ReprojectEdits(edits, net)
		if err == nil {
			return carried, at, nil
		}
		if core.CodeOf(err) != core.OverlapsLater {
			return nil, 0, err
		}
	}
	return nil, 0, nil
}

// overlapsLater states a conflict with the change that leads to a generation,
// and names the note of it that is in the way where that can be told.
func overlapsLater(l ledger, c core.ChangeSet, generation int64, cause error) error {
	e := core.Wrap(core.OverlapsLater, cause, "a later change (generation %d, %s) has touched the same place; nothing was changed", generation, c.Source).
		WithHint("Take change %s back first, or restore an earlier version.", c.ID).
		With("changeSet", c.ID).With("generation", generation).In("document.Revert")
	if !l.change(c, generation).InForce {
		return e.WithHint("Change %s is taken back already, but its place is not what it was: take back what came after it, or restore an earlier version.", c.ID)
	}
	by, ok := core.AsError(cause).Detail["later"].(core.Span)
	i := slices.IndexFunc(c.Edits, func(e core.Edit) bool { return e.Span == by })
	if !ok || i < 0 || c.Edits[i].Note == 0 || c.Edits[i].Joint() {
		return e
	}
	return e.WithHint("Take note %d of change %s back first, or restore an earlier version.", c.Edits[i].Note, c.ID).With("note", c.Edits[i].Note)
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
