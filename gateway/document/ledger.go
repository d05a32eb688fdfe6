package document

import (
	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// part is a change set, or one note of it; note 0 is the whole.
type part struct {
	changeSet string
	note      int
}

// ledger tells which change sets are in force. It is worked out from the line
// of change sets alone.
type ledger struct {
	heads   []store.ChangeHead // the newest first
	takenBy map[part]string    // the revert in force that took the part back
	idle    map[string]bool    // reverts that were put back by a redo in force
}

// newLedger walks from the newest change set to the oldest: what a later one in
// force says about an earlier one is known when the earlier one is reached.
func newLedger(newestFirst []store.ChangeHead) ledger {
	l := ledger{heads: newestFirst, takenBy: map[part]string{}, idle: map[string]bool{}}
	putBack := map[part]int{} // redos that wait for the revert they put back
	for _, c := range newestFirst {
		if l.taken(c.ID) {
			continue // what it took back or put back does not count
		}
		p := part{c.Reverts, c.RevertNote}
		if _, gone := l.takenBy[part{c.ID, c.RevertNote}]; gone {
			continue // it was of one note, and that note of it is taken back
		}
		switch c.Source {
		case core.SourceRedo:
			putBack[p]++
		case core.SourceRevert:
			if putBack[p] > 0 {
				putBack[p]--
				l.idle[c.ID] = true
			} else {
				l.takenBy[p] = c.ID
			}
		}
	}
	return l
}

// taken tells whether the whole change set is taken back.
func (l ledger) taken(changeSet string) bool {
	_, ok := l.takenBy[part{changeSet, 0}]
	return ok
}

// undo gives the newest change set in force that is not a revert.
func (l ledger) undo() (store.ChangeHead, bool) {
	for _, c := range l.heads {
		if c.Source != core.SourceRevert && !l.taken(c.ID) {
			return c, true
		}
	}
	return store.ChangeHead{}, false
}

// redo gives the newest revert in force with nothing but reverts and redos
// after it.
func (l ledger) redo() (store.ChangeHead, bool) {
	for _, c := range l.heads {
		switch {
		case c.Source != core.SourceRevert && c.Source != core.SourceRedo:
			return store.ChangeHead{}, false
		case c.Source == core.SourceRevert && !l.idle[c.ID] && !l.taken(c.ID):
			return c, true
		}
	}
	return store.ChangeHead{}, false
}
