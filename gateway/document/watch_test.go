package document

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// spyglass runs a Watcher and hands out what it tells.
type spyglass struct {
	t     *testing.T
	told  chan Sight
	reply chan error
}

// patient bounds how long a test waits for what must come.
const patient = 30 * time.Second

// watch starts a Watcher; it ends with the test.
func watch(t *testing.T, o WatchOptions, paths ...string) *spyglass {
	t.Helper()
	o.Quiet, o.Gone, o.Retry = 10*time.Millisecond, 200*time.Millisecond, time.Millisecond
	if o.NoEvents {
		o.Poll = 5 * time.Millisecond
	}
	w, err := NewWatcher(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	g := &spyglass{t: t, told: make(chan Sight), reply: make(chan error, 1)}
	ended := make(chan error)
	go func() {
		ended <- w.Run(ctx, func(s Sight) error {
			select {
			case g.told <- s:
				select {
				case err := <-g.reply:
					return err
				case <-ctx.Done():
				}
			case <-ctx.Done():
			}
			return nil
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// next gives what is told next.
func (g *spyglass) next() Sight {
	g.t.Helper()
	return g.nextWith(nil)
}

func (g *spyglass) nextWith(reply error) Sight {
	g.t.Helper()
	select {
	case s := <-g.told:
		g.reply <- reply
		return s
	case <-time.After(patient):
		g.t.Fatal("nothing was told")
		return Sight{}
	}
}

// wantText waits until the text is told. On a busy machine the test itself may
// rest in the middle of a save; TestSettle proves what is not told.
func (g *spyglass) wantText(text string) Sight {
	g.t.Helper()
	for {
		s := g.next()
		if s.Err == nil && s.SHA == core.SHA256Hex([]byte(text)) {
			return s
		}
		g.t.Logf("told %+v on the way", s)
	}
}

func (g *spyglass) wantCode(code core.Code) Sight {
	g.t.Helper()
	s := g.next()
	if core.CodeOf(s.Err) != code {
		g.t.Fatalf("told %+v, want %s", s, code)
	}
	return s
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// R-DOC-7: the ways in which editors save.
func TestWatchEditors(t *testing.T) {
	for name, save := range map[string]func(t *testing.T, path, text string){
		"in place": func(t *testing.T, path, text string) { writeFile(t, path, text) },
		"temporary file and rename": func(t *testing.T, path, text string) {
			writeFile(t, path+".swp", text)
			must(t, os.Rename(path+".swp", path))
		},
		"backup by rename": func(t *testing.T, path, text string) { // vim
			must(t, os.Rename(path, path+"~"))
			writeFile(t, path, text)
			must(t, os.Remove(path+"~"))
		},
		"removed and made anew": func(t *testing.T, path, text string) {
			must(t, os.Remove(path))
			writeFile(t, path, text)
		},
		"emptied, then filled": func(t *testing.T, path, text string) {
			f, err := os.Create(path)
			must(t, err)
			for _, r := range text {
				_, err := f.WriteString(string(r))
				must(t, err)
			}
			must(t, f.Close())
		},
		"hard link over it": func(t *testing.T, path, text string) {
			writeFile(t, path+".new", text)
			must(t, os.Remove(path), os.Link(path+".new", path), os.Remove(path+".new"))
		},
	} {
		for _, looking := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "page.html")
				writeFile(t, path, page)
				g := watch(t, WatchOptions{NoEvents: looking}, path)
				g.wantText(page)
				for i := range 3 {
					text := page + string(rune('a'+i))
					save(t, path, text)
					if s := g.wantText(text); s.Path != path || s.Relinks {
						t.Errorf("%+v", s)
					}
				}
			})
		}
	}
}

// What leaves the bytes alone is not told: the next thing told is a change.
func TestWatchTellsChangesOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	writeFile(t, path, page)
	g := watch(t, WatchOptions{}, path)
	g.wantText(page)
	must(t, os.Chmod(path, 0o600), os.Chtimes(path, time.Now(), time.Now()))
	writeFile(t, filepath.Join(dir, "other.html"), "another file")
	for _, text := range []string{page, page + "x"} {
		writeFile(t, path+".tmp", text)
		must(t, os.Rename(path+".tmp", path))
	}
	if s := g.next(); s.SHA != core.SHA256Hex([]byte(page+"x")) {
		t.Errorf("told %+v", s)
	}
}

// A file that is gone, comes back, turns into what cannot be read.
func TestWatchGoneAndUnreadable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	g := watch(t, WatchOptions{}, path)
	g.wantCode(core.NotFound)
	writeFile(t, path, page)
	g.wantText(page)
	must(t, os.Rename(path, filepath.Join(dir, "renamed.html")))
	if s := g.wantCode(core.NotFound); s.NewName != filepath.Join(dir, "renamed.html") || s.Leads != "" {
		t.Errorf("%+v", s)
	}
	must(t, os.Mkdir(path, 0o755))
	g.wantCode(core.IsDirectory)
	must(t, os.Remove(path))
	if s := g.wantCode(core.NotFound); s.Leads != "" {
		t.Errorf("%+v", s)
	}
	writeFile(t, path, "a\xffb")
	g.wantCode(core.NotUTF8)
	writeFile(t, path, page)
	g.wantText(page)
}

