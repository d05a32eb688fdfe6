//go:build unix

package faults

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// scenario is a command that is made to fail, and what may be there afterwards.
type scenario struct {
	name    string
	browser bool     // it starts one, and is slow
	steps   []string // where it is killed in the short form, if it starts a browser
	rare    bool     // not in the short form
	prepare func(p *place)
	args    func(p *place) []string
	more    int      // how many revisions it may add
	again   []int    // exit codes of the same command once more, beside 0
	wants   []string // what the page may hold when all is done; none: what it held before
	beside  []string // what may stand beside the page
	check   func(p *place, label string)
}

func words(args ...string) func(*place) []string {
	return func(*place) []string { return append(args, "--json") }
}

var outside = strings.Replace(second, "<h1>Ledger<", "<h1>Written by another program<", 1)

// conflicting is first with a word that second changed too.
var conflicting = strings.Replace(first, ">alpha<", ">Anna<", 1)

// scenarios are the steps of send, stage, verify, commit, write-back, revert,
// restore and clean-up, each by the command that takes them.
var scenarios = []scenario{
	{
		name: "first start", prepare: func(p *place) { p.must(os.RemoveAll(p.data())) },
		args: words("history", "page.html"), again: []int{3},
	},
	{name: "restore", args: words("restore", "page.html", "1"), more: 1, again: []int{3}, wants: []string{first}},
	{
		name: "revert", more: 1, again: []int{3}, wants: []string{first},
		args: func(p *place) []string { return []string{"revert", "page.html", p.turned(), "--json"} },
	},
	{
		name: "revert of one note", more: 1, again: []int{3}, wants: []string{strings.Replace(second, ">Ada<", ">alpha<", 1)},
		args: func(p *place) []string {
			return []string{"revert", "page.html", p.turned(), "--note", "1", "--json"}
		},
	},
	{
		name: "redo", more: 1, again: []int{4}, wants: []string{second},
		prepare: func(p *place) { p.want(0, "revert", "page.html", p.turned()) },
		args:    words("redo", "page.html"),
	},
	{
		name: "write-back of a version that was never written", again: []int{3}, wants: []string{first},
		prepare: func(p *place) { p.want(0, "restore", "page.html", "1", "--write", "never") },
		args:    words("restore", "page.html", "1"),
	},
	{
		name: "import of an outside change", more: 2, again: []int{3}, wants: []string{first},
		prepare: func(p *place) { p.write(outside) },
		args:    words("restore", "page.html", "1"),
	},
	{
		name: "export", args: words("export", "page.html", "--generation", "1", "--out", "copy.html"), beside: []string{"copy.html"},
		check: func(p *place, label string) {
			b, err := os.ReadFile(filepath.Join(p.folder(), "copy.html"))
			if err != nil && !os.IsNotExist(err) || err == nil && string(b) != first {
				p.t.Errorf("%s: the copy is %q (%v)", label, b, err)
			}
		},
	},
	{
		// The page is made first and then its notes are stored: a run that died
		// between the two is finished by the next.
		name: "import of a review", beside: []string{"review.html", "copy.html"},
		prepare: func(p *place) {
			p.want(0, "annotate", "page.html", "--edit", p.draft().ID, "--say", "make it bold")
			p.want(0, "export", "page.html", "--bundle", "--out", "review.html")
		},
		args: words("import", "review.html", "--as", "copy.html"),
		check: func(p *place, label string) {
			if b, err := os.ReadFile(filepath.Join(p.folder(), "copy.html")); err != nil || string(b) != second {
				p.t.Errorf("%s: the page that was made is %q (%v)", label, b, err)
			}
			type note struct{ Instruction string }
			list := decode[struct{ Drafts []note }](p.t, p.want(0, "annotate", "copy.html", "--json")).Drafts
			if !slices.Equal(list, []note{{"make it bold"}}) {
				p.t.Errorf("%s: its notes are %v", label, list)
			}
			if got := decode[struct{ Revisions []revision }](p.t, p.want(0, "history", "copy.html", "--json")).Revisions; len(got) != 1 || got[0].SHA256 != sum(second) {
				p.t.Errorf("%s: its history is %v", label, got)
			}
		},
	},
	{
		name: "name", args: words("name", "page.html", "2", "the good one"), again: []int{3},
		check: func(p *place, label string) {
			if r := p.run("", "export", "page.html", "--generation", "the good one", "--out", "-"); r.code == 0 && r.out != second {
				p.t.Errorf("%s: the name stands for %q", label, r.out)
			}
		},
	},
	{
		name: "source", more: 1, again: []int{3}, wants: []string{strings.Replace(second, ">gamma<", ">Carl<", 1)}, beside: []string{"mine.html"},
		prepare: func(p *place) { p.mine(strings.Replace(second, ">gamma<", ">Carl<", 1)) },
		args:    words("source", "page.html", "--from", "mine.html"),
	},
	{
		// Both sides changed one place: nothing is committed, and the text is kept.
		name: "source in conflict", again: []int{4}, beside: []string{"mine.html"},
		prepare: func(p *place) { p.mine(conflicting) },
		args:    words("source", "page.html", "--from", "mine.html", "--base", "1"),
		check: func(p *place, label string) {
			if r := p.want(0, "source", "page.html", "--list", "--json"); !strings.Contains(r.out, sum(conflicting)) {
				p.t.Errorf("%s: the text is not kept: %s", label, r)
			}
		},
	},
	{
		name: "sync with a merge", more: 3, wants: []string{strings.Replace(first, ">delta<", ">Dora<", 1)},
		prepare: (*place).part, args: words("sync", "page.html", "--merge"),
	},
	{
		name: "sync to the history", rare: true, more: 3, wants: []string{first},
		prepare: (*place).part, args: words("sync", "page.html", "--ours"),
	},
	{
		name: "sync to the file", rare: true, more: 3, wants: []string{strings.Replace(second, ">delta<", ">Dora<", 1)},
		prepare: (*place).part, args: words("sync", "page.html", "--theirs"),
	},
	{
		name: "direct edit", browser: true, rare: true, more: 1, again: []int{3, 5}, wants: []string{strings.Replace(second, ">delta<", ">Dora<", 1)},
		args: words("edit", "page.html", "--at", "#d", "--do", "text=Dora"),
	},
	{
		name: "edit of a draft", args: func(p *place) []string {
			return []string{"annotate", "page.html", "--edit", p.draft().ID, "--say", "make it bold", "--json"}
		},
		check: func(p *place, label string) {
			if d := p.draft(); d.Instruction != "make it bold" {
				p.t.Errorf("%s: the draft says %q", label, d.Instruction)
			}
		},
	},
	{
		name: "clean-up", args: words("gc"), prepare: (*place).litter,
		check: func(p *place, label string) {
			db := p.database()
			defer db.Close()
			if rows, err := column(db, "SELECT sha256 FROM blobs WHERE sha256 NOT IN (SELECT sha256 FROM revisions) AND sha256 NOT IN (SELECT parent FROM blobs WHERE parent IS NOT NULL)"); err != nil || len(rows) > 0 {
				p.t.Errorf("%s: nobody's bytes are still there: %v %v", label, rows, err)
			}
		},
	},
	{
		name: "backup", args: words("backup", "copy.db"), again: []int{3}, beside: []string{"copy.db"},
		check: func(p *place, label string) {
			p.want(0, "restore-backup", "copy.db", "--data-dir", filepath.Join(p.dir, "copy"))
			if r := p.want(0, "export", "page.html", "--generation", "1", "--out", "-", "--data-dir", filepath.Join(p.dir, "copy")); r.out != first {
				p.t.Errorf("%s: the backup holds %q", label, r.out)
			}
		},
	},
	{
		name: "restoring of a backup", again: []int{3, 4}, beside: []string{"copy.db"},
		prepare: func(p *place) { p.want(0, "backup", "copy.db") },
		args:    words("restore-backup", "copy.db", "--data-dir", "../copy"),
		check: func(p *place, label string) {
			p.want(0, "doctor", "--deep", "--data-dir", "../copy")
			if r := p.want(0, "export", "page.html", "--generation", "1", "--out", "-", "--data-dir", "../copy"); r.out != first {
				p.t.Errorf("%s: the restored versions hold %q", label, r.out)
			}
		},
	},
	{
		name: "turn", browser: true, more: 1, again: []int{5}, wants: []string{strings.Replace(second, ">delta<", ">Dora<", 1)},
		args:  words("edit", "page.html", "--at", "#d", "--say", `change the text to "Dora"`),
		steps: []string{"stage: the draft is checked", "verify: the draft was looked at", "document: attempt stored", "document: commit stored", "document: file renamed"},
	},
	{
		// A killed turn is never run again by itself (R-SEND-3): its notes are sent,
		// and the page stays what it is.
		name: "send", browser: true, more: 1, again: []int{2}, wants: []string{second, strings.Replace(second, ">gamma<", ">Cora<", 1)},
		args:  words("send", "page.html"),
		steps: []string{"send: the turn is stored, its drafts are not taken", "document: commit stored"},
	},
	{
		name: "annotate", browser: true, steps: []string{"document: file read"}, args: words("annotate", "page.html", "--at", "#d", "--say", "make it bold"),
	},
}

