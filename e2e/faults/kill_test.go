//go:build unix

package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Attack 33, D-48, D-52, T-83, R-DOC-5: the process dies at each numbered point
// of each command, and in the middle of each write of the database. Then the
// file and the head are old or new, what was there is there, the receipt is
// true, nothing hangs, and the same command once more does its work.
func TestKilledAtEachPoint(t *testing.T) {
	for _, s := range scenarios {
		if s.rare && !full {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			inPlace(t, func(p *place) { killAll(p, s) })
		})
	}
}

func killAll(p *place, s scenario) {
	at, args := s.start(p)
	points := p.points(args...)
	p.put(at)
	before := p.look("before")
	missed := 0
	for _, n := range s.chosen(points) {
		label := fmt.Sprintf("killed at %d of %d, %s", n, len(points)-1, points[n])
		p.put(at)
		r := p.run(fmt.Sprintf("kill@%d", n), args...)
		if !r.killed {
			missed++ // the run took fewer steps this time
			continue
		}
		kills.Add(1)
		now := p.held(label, before, s.more)
		p.truth(label, r, before, now)
		if full && n%3 == 0 {
			p.killAgain(label, before, s, n, args)
		}
		s.complete(p, label, before, args)
	}
	if n := len(points) / 10; missed > n+2 {
		p.t.Errorf("%d of %d points were not reached", missed, len(points))
	}
}

// killAgain kills the recovery too, somewhere.
func (p *place) killAgain(label string, before facts, s scenario, n int, args []string) {
	p.t.Helper()
	if r := p.run(fmt.Sprintf("kill@%d", n*7919%97+1), args...); r.killed {
		kills.Add(1)
		p.held(label+", and again in the recovery", before, max(s.more, 1))
	}
}

// apart is how far the points of SQLite's writes are from each other that are
// tried where not all are; there are many alike.
var apart = either(37, 67)

// chosen gives the points to try. In the full form these are all, where a browser
// is started all of ours and some of SQLite's; in the short form each of ours
// once, where a browser is started those of the steps that it is for.
func (s scenario) chosen(points []string) []int {
	var out []int
	seen := map[string]bool{}
	for n := 1; n < len(points); n++ {
		_, name, _ := strings.Cut(points[n], " ")
		ours := !strings.HasPrefix(name, "sqlite")
		some := n%apart == len(s.name)%apart
		first := !seen[name]
		seen[name] = true
		switch {
		case full && (ours || some || !s.browser),
			!full && s.browser && first && slices.Contains(s.steps, name),
			!full && !s.browser && (ours && first || some && !ours):
			out = append(out, n)
		}
	}
	return out
}

// truth checks what a run had said: a result on standard output is acknowledged,
// and an error that says that nothing was done is believed.
func (p *place) truth(label string, r result, before, now facts) {
	p.t.Helper()
	if !strings.HasPrefix(r.out, "{") || !strings.HasSuffix(r.out, "}\n") {
		return // nothing, or not all of it, was said
	}
	o := decode[outcome](p.t, r)
	switch {
	case o.Status == "applied" && o.WriteError == nil:
		if now.head().Generation != o.Generation || now.head().SHA256 != o.SHAAfter {
			p.t.Fatalf("%s: it said %s, and the newest version is %+v", label, r.out, now.head())
		}
		if o.Written && sum(now.file) != o.SHAAfter {
			p.t.Fatalf("%s: it said that the file was written, and it holds %q", label, now.file)
		}
	case o.Error != nil && strings.Contains(o.Error.Message, "is as it was") || o.WriteError != nil && strings.Contains(o.WriteError.Message, "is as it was"):
		if now.file != before.file {
			p.t.Fatalf("%s: it said %s, and the page is %q", label, r.out, now.file)
		}
	case o.Error != nil && strings.Contains(o.Error.Message, "nothing was"):
		for _, rev := range now.line[len(before.line):] {
			if rev.Source != "outside" {
				p.t.Fatalf("%s: it said %s, and made %+v", label, r.out, rev)
			}
		}
	}
}
