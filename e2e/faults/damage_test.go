//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// HARD_CASES 35: pages of the database are zeroed, turned over, cut off. Whatever is
// still told is true: a version that can be read is the one it was, and the page
// is not touched but to hold a whole version.
func TestDamagedDatabase(t *testing.T) {
	inPlace(t, func(p *place) {
		p.home()
		texts := []string{first, second, first, second}
		at := p.keep()
		const page = 4096
		db := filepath.Join("data", "proofmark.db")
		for n := range len(at[db]) / page {
			for kind, break_ := range map[string]func([]byte) []byte{
				"zeroed": func(b []byte) []byte { clear(b[n*page : (n+1)*page]); return b },
				"flipped": func(b []byte) []byte {
					for i := n * page; i < (n+1)*page; i += 97 {
						b[i] ^= 0x55
					}
					return b
				},
				"cut": func(b []byte) []byte { return b[:n*page] },
			} {
				if !full && n%5 != map[string]int{"zeroed": 0, "flipped": 1, "cut": 2}[kind] {
					continue
				}
				p.put(at)
				p.must(os.WriteFile(filepath.Join(p.dir, db), break_(slices.Clone(at[db])), 0o600))
				p.worksOrSays(fmt.Sprintf("page %d %s", n+1, kind), texts)
			}
		}
	})
}

// worksOrSays runs commands on a damaged database.
func (p *place) worksOrSays(label string, texts []string) {
	p.t.Helper()
	fails.Add(1)
	for g := range texts {
		r := p.run("", "export", "page.html", "--generation", itoa(g+1), "--out", "-")
		if r.code == 0 && r.out != texts[g] {
			p.t.Errorf("%s: generation %d is given out as %q", label, g+1, r.out)
		}
	}
	for _, args := range [][]string{{"history", "page.html"}, {"changes", "page.html"}, {"restore", "page.html", "1"}} {
		r := p.run("", append(args, "--json")...)
		var o outcome
		if err := json.Unmarshal([]byte(r.out), &o); err != nil {
			p.t.Fatalf("%s: %v: %s", label, err, r)
		}
		if r.code != 0 && (o.Error == nil || o.Error.Code == "internal") {
			p.t.Errorf("%s: exit %d: %s", label, r.code, r)
		}
		got := p.read()
		if got != second && (args[0] != "restore" || got != first) {
			p.t.Fatalf("%s: after %s the page is %q", label, args[0], got)
		}
		if r.code == 0 && args[0] == "restore" && got != first {
			p.t.Errorf("%s: it said %s, and the page is %q", label, r.out, got)
		}
	}
}
