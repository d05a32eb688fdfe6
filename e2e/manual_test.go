package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// sourced is what source gives; see its help.
type sourced struct {
	Status       string `json:"status"`
	ChangeSet    string `json:"changeSet"`
	Generation   int    `json:"generation"`
	SHA256Before string `json:"sha256Before"`
	Edits        []edit `json:"edits"`
	Merged       bool   `json:"merged"`
	Written      bool   `json:"written"`
	Flags        []struct {
		Kind string `json:"kind"`
	} `json:"flags"`
	Error *failed `json:"error"`
}

// pipe calls the binary with text on standard input.
func (d *desk) pipe(text string, args ...string) result {
	d.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = d.dir
	cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data), d.env...)
	cmd.Stdin = strings.NewReader(text)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code is what is judged
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// source gives text to source --json and expects the exit code.
func (d *desk) source(code int, text string, args ...string) sourced {
	d.t.Helper()
	r := d.pipe(text, append([]string{"source", "page.html", "--json"}, args...)...)
	if r.code != code {
		d.t.Fatalf("source %v: exit %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
	}
	return decode[sourced](d.t, r.stdout)
}

type kept struct {
	Texts []struct {
		Session string `json:"session"`
		Base    int    `json:"base"`
		State   string `json:"state"`
		Bytes   int    `json:"bytes"`
	} `json:"texts"`
}

func (d *desk) kept() kept {
	d.t.Helper()
	return decode[kept](d.t, d.want(0, "source", "page.html", "--list", "--json").stdout)
}

const memo = "<!doctype html>\n<title>Plan</title>\n<h1>Quarterly plan</h1>\n<p>First paragraph.</p>\n<p>Second paragraph.</p>\n"

func memoWith(old, now string) string { return strings.Replace(memo, old, now, 1) }

// R-DOC-8: text a person edited from an older version is joined with what came
// since, as one revision that can be taken back; the file holds it.
func TestSourceIsMerged(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	first := d.source(0, memoWith("Quarterly", "Yearly"))
	if first.Generation != 2 || first.Merged || !first.Written || len(first.Edits) != 1 || apply(t, memo, first.Edits) != d.read("page.html") {
		t.Fatalf("%+v", first)
	}
	second := d.source(0, memoWith("Second", "2nd"), "--base", "1")
	want := strings.Replace(memoWith("Quarterly", "Yearly"), "Second", "2nd", 1)
	if !second.Merged || second.Generation != 3 || d.read("page.html") != want {
		t.Fatalf("%+v\n%s", second, d.read("page.html"))
	}
	d.headIsFile("page.html")
	d.want(0, "revert", "page.html", first.ChangeSet)
	if d.read("page.html") != memoWith("Second", "2nd") {
		t.Errorf("the older one taken back: %s", d.read("page.html"))
	}
	// A name stands wherever a generation does.
	d.want(0, "name", "page.html", "2", "draft one")
	if out := d.source(0, strings.Replace(memoWith("Quarterly", "Yearly"), "First", "1st", 1), "--base", "draft one"); !out.Merged {
		t.Errorf("%+v", out)
	}
	if d.read("page.html") != strings.Replace(memoWith("Second", "2nd"), "First", "1st", 1) {
		t.Errorf("%s", d.read("page.html"))
	}
}

// DOC-3, D-49: a conflict commits nothing and tells all three texts; the
// person's own is kept over the end of the program until it is used or dropped.
func TestSourceConflictKeepsTheText(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	d.source(0, memoWith("Quarterly", "Yearly"))
	before := d.read("page.html")
	out := d.source(4, memoWith("Quarterly", "Monthly"), "--base", "1")
	if out.Error == nil || out.Error.Code != "head_moved" || d.read("page.html") != before {
		t.Fatalf("%+v", out)
	}
	places, _ := out.Error.Detail["conflicts"].([]any)
	if len(places) != 1 {
		t.Fatalf("%+v", out.Error.Detail)
	}
	c, _ := places[0].(map[string]any)
	if c["base"] != "Quarterly" || c["newest"] != "Yearly" || c["mine"] != "Monthly" || c["line"] != 3.0 {
		t.Errorf("%+v", c)
	}
	id, _ := out.Error.Detail["session"].(string)
	if k := d.kept(); len(k.Texts) != 1 || k.Texts[0].Session != id || k.Texts[0].Base != 1 {
		t.Fatalf("%+v", k)
	}
	if got := d.want(0, "source", "page.html", "--show", id).stdout; got != memoWith("Quarterly", "Monthly") {
		t.Errorf("kept: %q", got)
	}
	d.exec("UPDATE edit_sessions SET expires_at = created_at")
	if k := d.kept(); k.Texts[0].State != "expired" { // settled at every start
		t.Errorf("%+v", k)
	}
	// Once the other side has gone, the very text can be committed.
	d.want(4, "source", "page.html", "--commit", id)
	d.want(0, "revert", "page.html")
	if r := d.want(0, "source", "page.html", "--commit", id, "--json"); d.read("page.html") != memoWith("Quarterly", "Monthly") {
		t.Errorf("%s", r.stdout)
	}
	if k := d.kept(); len(k.Texts) != 0 {
		t.Errorf("still kept: %+v", k)
	}
	d.want(3, "source", "page.html", "--commit", id)
	d.want(3, "source", "page.html", "--show", "eds_none")
}

// DOC-3, D-49: the way out of a conflict that the refusal tells keeps what others
// changed elsewhere.
func TestSourceConflictHintWorks(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	both := strings.NewReplacer("Quarterly", "Yearly", "Second", "2nd")
	d.source(0, both.Replace(memo))
	out := d.source(4, memoWith("Quarterly", "Monthly"), "--base", "1")
	export := "proofmark export page.html --generation 2 --out NEW.html"
	give := "proofmark source page.html --from NEW.html --base 2"
	if out.Error == nil || !strings.Contains(out.Error.Hint, export) || !strings.Contains(out.Error.Hint, give) {
		t.Fatalf("%+v", out.Error)
	}
	d.want(0, strings.Fields(export)[1:]...)
	d.write("NEW.html", strings.Replace(d.read("NEW.html"), "Yearly", "Monthly", 1))
	d.want(0, strings.Fields(give)[1:]...)
	if got := d.read("page.html"); got != strings.Replace(both.Replace(memo), "Yearly", "Monthly", 1) {
		t.Errorf("the page is %q", got)
	}
}

// R-DOC-7, R-DOC-8: what another program wrote into the file while the person
// edited is merged with, not overwritten.
func TestSourceMergesWithTheFile(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	d.source(0, memoWith("First", "1st"))
	mine := strings.Replace(d.read("page.html"), "Quarterly", "Yearly", 1)
	d.write("page.html", strings.Replace(d.read("page.html"), "Second", "2nd", 1))
	out := d.source(0, mine)
	if want := strings.Replace(mine, "Second", "2nd", 1); !out.Merged || d.read("page.html") != want {
		t.Errorf("%+v\n%s", out, d.read("page.html"))
	}
	d.headIsFile("page.html")
}

// The person's own script is recorded with the change and stops nobody.
func TestSourceRecordsFlags(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	if out := d.source(0, memo+"<script>go()</script>\n"); len(out.Flags) != 1 || out.Flags[0].Kind != "script" {
		t.Errorf("%+v", out)
	}
}

func TestSourceRefusals(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	d.write("other.html", "<p>x</p>")
	d.source(0, memoWith("First", "1st"))
	was := d.read("page.html")
	for name, c := range map[string]struct {
		text string
		args []string
		code int
		want string
	}{
		"the same":        {was, nil, 3, "no_op"},
		"nothing":         {"", nil, 2, "usage"},
		"not UTF-8":       {"a\xff", nil, 3, "not_utf8"},
		"NUL":             {"a\x00", nil, 3, "nul"},
		"too large":       {strings.Repeat("x", 8<<20+1), nil, 3, "too_large"},
		"no such version": {memo, []string{"--base", "9"}, 3, "unknown_revision"},
		"no such file":    {"", []string{"--from", "none.html"}, 3, "not_found"},
		"a folder":        {"", []string{"--from", "."}, 3, "is_directory"},
		"the file itself": {"", []string{"--from", "page.html"}, 2, "usage"},
		"two at once":     {"", []string{"--list", "--show", "x"}, 2, "usage"},
		"list and a text": {"", []string{"--list", "--from", "other.html"}, 2, "usage"},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			if out := d.source(c.code, c.text, c.args...); out.Error == nil || out.Error.Code != c.want {
				t.Errorf("%+v", out.Error)
			}
			if d.read("page.html") != was {
				t.Error("the file was changed")
			}
		})
	}
	d.t = t
	if k := d.kept(); len(k.Texts) != 0 {
		t.Errorf("texts of refusals are kept: %+v", k)
	}
}

