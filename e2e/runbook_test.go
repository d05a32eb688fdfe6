package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIncident: the run book of docs/operations.md, step by step: what it names
// works while everything is off, and what was kept as evidence is whole (D-86,
// D-113).
func TestIncident(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	for _, word := range []string{"Two", "Three", "Four"} {
		d.source(0, strings.Replace(small, "One", word, 1))
	}
	d.want(0, "kill", "documentWorkbenchResources", "--reason", "incident 12")
	d.config(`{"features":{"artifactPromptAnnotations":false}}`)
	if r := d.run("doctor", "--json"); !strings.Contains(r.stdout, "switched off: documentWorkbenchResources, artifactPromptAnnotations") {
		t.Errorf("%s", r.stdout)
	}
	d.want(0, "doctor", "--deep")
	d.want(0, "backup", "incident.db")
	if out := d.want(0, "kill", "--list", "--json").stdout; !strings.Contains(out, "incident 12") {
		t.Error(out)
	}
	if out := d.want(0, "audit", "page.html", "--json").stdout; strings.Count(out, `"kind":"commit"`) != 3 {
		t.Errorf("the audit has %s", out)
	}
	d.want(0, "events", "page.html", "--json")
	type changes struct{ Changes []struct{ ID string } }
	c := decode[changes](t, d.want(0, "changes", "page.html", "--json").stdout)
	if len(c.Changes) != 3 {
		t.Fatalf("%+v", c)
	}
	if out := d.want(0, "diff", "page.html", "2", "4").stdout; !strings.Contains(out, "-") || !strings.Contains(out, "Four") {
		t.Error(out)
	}
	d.want(0, "revert", "page.html", c.Changes[0].ID)
	if want := strings.Replace(small, "One", "Three", 1); d.read("page.html") != want {
		t.Errorf("reverted: %q", d.read("page.html"))
	}
	d.want(0, "restore", "page.html", "1")
	if d.read("page.html") != small {
		t.Errorf("restored: %q", d.read("page.html"))
	}
	// The evidence, in a place of its own, is as it was before that.
	other := *d
	other.data = filepath.Join(t.TempDir(), "evidence")
	other.want(0, "restore-backup", filepath.Join(d.dir, "incident.db"))
	if out := other.want(0, "kill", "--list").stdout; !strings.Contains(out, "incident 12") {
		t.Errorf("the switch is not in the backup: %s", out)
	}
	if out := other.want(0, "export", "page.html", "--generation", "4", "--out", "-").stdout; !strings.Contains(out, "Four") {
		t.Error(out)
	}
	// And everything comes back.
	if err := os.Remove(filepath.Join(d.data, "config.json")); err != nil {
		t.Fatal(err)
	}
	d.want(0, "unkill", "documentWorkbenchResources")
	if out := d.want(0, "kill", "--list").stdout; strings.Contains(out, "off  ") {
		t.Error(out)
	}
	d.source(0, strings.Replace(small, "One", "Five", 1))
	d.want(0, "doctor", "--deep")
}

// TestDowngrade: back to the backup from before an upgrade, what was done since
// is in the files and becomes a version (D-85, D-86).
func TestDowngrade(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", small)
	d.source(0, strings.Replace(small, "One", "Two", 1))
	d.want(0, "backup", "before-upgrade.db")
	since := strings.Replace(small, "One", "Three", 1)
	d.source(0, since)
	d.want(0, "backup", "after-upgrade.db")
	if err := os.Rename(d.data, d.data+"-away"); err != nil {
		t.Fatal(err)
	}
	d.want(0, "restore-backup", "before-upgrade.db")
	d.want(0, "sync", "page.html")
	if d.read("page.html") != since {
		t.Errorf("the file was changed: %q", d.read("page.html"))
	}
	if out := d.want(0, "export", "page.html", "--generation", "3", "--out", "-").stdout; out != since {
		t.Errorf("the version of it: %q", out)
	}
	d.want(0, "doctor", "--deep")
}
