//go:build unix

package document

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

func (b *bench) sync(choice SyncChoice) Synced {
	b.t.Helper()
	out, err := b.s.Sync(context.Background(), b.path, SyncRequest{Choice: choice, Actor: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// sources gives what made each version, the oldest first.
func (b *bench) sources(id string) string {
	b.t.Helper()
	revs, err := b.s.History(context.Background(), id, 0, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, r := range revs {
		out = append([]string{string(r.Source)}, out...)
	}
	return strings.Join(out, " ")
}

func (b *bench) version(id string, generation int64) string {
	b.t.Helper()
	r, err := b.s.Revision(context.Background(), id, generation)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := b.s.Bytes(context.Background(), r.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func (b *bench) sound() {
	b.t.Helper()
	if r, err := b.s.Integrity(context.Background()); err != nil || len(r.Problems) != 0 {
		b.t.Fatalf("integrity: %+v %v", r, err)
	}
}

const (
	ours   = "<!doctype html>\n<title>Plan</title>\n<h1>Yearly plan</h1>\n<p>First paragraph.</p>\n<p>Second paragraph.</p>\n"
	theirs = "<!doctype html>\n<title>Plan</title>\n<h1>Quarterly plan</h1>\n<p>First paragraph.</p>\n<p>The end.</p>\n"
	both   = "<!doctype html>\n<title>Plan</title>\n<h1>Yearly plan</h1>\n<p>First paragraph.</p>\n<p>The end.</p>\n"
)

// parted gives a bench whose head was never written, and whose file another
// program has changed to text.
func parted(t testing.TB, text string) (*bench, string, Result) {
	t.Helper()
	b := newBench(t, page)
	id := b.open().Document.ID
	mine := b.commit(id, edit{1, "Quarterly", "Yearly"})
	b.write(text)
	return b, id, mine
}

// R-DOC-7: what needs no choice is done, and is done once.
func TestSyncWithoutConflict(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	if out := b.sync(SyncSafe); out.State != SyncInStep || out.Ahead || out.OtherNames != 0 || string(out.File) != page {
		t.Errorf("untouched: %+v", out)
	}
	b.write(theirs)
	out := b.sync(SyncSafe)
	if out.State != SyncImported || out.Outside == nil || out.Outside.Generation != 2 || out.Outside.Actor != actorFile || out.Ahead || string(out.Bytes) != theirs {
		t.Errorf("changed outside: %+v", out)
	}
	if out = b.sync(SyncMerge); out.State != SyncInStep || out.Head.Generation != 2 {
		t.Errorf("again: %+v", out)
	}
	b.commit(id, edit{1, "First", "Opening"})
	for _, c := range []SyncChoice{SyncSafe, SyncMerge, SyncOurs} {
		if out = b.sync(c); out.State != SyncAhead || !out.Ahead || out.Head.Generation != 3 {
			t.Errorf("ahead, %q: %+v", c, out)
		}
	}
	if _, err := b.s.WriteBack(ctx, id); err != nil {
		t.Fatal(err)
	}
	if out = b.sync(SyncSafe); out.State != SyncInStep || out.Ahead {
		t.Errorf("written: %+v", out)
	}
	if got := b.sources(id); got != "import outside manual" {
		t.Errorf("history: %s", got)
	}
}

// A version that was never written is given up for what the file holds, and kept.
func TestSyncAheadTakesTheirs(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "Quarterly", "Yearly"})
	out := b.sync(SyncTheirs)
	if out.State != SyncTook || out.Ahead || string(out.Bytes) != page || b.head(id) != page || b.version(id, 2) != ours {
		t.Errorf("%+v", out)
	}
	if o := b.open(); o.Ahead || o.OutsideImported {
		t.Errorf("%+v", o)
	}
}

// R-DOC-7: a conflict is told, with what a merge would come to; nothing is done.
func TestSyncTellsAConflict(t *testing.T) {
	for text, clean := range map[string]bool{theirs: true, strings.Replace(page, "Quarterly", "Monthly", 1): false} {
		b, id, mine := parted(t, text)
		out := b.sync(SyncSafe)
		if out.State != SyncConflict || out.Merge == nil || (len(out.Merge.Conflicts) == 0) != clean || out.Base.Generation != 1 || out.Outside != nil {
			t.Fatalf("%+v", out)
		}
		if clean && string(out.Merge.Bytes) != both {
			t.Errorf("proposed: %q", out.Merge.Bytes)
		}
		if b.file() != text || b.head(id) != ours || out.Document.StateRev != mine.Document.StateRev {
			t.Error("something was changed")
		}
		_, err := b.s.Open(context.Background(), b.path)
		if e := wantCode(t, err, core.OutsideChange); !strings.Contains(e.Hint, "proofmark sync") {
			t.Errorf("hint: %s", e.Hint)
		}
	}
}

// A clean merge holds all of both; each side is a version; each change can be
// taken back alone.
func TestSyncMerges(t *testing.T) {
	ctx := context.Background()
	b, id, mine := parted(t, theirs)
	out := b.sync(SyncMerge)
	if out.State != SyncMerged || !out.Ahead || string(out.Bytes) != both || string(out.Ours) != ours || out.Outside == nil || out.Outside.Generation != 3 {
		t.Fatalf("%+v", out)
	}
	if got := b.sources(id); got != "import manual outside restore manual" {
		t.Errorf("history: %s", got)
	}
	for generation, want := range map[int64]string{1: page, 2: ours, 3: theirs, 4: ours, 5: both} {
		if got := b.version(id, generation); got != want {
			t.Errorf("generation %d: %q", generation, got)
		}
	}
	if b.file() != theirs {
		t.Errorf("the file was written: %q", b.file())
	}
	if wrote, err := b.s.WriteBack(ctx, id); err != nil || !wrote || b.file() != both {
		t.Fatalf("write-back: %v %v", wrote, err)
	}
	b.sound()
	// Our change goes, theirs stays; and the other way round.
	if _, err := b.s.Revert(ctx, id, mine.ChangeSet.ID, 0, "test"); err != nil || b.head(id) != theirs {
		t.Errorf("our change taken back: %v %q", err, b.head(id))
	}
	if _, err := b.s.Redo(ctx, id, "test"); err != nil || b.head(id) != both {
		t.Errorf("put back: %v %q", err, b.head(id))
	}
	if _, err := b.s.Revert(ctx, id, out.Head.ChangeSetID, 0, "test"); err != nil || b.head(id) != ours {
		t.Errorf("the merge taken back: %v %q", err, b.head(id))
	}
	b.sound()
}

// Where one side holds the other, the merge is that side.
func TestSyncMergeOfOneInTheOther(t *testing.T) {
	b, id, _ := parted(t, both) // theirs has ours, too
	out := b.sync(SyncMerge)
	if out.State != SyncMerged || out.Ahead || b.head(id) != both || b.sources(id) != "import manual outside" {
		t.Errorf("%+v %s", out, b.sources(id))
	}
	b, id, _ = parted(t, page+"<p>x</p>\n")
	b.commit(id, edit{1, "Second paragraph.</p>\n", "Second paragraph.</p>\n<p>x</p>\n"})
	out = b.sync(SyncMerge)
	if out.State != SyncMerged || !out.Ahead || string(out.Bytes) != string(out.Ours) || b.sources(id) != "import manual manual outside restore" {
		t.Errorf("%+v %s", out, b.sources(id))
	}
}

// Where both changed one place nothing is merged; ours and theirs decide, and
// what is not taken stays a version.
func TestSyncDecides(t *testing.T) {
	ctx := context.Background()
	text := strings.Replace(page, "Quarterly", "Monthly", 1)
	b, id, _ := parted(t, text)
	_, err := b.s.Sync(ctx, b.path, SyncRequest{Choice: SyncMerge, Actor: "test"})
	e := wantCode(t, err, core.OutsideChange)
	if c, ok := e.Detail["conflicts"].([]textpatch.Conflict); !ok || len(c) != 1 || c[0].HeadText != "Yearly" || c[0].MineText != "Monthly" {
		t.Errorf("%+v", e.Detail)
	}
	if b.sources(id) != "import manual" || b.file() != text {
		t.Error("something was changed")
	}
	out := b.sync(SyncOurs)
	if out.State != SyncKept || !out.Ahead || b.head(id) != ours || b.version(id, 3) != text || b.file() != text {
		t.Errorf("%+v", out)
	}
	if _, err := b.s.WriteBack(ctx, id); err != nil || b.file() != ours {
		t.Errorf("%v %q", err, b.file())
	}
	b.sound()

	b, id, _ = parted(t, text)
	out = b.sync(SyncTheirs)
	if out.State != SyncTook || out.Ahead || b.head(id) != text || b.version(id, 2) != ours {
		t.Errorf("%+v", out)
	}
	b.sound()

	// Ours against a change that is no conflict: it is kept as a version, and
	// taken back.
	b = newBench(t, page)
	id = b.open().Document.ID
	b.write(text)
	if out = b.sync(SyncOurs); out.State != SyncKept || b.head(id) != page || b.version(id, 2) != text {
		t.Errorf("%+v", out)
	}
}

// A head with the very bytes the file held is no side of a conflict, whatever
// was done and taken back before.
func TestOutsideChangeAfterUnwrittenChangesCancelled(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"open", "sync"} {
		b := newBench(t, page)
		id := b.open().Document.ID
		b.commit(id, edit{1, "Quarterly", "Yearly"})
		if _, err := b.s.Undo(ctx, id, "test"); err != nil {
			t.Fatal(err)
		}
		b.write(theirs)
		if name == "open" {
			if o := b.open(); !o.OutsideImported || o.Ahead || string(o.Bytes) != theirs {
				t.Errorf("%+v", o)
			}
		} else if out := b.sync(SyncSafe); out.State != SyncImported || out.Ahead || string(out.Bytes) != theirs {
			t.Errorf("%+v", out)
		}
		b.sound()
	}
}

// An editor that turned every line end leaves our words mergeable.
func TestSyncMergesOtherLineEnds(t *testing.T) {
	b, id, _ := parted(t, strings.ReplaceAll(theirs, "\n", "\r\n"))
	if out := b.sync(SyncMerge); out.State != SyncMerged || b.head(id) != strings.ReplaceAll(both, "\n", "\r\n") {
		t.Errorf("%+v %q", out.Merge, b.head(id))
	}
}

func TestSyncRefusals(t *testing.T) {
	ctx := context.Background()
	try := func(b *bench) *core.Error {
		t.Helper()
		_, err := b.s.Sync(ctx, b.path, SyncRequest{Choice: SyncTheirs, Actor: "test"})
		if err == nil {
			t.Fatal("no refusal")
		}
		return core.AsError(err)
	}
	for name, c := range map[string]struct {
		spoil func(b *bench)
		want  core.Code
	}{
		"gone":          {func(b *bench) { must(t, os.Remove(b.path)) }, core.NotFound},
		"not UTF-8":     {func(b *bench) { b.write("a\xff") }, core.NotUTF8},
		"NUL":           {func(b *bench) { b.write("a\x00") }, core.HasNUL},
		"too large":     {func(b *bench) { must(t, os.Truncate(b.path, core.MaxSourceBytes+1)) }, core.TooLarge},
		"a directory":   {func(b *bench) { must(t, os.Remove(b.path), os.Mkdir(b.path, 0o755)) }, core.IsDirectory},
		"lease held":    {func(b *bench) { _, err := b.s.Lease(ctx, b.open().Document.ID); must(t, err); b.write(theirs) }, core.LeaseHeld},
		"never opened":  {func(b *bench) { b.path += ".html"; b.write(theirs) }, core.UnknownDocument},
		"dangling link": {func(b *bench) { must(t, os.Remove(b.path), os.Symlink("nowhere.html", b.path)) }, core.NotFound},
	} {
		b := newBench(t, page)
		id := b.open().Document.ID
		b.commit(id, edit{1, "Quarterly", "Yearly"})
		if name == "lease held" {
			b.sync(SyncTheirs)
		}
		heads := b.sources(id)
		c.spoil(b)
		if e := try(b); e.Code != c.want || e.Hint == "" && name != "lease held" {
			t.Errorf("%s: %s (%v), hint %q", name, e.Code, e, e.Hint)
		}
		if got := b.sources(id); got != heads {
			t.Errorf("%s: history %s, was %s", name, got, heads)
		}
	}
}

// Hard links are told of: the other names keep the old bytes.
func TestSyncTellsOtherNames(t *testing.T) {
	b := newBench(t, page)
	b.open()
	must(t, os.Link(b.path, b.path+"~"))
	if out := b.sync(SyncSafe); out.OtherNames != 1 {
		t.Errorf("%d other names", out.OtherNames)
	}
}

// D-48: many syncs at once append one merge.
func TestSyncTogether(t *testing.T) {
	b, id, _ := parted(t, theirs)
	b.s.o.LeaseWait = time.Minute
	var wg sync.WaitGroup
	for range 8 {
		s := New(b.st, Options{LeaseWait: time.Minute})
		wg.Go(func() {
			out, err := s.Sync(context.Background(), b.path, SyncRequest{Choice: SyncMerge, Actor: "test"})
			if err != nil || out.State != SyncMerged && out.State != SyncAhead {
				t.Errorf("%s %v", out.State, err)
			}
		})
	}
	wg.Wait()
	if b.sources(id) != "import manual outside restore manual" || b.head(id) != both {
		t.Errorf("%s %q", b.sources(id), b.head(id))
	}
}

// A commit between our look and ours is merged with, too.
func TestSyncWhileAnotherCommits(t *testing.T) {
	b, id, _ := parted(t, theirs)
	other := New(b.st, Options{LeaseWait: -1})
	done := false
	b.s.o.step = func(name string) {
		if name != "file read for sync" || done {
			return
		}
		done = true
		mine := b.s
		b.s = other
		b.commit(id, edit{1, "First", "Opening"})
		b.s = mine
	}
	if out := b.sync(SyncMerge); out.State != SyncMerged || b.head(id) != strings.Replace(both, "First", "Opening", 1) {
		t.Errorf("%+v %q", out.State, b.head(id))
	}
	b.sound()
}

// Random changes of both sides, one after another on one page: nothing of either
// is ever lost. A merge that is refused changes nothing and somebody decides; one
// that is made holds what the plain merge holds; and all versions stay as they
// were.
func TestSyncAtRandom(t *testing.T) {
	ctx := context.Background()
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu")
	text := "<p>" + strings.Join(words, " </p>\n<p>") + " </p>\n"
	r := rand.New(rand.NewPCG(4, 7))
	change := func(text, tag string) string {
		for range 1 + r.IntN(3) {
			w := words[r.IntN(len(words))]
			at := strings.Index(text, w)
			text = text[:at+len(w)] + tag + text[at+len(w):]
		}
		return text
	}
	b := newBench(t, text)
	id := b.open().Document.ID
	line := []string{text} // of versions
	merged, refused := 0, 0
	for i := range 60 {
		mine, file := change(text, "!"), change(text, "?")
		b.commit(id, edit{1, text, mine})
		b.write(file)
		want, err := textpatch.Merge([]byte(text), []byte(mine), []byte(file))
		must(t, err)
		out, err := b.s.Sync(ctx, b.path, SyncRequest{Choice: SyncMerge, Actor: "test"})
		line = append(line, mine)
		if len(want.Conflicts) > 0 {
			refused++
			wantCode(t, err, core.OutsideChange)
			if d, err := b.s.Get(ctx, id); err != nil || int(d.Generation) != len(line) || b.file() != file {
				t.Fatalf("round %d: something was changed (%v)", i, err)
			}
			text = file
			line = append(line, file)
			if r.IntN(2) == 0 {
				b.sync(SyncTheirs)
			} else {
				b.sync(SyncOurs)
				text = mine
				line = append(line, mine)
			}
		} else {
			merged++
			must(t, err)
			text = string(want.Bytes)
			if line = append(line, file, mine, text); string(out.Bytes) != text {
				t.Fatalf("round %d: %+v", i, out)
			}
		}
		_, err = b.s.WriteBack(ctx, id)
		must(t, err)
		if b.head(id) != text || b.file() != text {
			t.Fatalf("round %d: the head holds %q, the file %q, want %q", i, b.head(id), b.file(), text)
		}
	}
	for i, want := range line {
		if b.version(id, int64(i+1)) != want {
			t.Errorf("generation %d is not as it was", i+1)
		}
	}
	b.sound()
	if merged == 0 || refused == 0 {
		t.Errorf("%d merged, %d refused", merged, refused)
	}
}

func init() { jobs["sync"] = jobSync }

func jobSync(a jobArgs) error {
	s, _, err := a.service()
	if err != nil {
		return err
	}
	_, err = s.Sync(context.Background(), a.Path, SyncRequest{Choice: SyncChoice(a.Text), Actor: "test"})
	return err
}

// R-DOC-5, attack 34: a process killed in the middle leaves all of it or nothing,
// and whoever comes next can do it.
func TestSyncKilled(t *testing.T) {
	for _, step := range []string{"file read for sync", "sync: first version stored", "sync: last version stored"} {
		for _, choice := range []SyncChoice{SyncMerge, SyncOurs, SyncTheirs} {
			b, id, _ := parted(t, theirs)
			killed(t, "sync", jobArgs{Data: b.data, Path: b.path, Kill: step, Text: string(choice)})
			if b.sources(id) != "import manual" || b.head(id) != ours || b.file() != theirs {
				t.Fatalf("%s, %s: %s", choice, step, b.sources(id))
			}
			b.s.o.LeaseWait = time.Minute
			want := map[SyncChoice]string{SyncMerge: both, SyncOurs: ours, SyncTheirs: theirs}[choice]
			if b.sync(choice); b.head(id) != want || b.version(id, 2) != ours || b.version(id, 3) != theirs {
				t.Errorf("%s, %s: %q", choice, step, b.head(id))
			}
			b.sound()
		}
	}
}

// Nothing but the opened file is touched: not by a sync, not by the write after
// it.
func TestSyncTouchesNothingElse(t *testing.T) {
	b, id, _ := parted(t, theirs)
	dir := filepath.Dir(b.path)
	writeFile(t, filepath.Join(dir, "page.html.bak"), "backup")
	before := names(t, dir)
	b.sync(SyncMerge)
	if _, err := b.s.WriteBack(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	if after := names(t, dir); after != before {
		t.Errorf("the folder held %s, holds %s", before, after)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}
