package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// switched is what kill says.
type switched struct {
	Feature string
	On      bool
	By      string
	DataDir string
	Already bool
	Was     bool
	Ended   []struct{ Turn, Document, Model string }
}

const (
	notesOff = "artifactPromptAnnotations=false"
	benchOff = "documentWorkbenchResources=false"
)

// TestSwitchedOff: each way to switch a feature off stops editing from the
// command line before a browser is started, and leaves reading and taking back
// (R-SEC-6, D-65, D-76, D-113). None of it needs a browser.
func TestSwitchedOff(t *testing.T) {
	for _, c := range []struct {
		name, by  string
		bench     bool // the workbench is off, too
		off, back func(d *desk)
	}{
		{"kill", "kill", false, func(d *desk) { d.want(0, "kill") }, func(d *desk) { d.want(0, "unkill") }},
		{
			"kill of the workbench", "needs", true,
			func(d *desk) { d.want(0, "kill", "documentWorkbenchResources") }, func(d *desk) { d.want(0, "unkill", "documentWorkbenchResources") },
		},
		{
			"environment", "environment", false,
			func(d *desk) { d.env = append(d.env, "PROOFMARK_FEATURES="+notesOff) }, func(d *desk) { d.env = d.env[:len(d.env)-1] },
		},
		{
			"environment, the workbench", "needs", true,
			func(d *desk) { d.env = append(d.env, "PROOFMARK_FEATURES="+benchOff) }, func(d *desk) { d.env = d.env[:len(d.env)-1] },
		},
		{
			"configuration", "config", false,
			func(d *desk) { d.config(`{"features":{"artifactPromptAnnotations":false}}`) }, func(d *desk) { d.config(`{}`) },
		},
		{
			"configuration, the workbench", "needs", true,
			func(d *desk) { d.config(`{"features":{"documentWorkbenchResources":false}}`) }, func(d *desk) { d.config(`{}`) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.env = []string{"PROOFMARK_CHROMIUM=" + filepath.Join(d.dir, "no-browser")} // whoever gets as far fails otherwise
			d.write("page.html", small)
			d.source(0, strings.Replace(small, "One", "Two", 1))
			d.want(0, "export", "page.html", "--bundle", "--out", "review.html")
			d.fails(6, "no_browser", "edit", "page.html", "--at", "h1", "--say", "make it bold")
			c.off(d)
			for _, args := range [][]string{
				{"edit", "page.html", "--at", "h1", "--say", "make it bold"},
				{"edit", "page.html", "--at", "h1", "--say", "make it bold", "--out", "copy.html"},
				{"send", "page.html"},
				{"send", "page.html", "--again"},
				{"annotate", "page.html", "--at", "h1", "--say", "make it bold"},
				{"annotate", "page.html", "--again"},
				{"import", "review.html", "--as", "page.html"},
				{"import", "review.html", "--as", "new.html"},
			} {
				if f := d.fails(3, "feature_off", args...); f.Hint == "" || f.Detail["feature"] != "artifactPromptAnnotations" || f.Detail["by"] != c.by {
					t.Errorf("%v: %+v", args, f)
				}
			}
			if _, err := os.Lstat(d.path("new.html")); !os.IsNotExist(err) {
				t.Errorf("a page was made: %v", err)
			}
			d.want(0, "annotate", "page.html") // drafts can be looked at
			d.want(0, "import", "review.html", "--check")
			for _, args := range [][]string{{"edit", "page.html", "--at", "h1", "--do", "text=Three"}, {"source", "page.html", "--from", d.write("mine.html", small+"x")}} {
				switch {
				case c.bench:
					if f := d.fails(3, "feature_off", args...); f.Detail["feature"] != "documentWorkbenchResources" {
						t.Errorf("%v: %+v", args, f)
					}
				case args[0] == "edit":
					d.fails(6, "no_browser", args...) // it is a person's own edit
				}
			}
			for _, args := range [][]string{
				{"history", "page.html"},
				{"changes", "page.html"},
				{"diff", "page.html"},
				{"audit", "page.html"},
				{"export", "page.html", "--generation", "1", "--out", "old.html"},
				{"name", "page.html", "mine"},
				{"map", "page.html"},
				{"revert", "page.html"},
				{"redo", "page.html"},
				{"restore", "page.html", "1"},
				{"backup", "copy.db"},
				{"gc"},
			} {
				d.want(0, args...)
			}
			if d.read("page.html") != small || d.read("old.html") != small {
				t.Errorf("restored: %q", d.read("page.html"))
			}
			c.back(d)
			d.source(0, strings.Replace(small, "One", "Four", 1))
			d.fails(6, "no_browser", "edit", "page.html", "--at", "h1", "--say", "make it bold")
		})
	}
}

