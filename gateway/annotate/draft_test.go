package annotate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/gateway/annotate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
)

var anyTime time.Time

func get(t *testing.T, b *testbed.Bed, id string) core.Annotation {
	t.Helper()
	var a core.Annotation
	err := b.Store.Read(context.Background(), func(tx *store.Tx) (err error) {
		a, err = tx.Annotation(id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// says gives the texts of the drafts in their order.
func says(t *testing.T, b *testbed.Bed, s *annotate.Service, session string) string {
	t.Helper()
	list, err := s.Drafts(context.Background(), session, b.Doc.ID)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range list {
		out = append(out, a.Instruction)
	}
	return strings.Join(out, " ")
}

// R-SEND-1: a draft's text is saved by compare-and-swap; who is late keeps the
// text and learns what is there.
func TestEdit(t *testing.T) {
	ctx := context.Background()
	b, s := service(t, page)
	a := create(t, b, s, "one", "h1", 1)
	first, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "one, but better", Seen: a.UpdatedAt})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, b, a.ID); got.Instruction != "one, but better" || len(got.Anchors) != 1 || got.Order != 1 ||
		!got.UpdatedAt.After(a.UpdatedAt) || !got.UpdatedAt.Equal(first.UpdatedAt) || first.Instruction != got.Instruction {
		t.Errorf("got %+v, told %+v", got, first)
	}
	_, err = s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "mine", Seen: a.UpdatedAt})
	wantCode(t, err, core.RequestConflict)
	e := core.AsError(err)
	if now, ok := e.Detail["now"].(core.Annotation); e.Detail["yours"] != "mine" || !ok || now.Instruction != "one, but better" || e.Hint == "" {
		t.Errorf("the loser is told %+v", e)
	}
	if _, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "mine", Seen: e.Detail["now"].(core.Annotation).UpdatedAt}); err != nil {
		t.Errorf("what the loser saw then does not do: %v", err)
	}
	if _, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "whatever"}); err != nil {
		t.Errorf("without a time: %v", err)
	}
	_, err = s.Edit(ctx, "ses_other", a.ID, annotate.Change{Instruction: "stolen"})
	wantCode(t, err, core.WrongSession)
	_, err = s.Edit(ctx, session, "ann_unknown", annotate.Change{Instruction: "x"})
	wantCode(t, err, core.NotFound)
	for _, bad := range []struct {
		say  string
		want core.Code
	}{
		{strings.Repeat("語", core.MaxInstructionBytes/3) + "xx", core.InstructionTooLong}, // 16383 bytes and 2
		{"", core.Usage},
		{"\xff", core.NotUTF8},
	} {
		_, err = s.Edit(ctx, session, a.ID, annotate.Change{Instruction: bad.say})
		wantCode(t, err, bad.want)
	}
	if _, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: strings.Repeat("語", core.MaxInstructionBytes/3) + "x"}); err != nil { // T-68
		t.Errorf("16 KiB exactly: %v", err)
	}
}

// Saving again what is stored already is no change and no conflict: the answer
// to the first time may have got lost.
func TestEditIsIdempotent(t *testing.T) {
	ctx := context.Background()
	b, s := service(t, page)
	a := create(t, b, s, "one", "h1", 1)
	c := annotate.Change{Instruction: "two", Seen: a.UpdatedAt}
	first, err := s.Edit(ctx, session, a.ID, c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Edit(ctx, session, a.ID, c)
	if err != nil || !again.UpdatedAt.Equal(first.UpdatedAt) || again.Instruction != "two" {
		t.Errorf("got %+v, %v", again, err)
	}
}

// A clock that stands still or goes back does not make two versions of a draft
// look the same.
func TestEditAgainstTheClock(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	st, err := store.Open(t.TempDir(), store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	b := &testbed.Bed{T: t, Dir: t.TempDir(), Store: st, Documents: document.New(st, document.Options{})}
	b.Open("page.html", page)
	s := annotate.New(b.Store, b.Documents, nil)
	a := create(t, b, s, "0", "h1", 1)
	seen := []time.Time{a.UpdatedAt}
	for i, jump := range []time.Duration{0, -time.Hour, 0, 24 * time.Hour, -48 * time.Hour} {
		now = now.Add(jump)
		got, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: fmt.Sprint(i + 1), Seen: seen[i]})
		if err != nil {
			t.Fatal(err)
		}
		for _, old := range seen {
			if !got.UpdatedAt.After(old) {
				t.Errorf("%s is not after %s", got.UpdatedAt, old)
			}
			_, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "late", Seen: old})
			wantCode(t, err, core.RequestConflict)
			wantCode(t, s.Discard(ctx, session, a.ID, old), core.RequestConflict)
		}
		seen = append(seen, got.UpdatedAt)
	}
}

