package document

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"proofmark/gateway/core"
)

// R-DOC-3, D-47: a version is named, found by its name, renamed; the version and
// the head stay as they are, and the audit has the hash, not the name (D-44).
func TestNameAVersion(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "Quarterly", "Annual"})
	head := b.commit(id, edit{1, "First", "Opening"}).Document
	name := func(generation int64, text string, move bool) error {
		_, err := b.s.Name(ctx, NameRequest{DocumentID: id, Generation: generation, Name: text, Move: move, Actor: "test"})
		return err
	}
	at := func(ref string) int64 {
		r, err := b.s.Version(ctx, id, ref)
		if err != nil {
			t.Fatalf("%q: %v", ref, err)
		}
		return r.Generation
	}
	if err := name(2, "before the launch", false); err != nil {
		t.Fatal(err)
	}
	r2, err := b.s.Revision(ctx, id, 2)
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]int64{"": 3, "1": 1, "3": 3, "before the launch": 2, r2.ID: 2, "002": 2} {
		if got := at(ref); got != want {
			t.Errorf("%q is generation %d, want %d", ref, got, want)
		}
	}
	e := wantCode(t, name(3, "before the launch", false), core.NameTaken)
	if e.Detail["generation"] != int64(2) || !strings.Contains(e.Hint, "--move") {
		t.Errorf("%+v", e)
	}
	if err := name(3, "before the launch", true); err != nil || at("before the launch") != 3 {
		t.Fatal(err)
	}
	if err := name(3, "launch day", false); err != nil || at("launch day") != 3 {
		t.Fatal(err)
	}
	_, err = b.s.Version(ctx, id, "before the launch") // renamed away
	wantCode(t, err, core.UnknownRevision)
	if err := name(3, "launch day", false); err != nil { // as it is
		t.Fatal(err)
	}
	if was, err := b.s.Unname(ctx, id, 3, "test"); err != nil || was.Name != "launch day" {
		t.Errorf("%+v %v", was, err)
	}
	_, err = b.s.Unname(ctx, id, 3, "test")
	wantCode(t, err, core.NoOp)
	if now, err := b.s.Get(ctx, id); err != nil || now != head {
		t.Errorf("naming moved the document: %+v %v", now, err)
	}
	events, err := b.s.Audit(ctx, id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for _, e := range events {
		kinds += e.Kind + " "
		if strings.Contains(fmt.Sprintf("%+v", e), "launch") {
			t.Errorf("the name is in the audit: %+v", e)
		}
	}
	if kinds != "import commit commit named named named unnamed " {
		t.Errorf("audit: %s", kinds)
	}
	if e := events[3]; e.Generation != 2 || e.SHAAfter != r2.SHA256 || e.Actor != "test" {
		t.Errorf("%+v", e)
	}
}

func TestNameRefusals(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	for _, bad := range []string{
		"", " ", " x", "x ", "7", "007", "１", "\u200d", "a\nb", "a\tb", "\x1b[31mred", "txt.\u202eexe", "\u200b", "a\u00a0b", "rev_x", "chg_x", "-x",
		"\xff", strings.Repeat("x", core.MaxVersionNameRunes+1),
	} {
		_, err := b.s.Name(ctx, NameRequest{DocumentID: id, Generation: 1, Name: bad, Actor: "test"})
		if e := wantCode(t, err, core.InvalidName); e.Hint == "" {
			t.Errorf("%q: no hint", bad)
		}
	}
	for _, good := range []string{strings.Repeat("ж", core.MaxVersionNameRunes), "v7", "Entwurf (2)", "👩\u200d💻", "می\u200cخواهم"} {
		if _, err := b.s.Name(ctx, NameRequest{DocumentID: id, Generation: 1, Name: good, Actor: "test"}); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, g := range []int64{0, 2, -1} {
		_, err := b.s.Name(ctx, NameRequest{DocumentID: id, Generation: g, Name: "x", Actor: "test"})
		wantCode(t, err, core.UnknownRevision)
		_, err = b.s.Unname(ctx, id, g, "test")
		wantCode(t, err, core.UnknownRevision)
	}
	_, err := b.s.Name(ctx, NameRequest{DocumentID: "doc_x", Generation: 1, Name: "x", Actor: "test"})
	wantCode(t, err, core.UnknownDocument)
	other := newBench(t, page)
	theirs := other.open().Head.ID
	for _, ref := range []string{"0", "2", "99999999999999999999", "rev_x", "none", theirs} {
		_, err := b.s.Version(ctx, id, ref)
		wantCode(t, err, core.UnknownRevision)
	}
	_, err = b.s.Version(ctx, "doc_x", "1")
	wantCode(t, err, core.UnknownDocument)
	_, err = b.s.Names(ctx, "doc_x")
	wantCode(t, err, core.UnknownDocument)
}

// Of many that give one name to different versions at once, one wins; the others
// are told which version has it.
func TestOneNameManyTakers(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	for i, word := range []string{"Annual", "Monthly", "Weekly", "Daily"} {
		b.commit(id, edit{1, []string{"Quarterly", "Annual", "Monthly", "Weekly"}[i], word})
	}
	var wg sync.WaitGroup
	errs := make([]error, 5)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = b.s.Name(ctx, NameRequest{DocumentID: id, Generation: int64(i + 1), Name: "the one", Actor: "test"})
		})
	}
	wg.Wait()
	won := int64(0)
	for i, err := range errs {
		if err == nil {
			if won != 0 {
				t.Errorf("generations %d and %d both won", won, i+1)
			}
			won = int64(i + 1)
		}
	}
	for _, err := range errs {
		if err != nil {
			if e := wantCode(t, err, core.NameTaken); e.Detail["generation"] != won {
				t.Errorf("%+v, generation %d has it", e, won)
			}
		}
	}
	if r, err := b.s.Version(ctx, id, "the one"); err != nil || r.Generation != won {
		t.Errorf("%+v %v", r, err)
	}
}