// A link that is turned leads to another file; so does a folder that is one.
func TestWatchLinks(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []string{"one", "two"} {
		must(t, os.Mkdir(filepath.Join(dir, v), 0o755))
		writeFile(t, filepath.Join(dir, v, "page.html"), page+v)
	}
	turn := func(link, to string) {
		t.Helper()
		must(t, os.Symlink(to, link+".new"), os.Rename(link+".new", link))
	}
	link, folder := filepath.Join(dir, "link.html"), filepath.Join(dir, "current")
	turn(link, filepath.Join("one", "page.html"))
	turn(folder, "one")
	for name, path := range map[string]string{"file": link, "folder": filepath.Join(folder, "page.html")} {
		t.Run(name, func(t *testing.T) {
			g := watch(t, WatchOptions{Poll: 5 * time.Millisecond}, path)
			if s := g.wantText(page + "one"); s.Relinks || s.Leads != filepath.Join(dir, "one", "page.html") {
				t.Errorf("%+v", s)
			}
			turn(link, filepath.Join("two", "page.html"))
			turn(folder, "two")
			if s := g.wantText(page + "two"); !s.Relinks {
				t.Errorf("%+v", s)
			}
			// The file behind the link is watched where it lies.
			writeFile(t, filepath.Join(dir, "two", "page.html"), page+"two, too")
			if s := g.wantText(page + "two, too"); s.Relinks {
				t.Errorf("%+v", s)
			}
			writeFile(t, filepath.Join(dir, "two", "page.html"), page+"two")
			g.wantText(page + "two")
			turn(link, filepath.Join("one", "page.html"))
			turn(folder, "one")
			g.wantText(page + "one")
		})
	}
}

// A folder that is moved away, and made anew.
func TestWatchFolderGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	path := filepath.Join(dir, "page.html")
	must(t, os.Mkdir(dir, 0o755))
	writeFile(t, path, page)
	g := watch(t, WatchOptions{Poll: 20 * time.Millisecond}, path)
	g.wantText(page)
	must(t, os.Rename(dir, dir+".old"))
	g.wantCode(core.NotFound)
	must(t, os.Mkdir(dir, 0o755))
	writeFile(t, path, page+"new")
	g.wantText(page + "new")
	for _, text := range []string{"a", "b"} {
		writeFile(t, path, page+text)
		g.wantText(page + text)
	}
}

// Several files of one folder, and one file by two names.
func TestWatchSeveral(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"a.html", "b.html", "c.html"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	writeFile(t, paths[0], page)
	must(t, os.Link(paths[0], paths[1]))
	g := watch(t, WatchOptions{Poll: 20 * time.Millisecond}, append(paths, paths[0])...)
	var first []string
	for range paths {
		first = append(first, g.next().Path)
	}
	slices.Sort(first)
	if !slices.Equal(first, paths) {
		t.Fatalf("%v", first)
	}
	writeFile(t, paths[0], page+"x") // one file, two names; events name the one written
	if s := g.wantText(page + "x"); s.Path != paths[0] && s.Path != paths[1] {
		t.Errorf("%+v", s)
	}
	if s := g.wantText(page + "x"); s.Path == paths[2] { // the other comes with the next poll
		t.Errorf("%+v", s)
	}
	writeFile(t, paths[2], page)
	if s := g.wantText(page); s.Path != paths[2] {
		t.Errorf("%+v", s)
	}
}

// What passes is told again; anything else ends the watch.
func TestWatchTellsAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	writeFile(t, path, page)
	g := watch(t, WatchOptions{}, path)
	for _, code := range []core.Code{core.LeaseHeld, core.StorageBusy, core.HeadMoved, core.StaleSource} {
		if s := g.nextWith(core.Errorf(code, "not now")); s.SHA != core.SHA256Hex([]byte(page)) {
			t.Errorf("%+v", s)
		}
	}
	g.wantText(page)
	writeFile(t, path, page+"x")
	g.wantText(page + "x")

	w, err := NewWatcher([]string{path}, WatchOptions{Quiet: time.Millisecond})
	must(t, err)
	defer w.Close()
	broken := core.Errorf(core.StorageDamaged, "broken")
	if err := w.Run(context.Background(), func(Sight) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("Run ended with %v", err)
	}
	_, err = NewWatcher([]string{""}, WatchOptions{})
	wantCode(t, err, core.NotFound)
}
