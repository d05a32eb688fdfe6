//go:build unix

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The clock of a run is days off, or jumps in the middle of it.
// Nothing is lost or kept waiting by that: at the worst a command loses its lease, or its
// turn is too old, and it says so; the next one, with the right clock, does its
// work at once.
func TestClockJumps(t *testing.T) {
	for _, s := range scenarios {
		if (s.browser || s.rare) && !full {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			inPlace(t, func(p *place) { jumpAll(p, s) })
		})
	}
}

func jumpAll(p *place, s scenario) {
	at, args := s.start(p)
	points := p.points(args...)
	p.put(at)
	before := p.look("before")
	steps := []int{0}
	for n, name := range points {
		if name == "point store: begin" || name == "point store: commit" {
			steps = append(steps, n)
		}
	}
	for i, n := range steps {
		for j, by := range []string{"clock-50h", "clock+50h"} {
			if (!full || s.browser) && (i+4*j+len(s.name))%8 != 0 {
				continue
			}
			fault := fmt.Sprintf("%s@%d", by, n)
			if i%2 == 1 { // and then it dies with what it holds
				fault += fmt.Sprintf(",kill@%d", n+(len(points)-n)/2)
			}
			p.put(at)
			r := p.run(fault, args...)
			now := p.held(fault, before, s.more)
			p.truth(fault, r, before, now)
			if !r.killed && r.code != 0 && r.code != 4 && !slices.Contains(s.again, r.code) && !strings.Contains(r.out, `"turn_ended"`) {
				p.t.Errorf("%s: exit %d: %s", fault, r.code, r)
			}
			s.complete(p, fault, before, args)
		}
	}
}