// swapped tells whether a version is left beside the page that it was exchanged for.
func (p *place) swapped() bool {
	list, err := filepath.Glob(filepath.Join(p.folder(), ".*.swap"))
	return err == nil && len(list) > 0
}

func find(name string) scenario {
	return scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })]
}

// draft gives the place's one draft.
func (p *place) draft() (d struct{ ID, Instruction string }) {
	p.t.Helper()
	list := decode[struct {
		Drafts []struct{ ID, Instruction string } `json:"drafts"`
	}](p.t, p.want(0, "annotate", "page.html", "--json")).Drafts
	if len(list) != 1 {
		p.t.Fatalf("the drafts are %v", list)
	}
	return list[0]
}

// unfinished removes the copies of a database that were being made.
func (p *place) unfinished() {
	p.t.Helper()
	list, err := filepath.Glob(filepath.Join(p.dir, "*", "*.partial*"))
	p.must(err)
	for _, path := range list {
		p.must(os.Remove(path))
	}
}

// part lets the history and the file go apart.
func (p *place) part() {
	p.t.Helper()
	p.want(0, "restore", "page.html", "1", "--write", "never")
	p.write(strings.Replace(second, ">delta<", ">Dora<", 1))
}

// mine writes a person's own text beside the page.
func (p *place) mine(text string) {
	p.t.Helper()
	p.must(os.WriteFile(filepath.Join(p.folder(), "mine.html"), []byte(text), 0o644))
}

