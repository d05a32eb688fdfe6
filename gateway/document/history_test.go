package document

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// Pages of versions and of changes join without a gap or a double, and carry the
// names.
func TestPagesOfTheLine(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	words := []string{"Quarterly", "Annual", "Monthly", "Weekly", "Daily", "Hourly"}
	for i := range len(words) - 1 {
		b.commit(id, edit{1, words[i], words[i+1]})
	}
	for _, g := range []int64{1, 4, 6} {
		if _, err := b.s.Name(ctx, NameRequest{DocumentID: id, Generation: g, Name: words[g-1], Actor: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	want := int64(6)
	for before := int64(0); ; {
		versions, err := b.s.Versions(ctx, id, before, 2)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := b.s.ChangeLog(ctx, id, before, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range versions {
			name := ""
			if want == 1 || want == 4 || want == 6 {
				name = words[want-1]
			}
			if v.Generation != want || v.Name != name {
				t.Errorf("generation %d %q, want %d %q", v.Generation, v.Name, want, name)
			}
			if want > 1 && (changes[i].Generation != want || changes[i].ID != v.ChangeSetID) {
				t.Errorf("change %+v stands at generation %d", changes[i], want)
			}
			want--
		}
		if before = want + 1; want == 0 {
			break
		}
	}
	if none, err := b.s.Versions(ctx, id, 1, 0); err != nil || none == nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
	if none, err := b.s.ChangeLog(ctx, id, 2, 0); err != nil || none == nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
	for _, err := range []error{
		second(b.s.Versions(ctx, "doc_x", 0, 0)), second(b.s.ChangeLog(ctx, "doc_x", 0, 0)), second(b.s.Audit(ctx, "doc_x", 0, 0)),
	} {
		wantCode(t, err, core.UnknownDocument)
	}
}

func second[T any](_ T, err error) error { return err }

// R-DOC-3, D-11: the list of changes tells the outcome of each note of a batch,
// what it did, and whether that still stands; also where a revert was of one
// note, and where one note of a revert was taken back again.
func TestChangeLogTellsEachNotesFate(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	q := b.request(id, edit{1, "Quarterly", "Annual"}, edit{2, "First", "Opening"}, edit{1, "Second", "2nd"})
	q.Notes = []core.NoteOutcome{
		{Order: 1, Instruction: "one", Outcome: "applied"},
		{Order: 2, Instruction: "two", Outcome: "applied"},
		{Order: 3, Instruction: "three", Outcome: "refused", Reason: "no"},
	}
	l, err := b.s.Lease(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	q.Lease = l
	batch, err := b.s.Commit(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.s.Release(ctx, l); err != nil {
		t.Fatal(err)
	}
	a := batch.ChangeSet.ID
	fate := func(changeSet string) Change {
		log, err := b.s.ChangeLog(ctx, id, 0, 0)
		i := slices.IndexFunc(log, func(c Change) bool { return c.ID == changeSet })
		if err != nil || i < 0 {
			t.Fatal(err)
		}
		return log[i]
	}
	revert := func(changeSet string, note int) string {
		res, err := b.s.Revert(ctx, id, changeSet, note, "test")
		if err != nil {
			t.Fatal(err)
		}
		return res.ChangeSet.ID
	}
	want := func(inForce bool, whole, one, two string) {
		t.Helper()
		c := fate(a)
		if c.InForce != inForce || c.TakenBackBy != whole || c.Notes[0].TakenBackBy != one || c.Notes[1].TakenBackBy != two || c.Notes[2].TakenBackBy != "" {
			t.Errorf("in force %t, whole %q, notes %q %q %q; want %t %q %q %q", c.InForce, c.TakenBackBy,
				c.Notes[0].TakenBackBy, c.Notes[1].TakenBackBy, c.Notes[2].TakenBackBy, inForce, whole, one, two)
		}
	}
	want(true, "", "", "")
	if n := fate(a).Notes; n[0].Edits != 2 || n[0].Removed != len("QuarterlySecond") || n[0].Inserted != len("Annual2nd") || n[1].Edits != 1 || n[2].Edits != 0 {
		t.Errorf("%+v", n)
	}
	r1 := revert(a, 1)
	want(true, "", r1, "")
	r2 := revert(a, 0) // what is left
	want(false, r2, r1, r2)
	if c := fate(r2); !c.InForce || c.Reverts != a || c.RevertNote != 0 {
		t.Errorf("%+v", c)
	}
	for range 2 {
		if _, err := b.s.Redo(ctx, id, "test"); err != nil {
			t.Fatal(err)
		}
	}
	want(true, "", "", "")
	if c := fate(r1); c.InForce || c.TakenBackBy == "" {
		t.Errorf("a revert that was put back is not in force: %+v", c)
	}
	whole := revert(a, 0)
	want(false, whole, whole, whole)
	revert(whole, 2) // the revert, taken back for note 2 alone
	if got, want := b.head(id), strings.Replace(page, "First", "Opening", 1); got != want {
		t.Fatalf("%q", got)
	}
	want(true, "", whole, "")
	if c := fate(whole); !c.InForce {
		t.Errorf("the rest of the revert stands: %+v", c)
	}
	// The fields of CLI.md stay, and the new ones are beside them.
	text, err := json.Marshal(fate(a))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"id":"` + a, `"generation":2`, `"inForce":true`, `"order":1,"instruction":"one","outcome":"applied"`, `"takenBackBy":"` + whole, `"edits":[{"note":1`} {
		if strings.Count(string(text), part) != 1 {
			t.Errorf("%s is not once in %s", part, text)
		}
	}
}

// Undo passes over a change whose notes were all taken back one by one.
func TestUndoPassesOverWhatIsGone(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	older := b.commit(id, edit{0, "Plan</title>", "Draft</title>"})
	batch := b.commit(id, edit{1, "Quarterly", "Annual"}, edit{2, "First", "Opening"})
	for _, note := range []int{1, 2} {
		res, err := b.s.UndoNote(ctx, id, note, "test")
		if err != nil || res.ChangeSet.Reverts != batch.ChangeSet.ID || res.ChangeSet.RevertNote != note {
			t.Fatalf("%+v %v", res.ChangeSet, err)
		}
	}
	res, err := b.s.Undo(ctx, id, "test")
	if err != nil || res.ChangeSet.Reverts != older.ChangeSet.ID {
		t.Fatalf("%+v %v", res.ChangeSet, err)
	}
	if got := b.head(id); got != page {
		t.Errorf("%q", got)
	}
}

// R-DOC-3: redo walks back through reverts of reverts, one by one, to the page
// before the first of them; what was put back counts as put back.
func TestRedoThroughRevertsOfReverts(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	change := b.commit(id, edit{1, "Quarterly", "Annual"}).ChangeSet.ID
	edited := b.head(id)
	var line []string
	for _, of := range []func() string{
		func() string { return change }, func() string { return line[0] }, func() string { return change },
	} {
		res, err := b.s.Revert(ctx, id, of(), 0, "test")
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, res.ChangeSet.ID)
	}
	for _, want := range []string{edited, page, edited} {
		if _, err := b.s.Redo(ctx, id, "test"); err != nil {
			t.Fatal(err)
		}
		if got := b.head(id); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	_, err := b.s.Redo(ctx, id, "test")
	wantCode(t, err, core.NothingToRedo)
	log, err := b.s.ChangeLog(ctx, id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range log {
		if c.InForce != (c.ID == change || c.Source == core.SourceRedo) {
			t.Errorf("generation %d, %s: in force %t", c.Generation, c.Source, c.InForce)
		}
	}
}

// R-DOC-4: the difference of any two versions is checked against their bytes:
// the recorded edits for one step, either way, and a computed list for more.
func TestCompare(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "Quarterly", "Annual"}, edit{2, "Second", "Last"})
	b.commit(id, edit{1, "First", "Opening"})
	revs, err := b.s.History(ctx, id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(revs)
	for from := range revs {
		for to := range revs {
			x, err := b.s.Compare(ctx, revs[from].ID, revs[to].ID)
			if err != nil {
				t.Fatal(err)
			}
			step := from-to == 1 || to-from == 1
			if x.Recorded != step || x.Stats.Edits != len(x.Edits) || x.Stats.Unchanged+x.Stats.Inserted != len(x.After) || (len(x.Edits) == 0) != (from == to) {
				t.Errorf("from %d to %d: %+v", from+1, to+1, x.Stats)
			}
			if got := string(applyEdits(x.Before, x.Edits)); got != string(x.After) || core.SHA256Hex(x.After) != revs[to].SHA256 {
				t.Errorf("from %d to %d: %q", from+1, to+1, got)
			}
			if step && x.Edits[0].Note != 1 {
				t.Errorf("from %d to %d: the recorded edits carry their notes: %+v", from+1, to+1, x.Edits)
			}
		}
	}
	other := newBench(t, page)
	theirs := other.open().Head.ID
	_, err = b.s.Compare(ctx, revs[0].ID, theirs)
	wantCode(t, err, core.UnknownRevision)
	_, err = b.s.Compare(ctx, "rev_x", revs[0].ID)
	wantCode(t, err, core.UnknownRevision)
}