// D-48: of many who commit their own change of one version at the same time,
// each change that was acknowledged is in the page, each other's text is kept.
func TestSourcesTogether(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", memo)
	d.source(0, memo+"<!-- begun -->\n")
	words := []string{"Plan", "Quarterly", "First", "Second", "doctype", "begun"}
	base := d.read("page.html")
	results := make([]result, len(words))
	var wg sync.WaitGroup
	for i, w := range words {
		wg.Go(func() {
			results[i] = d.pipe(strings.Replace(base, w, "x"+w, 1), "source", "page.html", "--base", "2", "--json")
		})
	}
	wg.Wait()
	page, waiting := d.want(0, "export", "page.html", "--out", "-").stdout, 0
	for i, r := range results {
		in := strings.Contains(page, "x"+words[i])
		switch {
		case r.code == 0 && !in:
			t.Errorf("%q was acknowledged and is not there: %s", words[i], page)
		case r.code == 4 && in:
			t.Errorf("%q was refused and is there: %s", words[i], r.stdout)
		case r.code != 0 && r.code != 4:
			t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
		}
		if f := decode[sourced](t, r.stdout).Error; f != nil && f.Detail["session"] != nil {
			waiting++
		}
	}
	if k := d.kept(); len(k.Texts) != waiting {
		t.Errorf("%d texts are kept, %d were to be: %+v", len(k.Texts), waiting, k)
	}
}