// R-SEND-1: drafts are put in another order, with nobody's text in the way.
func TestMove(t *testing.T) {
	ctx := context.Background()
	b, s := service(t, page)
	var ids []string
	var seen []time.Time
	for _, say := range []string{"a", "b", "c", "d"} {
		a := create(t, b, s, say, "h1", 1)
		ids, seen = append(ids, a.ID), append(seen, a.UpdatedAt)
	}
	for _, m := range []struct {
		note, place int
		want        string
	}{{3, 1, "d a b c"}, {3, 99, "a b c d"}, {0, 2, "b a c d"}, {2, 3, "b a c d"}, {1, 4, "a c d b"}} {
		if err := s.Move(ctx, session, ids[m.note], m.place); err != nil {
			t.Fatal(err)
		}
		if got := says(t, b, s, session); got != m.want {
			t.Errorf("%d to %d: %s, want %s", m.note, m.place, got, m.want)
		}
	}
	if _, err := s.Edit(ctx, session, ids[1], annotate.Change{Instruction: "B", Seen: seen[1]}); err != nil {
		t.Errorf("moving stood in the way of an edit: %v", err)
	}
	create(t, b, s, "e", "h1", 1)
	if got := says(t, b, s, session); got != "a c d B e" {
		t.Errorf("got %s", got)
	}
	wantCode(t, s.Move(ctx, session, ids[0], 0), core.Usage)
	wantCode(t, s.Move(ctx, "ses_other", ids[0], 1), core.WrongSession)
	if err := s.Discard(ctx, session, ids[0], anyTime); err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Move(ctx, session, ids[0], 1), core.RequestConflict)
}

func TestDiscard(t *testing.T) {
	ctx := context.Background()
	b, s := service(t, page)
	a := create(t, b, s, "one", "h1", 1)
	create(t, b, s, "two", "p", 1)
	wantCode(t, s.Discard(ctx, "ses_other", a.ID, anyTime), core.WrongSession)
	if _, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "one, and more"}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Discard(ctx, session, a.ID, a.UpdatedAt), core.RequestConflict) // it says more than was seen
	for range 2 {
		if err := s.Discard(ctx, session, a.ID, anyTime); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Edit(ctx, session, a.ID, annotate.Change{Instruction: "x"})
	wantCode(t, err, core.RequestConflict)
	if got := says(t, b, s, session); got != "two" {
		t.Errorf("left: %s", got)
	}
	if got := get(t, b, a.ID); got.State != core.AnnotationDiscarded || got.Instruction != "one, and more" {
		t.Errorf("the discarded note is %+v", got)
	}
}

func TestDrafts(t *testing.T) {
	ctx := context.Background()
	b, s := service(t, page)
	one, two := create(t, b, s, "one", "h1", 1), create(t, b, s, "two", "p", 1)
	got, err := s.Drafts(ctx, session, b.Doc.ID, two.ID, one.ID)
	if err != nil || len(got) != 2 || got[0].ID != two.ID || len(got[1].Anchors) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = s.Drafts(ctx, "ses_other", b.Doc.ID, one.ID)
	wantCode(t, err, core.WrongSession)
	_, err = s.Drafts(ctx, session, "doc_other", one.ID)
	wantCode(t, err, core.WrongSession)
	_, err = s.Drafts(ctx, session, b.Doc.ID, one.ID, "ann_unknown")
	wantCode(t, err, core.NotFound)
	if err := s.Discard(ctx, session, one.ID, anyTime); err != nil {
		t.Fatal(err)
	}
	_, err = s.Drafts(ctx, session, b.Doc.ID, one.ID)
	wantCode(t, err, core.RequestConflict)
}

