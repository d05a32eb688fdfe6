package document

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
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

// commitAt is commit of edits that say where they are.
func (b *bench) commitAt(id string, edits ...core.Edit) Result {
	b.t.Helper()
	q := b.request(id)
	q.Edits = edits
	var err error
	if q.After, err = textpatch.Apply([]byte(b.head(id)), edits); err != nil {
		b.t.Fatal(err)
	}
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

// span gives where text stands at the head.
func (b *bench) span(id, text string) core.Span {
	i := strings.Index(b.head(id), text)
	return core.Span{Start: i, End: i + len(text)}
}

// moveBehind gives the edits that take text to behind other text.
func (b *bench) moveBehind(id, text, other string) []core.Edit {
	at := b.span(id, other).End
	return []core.Edit{
		{Note: 1, Span: b.span(id, text)},
		{Note: 1, Span: core.Span{Start: at, End: at}, Replacement: text},
	}
}

// R-DOC-3: an element that was removed and came back, and one that was moved and
// came back, stand in the way of no earlier change inside them, though other
// places changed in between.
func TestRevertInsideWhatCameBack(t *testing.T) {
	const heading, para = "<h1>Annual plan</h1>\n", "<p>Second paragraph.</p>\n"
	for name, away := range map[string]func(b *bench, id string) Result{
		"removed": func(b *bench, id string) Result { return b.commit(id, edit{1, heading, ""}) },
		"moved":   func(b *bench, id string) Result { return b.commitAt(id, b.moveBehind(id, heading, para)...) },
		"removed with its neighbour": func(b *bench, id string) Result {
			return b.commit(id, edit{1, heading, ""}, edit{2, "<p>First paragraph.</p>\n", ""})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			b := newBench(t, page)
			id := b.open().Document.ID
			first := b.commit(id, edit{1, "Quarterly", "Annual"})
			gone := away(b, id)
			b.commit(id, edit{1, "Plan</title>", "Elsewhere</title>"})
			for _, c := range []Result{gone, first} {
				if _, err := b.s.Revert(ctx, id, c.ChangeSet.ID, 0, "test"); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := b.head(id), strings.Replace(page, "Plan</title>", "Elsewhere</title>", 1); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// R-DOC-3: what stands in the way may be the way back of a change that did not.
func TestRevertOverARevertOfWhatWasSteppedOver(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	moved := b.commitAt(id, b.moveBehind(id, "<h1>Quarterly plan</h1>\n", "<p>First paragraph.</p>\n")...)
	gone := b.commit(id, edit{1, "<title>Plan</title>\n", ""})
	b.commit(id, edit{1, "Second", "Other"})
	for _, c := range []Result{gone, moved} {
		if _, err := b.s.Revert(ctx, id, c.ChangeSet.ID, 0, "test"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.head(id), strings.Replace(page, "Second", "Other", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A conflict with a change that is taken back does not send the person there.
func TestConflictWithATakenBackChange(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	first := b.commit(id, edit{1, "Quarterly", "Annual"})
	gone := b.commit(id, edit{1, "<h1>Annual plan</h1>\n", ""})
	if _, err := b.s.Revert(ctx, id, gone.ChangeSet.ID, 0, "test"); err != nil {
		t.Fatal(err)
	}
	b.commit(id, edit{1, "Annual plan", "Other"})
	_, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test")
	if e := wantCode(t, err, core.OverlapsLater); strings.Contains(e.Hint, "Take change "+gone.ChangeSet.ID) {
		t.Errorf("%+v", e)
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

// What makes no difference is refused in words of what was asked for.
func TestTakingBackWhatMakesNoDifference(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, "<p>a</p>\n<p>a</p>\n<h1>x</h1>\n")
	id := b.open().Document.ID
	batch := b.commitAt(
		id,
		core.Edit{Note: 2, Span: core.Span{Start: 0, End: 9}}, // a twin goes behind its twin
		core.Edit{Note: 2, Span: core.Span{Start: 18, End: 18}, Replacement: "<p>a</p>\n"},
		core.Edit{Note: 1, Span: core.Span{Start: 22, End: 23}, Replacement: "y"},
	)
	if _, err := b.s.Revert(ctx, id, batch.ChangeSet.ID, 1, "test"); err != nil {
		t.Fatal(err)
	}
	_, err := b.s.Undo(ctx, id, "test")
	if e := wantCode(t, err, core.NoOp); !strings.Contains(e.Message, batch.ChangeSet.ID) || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	_, err = b.s.Restore(ctx, id, 1, "test")
	if e := wantCode(t, err, core.NoOp); !strings.Contains(e.Message, "already") {
		t.Errorf("%+v", e)
	}
}
