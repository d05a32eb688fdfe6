package manual

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbed"
)

// A text that is saved between being read and being committed is not ended by
// the commit of the older one: nothing is committed, and the newer stays.
func TestSavedWhileCommitting(t *testing.T) {
	b := testbed.New(t, list)
	s := New(b.Store, b.Documents, 0)
	one, err := s.Open(t.Context(), b.Doc.ID)
	if err != nil {
		t.Fatal(err)
	}
	if one, err = s.Save(t.Context(), one.ID, one.UpdatedAt, []byte(strings.Replace(list, "End", "E", 1))); err != nil {
		t.Fatal(err)
	}
	w, err := s.read(t.Context(), one.ID)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(list, "End", "The end", 1)
	if _, err = s.Save(t.Context(), one.ID, one.UpdatedAt, []byte(newer)); err != nil {
		t.Fatal(err)
	}
	if _, err = s.publish(t.Context(), w, who{"person", true}); core.CodeOf(err) != core.RequestConflict || b.HeadBytes() != list {
		t.Errorf("%v, head %q", err, b.HeadBytes())
	}
	kept, err := s.Get(t.Context(), one.ID)
	if err != nil || !kept.Unsaved || string(kept.Text) != newer || kept.State != "open" {
		t.Errorf("%+v %v", kept, err)
	}
}
