package document

import (
	"fmt"
	"testing"

	"proofmark/gateway/core"
)

// R-MAP-4: a revision is mapped once; few maps are kept, the newest used ones.
func TestMapIsKept(t *testing.T) {
	s := &Service{}
	get := func(i int) any {
		src := fmt.Appendf(nil, "<p>%d", i)
		tree, err := s.Map(core.SHA256Hex(src), src)
		if err != nil {
			t.Fatal(err)
		}
		if string(tree.Source()) != string(src) {
			t.Fatalf("the map of %q for %q", tree.Source(), src)
		}
		return tree
	}
	first, second := get(0), get(1)
	for i := 2; i <= keptMaps; i++ {
		if get(0) != first {
			t.Fatal("mapped again")
		}
		get(i)
	}
	if get(0) != first || get(1) == second {
		t.Error("not the one that was unused longest went")
	}
	if n := len(s.maps.list); n != keptMaps {
		t.Errorf("%d maps", n)
	}
	if _, err := s.Map("bad", []byte("\xff")); core.CodeOf(err) != core.NotUTF8 || s.maps.find("bad") != nil {
		t.Errorf("a refusal was kept, or %v", err)
	}
}
