//go:build unix

package faults

import (
	"fmt"
	"strings"
	"testing"
)

// D-52, R-DOC-5: the database has a commit that was begun, and the page holds
// what it would have made, though no version does (a backup was put back, or a
// disk lost what it had confirmed). Nobody can know what happened: it is shown
// for as long as the history is, and never tried again.
func TestOutcomeThatCannotBeKnown(t *testing.T) {
	inPlace(t, func(p *place) {
		p.home()
		made := strings.Replace(second, ">delta<", ">Dora<", 1)
		args := []string{"edit", "page.html", "--at", "#d", "--do", "text=Dora", "--json"}
		begun := 0
		for n, name := range p.points(args...) {
			if strings.HasSuffix(name, "attempt stored") {
				begun = n
			}
		}
		if begun == 0 {
			t.Fatal("no point is behind the beginning of a commit")
		}
		p.home()
		if r := p.run(fmt.Sprintf("kill@%d", begun), args...); !r.killed {
			t.Fatalf("it was not killed: %s", r)
		}
		p.write(made)
		type history struct {
			Ambiguous []struct{ Key, SHA256 string }
			Revisions []revision
		}
		for range 3 {
			h := decode[history](t, p.want(0, "history", "page.html", "--json"))
			if len(h.Ambiguous) != 1 || h.Ambiguous[0].SHA256 != sum(made) {
				t.Fatalf("the history shows %+v", h.Ambiguous)
			}
			if r := p.want(0, "history", "page.html"); !strings.Contains(r.errs, "cannot be known") {
				t.Fatalf("a person is told %q", r.errs)
			}
		}
		r := decode[struct{ Status string }](t, p.want(0, "sync", "page.html", "--json"))
		if r.Status != "imported" || p.read() != made {
			t.Fatalf("what the page holds is %s, %q", r.Status, p.read())
		}
		if !strings.Contains(p.want(0, "audit", "page.html").out, "attempt_ambiguous") {
			t.Error("the audit does not have it")
		}
	})
}