// R-DOC-8: direct edits on the command line: no model, one version of exactly
// these bytes, looked at, and taken back one by one.
func TestEditDirectly(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := "<!doctype html>\n<html><head><title>T</title></head><body>\n<h1>Plan</h1>\n<ul>\n  <li>One</li>\n  <li id=\"two\">Two</li>\n</ul>\n<p><a href=\"/a\">link</a></p>\n</body></html>\n"
	d.write("page.html", page)
	o := d.edit(0, "page.html", "--at", "h1", "--do", "text=A & B", "--do", "class:+big", "--at", "#two", "--do", "up",
		"--at", "a", "--do", "attr:href=/b?c=1&d=2", "--do", "duplicate")
	want := strings.NewReplacer(
		"<h1>Plan", "<h1 class=\"big\">A &amp; B", "  <li>One</li>\n", "", "<li id=\"two\">Two</li>\n", "<li id=\"two\">Two</li>\n  <li>One</li>\n",
		`<a href="/a">link</a>`, `<a href="/b?c=1&amp;d=2">link</a><a href="/b?c=1&amp;d=2">link</a>`,
	).Replace(page)
	if d.read("page.html") != want || apply(t, page, o.Edits) != want {
		t.Fatalf("%s", d.read("page.html"))
	}
	if o.Status != "applied" || o.Generation != 2 || len(o.Notes) != 5 || o.Verification == nil || !o.Verification.TreeMatches || !o.Written {
		t.Errorf("%+v", o)
	}
	if h := d.want(0, "changes", "page.html").stdout; !strings.Contains(h, "manual") || !strings.Contains(h, "class:+big") {
		t.Errorf("%s", h)
	}
	d.want(0, "revert", "page.html", o.ChangeSet, "--note", "3")
	if got := d.read("page.html"); !strings.Contains(got, "  <li>One</li>\n  <li id=\"two\">") || !strings.Contains(got, "A &amp; B") {
		t.Errorf("%s", got)
	}
	d.want(0, "revert", "page.html", o.ChangeSet)
	if d.read("page.html") != page {
		t.Errorf("%s", d.read("page.html"))
	}
}

// R-TURN-11, D-48: refusals of direct edits: nothing is changed, the code says why.
func TestEditDirectlyRefusals(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", memo)
	at := func(args ...string) []string { return append([]string{"page.html", "--at", "h1"}, args...) }
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"unknown":             {at("--do", "bigger"), 2, "usage"},
		"no target":           {[]string{"page.html", "--do", "remove"}, 2, "usage"},
		"both":                {at("--do", "remove", "--at", "p", "--say", "make it red"), 2, "usage"},
		"a target left over":  {at("--do", "remove", "--at", "p"), 2, "usage"},
		"a style of no value": {at("--do", "style:color"), 2, "usage"},
		"a handler":           {at("--do", "attr:onclick=x()"), 3, "script_region"},
		"nothing before it":   {at("--do", "up"), 3, "no_op"},
		"twice removed":       {at("--do", "remove", "--do", "remove"), 3, "overlap"},
		"several elements":    {[]string{"page.html", "--at", "p", "--do", "remove"}, 3, "selector_ambiguous"},
		"needs approval":      {at("--do", "attr:background=https://example.com/x.png"), 7, "needs_approval"},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			o := d.edit(c.code, c.args...)
			if o.Error == nil || o.Error.Code != c.want || d.read("page.html") != memo {
				t.Errorf("%+v", o.Error)
			}
		})
	}
	d.t = t
	d.edit(0, at("--do", "attr:background=https://example.com/x.png", "--approve", "external_origin")...)
}
