//go:build unix

package faults

import (
	"os"
	"os/exec"
	"strings"
)

// first is generation 1 of every place: rows that changes can be told apart by,
// and enough text around them that blobs are stored as differences.
var first = "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Ledger</title></head>\n<body>\n<h1>Ledger</h1>\n" +
	"<p id=\"a\">alpha</p>\n<hr id=\"r1\">\n<p id=\"b\">beta</p>\n<hr id=\"r2\">\n<p id=\"c\">gamma</p>\n<hr id=\"r3\">\n<p id=\"d\">delta</p>\n" +
	strings.Repeat("<p>The quick brown fox jumps over the lazy dog, and the ledger says so.</p>\n", 40) + "</body>\n</html>\n"

// second is generation 2 and, in the end, the newest.
var second = strings.NewReplacer(`"a">alpha<`, `"a">Ada<`, `"b">beta<`, `"b">Bob<`).Replace(first)

// home makes the place the one every test starts from: four generations, one of
// them a change of two notes, and one draft. It skips where there is no browser
// to make them with, unless the environment says that there must be one.
func (p *place) home() {
	p.t.Helper()
	if p.base == nil {
		needChromium(p)
		p.put(nil)
		p.write(first)
		p.want(0, "edit", "page.html", "--json", "--at", "#a", "--say", `change the text to "Ada"`, "--at", "#b", "--say", `change the text to "Bob"`)
		p.want(0, "restore", "page.html", "1", "--json")
		p.want(0, "restore", "page.html", "2", "--json")
		p.want(0, "annotate", "page.html", "--json", "--at", "#c", "--say", `change the text to "Cora"`)
		if p.read() != second {
			p.t.Fatalf("the page is %q", p.read())
		}
		p.base = p.keep()
	}
	p.put(p.base)
}

// turned gives the change set of the change with two notes.
func (p *place) turned() string {
	p.t.Helper()
	return p.line()[1].ChangeSet
}

func needChromium(p *place) {
	p.t.Helper()
	for _, name := range []string{os.Getenv("PROOFMARK_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if name == "" {
			continue
		}
		if _, err := exec.LookPath(name); err == nil {
			return
		}
	}
	if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
		p.t.Fatal("no Chromium on this machine, and PROOFMARK_REQUIRE_CHROMIUM is set")
	}
	p.t.Skip("NO CHROMIUM: no history to break can be made on this machine")
}
