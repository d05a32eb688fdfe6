//go:build unix

package document

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

func (b *bench) rebind(from, to string) error {
	_, err := b.s.Rebind(context.Background(), from, to, "test")
	return err
}

// A file that was renamed and changed keeps its history.
func TestRebind(t *testing.T) {
	ctx := context.Background()
	for name, move := range map[string]func(t *testing.T, dir string) (from, to string){
		"renamed": func(t *testing.T, dir string) (string, string) {
			to := filepath.Join(dir, "renamed.html")
			must(t, os.Rename(filepath.Join(dir, "page.html"), to))
			return filepath.Join(dir, "page.html"), to
		},
		"folder renamed": func(t *testing.T, dir string) (string, string) {
			must(t, os.Rename(dir, dir+".moved"))
			return filepath.Join(dir, "page.html"), filepath.Join(dir+".moved", "page.html")
		},
		"a link stays": func(t *testing.T, dir string) (string, string) {
			from, to := filepath.Join(dir, "page.html"), filepath.Join(dir, "renamed.html")
			must(t, os.Rename(from, to), os.Symlink("renamed.html", from))
			return from, to
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, page)
			dir := filepath.Join(filepath.Dir(b.path), "site")
			must(t, os.Mkdir(dir, 0o755))
			b.path = filepath.Join(dir, "page.html")
			b.write(page)
			id := b.open().Document.ID
			b.commit(id, edit{1, "Quarterly", "Yearly"})
			from, to := move(t, dir)
			if d, err := b.s.Lookup(ctx, from); name != "a link stays" && (err != nil || d.ID != id) {
				t.Errorf("the history of what is gone: %v", err)
			}
			writeFile(t, to, theirs) // changed, too
			must(t, b.rebind(from, to))
			b.path = to
			if out := b.sync(SyncMerge); out.Document.ID != id || out.State != SyncMerged || b.head(id) != both {
				t.Errorf("%+v", out)
			}
			if _, err := b.s.WriteBack(ctx, id); err != nil || b.file() != both {
				t.Errorf("%v %q", err, b.file())
			}
			b.sound()
		})
	}
}

// A file that was opened at its new place before anybody told where it came from
// gets the history it had; its own, which is nothing but the import, stays.
func TestRebindOverABareImport(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	old := b.path
	id := b.open().Document.ID
	b.commit(id, edit{1, "Quarterly", "Yearly"})
	b.path = filepath.Join(filepath.Dir(old), "renamed.html")
	must(t, os.Rename(old, b.path))
	bare := b.open().Document.ID
	must(t, b.rebind(old, b.path))
	if d, err := b.s.Lookup(ctx, b.path); err != nil || d.ID != id {
		t.Errorf("%+v %v", d, err)
	}
	if d, err := b.s.Lookup(ctx, old); err != nil || d.ID != bare {
		t.Errorf("%+v %v", d, err)
	}
	b.sound()
}

func TestRebindRefusals(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	old := b.path
	id := b.open().Document.ID
	copied := filepath.Join(filepath.Dir(old), "copy.html")
	writeFile(t, copied, page)
	wantCode(t, b.rebind(old, copied), core.RequestConflict) // it is still there
	wantCode(t, b.rebind(old, old), core.NoOp)
	wantCode(t, b.rebind(old+".other.html", copied), core.UnknownDocument)
	wantCode(t, b.rebind(old, copied+".html"), core.NotFound)
	link := filepath.Join(filepath.Dir(old), "link.html")
	must(t, os.Link(old, link))
	wantCode(t, b.rebind(old, link), core.RequestConflict) // two names of one file
	// A history of its own is not thrown away.
	b.path = copied
	own := b.open().Document.ID
	b.commit(own, edit{1, "First", "Opening"})
	must(t, os.Remove(old))
	if e := wantCode(t, b.rebind(old, copied), core.RequestConflict); e.Hint == "" {
		t.Error("no hint")
	}
	for path, want := range map[string]string{old: id, copied: own} {
		if d, err := b.s.Lookup(ctx, path); err != nil || d.ID != want {
			t.Errorf("%s: %+v %v", path, d, err)
		}
	}
	writeFile(t, link, "a\xff")
	wantCode(t, b.rebind(old, link), core.NotUTF8)
}

// A file without a history that holds what a vanished one held says so.
func TestSyncTellsWhereAFileMayComeFrom(t *testing.T) {
	b := newBench(t, page)
	old := b.path
	b.open()
	b.path = filepath.Join(filepath.Dir(old), "renamed.html")
	must(t, os.Rename(old, b.path))
	_, err := b.s.Sync(context.Background(), b.path, SyncRequest{})
	e := wantCode(t, err, core.UnknownDocument)
	if from, ok := e.Detail["movedFrom"].([]string); !ok || !slices.Equal(from, []string{old}) || !strings.Contains(e.Hint, old) {
		t.Errorf("%+v, hint %q", e.Detail, e.Hint)
	}
}

// What is moved is in the audit.
func TestRebindIsAudited(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	must(t, os.Rename(b.path, b.path+".moved.html"), b.rebind(b.path, b.path+".moved.html"))
	events, err := b.s.Audit(context.Background(), id, 0, 0)
	if err != nil || events[len(events)-1].Kind != "moved" || events[len(events)-1].Actor != "test" {
		t.Errorf("%+v %v", events, err)
	}
}
