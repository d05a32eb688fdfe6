//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// keeper is a run of watch.
type keeper struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan sighting
	ended bool
}

// sighting is a line of watch --json.
type sighting struct {
	Status     string  `json:"status"`
	File       string  `json:"file"`
	Generation int     `json:"generation"`
	SHA256     string  `json:"sha256"`
	NewName    string  `json:"newName"`
	Leads      string  `json:"leads"`
	Written    *bool   `json:"written"`
	Error      *failed `json:"error"`
}

// watch starts watch --json; it is stopped with the test at the latest.
func (d *desk) watch(t *testing.T, args ...string) *keeper {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"watch", "--json"}, args...)...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	k := &keeper{t: t, cmd: cmd, lines: make(chan sighting, 100)}
	go func() {
		defer close(k.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var l sighting
			if json.Unmarshal(lines.Bytes(), &l) == nil {
				k.lines <- l
			}
		}
	}()
	t.Cleanup(func() { k.stop() })
	return k
}

// stop interrupts watch and gives its exit code.
func (k *keeper) stop() int {
	k.t.Helper()
	if !k.ended {
		k.ended = true
		_ = k.cmd.Process.Signal(syscall.SIGTERM)
		for range k.lines { // to the end of its output
		}
		_ = k.cmd.Wait()
	}
	return k.cmd.ProcessState.ExitCode()
}

// until waits for a line with the status.
func (k *keeper) until(status string) sighting {
	k.t.Helper()
	end := time.After(time.Minute)
	for {
		select {
		case l, ok := <-k.lines:
			if !ok {
				k.t.Fatalf("watch ended before it told %s", status)
			}
			if l.Status == status {
				return l
			}
			k.t.Logf("watch told %+v", l)
		case <-end:
			k.t.Fatalf("watch did not tell %s", status)
		}
	}
}

// first gives a page its history, without a browser.
func (d *desk) first(t *testing.T, name, text string) {
	t.Helper()
	d.write(name, text)
	k := d.watch(t, name)
	k.until("opened")
	if code := k.stop(); code != 0 {
		t.Fatalf("watch ended with %d", code)
	}
}

// synced is the result of sync --json.
type synced struct {
	Status     string `json:"status"`
	Generation int    `json:"generation"`
	SHA256     string `json:"sha256"`
	Written    bool   `json:"written"`
	OtherNames int    `json:"otherNames"`
	Outside    *struct {
		Generation int    `json:"generation"`
		ChangeSet  string `json:"changeSet"`
	} `json:"outside"`
	Error *failed `json:"error"`
}

func (d *desk) sync(code int, args ...string) synced {
	d.t.Helper()
	return decode[synced](d.t, d.want(code, append([]string{"sync", "--json"}, args...)...).stdout)
}

// version gives the bytes of a version.
func (d *desk) version(name, version string) string {
	d.t.Helper()
	return d.want(0, "export", name, "--generation", version, "--out", "-").stdout
}

const plan = "<!doctype html>\n<title>Plan</title>\n<h1>Quarterly plan</h1>\n<p>First.</p>\n<p>Second.</p>\n"

// apart makes a page whose newest version says Yearly and was never written, and
// whose file another program has changed.
func (d *desk) apart(t *testing.T, old, now string) (theirs string) {
	t.Helper()
	yearly := strings.Replace(plan, "Quarterly", "Yearly", 1)
	d.first(t, "page.html", yearly) // generation 1
	d.write("page.html", plan)
	d.sync(0, "page.html") // generation 2
	d.want(0, "restore", "page.html", "1", "--write", "never")
	theirs = strings.Replace(plan, old, now, 1)
	d.write("page.html", theirs)
	return theirs
}

