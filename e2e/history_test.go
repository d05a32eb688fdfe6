package e2e

import (
	"strconv"
	"strings"
	"testing"
)

// TestHistoryCommands: names, pages, the fate of each note, differences of any
// two versions and the audit, as a script uses them (R-DOC-3, R-DOC-4, D-11,
// D-44, D-47).
func TestHistoryCommands(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	o := d.edit(0, "page.html", "--at", ".price", "--say", "make it bold", "--at", "footer a", "--say", "set href to /contact")
	both := d.read("page.html")

	// Names stand wherever a generation does.
	d.want(0, "name", "page.html", "before the launch")
	d.want(0, "name", "page.html", "1", "first of all")
	if f := decode[struct{ Error failed }](t, d.want(4, "name", "page.html", "1", "before the launch", "--json").stdout).Error; f.Code != "name_taken" || f.Detail["generation"] != float64(2) {
		t.Errorf("%+v", f)
	}
	if f := decode[struct{ Error failed }](t, d.want(3, "name", "page.html", "7", "--json").stdout).Error; f.Code != "invalid_name" || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	d.want(0, "restore", "page.html", "first of all")
	if d.read("page.html") != report {
		t.Errorf("restored by name: %q", d.read("page.html"))
	}
	if out := d.want(0, "export", "page.html", "--generation", "before the launch", "--out", "-").stdout; out != both {
		t.Errorf("exported by name: %q", out)
	}
	d.want(0, "name", "page.html", "before the launch", "launch day")
	if f := decode[struct{ Error failed }](t, d.want(3, "restore", "page.html", "before the launch", "--json").stdout).Error; f.Code != "unknown_revision" || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	type list struct {
		Names []struct {
			Generation int
			Name       string
		}
	}
	d.want(0, "name", "page.html", "first of all", "--remove")
	if l := decode[list](t, d.want(0, "name", "page.html", "--json").stdout); len(l.Names) != 1 || l.Names[0].Generation != 2 || l.Names[0].Name != "launch day" {
		t.Errorf("%+v", l)
	}

	// Pages of history, newest first.
	type history struct {
		Revisions []struct {
			Generation int
			Name       string
			SHA256     string
		}
		Older int
	}
	h := decode[history](t, d.want(0, "history", "page.html", "--limit", "1", "--json").stdout)
	if len(h.Revisions) != 1 || h.Revisions[0].Generation != 3 || h.Older != 2 {
		t.Errorf("%+v", h)
	}
	h = decode[history](t, d.want(0, "history", "page.html", "--before", "3", "--json").stdout)
	if len(h.Revisions) != 2 || h.Revisions[0].Name != "launch day" || h.Revisions[1].Name != "" || h.Older != 0 {
		t.Errorf("%+v", h)
	}
	if out := d.want(0, "history", "page.html").stdout; !strings.Contains(out, "NAME\n") || !strings.Contains(out, "launch day\n") {
		t.Error(out)
	}

	// The restore is taken back, then one note of the batch.
	d.want(0, "revert", "page.html")
	if d.read("page.html") != both {
		t.Errorf("the restore taken back: %q", d.read("page.html"))
	}
	one := decode[outcome](t, d.want(0, "revert", "page.html", o.ChangeSet, "--note", "1", "--json").stdout)
	type changes struct {
		Changes []struct {
			ID, TakenBackBy string
			Generation      int
			InForce         bool
			Notes           []struct {
				Order, Edits, Inserted int
				Outcome, TakenBackBy   string
			}
		}
	}
	all := decode[changes](t, d.want(0, "changes", "page.html", "--json").stdout).Changes
	if len(all) != 4 || all[0].ID != one.ChangeSet || all[2].TakenBackBy != all[1].ID || all[2].InForce {
		t.Errorf("%+v", all)
	}
	if c := all[3]; c.ID != o.ChangeSet || !c.InForce || c.TakenBackBy != "" || len(c.Notes) != 2 || c.Notes[0].TakenBackBy != one.ChangeSet ||
		c.Notes[1].TakenBackBy != "" || c.Notes[1].Outcome != "applied" || c.Notes[1].Edits != 1 || c.Notes[1].Inserted == 0 {
		t.Errorf("%+v", c)
	}
	said := d.want(0, "changes", "page.html").stdout
	for _, w := range []string{"1. applied: make it bold", "; taken back by " + one.ChangeSet, "2. applied: set href to /contact", "takes back note 1 of " + o.ChangeSet, "generation 2, "} {
		if !strings.Contains(said, w) {
			t.Errorf("no %q in\n%s", w, said)
		}
	}

	// Any two versions, in any order, by number or name; checked, and counted.
	type difference struct {
		From, To                 int
		SHA256Before             string
		SHA256After              string
		Edits                    []edit
		Outside                  string
		LinesAdded, LinesRemoved int
		Recorded                 bool
		Stats                    struct{ Edits, Removed, Inserted, Unchanged int }
	}
	texts := map[int]string{1: report, 2: both, 5: d.read("page.html")}
	for _, from := range []string{"1", "launch day", "5"} {
		for _, to := range []string{"1", "launch day", "5"} {
			x := decode[difference](t, d.want(0, "diff", "page.html", from, to, "--json").stdout)
			if got := apply(t, texts[x.From], x.Edits); got != texts[x.To] || sha(got) != x.SHA256After {
				t.Errorf("from %s to %s: %q", from, to, got)
			}
			if x.Outside != "unchanged" || x.Stats.Edits != len(x.Edits) || x.Stats.Unchanged+x.Stats.Inserted != len(texts[x.To]) || x.LinesAdded != x.LinesRemoved {
				t.Errorf("from %s to %s: %+v", from, to, x)
			}
		}
	}
	stat := d.want(0, "diff", "page.html", "1", "2", "--stat")
	if !strings.Contains(stat.stdout, "generation 1 → 2") || !strings.Contains(stat.stdout, "+2 −2 lines; bytes outside: unchanged") {
		t.Error(stat.stdout)
	}

	// The audit has every step and no word of the page, the notes or the names.
	audit := d.want(0, "audit", "page.html", "--json").stdout
	kinds := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(audit), "\n") {
		e := decode[struct {
			Seq        int
			Kind       string
			Generation int
		}](t, line)
		if kinds[e.Kind]++; e.Seq == 0 || e.Generation == 0 {
			t.Errorf("line %d: %s", i, line)
		}
	}
	if kinds["import"] != 1 || kinds["commit"] != 4 || kinds["write_back"] != 4 || kinds["named"] != 3 || kinds["unnamed"] != 1 {
		t.Errorf("%v", kinds)
	}
	for _, secret := range []string{"launch", "bold", "contact", "Report", "page.html"} {
		if strings.Contains(audit, secret) {
			t.Errorf("%q is in the audit:\n%s", secret, audit)
		}
	}
	some := strings.TrimSpace(d.want(0, "audit", "page.html", "--json", "--after", "2", "--limit", "3").stdout)
	if rest := strings.SplitN(audit, "\n", 3)[2]; strings.Count(some, "\n") != 2 || !strings.HasPrefix(rest, some) {
		t.Errorf("%s", some)
	}
	if out := d.want(0, "audit", "page.html").stdout; !strings.Contains(out, "write_back") || strings.Contains(out, "launch") {
		t.Error(out)
	}
}

// TestNamingRace: processes that give one name to several versions at once: one
// is done, the others are told which version has it.
func TestNamingRace(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", report)
	d.edit(0, "page.html", "--at", "h1", "--say", "make it red")
	for i := range 4 {
		d.want(0, "restore", "page.html", strconv.Itoa(1+i%2))
	}
	var commands [][]string
	for g := 1; g <= 6; g++ {
		commands = append(commands, []string{"name", "page.html", strconv.Itoa(g), "the one", "--json"})
	}
	done := 0
	for _, r := range d.together(commands...) {
		if r.code == 0 {
			done++
		} else if f := decode[struct{ Error failed }](t, r.stdout).Error; r.code != 4 || f.Code != "name_taken" {
			t.Errorf("exit %d %+v", r.code, f)
		}
	}
	if done != 1 {
		t.Errorf("%d were done", done)
	}
}
