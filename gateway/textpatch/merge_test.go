package textpatch_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

// R-DOC-8, DOC-3: a conflict shows three texts instead of overwriting one.
func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, head, mine, want string
		conflicts                    []textpatch.Conflict
	}{
		{name: "both apart", base: "<h1>One</h1>\n<p>two</p>\n", head: "<h1>First</h1>\n<p>two</p>\n", mine: "<h1>One</h1>\n<p>second</p>\n", want: "<h1>First</h1>\n<p>second</p>\n"},
		{name: "only mine", base: "a b c", head: "a b c", mine: "a x c", want: "a x c"},
		{name: "only the head", base: "a b c", head: "a x c", mine: "a b c", want: "a x c"},
		{name: "the same", base: "a b c", head: "a x c", mine: "a x c", want: "a x c"},
		{name: "the same and more", base: "a b c d e", head: "a x c d e", mine: "a x c d y", want: "a x c d y"},
		{
			name: "one place, two ways", base: "a b c", head: "a x c", mine: "a y c", want: "a x c",
			conflicts: []textpatch.Conflict{{Base: core.Span{Start: 2, End: 3}, Head: core.Span{Start: 2, End: 3}, BaseText: "b", HeadText: "x", MineText: "y"}},
		},
		{
			name: "a conflict behind a longer head", base: "a b c d e", head: "aaaa b c x e", mine: "a b c y e f", want: "aaaa b c x e f",
			conflicts: []textpatch.Conflict{{Base: core.Span{Start: 6, End: 7}, Head: core.Span{Start: 9, End: 10}, BaseText: "d", HeadText: "x", MineText: "y"}},
		},
		{
			name: "both insert at one point", base: "<ul>\n</ul>\n", head: "<ul>\n<li>1\n</ul>\n", mine: "<ul>\n<li>2\n</ul>\n", want: "<ul>\n<li>1\n</ul>\n",
			conflicts: []textpatch.Conflict{{Base: core.Span{Start: 5, End: 5}, Head: core.Span{Start: 5, End: 11}, HeadText: "<li>1\n", MineText: "<li>2\n"}},
		},
		{name: "line ends and a mark", base: "\ufeffa\r\nb\r\nc", head: "\ufeffA\r\nb\r\nc", mine: "\ufeffa\r\nb\r\nC\r\n", want: "\ufeffA\r\nb\r\nC\r\n"},
		{
			name: "one removes what the other changes", base: "1.<p>two three</p>.4", head: "1..4", mine: "1.<p>two deux</p>.4", want: "1..4",
			conflicts: []textpatch.Conflict{{Base: core.Span{Start: 2, End: 18}, Head: core.Span{Start: 2, End: 2}, BaseText: "<p>two three</p>", MineText: "<p>two deux</p>"}},
		},
		{
			name: "one line, written anew twice", base: "<h1>Summer menu</h1>\n", head: "<h1>Café menu — spring</h1>\n", mine: "<h1>From elsewhere</h1>\n", want: "<h1>Café menu — spring</h1>\n",
			conflicts: []textpatch.Conflict{{Base: core.Span{Start: 4, End: 15}, Head: core.Span{Start: 4, End: 25}, BaseText: "Summer menu", HeadText: "Café menu — spring", MineText: "From elsewhere"}},
		},
		{
			name: "what one side alone changed between two conflicts", base: "<p>a b c</p>", head: "<p>x bb y</p>", mine: "<p>1 b 2</p>", want: "<p>x bb y</p>",
			conflicts: []textpatch.Conflict{{Base: core.Span{Start: 3, End: 8}, Head: core.Span{Start: 3, End: 9}, BaseText: "a b c", HeadText: "x bb y", MineText: "1 b 2"}},
		},
		{
			name: "neighbouring lines", base: "<b>a</b>\n<i>b</i>\n<p>\n<i>c</i>", head: "<b>x</b>\n<i>y</i>\n<p>\n<i>z</i>", mine: "<b>1</b>\n<i>2</i>\n<p>\n<i>3</i>", want: "<b>x</b>\n<i>y</i>\n<p>\n<i>z</i>",
			conflicts: []textpatch.Conflict{
				{Base: core.Span{Start: 3, End: 13}, Head: core.Span{Start: 3, End: 13}, BaseText: "a</b>\n<i>b", HeadText: "x</b>\n<i>y", MineText: "1</b>\n<i>2"},
				{Base: core.Span{Start: 25, End: 26}, Head: core.Span{Start: 25, End: 26}, BaseText: "c", HeadText: "z", MineText: "3"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := textpatch.Merge([]byte(c.base), []byte(c.head), []byte(c.mine))
			if err != nil {
				t.Fatal(err)
			}
			if string(m.Bytes) != c.want {
				t.Errorf("got %q, want %q", m.Bytes, c.want)
			}
			if len(m.Conflicts) != len(c.conflicts) {
				t.Fatalf("conflicts %+v, want %+v", m.Conflicts, c.conflicts)
			}
			for i, got := range m.Conflicts {
				if got != c.conflicts[i] {
					t.Errorf("conflict %+v, want %+v", got, c.conflicts[i])
				}
			}
		})
	}
}