// R-DOC-7: what an editor saves while watch runs is a version of its own, in
// whichever way it saves; what is gone, renamed or unreadable is told and loses
// nothing.
func TestWatchTakesInWhatEditorsSave(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", plan)
	k := d.watch(t, "page.html")
	if l := k.until("opened"); l.Generation != 1 || l.File != "page.html" {
		t.Errorf("%+v", l)
	}
	path := d.path("page.html")
	generation := 1
	for name, save := range map[string]func(text string) error{
		"in place": func(text string) error { return os.WriteFile(path, []byte(text), 0o644) },
		"by rename": func(text string) error {
			if err := os.WriteFile(path+".swp", []byte(text), 0o644); err != nil {
				return err
			}
			return os.Rename(path+".swp", path)
		},
		"with a backup": func(text string) error {
			if err := os.Rename(path, path+"~"); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
			return os.Remove(path + "~")
		},
	} {
		text := plan + "<!-- " + name + " -->"
		if err := save(text); err != nil {
			t.Fatal(err)
		}
		generation++
		if l := k.until("imported"); l.Generation != generation || l.SHA256 != sha(text) {
			t.Errorf("%s: %+v", name, l)
		}
	}
	// Ours is not taken for another program's.
	d.want(0, "restore", "page.html", "1")
	if l := k.until("in_step"); l.Generation != generation+1 || d.read("page.html") != plan {
		t.Errorf("%+v", l)
	}
	d.write("page.html", "caf\xe9")
	if l := k.until("unreadable"); l.Error == nil || l.Error.Code != "not_utf8" {
		t.Errorf("%+v", l)
	}
	d.write("page.html", plan)
	k.until("in_step")
	if err := os.Rename(path, d.path("renamed.html")); err != nil {
		t.Fatal(err)
	}
	if l := k.until("gone"); l.NewName != "renamed.html" {
		t.Errorf("%+v", l)
	}
	if code := k.stop(); code != 0 {
		t.Errorf("watch ended with %d", code)
	}
	if s := d.sync(3, "renamed.html"); s.Error == nil || s.Error.Code != "unknown_document" || !strings.Contains(s.Error.Hint, "page.html") {
		t.Errorf("%+v", s.Error)
	}
	if s := d.sync(0, "renamed.html", "--moved-from", "page.html"); s.Status != "in_step" || s.Generation != generation+1 {
		t.Errorf("%+v", s)
	}
	if names := listing(t, d.dir); names != "renamed.html" {
		t.Errorf("the folder holds %s", names)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// R-DOC-7: a conflict is shown with what a merge would make, and decided by the
// person; both sides stay in the history.
func TestSyncConflict(t *testing.T) {
	t.Run("merge", func(t *testing.T) {
		d := newDesk(t)
		theirs := d.apart(t, "Second.", "The end.")
		s := d.sync(4, "page.html")
		if s.Error == nil || s.Error.Code != "outside_change" {
			t.Fatalf("%+v", s)
		}
		if m, ok := s.Error.Detail["merge"].(map[string]any); !ok || m["clean"] != true || !strings.Contains(m["unified"].(string), "+<p>The end.</p>") {
			t.Errorf("%+v", s.Error.Detail)
		}
		r := d.want(4, "sync", "page.html")
		if !strings.Contains(r.stdout, "-<p>Second.</p>") || !strings.Contains(r.stderr, "sync page.html --merge") {
			t.Errorf("%s%s", r.stdout, r.stderr)
		}
		d.want(4, "redo", "page.html")
		if d.read("page.html") != theirs {
			t.Fatal("the file was written")
		}
		both := strings.Replace(theirs, "Quarterly", "Yearly", 1)
		s = d.sync(0, "page.html", "--merge", "--write", "never")
		if s.Status != "merged" || s.Written || s.Outside == nil || s.SHA256 != sha(both) || d.read("page.html") != theirs {
			t.Errorf("%+v", s)
		}
		if s = d.sync(0, "page.html"); s.Status != "ahead" || !s.Written || d.read("page.html") != both {
			t.Errorf("%+v", s)
		}
		if d.version("page.html", "4") != theirs || d.version("page.html", "3") != strings.Replace(plan, "Quarterly", "Yearly", 1) {
			t.Error("a side is not in the history")
		}
	})
	t.Run("one place", func(t *testing.T) {
		d := newDesk(t)
		theirs := d.apart(t, "Quarterly", "Monthly")
		s := d.sync(4, "page.html", "--merge")
		list, ok := s.Error.Detail["conflicts"].([]any)
		if !ok || len(list) != 1 {
			t.Fatalf("%+v", s.Error)
		}
		if c := list[0].(map[string]any); c["line"] != 3.0 || c["base"] != "Quarterly" || c["ours"] != "Yearly" || c["theirs"] != "Monthly" {
			t.Errorf("%+v", c)
		}
		if r := d.want(4, "sync", "page.html", "--merge"); !strings.Contains(r.stdout, `Both changed "Quarterly" (line 3`) {
			t.Errorf("%s%s", r.stdout, r.stderr)
		}
		if s = d.sync(0, "page.html", "--ours"); s.Status != "kept_ours" || !s.Written || !strings.Contains(d.read("page.html"), "Yearly") {
			t.Errorf("%+v", s)
		}
		if d.version("page.html", "4") != theirs {
			t.Error("theirs is not in the history")
		}
	})
	t.Run("theirs", func(t *testing.T) {
		d := newDesk(t)
		theirs := d.apart(t, "Quarterly", "Monthly")
		if s := d.sync(0, "page.html", "--theirs"); s.Status != "took_theirs" || s.Written || d.read("page.html") != theirs || s.Generation != 4 {
			t.Errorf("%+v", s)
		}
		if !strings.Contains(d.version("page.html", "3"), "Yearly") {
			t.Error("ours is not in the history")
		}
	})
}

// A watch that may merge does, and writes the result.
func TestWatchMerges(t *testing.T) {
	d := newDesk(t)
	d.apart(t, "Second.", "The end.")
	k := d.watch(t, "page.html", "--merge")
	if l := k.until("merged"); l.Written == nil || !*l.Written {
		t.Errorf("%+v", l)
	}
	if s := d.read("page.html"); !strings.Contains(s, "Yearly") || !strings.Contains(s, "The end.") {
		t.Errorf("%q", s)
	}
	d.write("page.html", plan+"<!-- next -->") // alone, without conflict
	if l := k.until("imported"); l.SHA256 != sha(plan+"<!-- next -->") {
		t.Errorf("%+v", l)
	}
}

// A folder of several pages, a link that is turned.
func TestWatchFolderAndLink(t *testing.T) {
	d := newDesk(t)
	d.first(t, "site/a.html", plan)
	d.first(t, "site/b.html", plan+"b")
	d.write("site/never.html", plan)
	k := d.watch(t, "site")
	k.until("in_step")
	k.until("in_step")
	d.write("site/never.html", plan+"x")
	d.write("site/b.html", plan+"bb")
	if l := k.until("imported"); l.File != filepath.Join("site", "b.html") {
		t.Errorf("%+v", l)
	}
	k.stop()
	if err := os.Symlink("site/a.html", d.path("link.html")); err != nil {
		t.Fatal(err)
	}
	k = d.watch(t, "link.html")
	k.until("in_step")
	if err := os.Symlink("site/never.html", d.path("next")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(d.path("next"), d.path("link.html")); err != nil {
		t.Fatal(err)
	}
	if l := k.until("relinked"); filepath.Base(l.Leads) != "never.html" {
		t.Errorf("%+v", l)
	}
	k.until("opened")
}

// D-48, attack 33: processes that sync, restore and save at once: every save that
// somebody saw is in the history, and the file is one of its versions.
func TestSyncRace(t *testing.T) {
	d := newDesk(t)
	d.apart(t, "Second.", "The end.")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if r := d.run("sync", "page.html", "--merge", "--json"); r.code != 0 && r.code != 4 {
				t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
	wg.Wait()
	if s := d.sync(0, "page.html"); s.Status != "in_step" && s.Status != "ahead" || s.Generation != 6 {
		t.Errorf("%+v", s)
	}
	seen := map[string]bool{}
	for i := range 6 {
		text := plan + "<!-- " + strings.Repeat("x", i) + " -->"
		wg.Go(func() { d.run("restore", "page.html", "1") })
		wg.Go(func() { d.run("sync", "page.html", "--merge") })
		temp := d.path("saved.tmp")
		if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temp, d.path("page.html")); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		seen[sha(text)] = true
		if r := d.run("sync", "page.html", "--theirs"); r.code != 0 {
			t.Fatalf("exit %d: %s%s", r.code, r.stdout, r.stderr)
		}
	}
	revs := decode[struct {
		Revisions []struct {
			SHA256 string `json:"sha256"`
		} `json:"revisions"`
	}](t, d.want(0, "history", "page.html", "--json").stdout).Revisions
	known := map[string]bool{}
	for _, r := range revs {
		known[r.SHA256] = true
	}
	if !known[sha(d.read("page.html"))] {
		t.Error("the file is none of the versions")
	}
	for s := range seen {
		if !known[s] {
			t.Error("a save is in no version")
		}
	}
}

// What cannot be done says so, with a stable code, and needs no browser.
func TestSyncRefuses(t *testing.T) {
	d := newDesk(t)
	d.first(t, "page.html", plan)
	d.write("other.html", plan)
	for _, c := range []struct {
		args []string
		exit int
		code string
	}{
		{[]string{"sync"}, 2, "usage"},
		{[]string{"sync", "page.html", "--ours", "--theirs"}, 2, "usage"},
		{[]string{"sync", "page.html", "--write", "perhaps"}, 2, "usage"},
		{[]string{"sync", "other.html"}, 3, "unknown_document"},
		{[]string{"sync", "none.html"}, 3, "not_found"},
		{[]string{"sync", "other.html", "--moved-from", "page.html"}, 4, "request_conflict"},
		{[]string{"sync", "other.html", "--moved-from", "none.html"}, 3, "unknown_document"},
		{[]string{"watch"}, 2, "usage"},
		{[]string{"watch", "none.html"}, 3, "not_found"},
	} {
		r := d.want(c.exit, append(c.args, "--json")...)
		if f := decode[struct{ Error failed }](t, r.stdout).Error; f.Code != c.code || f.Message == "" {
			t.Errorf("%v: %+v", c.args, f)
		}
	}
	if err := os.Link(d.path("page.html"), d.path("twin.html")); err != nil {
		t.Fatal(err)
	}
	if s := d.sync(0, "page.html"); s.Status != "in_step" || s.OtherNames != 1 {
		t.Errorf("%+v", s)
	}
	if err := os.Remove(d.path("page.html")); err != nil {
		t.Fatal(err)
	}
	s := d.sync(3, "page.html")
	if s.Error == nil || s.Error.Code != "not_found" || !strings.Contains(s.Error.Hint, "export") {
		t.Errorf("%+v", s)
	}
	d.want(0, "export", "page.html", "--out", "page.html") // as the hint says
	if s = d.sync(0, "page.html"); s.Status != "in_step" || d.read("page.html") != plan {
		t.Errorf("%+v", s)
	}
}
