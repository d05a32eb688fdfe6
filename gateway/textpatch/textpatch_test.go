package textpatch_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

func edit(start, end int, text string) core.Edit {
	return core.Edit{Span: core.Span{Start: start, End: end}, Replacement: text}
}

func mustApply(t interface {
	Helper()
	Fatalf(string, ...any)
}, src string, edits []core.Edit,
) string {
	t.Helper()
	out, err := textpatch.Apply([]byte(src), edits)
	if err != nil {
		t.Fatalf("Apply(%q, %v): %v", src, edits, err)
	}
	return string(out)
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []core.Edit
		n    int
		want []core.Edit
		code core.Code
	}{
		{"sorts", []core.Edit{edit(5, 6, "b"), edit(1, 2, "a")}, 10, []core.Edit{edit(1, 2, "a"), edit(5, 6, "b")}, ""},
		{"touching is allowed", []core.Edit{edit(2, 4, "b"), edit(0, 2, "a")}, 4, []core.Edit{edit(0, 2, "a"), edit(2, 4, "b")}, ""},
		{"insertions at one point keep their order", []core.Edit{edit(3, 3, "x"), edit(3, 3, "a")}, 4, []core.Edit{edit(3, 3, "x"), edit(3, 3, "a")}, ""},
		{"insertion before a replacement at one start", []core.Edit{edit(3, 4, "x"), edit(3, 3, "a")}, 4, []core.Edit{edit(3, 3, "a"), edit(3, 4, "x")}, ""},
		{"drops nothing-for-nothing", []core.Edit{edit(3, 3, "")}, 4, []core.Edit{}, ""},
		{"overlap", []core.Edit{edit(0, 3, ""), edit(2, 4, "")}, 4, nil, core.Overlap},
		{"insertion inside a replacement", []core.Edit{edit(0, 3, ""), edit(2, 2, "x")}, 4, nil, core.Overlap},
		{"same span twice", []core.Edit{edit(0, 3, "a"), edit(0, 3, "a")}, 4, nil, core.Overlap},
		{"past the end", []core.Edit{edit(3, 5, "")}, 4, nil, core.InvalidEdit},
		{"negative", []core.Edit{edit(-1, 0, "")}, 4, nil, core.InvalidEdit},
		{"end before start", []core.Edit{edit(3, 2, "")}, 4, nil, core.InvalidEdit},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.in)
			got, err := textpatch.Normalize(c.in, c.n)
			if core.CodeOf(err) != c.code {
				t.Fatalf("code %q, want %q", core.CodeOf(err), c.code)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(before, c.in); d != "" {
				t.Errorf("the input was changed: %s", d)
			}
		})
	}
}

// Cutting a rune in two, or putting bytes in that are no UTF-8, is refused.
func TestApplyRefusesBrokenText(t *testing.T) {
	for _, e := range []core.Edit{edit(1, 2, ""), edit(0, 1, "x"), edit(1, 1, "x"), edit(0, 2, "\xff")} {
		if _, err := textpatch.Apply([]byte("éa"), []core.Edit{e}); core.CodeOf(err) != core.InvalidEdit {
			t.Errorf("%v: %v, want %s", e, err, core.InvalidEdit)
		}
	}
	if got := textpatch.Inverse([]byte("ab"), []core.Edit{edit(0, 9, "")}); got != nil {
		t.Errorf("edits that cannot be made have the inverse %v", got)
	}
}

func TestApplySharesNoMemory(t *testing.T) {
	src := []byte("abc")
	out, err := textpatch.Apply(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	out[0] = 'X'
	if string(src) != "abc" {
		t.Error("writing into the result changed the source")
	}
}

// R-DOC-3: taking a change back gives the bytes back, and taking that back
// gives the change.
func TestInverseProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := genText(30).Draw(t, "src")
		edits := genEdits(src).Draw(t, "edits")
		after := mustApply(t, src, edits)
		inv := textpatch.Inverse([]byte(src), edits)
		if got := mustApply(t, after, inv); got != src {
			t.Fatalf("%q with %v is %q, and back %q", src, edits, after, got)
		}
		again := textpatch.Inverse([]byte(after), inv)
		if got := mustApply(t, src, again); got != after {
			t.Fatalf("the inverse of the inverse gives %q, want %q", got, after)
		}
		for i := range inv {
			if inv[i].Note != edits[i].Note {
				t.Fatalf("edit %d lost its note", i)
			}
		}
	})
}

