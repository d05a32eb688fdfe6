package document

import (
	"testing"
	"time"
)

// What an editor does on the way is not told, only where it comes to rest.
func TestSettle(t *testing.T) {
	o := WatchOptions{}.withDefaults()
	start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	type step struct {
		touch   bool
		content string // of a look at the time that is due
		gone    bool
		want    bool
	}
	look := func(content string, want bool) step { return step{content: content, want: want} }
	missing := func(want bool) step { return step{content: "gone", gone: true, want: want} }
	touch := step{touch: true}
	for name, steps := range map[string][]step{
		"at first":                  {touch, look("a", false), look("a", true)},
		"a save":                    {touch, look("a", false), look("a", true), touch, look("b", false), look("b", true)},
		"touched only":              {touch, look("a", false), look("a", true), touch, look("a", false)},
		"emptied and filled":        {touch, look("a", false), look("a", true), touch, look("", false), look("b", false), look("b", true)},
		"in pieces":                 {touch, look("b1", false), look("b2", false), look("b3", false), look("b3", true)},
		"removed and made anew":     {touch, look("a", false), look("a", true), touch, missing(false), look("b", false), look("b", true)},
		"removed and put back":      {touch, look("a", false), look("a", true), touch, missing(false), look("a", false)},
		"gone":                      {touch, look("a", false), look("a", true), touch, missing(false), missing(true), touch, missing(false)},
		"changed and changed back":  {touch, look("a", false), look("a", true), touch, look("b", false), look("a", false)},
		"back with the same, later": {touch, look("a", false), look("a", true), touch, missing(false), missing(true), touch, look("a", false), look("a", true)},
	} {
		t.Run(name, func(t *testing.T) {
			var n settle
			now := start
			for i, s := range steps {
				if s.touch {
					n.touched(now, &o)
					continue
				}
				if n.due.IsZero() {
					t.Fatalf("step %d: no look is due", i)
				}
				now = n.due
				if got := n.looked(now, s.content, s.gone, &o); got != s.want {
					t.Fatalf("step %d: told %t, want %t", i, got, s.want)
				}
				if s.want {
					n.done()
				}
				if s.gone && !s.want && !n.due.IsZero() && n.due.Sub(now) != o.Gone {
					t.Fatalf("step %d: a missing file is looked at again after %v", i, n.due.Sub(now))
				}
			}
			if !n.due.IsZero() {
				t.Error("a look is still due")
			}
		})
	}
}

// A file that something writes to without end is looked at now and then, and not
// told while it changes.
func TestSettleWithoutRest(t *testing.T) {
	o := WatchOptions{}.withDefaults()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	var n settle
	looks := 0
	for i := range 200 {
		now = now.Add(o.Quiet / 2)
		if !n.due.IsZero() && !now.Before(n.due) {
			looks++
			if n.looked(now, string(rune('a'+i)), false, &o) {
				t.Fatal("told while it changes")
			}
		}
		n.touched(now, &o)
	}
	if looks < 2 {
		t.Errorf("%d looks", looks)
	}
}

// What could not be taken in is told again.
func TestSettleTellsAgain(t *testing.T) {
	o := WatchOptions{}.withDefaults()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	var n settle
	n.touched(now, &o)
	n.looked(n.due, "a", false, &o)
	if !n.looked(n.due, "a", false, &o) {
		t.Fatal("not told")
	}
	n.later(now, &o)
	if n.due != now.Add(o.Retry) || !n.looked(n.due, "a", false, &o) {
		t.Error("not told again")
	}
}
