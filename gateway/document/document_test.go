package document

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

const page = "<!doctype html>\n<title>Plan</title>\n<h1>Quarterly plan</h1>\n<p>First paragraph.</p>\n<p>Second paragraph.</p>\n"

// clock is an injected clock that tests move.
type clock struct{ now time.Time }

func newClock() *clock {
	return &clock{now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
}

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) forward(d time.Duration) { c.now = c.now.Add(d) }

// bench is a service on a fresh database with one HTML file.
type bench struct {
	t     testing.TB
	s     *Service
	st    *store.Store
	clock *clock
	path  string
	data  string
}

func newBench(t testing.TB, text string) *bench {
	t.Helper()
	return newBenchIn(t, t.TempDir(), text)
}

func newBenchIn(t testing.TB, dir, text string) *bench {
	t.Helper()
	b := &bench{t: t, clock: newClock(), path: filepath.Join(dir, "page.html"), data: filepath.Join(dir, "data")}
	b.write(text)
	st, err := store.Open(b.data, store.Options{Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	b.st, b.s = st, New(st, Options{LeaseWait: -1})
	return b
}

// write is another program that writes the file.
func (b *bench) write(text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) file() string {
	b.t.Helper()
	got, err := os.ReadFile(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(got)
}

func (b *bench) open() Opened {
	b.t.Helper()
	o, err := b.s.Open(context.Background(), b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func (b *bench) head(id string) string {
	b.t.Helper()
	_, _, text, err := b.s.Head(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// edit is one replacement and the note that asked for it.
type edit struct {
	note     int
	old, new string
}

// request gives the commit request that makes the edits at the head.
func (b *bench) request(id string, edits ...edit) CommitRequest {
	b.t.Helper()
	d, r, text, err := b.s.Head(context.Background(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	q := CommitRequest{DocumentID: id, ExpectedHead: r.ID, ExpectedStateRev: d.StateRev, Source: core.SourceManual, Actor: "test"}
	for _, e := range edits {
		at := strings.Index(string(text), e.old)
		if at < 0 {
			b.t.Fatalf("%q is not in the head", e.old)
		}
		q.Edits = append(q.Edits, core.Edit{Note: e.note, Span: core.Span{Start: at, End: at + len(e.old)}, Replacement: e.new})
	}
	if q.After, err = textpatch.Apply(text, q.Edits); err != nil {
		b.t.Fatal(err)
	}
	return q
}

// commit takes the lease, makes the edits at the head and frees the lease.
func (b *bench) commit(id string, edits ...edit) Result {
	b.t.Helper()
	q := b.request(id, edits...)
	var res Result
	if err := b.s.WithLease(context.Background(), id, func(l core.WriterLease) (err error) {
		q.Lease = l
		res, err = b.s.Commit(context.Background(), q)
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
	return res
}

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func wantCode(t failer, err error, want core.Code) *core.Error {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
	return core.AsError(err)
}

func TestMainPath(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	o := b.open()
	if !o.Imported || o.Head.Generation != 1 || string(o.Bytes) != page || o.Ahead {
		t.Fatalf("import: %+v", o)
	}
	id := o.Document.ID
	first := b.commit(id, edit{1, "Quarterly plan", "Annual plan"})
	if first.Revision.Generation != 2 || first.Document.HeadID != first.Revision.ID {
		t.Fatalf("commit: %+v", first)
	}
	if wrote, err := b.s.WriteBack(ctx, id); err != nil || !wrote {
		t.Fatalf("write-back: %v %v", wrote, err)
	}
	if got := b.file(); !strings.Contains(got, "Annual plan") {
		t.Fatalf("the file holds %q", got)
	}
	second := b.commit(id, edit{1, "First", "Opening"})
	if _, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.head(id), strings.Replace(page, "First", "Opening", 1); got != want {
		t.Fatalf("after the revert of an older change: %q", got)
	}
	res, err := b.s.Redo(ctx, id, "test")
	if err != nil || res.ChangeSet.Reverts != first.ChangeSet.ID {
		t.Fatalf("redo: %+v %v", res, err)
	}
	if _, err := b.s.Undo(ctx, id, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.Revert(ctx, id, second.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.head(id); got != page {
		t.Fatalf("after everything was taken back: %q", got)
	}
	if _, err := b.s.Restore(ctx, id, 2, "test"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.head(id), strings.Replace(page, "Quarterly", "Annual", 1); got != want {
		t.Fatalf("after the restore: %q", got)
	}
	r, err := b.s.Integrity(ctx)
	if err != nil || len(r.Problems) != 0 {
		t.Fatalf("integrity: %+v %v", r, err)
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
