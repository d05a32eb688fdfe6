package workbench

import "testing"

func TestShelf(t *testing.T) {
	s := newShelf[string, int](10)
	has := func(want ...string) {
		t.Helper()
		if len(s.byKey) != len(want) || s.order.Len() != len(want) {
			t.Errorf("%d are kept, want %v", len(s.byKey), want)
		}
		for _, k := range want {
			if s.byKey[k] == nil {
				t.Errorf("%s is gone", k)
			}
		}
	}
	s.put("a", 1, 4)
	s.put("b", 2, 4)
	if v, ok := s.get("a"); !ok || v != 1 {
		t.Errorf("a is %d, %t", v, ok)
	}
	s.put("c", 3, 4) // b was used before a
	has("a", "c")
	s.put("a", 5, 6) // takes the place of what was there
	has("a", "c")
	if v, _ := s.get("a"); v != 5 || s.bytes != 10 {
		t.Errorf("a is %d of %d bytes", v, s.bytes)
	}
	s.put("huge", 6, 11)
	has("a", "c")
	s.put("all", 7, 10)
	has("all")
	if _, ok := s.get("a"); ok || s.bytes != 10 {
		t.Errorf("a is kept; %d bytes", s.bytes)
	}
}
