package candidate

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/textpatch"
)

// What is trimmed makes the same bytes, cuts no rune, and never grows.
func TestTrimmedMakesTheSameBytes(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab<é日é")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		before, old, after := text.Draw(t, "before"), text.Draw(t, "old"), text.Draw(t, "after")
		src := []byte(before + old + after)
		e := core.Edit{Note: 2, Span: core.Span{Start: len(before), End: len(before) + len(old)}, Replacement: text.Draw(t, "now")}
		want, err := textpatch.Apply(src, []core.Edit{e})
		if err != nil {
			t.Fatal(err)
		}
		for _, less := range [][]core.Edit{trimmed(src, []core.Edit{e}), trimmedBackwards(src, []core.Edit{e})} {
			got, err := textpatch.Apply(src, less)
			if err != nil || string(got) != string(want) {
				t.Fatalf("%v makes %q, %v makes %q (%v)", e, want, less, got, err)
			}
			if !e.Span.Contains(less[0].Span) || less[0].Note != 2 || !utf8.ValidString(less[0].Replacement) {
				t.Fatalf("%v trimmed to %v", e, less)
			}
		}
	})
}

// A patch that repeats a start tag to add an attribute is an altered tag.
func TestPatchThatRepeatsATag(t *testing.T) {
	src := "<body><div><p>a</p></div>"
	base := parsed(t, src)
	tree, _, err := checked(base, []core.Edit{{Span: core.Span{Start: 6, End: 11}, Replacement: `<div class="x">`}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tree.Source()); got != `<body><div class="x"><p>a</p></div>` {
		t.Errorf("got %s", got)
	}
	_, _, err = checked(base, []core.Edit{{Span: core.Span{Start: 6, End: 11}, Replacement: `<table>`}})
	if core.CodeOf(err) != core.UnsafeStructure {
		t.Errorf("got %v", err)
	}
}

// A patch that repeats a tag to put something before or behind its element is an
// insertion, whatever the two have in common.
func TestPatchThatInserts(t *testing.T) {
	for _, c := range []struct{ old, now string }{
		{"<footer>", "<section>s</section>\n<footer>"},
		{"<footer>", "<figure>f</figure><footer>"},
		{"</main>", "<p>last</p></main>"},
		{"</main>", "</main><main>m</main>"},
		{"<p>a</p>", "<p>a</p><p>aa</p>"},
		{"<p>a</p>", "<p>b</p><p>a</p>"},
		{"<script>s()</script>", "<span>x</span><script>s()</script>"},
		{"<script>s()</script>", "<script>s()</script><script>t()</script>"},
		{"<script>s()</script>", "<script>t()</script><script>s()</script>"},
	} {
		src := "<body><main><p>a</p></main><footer>f</footer><script>s()</script>"
		base := parsed(t, src)
		at := strings.Index(src, c.old)
		tree, proved, err := checked(base, []core.Edit{{Span: core.Span{Start: at, End: at + len(c.old)}, Replacement: c.now}})
		if err != nil {
			t.Errorf("%s for %s: %v", c.now, c.old, err)
			continue
		}
		if got, want := string(tree.Source()), strings.Replace(src, c.old, c.now, 1); got != want {
			t.Errorf("made %s, want %s", got, want)
		}
		flags, err := htmledit.CheckScripts(base, tree, proved)
		if err != nil || len(flags) > 0 {
			t.Errorf("%s for %s: flags %v, %v", c.now, c.old, flags, err)
		}
	}
}
