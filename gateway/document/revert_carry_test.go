package document

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-DOC-3: a later change of the same place that was taken back among others
// elsewhere stands no longer in the way; another one behind it does, and is the
// one that is named.
func TestRevertOverWhatCancelledOut(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	first := b.commit(id, edit{1, "Quarterly", "Annual"})
	second := b.commit(id, edit{1, "Annual", "A rather longer word"})
	b.commit(id, edit{1, "Plan</title>", "Elsewhere</title>"}, edit{2, "First", "Opening"})
	if _, err := b.s.Revert(ctx, id, second.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	third := b.commit(id, edit{1, "Annual", "Monthly"})
	_, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test")
	if e := wantCode(t, err, core.OverlapsLater); e.Detail["changeSet"] != third.ChangeSet.ID || e.Detail["generation"] != int64(6) {
		t.Errorf("%+v", e)
	}
	b.commit(id, edit{1, "Monthly", "Annual"}) // by hand, what it had been
	if _, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("Plan</title>", "Elsewhere</title>", "First", "Opening").Replace(page)
	if got := b.head(id); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A conflict names the note of the later change that is in the way, so that it
// alone can be taken back.
func TestConflictNamesTheNote(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	first := b.commit(id, edit{1, "Quarterly", "Annual"})
	batch := b.commit(id, edit{1, "First", "Opening"}, edit{2, "Annual", "Monthly"})
	_, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test")
	e := wantCode(t, err, core.OverlapsLater)
	if e.Detail["note"] != 2 || !strings.Contains(e.Hint, "note 2 of change "+batch.ChangeSet.ID) {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		id   string
		note int
	}{{batch.ChangeSet.ID, 2}, {first.ChangeSet.ID, 0}} {
		if _, err := b.s.Revert(ctx, id, c.id, c.note, "test"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.head(id), strings.Replace(page, "First", "Opening", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What one revert left and another took is told apart by what each of them set:
// with the first taken back, its note is in force though a later revert was of
// the whole.
func TestTwoRevertsOfOneChange(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	batch := b.commit(id, edit{1, "Quarterly", "Annual"}, edit{2, "First", "Opening"})
	var reverts []string
	for _, note := range []int{1, 0} {
		res, err := b.s.Revert(ctx, id, batch.ChangeSet.ID, note, "test")
		if err != nil {
			t.Fatal(err)
		}
		reverts = append(reverts, res.ChangeSet.ID)
	}
	if _, err := b.s.Revert(ctx, id, reverts[0], 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.head(id), strings.Replace(page, "Quarterly", "Annual", 1); got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	_, err := b.s.Revert(ctx, id, batch.ChangeSet.ID, 2, "test")
	wantCode(t, err, core.NoOp)
	if _, err := b.s.Revert(ctx, id, batch.ChangeSet.ID, 1, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.head(id); got != page {
		t.Errorf("%q", got)
	}
}

// However often the place was changed since: a conflict while it holds something
// else, and none once it holds again what the change had put there.
func TestRevertUnderManyChangesOfThePlace(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	first := b.commit(id, edit{1, "Quarterly", "w0 "})
	second := b.commit(id, edit{1, "w0 ", "w1 "})
	for i := range 60 {
		b.commit(id, edit{1, fmt.Sprintf("w%d ", i+1), fmt.Sprintf("w%d ", i+2)})
	}
	before := b.head(id)
	_, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test")
	if e := wantCode(t, err, core.OverlapsLater); e.Detail["changeSet"] != second.ChangeSet.ID {
		t.Errorf("%+v", e)
	}
	if b.head(id) != before {
		t.Error("the head moved")
	}
	b.commit(id, edit{1, "w61 ", "w0 "})
	if _, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	if got := b.head(id); got != page {
		t.Errorf("%q", got)
	}
}