// T-72, R-SEND-2: of many windows that saw the same draft one gets its way; each
// of the others is told so, and what it wrote is in its hands still.
func TestDraftRace(t *testing.T) {
	for round := range 8 {
		b, s := service(t, page)
		a := create(t, b, s, "seen by all", "h1", 1)
		const racers = 8
		errs := make([]error, racers)
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range racers {
			wg.Go(func() {
				<-start
				if i == round%racers {
					errs[i] = s.Discard(context.Background(), session, a.ID, a.UpdatedAt)
					return
				}
				_, errs[i] = s.Edit(context.Background(), session, a.ID, annotate.Change{Instruction: fmt.Sprint("window ", i), Seen: a.UpdatedAt})
			})
		}
		close(start)
		wg.Wait()
		won := -1
		for i, err := range errs {
			switch {
			case err == nil && won < 0:
				won = i
			case err == nil:
				t.Fatalf("%d and %d both won", won, i)
			default:
				wantCode(t, err, core.RequestConflict)
				if yours, ok := core.AsError(err).Detail["yours"]; i != round%racers && (!ok || yours != fmt.Sprint("window ", i)) {
					t.Errorf("racer %d gets %v back", i, yours)
				}
			}
		}
		got := get(t, b, a.ID)
		if discarded := won == round%racers; discarded != (got.State == core.AnnotationDiscarded) || !discarded && got.Instruction != fmt.Sprint("window ", won) {
			t.Errorf("%d won, the note is %s %q", won, got.State, got.Instruction)
		}
	}
}

// Random edits, moves, discards and new notes of two sessions give what a plain
// list in memory gives, also after the service was made anew.
func TestDraftsAgainstAModel(t *testing.T) {
	type draft struct{ id, say string }
	ctx := context.Background()
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 19))
		b, s := service(t, page)
		model := map[string][]draft{}
		for step := range 40 {
			ses := []string{session, "ses_two"}[rnd.IntN(2)]
			list := model[ses]
			say := fmt.Sprintf("s%d", step)
			switch k := rnd.IntN(5); {
			case k == 0 || len(list) == 0:
				a, err := s.Create(ctx, annotate.Draft{
					SessionID: ses, DocumentID: b.Doc.ID, Instruction: say, Verified: []proof.Verified{b.Verified(b.Element("h1", 1))},
				})
				if err != nil {
					t.Fatal(err)
				}
				model[ses] = append(list, draft{a.ID, say})
			case k == 1:
				i := rnd.IntN(len(list))
				if _, err := s.Edit(ctx, ses, list[i].id, annotate.Change{Instruction: say}); err != nil {
					t.Fatal(err)
				}
				list[i].say = say
			case k == 2:
				i, to := rnd.IntN(len(list)), rnd.IntN(len(list))
				if err := s.Move(ctx, ses, list[i].id, to+1); err != nil {
					t.Fatal(err)
				}
				d := list[i]
				model[ses] = slices.Insert(slices.Delete(list, i, i+1), to, d)
			case k == 3:
				i := rnd.IntN(len(list))
				if err := s.Discard(ctx, ses, list[i].id, anyTime); err != nil {
					t.Fatal(err)
				}
				model[ses] = slices.Delete(list, i, i+1)
			default:
				s = annotate.New(b.Store, b.Documents, nil)
			}
			for _, ses := range []string{session, "ses_two"} {
				var want []string
				for _, d := range model[ses] {
					want = append(want, d.say)
				}
				if got := says(t, b, s, ses); got != strings.Join(want, " ") {
					t.Fatalf("seed %d, step %d, %s: %s, want %v", seed, step, ses, got, want)
				}
			}
		}
	}
}
