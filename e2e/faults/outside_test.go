//go:build unix

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// R-DOC-7, D-58: another program saves the page at each point of a command, the
// last moment before the file is replaced included, and the command is let
// alone or killed right after. What the other program wrote is in the file or
// in the history; so is what the command acknowledged.
func TestOutsideChangeAtEachPoint(t *testing.T) {
	for i, name := range []string{"restore", "write-back of a version that was never written", "import of an outside change"} {
		s := find(name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPlace(t, func(p *place) {
				at, args := s.start(p)
				points := p.points(args...)
				p.put(at)
				before := p.look("before")
				// As editors save: a new file in the old one's place.
				p.env = append(p.env, "PROOFMARK_FAULT_RUN=printf %s '"+theirs+"' > .other && mv .other page.html")
				defer func() { p.env = nil }()
				for n := 1; n < len(points); n++ {
					if strings.Contains(points[n], " sqlite ") && (!full || n%7 != 0) {
						continue
					}
					for _, kill := range []int{0, 1, 3, 5} {
						if !full && (n+kill+i)%10 != 0 && (i > 0 || kill < 2 || !strings.Contains(points[n], "file looked at")) {
							continue
						}
						fault := fmt.Sprintf("run@%d", n)
						if kill > 0 {
							fault += fmt.Sprintf(",kill@%d", n+kill)
						}
						p.put(at)
						p.meets(fmt.Sprintf("%s, %s", fault, points[n]), p.run(fault, args...), before, s)
					}
				}
			})
		})
	}
}

// theirs is what the other program writes.
var theirs = strings.Replace(first, "<h1>Ledger<", "<h1>Theirs<", 1)

// meets checks that a command and another program that wrote meanwhile both have
// what they wrote.
func (p *place) meets(label string, r result, before facts, s scenario) {
	p.t.Helper()
	if r.killed {
		kills.Add(1)
	}
	var o outcome
	if strings.HasSuffix(r.out, "}\n") {
		o = decode[outcome](p.t, r)
	}
	p.run("", "restore", "page.html", "1", "--json") // whatever comes next looks at the file
	now := p.look(label)
	has := func(sha string) bool {
		return slices.ContainsFunc(now.line, func(rev revision) bool { return rev.SHA256 == sha })
	}
	if !slices.Equal(now.line[:len(before.line)], before.line) {
		p.t.Fatalf("%s: the history was %v and is %v", label, before.line, now.line)
	}
	if !has(sum(theirs)) && now.file != theirs {
		p.t.Fatalf("%s: what another program wrote is lost; the page is %q: %s", label, now.file, r)
	}
	if o.Status == "applied" && !has(o.SHAAfter) {
		p.t.Fatalf("%s: it said %s, and the history is %v", label, r.out, now.line)
	}
	if now.file != theirs && !has(sum(now.file)) {
		p.t.Fatalf("%s: the page is no version: %q", label, now.file)
	}
}
