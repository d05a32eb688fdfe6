//go:build unix

package document

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// Bad input: each a clear error, and nothing is stored. A FIFO and a device
// must neither block nor be opened (attack 31).
func TestOpenRefusals(t *testing.T) {
	b := newBench(t, page)
	dir := t.TempDir()
	put := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	link := func(name, to string) string {
		p := filepath.Join(dir, name)
		if err := os.Symlink(to, p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	fifo := filepath.Join(dir, "fifo.html")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "x.html")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	huge := put("huge.html", "")
	if err := os.Truncate(huge, core.MaxSourceBytes+1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       core.Code
	}{
		{"no name", "", core.NotFound},
		{"missing", filepath.Join(dir, "missing.html"), core.NotFound},
		{"below a file", filepath.Join(put("plain.html", page), "x.html"), core.NotFound},
		{"NUL in the name", dir + "/a\x00b.html", core.NotFound},
		{"name too long", filepath.Join(dir, strings.Repeat("a", 300)+".html"), core.NotFound},
		{"directory", dir, core.IsDirectory},
		{"directory named like a page", sub, core.IsDirectory},
		{"FIFO", fifo, core.NotRegular},
		{"device", "/dev/null", core.NotRegular},
		{"link to a device", link("zero.html", "/dev/zero"), core.NotRegular},
		{"text file", put("notes.txt", page), core.NotHTML},
		{"XHTML", put("page.xhtml", page), core.NotHTML},
		{"link to a file of another kind", link("key.html", put("id_rsa", "secret")), core.NotHTML},
		{"not UTF-8", put("latin.html", "<p>caf\xe9"), core.NotUTF8},
		{"UTF-16", put("utf16.html", "\xff\xfe<\x00p\x00"), core.NotUTF8},
		{"NUL", put("nul.html", page+"<p>a\x00b"), core.HasNUL},
		{"too large", huge, core.TooLarge},
		{"circle of links", link("loop.html", filepath.Join(dir, "loop.html")), core.NotFound},
		{"link to nothing", link("dangling.html", filepath.Join(dir, "gone.html")), core.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := b.s.Open(context.Background(), c.path)
			if e := wantCode(t, err, c.want); e.Message == "" {
				t.Error("no message")
			}
			_, err = ReadFile(c.path)
			wantCode(t, err, c.want)
		})
	}
	if docs, err := b.s.List(context.Background()); err != nil || len(docs) != 0 {
		t.Errorf("%d documents were stored (%v)", len(docs), err)
	}
}

// D-58: one file is one document, by whatever link it is opened.
func TestOpenByLinkIsTheSameDocument(t *testing.T) {
	b := newBench(t, page)
	link := filepath.Join(t.TempDir(), "link.html")
	if err := os.Symlink(b.path, link); err != nil {
		t.Fatal(err)
	}
	first := b.open()
	second, err := b.s.Open(context.Background(), link)
	if err != nil {
		t.Fatal(err)
	}
	if second.Imported || second.Document.ID != first.Document.ID || second.OpenedAs != link {
		t.Errorf("%+v", second)
	}
	d, err := b.s.Lookup(context.Background(), link)
	if err != nil || d.ID != first.Document.ID {
		t.Errorf("look-up by link: %+v %v", d, err)
	}
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	if d, err = b.s.Lookup(context.Background(), b.path); err != nil || d.ID != first.Document.ID {
		t.Errorf("look-up of a deleted file: %+v %v", d, err)
	}
	_, err = b.s.Lookup(context.Background(), filepath.Join(t.TempDir(), "other.html"))
	wantCode(t, err, core.UnknownDocument)
}

