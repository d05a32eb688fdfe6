package document

import "time"

// settle decides when what a name holds is worth telling: when it is other than
// what was told last, and two looks with nothing happening between saw the same.
// An editor that empties a file before it fills it, removes it before it makes
// it anew, or writes it in pieces, is told of once.
type settle struct {
	told, seen string // by content; "" before the first
	begun      time.Time
	due        time.Time // of the next look; zero for none
}

// touched notes that something happened to the name.
func (n *settle) touched(now time.Time, o *WatchOptions) {
	if n.begun.IsZero() {
		n.begun = now
	}
	n.due = now.Add(o.Quiet)
	// One that never comes to rest is looked at all the same, now and then.
	if limit := n.begun.Add(o.Longest); n.due.After(limit) {
		n.due = limit
	}
}

// looked takes in what a look saw, and tells whether to tell it. nothing says
// that there was no file, or an empty one: that is mostly the middle of a save.
func (n *settle) looked(now time.Time, content string, nothing bool, o *WatchOptions) bool {
	switch {
	case content == n.told:
		n.rest()
		n.seen = content
		return false
	case content == n.seen:
		return true
	}
	n.seen, n.begun = content, now
	n.due = now.Add(o.Quiet)
	if nothing {
		n.due = now.Add(o.Gone)
	}
	return false
}

// done notes that what was seen last has been told.
func (n *settle) done() {
	n.told = n.seen
	n.rest()
}

// later has it told again.
func (n *settle) later(now time.Time, o *WatchOptions) { n.due = now.Add(o.Retry) }

func (n *settle) rest() { n.due, n.begun = time.Time{}, time.Time{} }