// config writes the operator's file.
func (d *desk) config(text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.data, "config.json"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// TestKillSaysWhatItDid: what kill, unkill and the list print, for scripts and
// for people, and that one no is not outvoted.
func TestKillSaysWhatItDid(t *testing.T) {
	d := newDesk(t)
	if r := d.want(0, "kill", "--reason", "incident 12"); !strings.Contains(r.stdout, d.data) || !strings.Contains(r.stderr, "no database here before") {
		t.Errorf("the first time: %s %s", r.stdout, r.stderr)
	}
	k := decode[switched](t, d.want(0, "kill", "--json", "--reason", "incident 12, again").stdout)
	if k.Feature != "artifactPromptAnnotations" || k.On || !k.Already || k.Ended == nil || len(k.Ended) != 0 || k.DataDir != d.data {
		t.Errorf("%+v", k)
	}
	type list struct {
		Features []struct {
			Feature, By, Reason, Since string
			On                         bool
		}
		Switched []struct {
			At, Feature, Actor, Reason string
			On                         bool
		}
	}
	l := decode[list](t, d.want(0, "kill", "--list", "--json").stdout)
	if len(l.Features) != 2 || !l.Features[0].On || l.Features[1].On || l.Features[1].By != "kill" || l.Features[1].Reason != "incident 12, again" || l.Features[1].Since == "" {
		t.Errorf("%+v", l)
	}
	if len(l.Switched) != 2 || l.Switched[1].Reason != "incident 12" || l.Switched[0].Actor == "" || l.Switched[0].On {
		t.Errorf("%+v", l)
	}
	if out := d.want(0, "kill", "--list").stdout; !strings.Contains(out, "off  artifactPromptAnnotations") || !strings.Contains(out, "incident 12") {
		t.Error(out)
	}
	d.env = []string{"PROOFMARK_FEATURES=" + notesOff}
	u := decode[switched](t, d.want(0, "unkill", "--json").stdout)
	if u.On || u.By != "environment" || !u.Was {
		t.Errorf("taken back against the environment: %+v", u)
	}
	d.env = []string{"PROOFMARK_FEATURES=artifactPromptAnnotations=true"}
	d.config(`{"features":{"artifactPromptAnnotations":true}}`)
	d.want(0, "kill")
	d.write("page.html", small)
	d.fails(3, "feature_off", "edit", "page.html", "--at", "h1", "--say", "make it bold")
	if u = decode[switched](t, d.want(0, "unkill", "--json").stdout); !u.On || u.By != "config" {
		t.Errorf("%+v", u)
	}
	if u = decode[switched](t, d.want(0, "unkill", "--json").stdout); u.Was {
		t.Errorf("taken back twice: %+v", u)
	}
	for _, args := range [][]string{
		{"kill", "everything"},
		{"unkill", "everything"},
		{"kill", "--list", "artifactPromptAnnotations"},
		{"kill", "--reason", strings.Repeat("x", 201)},
	} {
		d.fails(2, "usage", args...)
	}
}

// TestConfigurationThatIsNone: nothing that could change a page runs on a
// configuration that was not understood; kill does, and so does reading.
func TestConfigurationThatIsNone(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	d.source(0, strings.Replace(small, "One", "Two", 1))
	d.config(`{"feature":{"artifactPromptAnnotations":false}}`)
	for _, args := range [][]string{
		{"edit", "page.html", "--at", "h1", "--say", "make it bold"},
		{"edit", "page.html", "--at", "h1", "--do", "text=x"},
		{"send", "page.html"},
		{"serve"},
		{"kill", "--list"},
	} {
		if f := d.fails(2, "usage", args...); !strings.Contains(f.Message, "config.json") || !strings.Contains(f.Hint, "docs/operations.md") {
			t.Errorf("%v: %+v", args, f)
		}
	}
	for _, args := range [][]string{{"kill"}, {"history", "page.html"}, {"diff", "page.html"}, {"revert", "page.html"}} {
		d.want(0, args...)
	}
	d.env = []string{"PROOFMARK_FEATURES=artifactPromptAnnotations=off"}
	d.config(`{}`)
	d.fails(2, "usage", "send", "page.html")
}