// litter stores bytes that no version has, so that cleaning up moves pages about.
func (p *place) litter() {
	p.t.Helper()
	db := p.database()
	defer db.Close()
	for i := range 60 {
		junk := strings.Repeat(itoa(i)+" is nobody's. ", 200)
		_, err := db.Exec("INSERT INTO blobs (sha256, bytes, encoding, depth, chain, data) VALUES (?, ?, 'raw', 0, 0, ?)", sum(junk), len(junk), []byte(junk))
		p.must(err)
	}
}

// start brings the place to where a scenario begins, and gives its command.
func (s scenario) start(p *place) (snapshot, []string) {
	p.home()
	if s.prepare != nil {
		s.prepare(p)
	}
	return p.keep(), s.args(p)
}

// complete runs the scenario's command unharmed after a fault: it does its work,
// or says that the work is done. In the end the page is what it should be, the
// history says so, and nothing is left behind.
func (s scenario) complete(p *place, label string, was facts, args []string) {
	p.t.Helper()
	r := p.run("", args...)
	if strings.Contains(r.out, ".partial is there already") {
		p.unfinished() // as it is told to
		r = p.run("", args...)
	}
	if r.code != 0 && !slices.Contains(s.again, r.code) {
		p.t.Fatalf("%s: the same again: exit %d: %s", label, r.code, r)
	}
	if len(was.line) > 0 {
		// Where the version was stored and only the file is behind, this writes it.
		head := itoa(len(p.line()))
		if r := p.run("", "restore", "page.html", head, "--json"); r.code != 0 && r.code != 3 {
			p.t.Fatalf("%s: catching up: exit %d: %s", label, r.code, r)
		}
	}
	f := p.held(label+", then again", was, max(s.more, 1))
	wants := s.wants
	if wants == nil {
		wants = []string{was.file}
	}
	if !slices.Contains(wants, f.file) || len(f.line) > 0 && sum(f.file) != f.head().SHA256 {
		p.t.Fatalf("%s, then again: the page is %q, the newest version %+v", label, f.file, f.head())
	}
	if s.check != nil {
		s.check(p, label)
	}
	if r := p.run("", "doctor", "--deep", "--json"); r.code != 0 {
		p.t.Fatalf("%s: the deep check: %s", label, r)
	}
	for _, g := range []string{"1", "2"} { // what could not be removed is by the next write; one of them has to write
		if strings.HasPrefix(label, "killed") || !p.swapped() {
			break
		}
		if r := p.run("", "restore", "page.html", g, "--json"); r.code != 0 && r.code != 3 {
			p.t.Fatalf("%s: the next write: exit %d: %s", label, r.code, r)
		}
	}
	p.tidy(label, s.beside...)
}
