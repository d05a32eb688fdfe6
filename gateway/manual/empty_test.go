package manual_test

import (
	"testing"
)

// An editor that was emptied is not one in which nothing was typed.
func TestEmptyTextIsText(t *testing.T) {
	b := newBench(t)
	s := b.save(b.open(), "")
	if !s.Unsaved || len(s.Text) != 0 {
		t.Fatalf("unsaved %t, %q", s.Unsaved, s.Text)
	}
	left, err := b.s.Unsaved(t.Context(), b.doc.ID)
	if err != nil || len(left) != 1 {
		t.Fatalf("%+v %v", left, err)
	}
	if c := b.commit(s); c.Revision.Bytes != 0 || b.head() != "" {
		t.Errorf("%+v, head %q", c.Revision, b.head())
	}
	if _, err := b.docs.Revert(t.Context(), b.doc.ID, b.changeSet(), 0, "person"); err != nil || b.head() != page {
		t.Errorf("%v %q", err, b.head())
	}
}

func (b *bench) changeSet() string {
	b.t.Helper()
	all, err := b.docs.Changes(b.t.Context(), b.doc.ID, 1)
	if err != nil || len(all) == 0 {
		b.t.Fatalf("%v %v", all, err)
	}
	return all[0].ID
}
