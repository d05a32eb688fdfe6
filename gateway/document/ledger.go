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
// from the line of change sets alone.
//
// A revert takes out what it reverts, a redo takes out the revert it puts back.
// A part is in force unless something takes it out whose own part of that note
// is in force. So a note of a revert can be taken back alone, too.
type ledger struct {
	heads []store.ChangeHead  // the newest first
	outs  map[string][]taking // by what is taken out, the newest first
	known map[part]string     // answers that were given
}

// taking is one change set that takes out another.
type taking struct {
	by   string
	note int // of the taken one; 0 for the whole
}

func newLedger(newestFirst []store.ChangeHead) ledger {
	l := ledger{heads: newestFirst, outs: map[string][]taking{}, known: map[part]string{}}
	done := map[part][]string{} // reverts that no redo has put back yet, by what they revert
	for _, c := range slices.Backward(newestFirst) {
		p := part{c.Reverts, c.RevertNote}
		switch c.Source {
		case core.SourceRevert:
			l.outs[c.Reverts] = append(l.outs[c.Reverts], taking{c.ID, c.RevertNote})
			done[p] = append(done[p], c.ID)
		case core.SourceRedo:
			if n := len(done[p]); n > 0 {
				l.outs[done[p][n-1]] = append(l.outs[done[p][n-1]], taking{c.ID, 0})
				done[p] = done[p][:n-1]
			}
		}
	}
	for _, t := range l.outs {
		slices.Reverse(t)
	}
	return l
}

// takenBy gives the change set that took a part out, "" when it is in force.
func (l ledger) takenBy(changeSet string, note int) string {
	p := part{changeSet, note}
	by, ok := l.known[p]
	if ok {
		return by
	}
	for _, t := range l.outs[changeSet] {
		if (t.note == 0 || t.note == note) && l.takenBy(t.by, note) == "" {
			by = t.by
			break
		}
	}
	l.known[p] = by
	return by
}

// undoable lists the change sets that undo may take back, the newest first:
// what was made here, is no revert, and was not taken back as a whole.
func (l ledger) undoable(yield func(store.ChangeHead) bool) {
	for _, c := range l.heads {
		if c.Source != core.SourceRevert && c.Source != core.SourceOutside && l.takenBy(c.ID, 0) == "" && !yield(c) {
			return
		}
	}
}

// redo gives the newest revert in force with nothing but reverts and redos
// after it.
func (l ledger) redo() (store.ChangeHead, bool) {
	for _, c := range l.heads {
		switch {
		case c.Source != core.SourceRevert && c.Source != core.SourceRedo:
			return store.ChangeHead{}, false
		case c.Source == core.SourceRevert && l.takenBy(c.ID, c.RevertNote) == "":
			return c, true
		}
	}
	return store.ChangeHead{}, false
}
