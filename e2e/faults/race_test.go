//go:build unix

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

const racers = 8

// D-48, R-DOC-2: eight processes work on one document at the same moment, with
// clocks that differ, and some of them are killed on the way. Each that says that it made
// a version made it; the others say why not; the page ends as the newest version.
func TestEightProcesses(t *testing.T) {
	for i := range either(12, 2) {
		t.Run(itoa(i), func(t *testing.T) {
			inPlace(t, func(p *place) {
				r := rand.New(rand.NewPCG(uint64(i), 8))
				p.home()
				p.mine(strings.Replace(second, ">delta<", ">Dave<", 1))
				for round := range 5 {
					race(p, r, fmt.Sprintf("race %d, round %d", i, round), round%2 == 1)
				}
			})
		})
	}
}

func race(p *place, r *rand.Rand, label string, deadly bool) {
	before := p.look(label)
	results := make([]result, racers)
	var wg sync.WaitGroup
	for i := range racers {
		args := [][]string{
			{"restore", "page.html", "1", "--json"},
			{"restore", "page.html", "2", "--json"},
			{"revert", "page.html", "--json"},
			{"redo", "page.html", "--json"},
			{"source", "page.html", "--from", "mine.html", "--base", "2", "--json"},
			{"export", "page.html", "--out", fmt.Sprintf("copy%d.html", i), "--json"},
			{"history", "page.html", "--json"},
			{"gc", "--json"},
		}[r.IntN(8)]
		fault := []string{"", "clock-1h@0", "clock+1h@0"}[r.IntN(3)]
		if deadly && i%2 == 0 {
			fault = fmt.Sprintf("kill@%d", 1+r.IntN(180))
		}
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			results[i] = p.finish(ctx, p.command(ctx, fault, args...), fault)
		})
	}
	wg.Wait()
	if p.t.Failed() {
		p.t.FailNow()
	}
	now := p.held(label, before, racers)
	made := map[int]string{}
	for _, rev := range now.line {
		made[rev.Generation] = rev.SHA256
		if rev.Source == "outside" {
			p.t.Fatalf("%s: an own write was taken for an outside change", label)
		}
	}
	for _, res := range results {
		switch {
		case res.killed:
			kills.Add(1)
		case res.code != 0 && res.code != 3 && res.code != 4:
			p.t.Errorf("%s: exit %d: %s", label, res.code, res)
		}
		if strings.Contains(res.out, `"applied"`) {
			if o := decode[outcome](p.t, res); made[o.Generation] != o.SHAAfter {
				p.t.Fatalf("%s: it said %s, and the history is %v", label, res.out, now.line)
			}
		}
	}
	if r := p.run("", "restore", "page.html", itoa(now.head().Generation), "--json"); r.code != 0 && r.code != 3 {
		p.t.Fatalf("%s: catching up: exit %d: %s", label, r.code, r)
	}
	if end := p.held(label+", caught up", now, 0); sum(end.file) != end.head().SHA256 {
		p.t.Fatalf("%s: the page is not the newest version", label)
	}
	// What killed exports left is looked for by the next one.
	p.want(0, "export", "page.html", "--out", "copy.html")
	copies := []string{"copy.html", "mine.html"}
	for i := range racers {
		copies = append(copies, fmt.Sprintf("copy%d.html", i))
	}
	p.tidy(label, copies...)
}
