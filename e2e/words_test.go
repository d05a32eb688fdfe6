package e2e

import (
	"strings"
	"testing"
)

// TestUsageErrors: what is wrong with a command line is said in its own words,
// with what to write instead.
func TestUsageErrors(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	d.write("-dash.html", small)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"edit", "page.html", "--frob"}, []string{"no flag --frob", "help edit"}},
		{[]string{"edit", "-dash.html", "--at", "h1", "--say", "bold"}, []string{"./-dash.html"}},
		{[]string{"edit", "page.html", "--at"}, []string{"--at needs a value"}},
		{[]string{"edit", "page.html", "--at", "@abc", "--say", "bold"}, []string{`"@abc" is not a point`}},
		{[]string{"edit", "page.html", "--say", "bold"}, []string{`--say "bold" has no --at before it`}},
		{[]string{"edit", "page.html", "--width", "wide"}, []string{`--width "wide" is not a number`}},
		{[]string{"edit", "my", "page.html"}, []string{`got 2: "my", "page.html"`, "in quotes"}},
		{[]string{"edit"}, []string{"got none"}},
	} {
		r := d.want(2, c.args...)
		for _, w := range c.want {
			if !strings.Contains(r.stderr, w) || strings.Contains(r.stderr, "for flag") {
				t.Errorf("%v: no %q in\n%s", c.args, w, r.stderr)
			}
		}
	}
}

// TestMapNamesPaths: the map of a page shows the paths that --at takes.
func TestMapNamesPaths(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	out := d.want(0, "map", "page.html").stdout
	if !strings.Contains(out, "p  /html/2/3\n") {
		t.Error(out)
	}
}

// TestWordsOfAnEdit: what a person reads around an edit can be used as it
// stands, and says what is not as expected.
func TestWordsOfAnEdit(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("-dash.html", `<!doctype html><title>t</title><body><h1>One</h1><img src="gone.png" alt="x">`)
	r := d.want(0, "edit", "./-dash.html", "--at", "h1", "--say", "make it bold")
	for _, w := range []string{"not there beside the page: gone.png", "Nothing looks different", "proofmark revert ./-dash.html chg_"} {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("no %q in\n%s", w, r.stderr)
		}
	}
	r = d.want(0, "revert", "./-dash.html")
	if !strings.Contains(r.stderr, "Took back chg_") || !strings.Contains(r.stderr, "“make it bold”") {
		t.Error(r.stderr)
	}
	if r = d.want(0, "redo", "./-dash.html"); !strings.Contains(r.stderr, "Put back chg_") {
		t.Error(r.stderr)
	}
	lines := strings.Split(d.want(0, "history", "./-dash.html").stdout, "\n")
	at := strings.Index(lines[0], "SHA-256")
	for _, l := range lines[1 : len(lines)-1] {
		if len(l) <= at || l[at-1] != ' ' || l[at] == ' ' {
			t.Errorf("%q stands under %q", l, lines[0])
		}
	}
	r = d.want(3, "edit", "./-dash.html", "--at", "@9000,9", "--say", "bold")
	if !strings.Contains(r.stderr, "--width") {
		t.Error(r.stderr)
	}
}

// TestBelowThePictures: on a page longer than the pictures that are compared,
// nobody claims that nothing looks different.
func TestBelowThePictures(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", "<!doctype html><title>t</title><body><div style='height:90000px'></div><h1>One</h1>")
	r := d.want(0, "edit", "page.html", "--at", "h1", "--say", "make it red")
	if !strings.Contains(r.stderr, "a target stands below them") || strings.Contains(r.stderr, "Nothing looks different") {
		t.Error(r.stderr)
	}
}
