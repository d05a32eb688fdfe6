//go:build unix

package attacks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// opens asks for a path to be opened.
func (g *gateway) opens(path string) reply {
	g.t.Helper()
	return g.call("POST", "/v1/documents", map[string]string{"path": path})
}

// P20, P21: names that lead elsewhere, or look as if they were another's.
func TestAttack31PathEscape(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	if err := os.Mkdir(filepath.Join(g.dir, "folder.html"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(g.dir, "pipe.html"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.write("binary.html", "<!doctype html>\x00")
	g.write("latin.html", "<!doctype html>\xe9")
	for _, path := range []string{
		"", "page.html", "./page.html", "../page.html", "~/page.html", "file://" + g.dir + "/page.html", g.dir + "/page.html\x00", g.dir + "/page.html\x00.png", g.dir + "/page.html:ads", g.dir + "/page.html::$DATA",
		g.dir + "/page.html ", g.dir + "/page.html.", g.dir + "/%2e%2e/page.html", g.dir + `/..\page.html`, `C:page.html`, `\\?\C:\page.html`, `\\host\share\page.html`, "CON", "/CON.html", "NUL", g.dir + "/PAGE~1.HTM",
		g.dir + "/page\u202elmth.html", g.dir + "/pa\u200bge.html", g.dir + "/folder.html", g.dir + "/pipe.html", g.dir + "/none.html", g.dir,
		"/dev/null", "/dev/zero", "/dev/stdin", "/proc/self/environ", "/etc/passwd", "/etc/shadow", "/proc/self/fd/0", "/", g.dir + "/binary.html", g.dir + "/latin.html", "/" + strings.Repeat("a", 5000) + ".html", strings.Repeat("/a", 3000) + ".html",
		g.data + "/proofmark.db", g.data + "/gateway.json", g.data + "/logs/gateway.log",
	} {
		r := g.opens(path)
		if r.status == 200 && strings.HasSuffix(path, ":ads") {
			t.Errorf("%q was opened", path)
		}
		if r.status < 400 || r.status >= 500 || r.code() == "internal" || strings.Contains(r.body, "root:") {
			t.Errorf("%q: %d %.200s", path, r.status, r.body)
		}
	}
	// Twins in Unicode are two files, and a way around leads to the same document.
	nfc, nfd := "caf\u00e9.html", "cafe\u0301.html"
	g.write(nfc, plainPage)
	g.write(nfd, strings.Replace(plainPage, "Old", "Other", 1))
	one, other := g.open(nfc), g.open(nfd)
	if one == other {
		t.Error("two files are one document")
	}
	for _, way := range []string{"/folder.html/../page.html", "/./page.html", "//page.html", "/page.html/", "/page.html/."} {
		if d := as[struct{ ID, Path string }](g.opens(g.dir + way).want(200)); d.ID != g.open("page.html") || filepath.Clean(d.Path) != d.Path {
			t.Errorf("%s: %+v", way, d)
		}
	}
	for _, id := range []string{"..", "%2e%2e", "doc_x%2f..%2f..", "doc_%00", strings.Repeat("d", 3000), "doc_'; DROP TABLE documents; --", "%ff"} {
		if r := g.raw("document "+id, request("GET /v1/documents/"+strings.ReplaceAll(id, " ", "%20")+"/source HTTP/1.1", g.host(), g.auth())); r.status < 400 || r.status >= 500 {
			t.Errorf("document %q: %d %s", id, r.status, r.body)
		}
	}
}

// edited has the page changed by hand, so that the newest version is ahead of
// the file, and gives the document.
func (g *gateway) edited(name, was, becomes string) string {
	g.t.Helper()
	id := g.open(name)
	g.typed(id, strings.Replace(g.read(name), was, becomes, 1), false).want(200)
	return id
}

// typed makes a version of a text that a person typed.
func (g *gateway) typed(document, text string, write bool) reply {
	g.t.Helper()
	at := "/v1/documents/" + document + "/edits"
	e := as[struct{ ID, UpdatedAt string }](g.call("POST", at, map[string]any{"version": ""}).want(200))
	g.call("PUT", at+"/"+e.ID, map[string]any{"text": text, "seen": e.UpdatedAt}).want(200)
	return g.call("POST", at+"/"+e.ID+"/commit", map[string]any{"write": write})
}

// R-DOC-7: what the page's name stands for is changed under the program's hands.
func TestAttack32SymlinkSwap(t *testing.T) {
	for name, swap := range map[string]func(page, victim string) error{
		"a link to another file": func(page, victim string) error {
			return firstError(os.Remove(page), os.Symlink(victim, page))
		},
		"another file's other name": func(page, victim string) error {
			return firstError(os.Remove(page), os.Link(victim, page))
		},
		"a folder that is a link": func(page, victim string) error {
			dir := filepath.Dir(page)
			return firstError(os.Rename(dir, dir+".old"), os.Symlink(filepath.Dir(victim), dir))
		},
		"a pipe": func(page, _ string) error {
			return firstError(os.Remove(page), syscall.Mkfifo(page, 0o600))
		},
		"nothing": func(page, _ string) error { return os.Remove(page) },
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			victim := filepath.Join(t.TempDir(), "page.html") // the same name, elsewhere
			const theirs = "<!doctype html><title>theirs</title>"
			if err := os.WriteFile(victim, []byte(theirs), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(g.dir, "site"), 0o755); err != nil {
				t.Fatal(err)
			}
			g.write("site/page.html", plainPage)
			id := g.edited("site/page.html", "Old news", "New news")
			if err := swap(filepath.Join(g.dir, "site", "page.html"), victim); err != nil {
				t.Fatal(err)
			}
			for _, r := range []reply{
				g.call("POST", "/v1/documents/"+id+"/write", nil),
				g.call("POST", "/v1/documents/"+id+"/restore", map[string]any{"version": "1", "write": true}),
				g.call("POST", "/v1/documents/"+id+"/sync", map[string]any{"choice": ""}),
				g.call("GET", "/v1/documents/"+id+"/source", nil),
			} {
				if r.code() == "internal" || r.status >= 500 {
					t.Errorf("%s: %d %s", r.what, r.status, r.body)
				}
			}
			if b, err := os.ReadFile(victim); err != nil || string(b) != theirs {
				t.Errorf("another file was changed: %q %v", b, err)
			}
		})
	}
}

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// R-DOC-7: another program changes the file between what was seen and what is
// written: nothing is overwritten.
func TestAttack33OutsideChange(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	prv := g.preview(id)
	turn := g.send(id, ask(map[string]any{"review": true}, g.note(id, prv, "h1", `change the text to "Mine"`)))
	sha := g.waits(turn)
	theirs := strings.Replace(plainPage, "second", "theirs", 1)
	g.write("page.html", theirs)
	g.decide(turn, sha, true) // while it was decided, the file has changed
	r := g.ends(turn)
	if g.read("page.html") != theirs {
		t.Fatalf("the file was overwritten: %v %q", r, g.read("page.html"))
	}
	if r.Result.Written || r.Result.Status == "applied" && r.Result.Generation != 2 {
		t.Errorf("%v", r)
	}
	for _, what := range []reply{
		g.call("POST", "/v1/documents/"+id+"/restore", map[string]any{"version": "1", "write": true}),
		g.call("POST", "/v1/documents/"+id+"/write", nil),
	} {
		if g.read("page.html") != theirs {
			t.Fatalf("%s overwrote the file: %s", what.what, what.body)
		}
		if !strings.Contains(what.body, "outside_change") {
			t.Errorf("%s: %d %s", what.what, what.status, what.body)
		}
	}
}

// The program is killed at each stage that it tells of. Then the file is old or
// new, never mixed, and the history agrees with it. e2e/faults does the same at
// every single write.
func TestAttack34KilledInTheMiddle(t *testing.T) {
	g := start(t)
	for i, stage := range []string{"accepted", "candidate_staged", "verified", "committed"} {
		t.Run(stage, func(t *testing.T) {
			g := g.in(t)
			name := fmt.Sprintf("page%d.html", i)
			g.write(name, plainPage)
			id := g.open(name)
			fresh := strings.Replace(plainPage, "Old news", "New news", 1)
			sent := g.send(id, ask(nil, g.note(id, g.preview(id), "h1", `change the text to "New news"`)))
			killed := false
			g.follow(sent, func(kind string) {
				if kind == stage && !killed {
					killed = true
					g.kill()
				}
			})
			if !killed {
				t.Fatalf("the turn never came to %s", stage)
			}
			g.begin()
			if got := g.read(name); got != plainPage && got != fresh {
				t.Fatalf("the file is mixed: %q", got)
			}
			head := g.call("GET", "/v1/documents/"+id+"/source", nil).want(200).body
			if n := g.generation(id); n == 1 && (head != plainPage || g.read(name) != plainPage) || n == 2 && head != fresh || n > 2 || stage == "committed" && n != 2 {
				t.Errorf("%d versions, the newest is %q, the file %q", n, head, g.read(name))
			}
			r := as[turn](g.call("GET", "/v1/turns/"+sent, nil).want(200))
			if r.Running || (r.State == "applied") != (g.generation(id) == 2) {
				t.Errorf("the turn is %v", r)
			}
			g.call("POST", "/v1/documents/"+id+"/write", nil).want(200)
			if g.read(name) != g.call("GET", "/v1/documents/"+id+"/source", nil).body {
				t.Error("file and history do not come together")
			}
		})
		// The subtest started another process; this one is its successor.
		g = restarted(t, g)
	}
}

// restarted gives a gateway on the same pages with a new data directory.
func restarted(t *testing.T, g *gateway) *gateway {
	t.Helper()
	next := start(t)
	next.dir = g.dir
	return next
}

// Somebody has been at the database, or a second program wants it.
func TestAttack35TamperedStore(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.edited("page.html", "Old news", "New news")
	if code, out, _ := g.run("serve", "--json"); code == 0 || !strings.Contains(out, "already_exists") {
		t.Errorf("a second gateway: exit %d %s", code, out)
	}
	g.stop()
	db := filepath.Join(g.data, "proofmark.db")
	whole, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	fresh := strings.Replace(plainPage, "Old news", "New news", 1)
	for name, damage := range map[string]func(b []byte) []byte{
		"cut in half":   func(b []byte) []byte { return b[:len(b)/2] },
		"empty":         func([]byte) []byte { return nil },
		"another's":     func([]byte) []byte { return []byte("SQLite format 3\x00" + strings.Repeat("x", 8192)) },
		"text changed":  func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("news"), []byte("lies")) },
		"pages swapped": func(b []byte) []byte { copy(b[4096:8192], b[8192:12288]); return b },
		"newer":         func(b []byte) []byte { copy(b[60:64], []byte{0x7f, 0, 0, 1}); return b },
	} {
		t.Run(name, func(t *testing.T) {
			g := g.in(t)
			for _, more := range []string{"-wal", "-shm"} {
				_ = os.Remove(db + more)
			}
			if err := os.WriteFile(db, damage(slices.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			for n, text := range map[string]string{"1": plainPage, "2": fresh} {
				code, out, errs := g.run("export", "page.html", "--generation", n, "--out", "-")
				if code == 0 && out != text {
					t.Errorf("version %s is given out as %q", n, out)
				}
				if code == 1 && !strings.Contains(errs, "proofmark") {
					t.Errorf("exit %d: %s", code, errs)
				}
			}
			if g.read("page.html") != plainPage {
				t.Errorf("the page was changed: %q", g.read("page.html"))
			}
		})
	}
	for _, more := range []string{"-wal", "-shm"} {
		_ = os.Remove(db + more)
	}
	if err := os.WriteFile(db, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	g.begin()
	if got := g.call("GET", "/v1/documents/"+id+"/source", nil).want(200).body; got != fresh {
		t.Errorf("%q", got)
	}
}

// R-DOC-3: taking back an older change under newer ones is exact, or refused.
func TestAttack37UndoUnderLaterEdits(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	prv := g.preview(id)
	change := func(target, text string) string {
		g.call("POST", "/v1/previews/"+prv+"/reload", map[string]any{"version": ""}).want(200)
		r := g.call("POST", "/v1/previews/"+prv+"/edits", map[string]any{"write": true, "tasks": []any{
			map[string]any{"do": "text", "value": text, "picks": []string{g.pick(prv, target).Handle}},
		}}).want(200)
		c := as[struct{ ChangeSet struct{ ID string } }](r).ChangeSet.ID
		if c == "" {
			t.Fatalf("no change set: %s", r.body)
		}
		return c
	}
	first := change("h1", "Some news")
	change("#b", "another")   // elsewhere
	change("h1", "Late news") // over it
	before := g.read("page.html")
	revert := func(c string) reply {
		return g.call("POST", "/v1/documents/"+id+"/changes/"+c+"/revert", map[string]any{"note": 0, "write": true})
	}
	if r := revert(first); r.status != 409 || r.code() != "overlaps_later" || g.read("page.html") != before || g.generation(id) != 4 {
		t.Errorf("%d %s %q", r.status, r.body, g.read("page.html"))
	}
	elsewhere := change("#a", "primary")
	change("#b", "yet another")
	want := strings.Replace(g.read("page.html"), "primary", "first", 1)
	if revert(elsewhere).want(200); g.read("page.html") != want {
		t.Errorf("%q, want %q", g.read("page.html"), want)
	}
	for _, c := range []string{"cs_x", "..", elsewhere} {
		if r := revert(c); r.status < 400 || g.read("page.html") != want {
			t.Errorf("%s: %d %s", c, r.status, r.body)
		}
	}
}
