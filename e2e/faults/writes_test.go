//go:build unix

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Attack 34, HARD_CASES 34: each write of each command fails, once or from there
// on, because the disk is full, broken or read-only. The command says so in
// words, or has done its work all the same; then the file and the head are old
// or new, and with room again the same command does its work.
func TestFailedWrites(t *testing.T) {
	for _, s := range scenarios {
		if (s.browser || s.rare) && !full {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			inPlace(t, func(p *place) { failAll(p, s) })
		})
	}
}

// told are the codes that say what a person can do about a disk.
var told = []string{"storage_full", "read_only", "permission_denied", "storage_damaged", "storage_busy"}

func failAll(p *place, s scenario) {
	at, args := s.start(p)
	points := p.points(args...)
	p.put(at)
	before := p.look("before")
	for i, n := range s.chosen(points) {
		if !strings.HasPrefix(points[n], "write ") {
			continue
		}
		for j, errno := range []string{"ENOSPC", "EIO", "EROFS"} {
			// Each write fails in one way, ours in the full form in every way.
			ours := !strings.HasPrefix(points[n], "write sqlite")
			if (i+len(s.name))%either(3, 6) != j && !(full && ours) || s.browser && !ours && i%4 != 0 {
				continue
			}
			fault := fmt.Sprintf("%s@%d", errno, n)
			if (i+j/2)%2 == 0 {
				fault += "+" // and all writes behind it
			}
			label := fmt.Sprintf("%s of %d, %s", fault, len(points)-1, points[n])
			p.put(at)
			r := p.run(fault, args...)
			fails.Add(1)
			now := p.held(label, before, s.more)
			p.truth(label, r, before, now)
			p.speaks(label, r, s)
			s.complete(p, label, before, args)
		}
	}
}

// speaks checks that a command that could not write said so in words.
func (p *place) speaks(label string, r result, s scenario) {
	p.t.Helper()
	if r.code == 0 || slices.Contains(s.again, r.code) {
		return
	}
	o := decode[outcome](p.t, r)
	e := o.Error
	if e == nil {
		e = o.WriteError
	}
	if e == nil || !slices.Contains(told, e.Code) || e.Message == "" || e.Hint == "" {
		p.t.Errorf("%s: exit %d: %s", label, r.code, r)
	}
}
