package document

import (
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// part is the edits of one note of a change set; note 0 is those of no note.
type part struct {
	changeSet string
	note      int
}

// ledger tells which parts of which change sets are in force. It is worked out
// from the line of change sets.
//
// A revert takes out what it reverts, a redo takes out the revert it puts back,
// each of them the notes its own edits have. A part is in force unless something
// takes it out whose own part of that note is in force.
type ledger struct {
	heads []store.ChangeHead  // the newest first
	outs  map[string][]taking // by what is taken out, the oldest first
	known map[part]taking     // answers that were given
}

// taking is one change set that takes out another, or some notes of it.
type taking struct {
	by         string
	generation int64
	notes      []int // nil for all it has
}

// readLedger gives the ledger of a document.
func readLedger(tx *store.Tx, documentID string) (ledger, error) {
	heads, err := tx.ChangeHeads(documentID)
	if err != nil {
		return ledger{}, err
	}
	l := ledger{heads: heads, outs: map[string][]taking{}, known: map[part]taking{}}
	done := map[part][]string{} // reverts that no redo has put back yet, by what they revert
	for _, c := range slices.Backward(heads) {
		t, p := taking{by: c.ID, generation: c.Generation}, part{c.Reverts, c.RevertNote}
		switch c.Source {
		case core.SourceRevert:
			if c.RevertNote != 0 {
				t.notes = []int{c.RevertNote}
			}
			l.outs[c.Reverts] = append(l.outs[c.Reverts], t)
			done[p] = append(done[p], c.ID)
		case core.SourceRedo:
			if n := len(done[p]); n > 0 {
				l.outs[done[p][n-1]] = append(l.outs[done[p][n-1]], t)
				done[p] = done[p][:n-1]
			}
		}
	}
	return l, l.readNotes(tx)
}

// readNotes looks up what each of several takings of one change set took: the
// later ones, what the earlier ones had left. A single one took all.
func (l ledger) readNotes(tx *store.Tx) error {
	for _, list := range l.outs {
		if len(list) == 1 {
			continue
		}
		for i := range list {
			if list[i].notes != nil {
				continue
			}
			c, err := tx.ChangeSet(list[i].by)
			if err != nil {
				return err
			}
			for _, e := range c.Edits {
				if !slices.Contains(list[i].notes, e.Note) {
					list[i].notes = append(list[i].notes, e.Note)
				}
			}
		}
	}
	return nil
}

// takenBy gives what took a part out, the zero taking when it is in force.
func (l ledger) takenBy(changeSet string, note int) taking {
	p := part{changeSet, note}
	by, ok := l.known[p]
	if ok {
		return by
	}
	for _, t := range l.outs[changeSet] {
		if (t.notes == nil || slices.Contains(t.notes, note)) && l.inForce(t.by, note) {
			by = t
			break
		}
	}
	l.known[p] = by
	return by
}

func (l ledger) inForce(changeSet string, note int) bool { return l.takenBy(changeSet, note).by == "" }

// left tells whether something of a change set is in force.
func (l ledger) left(tx *store.Tx, changeSet string) (bool, error) {
	if len(l.outs[changeSet]) == 0 {
		return true, nil
	}
	c, err := tx.ChangeSet(changeSet)
	return slices.ContainsFunc(c.Edits, func(e core.Edit) bool { return l.inForce(c.ID, e.Note) }), err
}

// undo gives the newest change set that was made here, is no revert, and of
// which something is in force.
func (l ledger) undo(tx *store.Tx) (store.ChangeHead, bool, error) {
	for _, c := range l.heads {
		if c.Source == core.SourceRevert || c.Source == core.SourceOutside {
			continue
		}
		if ok, err := l.left(tx, c.ID); ok || err != nil {
			return c, ok, err
		}
	}
	return store.ChangeHead{}, false, nil
}

// redo gives the newest revert in force with nothing but reverts and redos
// after it.
func (l ledger) redo(tx *store.Tx) (store.ChangeHead, bool, error) {
	for _, c := range l.heads {
		switch c.Source {
		case core.SourceRevert:
			if ok, err := l.left(tx, c.ID); ok || err != nil {
				return c, ok, err
			}
		case core.SourceRedo:
		default:
			return store.ChangeHead{}, false, nil
		}
	}
	return store.ChangeHead{}, false, nil
}
