package candidate

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

// What is trimmed makes the same bytes, cuts no rune, and never grows.
func TestTrimmedMakesTheSameBytes(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab<é日é")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		before, old, after := text.Draw(t, "before"), text.Draw(t, "old"), text.Draw(t, "after")
		src := []byte(before + old + after)
		e := core.Edit{Note: 2, Span: core.Span{Start: len(before), End: len(before) + len(old)}, Replacement: text.Draw(t, "now")}
		less := trimmed(src, []core.Edit{e})
		want, err := textpatch.Apply(src, []core.Edit{e})
		if err != nil {
			t.Fatal(err)
		}
		got, err := textpatch.Apply(src, less)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v makes %q, %v makes %q (%v)", e, want, less, got, err)
		}
		if !e.Span.Contains(less[0].Span) || less[0].Note != 2 || !utf8.ValidString(less[0].Replacement) {
			t.Fatalf("%v trimmed to %v", e, less)
		}
	})
}

// A patch that repeats a start tag to add an attribute is an altered tag.
func TestPatchThatRepeatsATag(t *testing.T) {
	src := "<body><div><p>a</p></div>"
	base := parsed(t, src)
	tree, err := checked(base, []core.Edit{{Span: core.Span{Start: 6, End: 11}, Replacement: `<div class="x">`}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tree.Source()); got != `<body><div class="x"><p>a</p></div>` {
		t.Errorf("got %s", got)
	}
	_, err = checked(base, []core.Edit{{Span: core.Span{Start: 6, End: 11}, Replacement: `<table>`}})
	if core.CodeOf(err) != core.UnsafeStructure {
		t.Errorf("got %v", err)
	}
}
