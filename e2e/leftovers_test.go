package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnfinishedWrite: a version that never reached the file, because the run
// was stopped or the file was read-only, is written when it is asked for again.
func TestUnfinishedWrite(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	changed := strings.Replace(small, "One", "Two", 1)
	d.want(3, "history", "page.html") // makes the data directory
	needChromium(t)
	d.edit(0, "page.html", "--at", "h1", "--say", `change the text to "Two"`)
	d.want(0, "restore", "page.html", "1", "--write", "never")
	if d.read("page.html") != changed {
		t.Fatal("--write never wrote")
	}
	d.want(3, "restore", "page.html", "1", "--write", "never") // the newest version already
	r := decode[outcome](t, d.want(0, "restore", "page.html", "1", "--json").stdout)
	if d.read("page.html") != small || !r.Written || r.Generation != 3 || len(r.Edits) != 0 {
		t.Errorf("the file has %q; %+v", d.read("page.html"), r)
	}
	d.want(3, "restore", "page.html", "1")
}

// TestNothingLeftBehind: a run leaves nothing in the temporary directory and
// nothing beside the page.
func TestNothingLeftBehind(t *testing.T) {
	needChromium(t)
	temp, err := os.MkdirTemp("", "pm") // short: the browser makes a socket there
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temp)
	d := newDesk(t)
	d.env = append(d.env, "TMPDIR="+temp)
	d.write("page.html", small)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	var left []string
	for _, pattern := range []string{filepath.Join(temp, "*"), filepath.Join(temp, "*", "*"), d.path("*"), d.path(".*")} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if base := filepath.Base(n); base != "page.html" && !strings.HasPrefix(base, "proofmark-browser-") {
				left = append(left, n)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestExportTarget: --out replaces files, keeps their mode, follows their
// links, and touches nothing that is no file.
func TestExportTarget(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", small)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	d.write("private.html", "old")
	if err := os.Chmod(d.path("private.html"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("private.html", d.path("link.html")); err != nil {
		t.Fatal(err)
	}
	d.want(0, "export", "page.html", "--generation", "1", "--out", "link.html")
	info, err := os.Lstat(d.path("link.html"))
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if info, err = os.Stat(d.path("private.html")); err != nil || info.Mode().Perm() != 0o600 || d.read("private.html") != small {
		t.Errorf("the link's file: %v %v %q", info.Mode(), err, d.read("private.html"))
	}
	for _, c := range []struct{ out, want string }{
		{os.DevNull, "not_regular"},
		{d.dir, "is_directory"},
		{"none/x.html", "not_found"},
		{"page.html/x.html", "not_found"},
		{strings.Repeat("x", 300), "not_found"},
	} {
		r := d.run("export", "page.html", "--out", c.out, "--json")
		if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != c.want {
			t.Errorf("--out %s: exit %d %+v", c.out, r.code, f)
		}
	}
	before := d.want(0, "history", "page.html", "--json").stdout
	d.want(2, "edit", "page.html", "--at", "h1", "--say", "make it blue", "--out", "page.html")
	d.want(3, "edit", "page.html", "--at", "h1", "--say", "make it blue", "--out", "none/x.html")
	if after := d.want(0, "history", "page.html", "--json").stdout; after != before {
		t.Errorf("a bad --out was seen after the commit only: %s", after)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatal("the null device was replaced")
	}
	if left, _ := filepath.Glob(d.path(".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
