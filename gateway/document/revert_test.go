package document

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-DOC-3: one note of a batch is taken back alone, then the rest; both can be
// put back.
func TestRevertOneNoteOfABatch(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	batch := b.commit(id, edit{1, "Quarterly plan", "Annual plan"}, edit{2, "First", "Opening"}, edit{1, "Second", "Closing"})
	all := b.head(id)
	res, err := b.s.Revert(ctx, id, batch.ChangeSet.ID, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.head(id), strings.Replace(page, "First", "Opening", 1); got != want {
		t.Fatalf("after note 1: %q", got)
	}
	if res.ChangeSet.Source != core.SourceRevert || res.ChangeSet.Reverts != batch.ChangeSet.ID || res.ChangeSet.RevertNote != 1 {
		t.Errorf("%+v", res.ChangeSet)
	}
	_, err = b.s.Revert(ctx, id, batch.ChangeSet.ID, 1, "test")
	wantCode(t, err, core.NoOp)
	_, err = b.s.Revert(ctx, id, batch.ChangeSet.ID, 7, "test")
	wantCode(t, err, core.UnknownChange)
	if _, err := b.s.Revert(ctx, id, batch.ChangeSet.ID, 0, "test"); err != nil { // what is left of it
		t.Fatal(err)
	}
	if got := b.head(id); got != page {
		t.Fatalf("after the rest: %q", got)
	}
	_, err = b.s.Revert(ctx, id, batch.ChangeSet.ID, 2, "test")
	wantCode(t, err, core.NoOp)
	for range 2 {
		if _, err := b.s.Redo(ctx, id, "test"); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.head(id); got != all {
		t.Fatalf("after everything was put back: %q", got)
	}
	_, err = b.s.Redo(ctx, id, "test")
	wantCode(t, err, core.NothingToRedo)
}

// Attack 37: a later change of the same place is a conflict that names it, and
// nothing is clobbered; once the later one is taken back, the earlier can be.
func TestRevertUnderALaterChange(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	first := b.commit(id, edit{1, "Quarterly", "Annual"})
	b.commit(id, edit{1, "Second", "Last"})
	third := b.commit(id, edit{1, "Annual plan", "Annual report"})
	before := b.head(id)
	_, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test")
	e := wantCode(t, err, core.OverlapsLater)
	if e.Detail["changeSet"] != third.ChangeSet.ID || e.Detail["generation"] != int64(4) || !strings.Contains(e.Hint, third.ChangeSet.ID) {
		t.Errorf("%+v", e)
	}
	if got := b.head(id); got != before {
		t.Fatalf("the head moved: %q", got)
	}
	for _, c := range []Result{third, first} {
		if _, err := b.s.Revert(ctx, id, c.ChangeSet.ID, 0, "test"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.head(id), strings.Replace(page, "Second", "Last", 1); got != want {
		t.Errorf("%q", got)
	}
	log, err := b.s.ChangeLog(ctx, id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range log {
		if gone := c.ID == first.ChangeSet.ID || c.ID == third.ChangeSet.ID; c.InForce == gone || (c.TakenBackBy != "") != gone {
			t.Errorf("generation %d: in force %t, taken back by %q", c.Generation, c.InForce, c.TakenBackBy)
		}
	}
}

// Undo and redo of one place, as deep as it goes, like an editor's.
func TestUndoAndRedoOfOnePlace(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	texts := []string{page}
	for i, w := range []string{"Annual", "Monthly", "Weekly"} {
		old := []string{"Quarterly", "Annual", "Monthly"}[i]
		b.commit(id, edit{1, old, w})
		texts = append(texts, b.head(id))
	}
	walk := func(step func(context.Context, string, string) (Result, error), want []string) {
		t.Helper()
		for _, w := range want {
			if _, err := step(ctx, id, "test"); err != nil {
				t.Fatal(err)
			}
			if got := b.head(id); got != w {
				t.Fatalf("%q, want %q", got, w)
			}
		}
	}
	for range 2 { // and once more from there
		walk(b.s.Undo, []string{texts[2], texts[1], texts[0]})
		_, err := b.s.Undo(ctx, id, "test")
		wantCode(t, err, core.UnknownChange)
		walk(b.s.Redo, []string{texts[1], texts[2], texts[3]})
		_, err = b.s.Redo(ctx, id, "test")
		wantCode(t, err, core.NothingToRedo)
	}
	walk(b.s.Undo, []string{texts[2]})
	b.commit(id, edit{1, "First", "Opening"}) // a new edit empties the redo stack
	_, err := b.s.Redo(ctx, id, "test")
	wantCode(t, err, core.NothingToRedo)
}

// A revert is a change like any other: it can be taken back by name, too.
func TestRevertOfARevert(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	first := b.commit(id, edit{1, "Quarterly", "Annual"})
	want := b.head(id)
	back, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.Revert(ctx, id, back.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.head(id); got != want {
		t.Errorf("%q", got)
	}
	if _, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test"); err != nil { // in force again
		t.Fatal(err)
	}
	if got := b.head(id); got != page {
		t.Errorf("%q", got)
	}
}

func TestRevertAndRestoreRefusals(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	other := filepath.Join(t.TempDir(), "other.html")
	writeFile(t, other, page)
	o, err := b.s.Open(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	theirs := b.commit(o.Document.ID, edit{1, "First", "Opening"})
	_, err = b.s.Revert(ctx, id, theirs.ChangeSet.ID, 0, "test")
	wantCode(t, err, core.UnknownChange)
	_, err = b.s.Revert(ctx, id, "chg_x", 0, "test")
	wantCode(t, err, core.UnknownChange)
	_, err = b.s.Revert(ctx, "doc_x", theirs.ChangeSet.ID, 0, "test")
	wantCode(t, err, core.UnknownDocument)
	_, err = b.s.Undo(ctx, id, "test")
	wantCode(t, err, core.UnknownChange)
	_, err = b.s.Redo(ctx, id, "test")
	wantCode(t, err, core.NothingToRedo)
	for _, g := range []int64{0, 2, -1} {
		_, err = b.s.Restore(ctx, id, g, "test")
		wantCode(t, err, core.UnknownRevision)
	}
	_, err = b.s.Restore(ctx, id, 1, "test")
	wantCode(t, err, core.NoOp)
	l, err := b.s.Lease(ctx, o.Document.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.s.Revert(ctx, o.Document.ID, theirs.ChangeSet.ID, 0, "test")
	wantCode(t, err, core.LeaseHeld)
	if err := b.s.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
}

// R-DOC-4: the diff is of bytes that were checked: the edits make the one from
// the other.
func TestChangeBytes(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	res := b.commit(id, edit{1, "Quarterly", "Annual"})
	c, before, after, err := b.s.ChangeBytes(context.Background(), res.ChangeSet.ID)
	if err != nil || c.ID != res.ChangeSet.ID || string(before) != page || string(after) != b.head(id) {
		t.Errorf("%+v %q %q %v", c, before, after, err)
	}
}

// R-DOC-3, H74: another program removed one of several equal items; which one
// cannot be told, so a change of one of them is not taken back in the wrong
// place: a conflict is stated. What it did elsewhere does not stand in the way.
func TestRevertAcrossAnOutsideChangeOfTwins(t *testing.T) {
	ctx := context.Background()
	list := func(first string, n int) string {
		return "<!doctype html>\n<ul>" + strings.Repeat("<li>x</li>", 3) + "<li>" + first + "</li>" + strings.Repeat("<li>x</li>", n) + "</ul>\n"
	}
	b := newBench(t, list("old", 5))
	id := b.open().Document.ID
	c := b.commit(id, edit{1, "old", "x"})
	if _, err := b.s.WriteBack(ctx, id); err != nil {
		t.Fatal(err)
	}
	b.write(list("x", 4) + "<p>more</p>")
	b.open()
	now := b.head(id)
	_, err := b.s.Revert(ctx, id, c.ChangeSet.ID, 0, "test")
	wantCode(t, err, core.OverlapsLater)
	if b.head(id) != now {
		t.Error("the head moved")
	}

	b = newBench(t, list("old", 5))
	id = b.open().Document.ID
	c = b.commit(id, edit{1, "old", "new"})
	if _, err := b.s.WriteBack(ctx, id); err != nil {
		t.Fatal(err)
	}
	b.write("<!-- theirs -->" + list("new", 5) + "<p>more</p>")
	b.open()
	if _, err := b.s.Revert(ctx, id, c.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.head(id), "<!-- theirs -->"+list("old", 5)+"<p>more</p>"; got != want {
		t.Errorf("got %q", got)
	}
}

// R-DOC-3: a difference may hold a line for moved. Taking back a restore over a
// later change next to such a line is a stated conflict; carried along, the later
// change would come out at its neighbour.
func TestRevertOfARestoreNeverMovesALaterChange(t *testing.T) {
	state := func(words ...string) string {
		var m modelState
		copy(m[:], words)
		return m.page()
	}
	first := state("alpha", "beta", "gamma", "delta", "epsilon")
	b := newBench(t, first)
	id := b.open().Document.ID
	b.commit(id, edit{0, "alpha", "gamma"}, edit{0, "beta", "alpha"}, edit{0, "gamma", "zeta"}, edit{0, "delta", "beta"})
	restored, err := b.s.Restore(t.Context(), id, 1, "test")
	if err != nil || !restored.ChangeSet.Computed {
		t.Fatalf("computed %t, %v", restored.ChangeSet.Computed, err)
	}
	b.commit(id, edit{0, "alpha", "kappa"})
	res, err := b.s.Revert(t.Context(), id, restored.ChangeSet.ID, 0, "test")
	if err == nil {
		if got, want := b.head(id), state("kappa", "alpha", "zeta", "beta", "epsilon"); got != want {
			t.Fatalf("the head is\n%s\nwant\n%s", got, want)
		}
		if !res.ChangeSet.Computed {
			t.Error("what takes a computed change back is computed too")
		}
		return
	}
	wantCode(t, err, core.OverlapsLater)
	if got, want := b.head(id), state("kappa", "beta", "gamma", "delta", "epsilon"); got != want {
		t.Errorf("a refused revert changed the head to\n%s", got)
	}
}