// Two random lists of edits of one text, far enough apart, are both in the
// merge, byte for byte; close ones are in it or a conflict, and never lost.
func TestMergeKeepsBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := genText(40).Draw(t, "base")
		head := apply(t, base, genEdits(base).Draw(t, "head"))
		mine := apply(t, base, genEdits(base).Draw(t, "mine"))
		m, err := textpatch.Merge([]byte(base), []byte(head), []byte(mine))
		if err != nil {
			t.Fatal(err)
		}
		back, err := textpatch.Apply([]byte(head), m.Edits)
		if err != nil || string(back) != string(m.Bytes) {
			t.Fatalf("the edits give %q, the merge %q (%v)", back, m.Bytes, err)
		}
		for _, c := range m.Conflicts {
			if base[c.Base.Start:c.Base.End] != c.BaseText || head[c.Head.Start:c.Head.End] != c.HeadText || c.HeadText == c.MineText {
				t.Fatalf("conflict %+v is not what stands there", c)
			}
		}
		// Taking mine at each conflict and the head's nowhere else loses nothing of
		// mine: the other way round it is the same merge with the sides swapped.
		other, err := textpatch.Merge([]byte(base), []byte(mine), []byte(head))
		if err != nil {
			t.Fatal(err)
		}
		if len(other.Conflicts) != len(m.Conflicts) {
			t.Fatalf("%d conflicts one way, %d the other", len(m.Conflicts), len(other.Conflicts))
		}
		if len(m.Conflicts) == 0 && string(other.Bytes) != string(m.Bytes) {
			t.Fatalf("one way %q, the other %q", m.Bytes, other.Bytes)
		}
		if got := resolved(other); len(m.Conflicts) > 0 && got != string(m.Bytes) {
			t.Fatalf("the head's texts in the swapped merge give %q, want %q", got, m.Bytes)
		}
		switch {
		case head == base && (string(m.Bytes) != mine || len(m.Conflicts) > 0):
			t.Fatal("nobody else changed anything, and mine is not the result")
		case mine == base && (string(m.Bytes) != head || len(m.Conflicts) > 0):
			t.Fatal("I changed nothing, and the head is not the result")
		case mine == head && (string(m.Bytes) != head || len(m.Conflicts) > 0):
			t.Fatal("both made the same, and it is not the result")
		}
	})
}

// Where nothing but what conflicts was changed, taking one side everywhere is that
// side's text, whatever was joined to one place.
func TestMergeOneSideEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ü", "<p>", "</p>", " ", " ", "\n", "\r\n", "\r"}), 1, 60).Draw(t, "words")
		var base, head, mine strings.Builder
		for i, w := range words {
			base.WriteString(w)
			if rapid.IntRange(0, 5).Draw(t, "both") == 0 && i > 0 {
				w = ""
				head.WriteString("head")
				mine.WriteString("mine")
			}
			head.WriteString(w)
			mine.WriteString(w)
		}
		m, err := textpatch.Merge([]byte(base.String()), []byte(head.String()), []byte(mine.String()))
		if err != nil {
			t.Fatal(err)
		}
		if got := resolved(m); got != mine.String() {
			t.Fatalf("mine everywhere gives %q, want %q", got, mine.String())
		}
		if string(m.Bytes) != head.String() {
			t.Fatalf("the head everywhere gives %q, want %q", m.Bytes, head.String())
		}
	})
}

// resolved gives the merge with mine's text in each conflict.
func resolved(m textpatch.Merged) string {
	var edits []core.Edit
	for _, c := range m.Conflicts {
		edits = append(edits, core.Edit{Span: c.Head, Replacement: c.MineText})
	}
	// The conflicts' spans are in the head; carry them over the merge's edits.
	moved, err := textpatch.ReprojectEdits(edits, m.Edits)
	if err != nil {
		return err.Error()
	}
	out, err := textpatch.Apply(m.Bytes, moved)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func apply(t *rapid.T, base string, edits []core.Edit) string {
	out, err := textpatch.Apply([]byte(base), edits)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func FuzzMerge(f *testing.F) {
	f.Add("a b c", "a x c", "a b y")
	f.Fuzz(func(t *testing.T, base, head, mine string) {
		base, head, mine = strings.ToValidUTF8(base, ""), strings.ToValidUTF8(head, ""), strings.ToValidUTF8(mine, "")
		m, err := textpatch.Merge([]byte(base), []byte(head), []byte(mine))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := textpatch.Apply([]byte(head), m.Edits); err != nil || string(back) != string(m.Bytes) {
			t.Fatalf("the edits give %q, the merge %q (%v)", back, m.Bytes, err)
		}
	})
}