// R-DOC-7: what another program wrote becomes a revision of its own, with a
// change set that can be taken back like any other.
func TestOutsideChangeIsImported(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	outside := strings.Replace(page, "First", "Changed outside", 1)
	b.write(outside)
	o := b.open()
	if !o.OutsideImported || o.Imported || o.Head.Generation != 2 || o.Head.Source != core.SourceOutside || string(o.Bytes) != outside || o.Ahead {
		t.Fatalf("%+v", o)
	}
	if again := b.open(); again.OutsideImported || again.Head.ID != o.Head.ID {
		t.Fatalf("opened again: %+v", again)
	}
	_, err := b.s.Undo(ctx, id, "test")
	wantCode(t, err, core.UnknownChange) // it is taken back by name only
	if _, err := b.s.Revert(ctx, id, o.Head.ChangeSetID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.head(id); got != page {
		t.Errorf("the outside change taken back: %q", got)
	}
	if wrote, err := b.s.WriteBack(ctx, id); err != nil || !wrote || b.file() != page {
		t.Errorf("write-back: %v %v %q", wrote, err, b.file())
	}
}

// R-DOC-7: with the head ahead of the file, an outside change is a conflict;
// nothing is changed and both versions stay.
func TestOutsideChangeConflictsWithAnUnwrittenHead(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	mine := b.commit(id, edit{1, "Quarterly", "Yearly"})
	if o := b.open(); !o.Ahead || o.Head.ID != mine.Revision.ID {
		t.Fatalf("the file is behind: %+v", o)
	}
	outside := strings.Replace(page, "First", "Changed outside", 1)
	b.write(outside)
	_, err := b.s.Open(context.Background(), b.path)
	if e := wantCode(t, err, core.OutsideChange); e.Hint == "" {
		t.Error("no hint")
	}
	if b.file() != outside || !strings.Contains(b.head(id), "Yearly") {
		t.Error("something was changed")
	}
	// Whoever joins the two by hand makes the file hold the head; that is seen.
	b.write(b.head(id))
	if o := b.open(); o.Ahead || o.OutsideImported || o.Document.SyncedID != mine.Revision.ID {
		t.Errorf("%+v", o)
	}
}

func TestOutsideImportRespectsTheLease(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	b.write(page + "<p>more</p>\n")
	_, err = b.s.Open(ctx, b.path)
	wantCode(t, err, core.LeaseHeld)
	// Whoever may wait gets it as soon as it is free.
	b.s.o.LeaseWait = time.Minute
	done := make(chan Opened)
	go func() { done <- b.open() }()
	if err := b.s.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
	if o := <-done; !o.OutsideImported {
		t.Errorf("%+v", o)
	}
}

// Several processes may open a file at the same moment, new or changed outside:
// each gets the same document and head.
func TestOpenTogether(t *testing.T) {
	b := newBench(t, page)
	b.s.o.LeaseWait = time.Minute
	for _, want := range []int64{1, 2} {
		opened := make([]Opened, 8)
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range opened {
			wg.Go(func() { opened[i], errs[i] = b.s.Open(context.Background(), b.path) })
		}
		wg.Wait()
		for i, o := range opened {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			if o.Head.ID != opened[0].Head.ID || o.Head.Generation != want {
				t.Errorf("%d opened generation %d, want %d", i, o.Head.Generation, want)
			}
		}
		b.write(page + "<p>more</p>\n")
	}
}

// A version that another process commits and writes between our look at the
// file and our look at the history is not an outside change.
func TestOpenWhileAnotherWrites(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	other := New(b.st, Options{LeaseWait: -1})
	reads := 0
	b.s.o.step = func(name string) {
		if name != "file read" {
			return
		}
		if reads++; reads > 1 {
			return
		}
		mine := b.s
		b.s = other
		defer func() { b.s = mine }()
		b.commit(id, edit{1, "Quarterly", "Annual"})
		if _, err := other.WriteBack(context.Background(), id); err != nil {
			t.Error(err)
		}
	}
	o := b.open()
	if o.OutsideImported || o.Head.Generation != 2 || o.Ahead || string(o.Bytes) != b.file() {
		t.Errorf("generation %d, imported %v, ahead %v, bytes %q", o.Head.Generation, o.OutsideImported, o.Ahead, o.Bytes)
	}
	// A real outside change still is one, and the file is looked at again for it.
	b.write("<p>by hand</p>")
	if o = b.open(); !o.OutsideImported || o.Head.Generation != 3 {
		t.Errorf("generation %d, imported %v", o.Head.Generation, o.OutsideImported)
	}
}