func TestStat(t *testing.T) {
	s, err := textpatch.Stat([]byte("hello world"), []byte("hi world!"), []core.Edit{edit(0, 5, "hi"), edit(11, 11, "!")})
	if err != nil {
		t.Fatal(err)
	}
	if want := (textpatch.Stats{Edits: 2, Removed: 5, Inserted: 3, Unchanged: 6}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if _, err := textpatch.Stat([]byte("hello world"), []byte("hi World!"), []core.Edit{edit(0, 5, "hi"), edit(11, 11, "!")}); core.CodeOf(err) != core.InvalidEdit {
		t.Errorf("a changed byte outside the edits went unseen: %v", err)
	}
}

func TestComposeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := genText(30).Draw(t, "src")
		first := genEdits(src).Draw(t, "first")
		mid := mustApply(t, src, first)
		second := genEdits(mid).Draw(t, "second")
		want := mustApply(t, mid, second)
		both, err := textpatch.Compose([]byte(src), first, second)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustApply(t, src, both); got != want {
			t.Fatalf("%q: %v then %v composed to %v gives %q, want %q", src, first, second, both, got, want)
		}
		norm, err := textpatch.Normalize(both, len(src))
		if err != nil || !slices.Equal(norm, both) {
			t.Fatalf("the composed list is not sorted as Normalize sorts: %v", both)
		}
	})
}

func TestCompose(t *testing.T) {
	noted := func(note int, e core.Edit) core.Edit { e.Note = note; return e }
	for _, c := range []struct {
		name          string
		src           string
		first, second []core.Edit
		want          []core.Edit
	}{
		{
			"apart, notes kept", "one two three",
			[]core.Edit{noted(1, edit(0, 3, "1"))},
			[]core.Edit{noted(2, edit(6, 11, "3"))}, // "1 two three"
			[]core.Edit{noted(1, edit(0, 3, "1")), noted(2, edit(8, 13, "3"))},
		},
		{
			"touching stays apart", "one two",
			[]core.Edit{noted(1, edit(0, 3, "1"))},
			[]core.Edit{noted(2, edit(1, 2, "-"))},
			[]core.Edit{noted(1, edit(0, 3, "1")), noted(2, edit(3, 4, "-"))},
		},
		{
			"a repair that keeps some of the earlier text is both notes'", "one two",
			[]core.Edit{noted(1, edit(0, 3, "first"))},
			[]core.Edit{noted(2, edit(1, 5, "ive"))},
			[]core.Edit{noted(1, edit(0, 3, "five")).Shared(core.Edit{Note: 2})},
		},
		{
			"a repair that keeps nothing is the later note's", "one two",
			[]core.Edit{noted(1, edit(0, 3, "first"))},
			[]core.Edit{noted(2, edit(0, 5, "five"))},
			[]core.Edit{noted(2, edit(0, 3, "five"))},
		},
		{
			"no note of its own keeps the earlier one", "one two",
			[]core.Edit{noted(1, edit(0, 3, "first"))},
			[]core.Edit{edit(1, 5, "ive")},
			[]core.Edit{noted(1, edit(0, 3, "five"))},
		},
		{"deleted and put back is nothing", "one two", []core.Edit{edit(0, 4, "")}, []core.Edit{edit(0, 0, "one ")}, nil},
		{
			"put back beside what stays deleted", "one two three",
			[]core.Edit{noted(1, edit(0, 4, "")), noted(2, edit(4, 8, ""))},
			[]core.Edit{noted(1, edit(0, 0, "one "))},
			[]core.Edit{noted(2, edit(4, 8, ""))},
		},
		{
			"what one list moves over nothing is not put back", "one two",
			[]core.Edit{noted(1, edit(0, 0, "one ")), noted(1, edit(0, 4, ""))},
			[]core.Edit{noted(2, edit(4, 7, "2"))},
			[]core.Edit{noted(1, edit(0, 0, "one ")), noted(1, edit(0, 4, "")), noted(2, edit(4, 7, "2"))},
		},
		{"there and back is nothing", "one two", []core.Edit{edit(0, 3, "1")}, []core.Edit{edit(0, 1, "one")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := textpatch.Compose([]byte(c.src), c.first, c.second)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
