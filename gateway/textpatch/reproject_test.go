package textpatch_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

// R-PICK-4, R-TURN-5: the rules at the borders of a span.
func TestReproject(t *testing.T) {
	at := func(a, b int) core.Span { return core.Span{Start: a, End: b} }
	for _, c := range []struct {
		name string
		span core.Span
		e    core.Edit
		want core.Span
		ok   bool
	}{
		{"insertion before", at(4, 8), edit(1, 1, "xx"), at(6, 10), true},
		{"insertion at the start pushes", at(4, 8), edit(4, 4, "xx"), at(6, 10), true},
		{"insertion inside touches", at(4, 8), edit(5, 5, "xx"), at(0, 0), false},
		{"insertion at the end stays behind", at(4, 8), edit(8, 8, "xx"), at(4, 8), true},
		{"deletion up to the start", at(4, 8), edit(2, 4, ""), at(2, 6), true},
		{"deletion from the end", at(4, 8), edit(8, 9, ""), at(4, 8), true},
		{"one shared byte", at(4, 8), edit(7, 9, "yy"), at(0, 0), false},
		{"the very span", at(4, 8), edit(4, 8, "yyyy"), at(0, 0), false},
		{"empty span, insertion at it", at(4, 4), edit(4, 4, "xx"), at(6, 6), true},
		{"empty span inside a deletion", at(4, 4), edit(3, 5, ""), at(0, 0), false},
		{"empty span before a deletion", at(4, 4), edit(4, 5, ""), at(4, 4), true},
		{"empty span behind a deletion", at(4, 4), edit(3, 4, ""), at(3, 3), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := textpatch.Reproject(c.span, []core.Edit{c.e})
			if got != c.want || ok != c.ok {
				t.Errorf("%v %v, want %v %v", got, ok, c.want, c.ok)
			}
		})
	}
}

// A span whose bytes no edit touches slices to the same bytes afterwards; one
// that is refused really shares a byte with an edit.
func TestReprojectProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := genText(30).Draw(t, "src")
		edits := genEdits(src).Draw(t, "edits")
		after := mustApply(t, src, edits)
		cuts := runeBorders(src)
		i := rapid.IntRange(0, len(cuts)-1).Draw(t, "i")
		j := rapid.IntRange(i, len(cuts)-1).Draw(t, "j")
		span := core.Span{Start: cuts[i], End: cuts[j]}
		got, ok := textpatch.Reproject(span, edits)
		touched := slices.ContainsFunc(edits, func(e core.Edit) bool { return e.Span.Overlaps(span) })
		if ok == touched {
			t.Fatalf("%v through %v: ok %v although touched %v", span, edits, ok, touched)
		}
		if ok && after[got.Start:got.End] != src[span.Start:span.End] {
			t.Fatalf("%v of %q went to %v of %q", span, src, got, after)
		}
		if ok { // and back again through the inverse
			back, ok := textpatch.Reproject(got, textpatch.Inverse([]byte(src), edits))
			if ok && span.Len() > 0 && back != span {
				t.Fatalf("%v went to %v and back to %v", span, got, back)
			}
		}
	})
}

func TestReprojectEdits(t *testing.T) {
	for _, c := range []struct {
		name           string
		edits, through []core.Edit
		want           []core.Edit
		code           core.Code
	}{
		{"apart", []core.Edit{edit(5, 6, "y")}, []core.Edit{edit(0, 1, "long")}, []core.Edit{edit(8, 9, "y")}, ""},
		{"touching", []core.Edit{edit(5, 6, "y")}, []core.Edit{edit(4, 5, ""), edit(6, 7, "z")}, []core.Edit{edit(4, 5, "y")}, ""},
		{"insertion next to a replacement", []core.Edit{edit(5, 5, "y")}, []core.Edit{edit(5, 6, "zz")}, []core.Edit{edit(5, 5, "y")}, ""},
		{"insertion at an insertion", []core.Edit{edit(5, 5, "y")}, []core.Edit{edit(5, 5, "z")}, nil, core.OverlapsLater},
		{"insertion inside", []core.Edit{edit(5, 5, "y")}, []core.Edit{edit(4, 6, "z")}, nil, core.OverlapsLater},
		{"one shared byte", []core.Edit{edit(5, 7, "y")}, []core.Edit{edit(6, 8, "z")}, nil, core.OverlapsLater},
		{"one of two conflicts", []core.Edit{edit(0, 1, "y"), edit(5, 7, "y")}, []core.Edit{edit(6, 8, "z")}, nil, core.OverlapsLater},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := textpatch.ReprojectEdits(c.edits, c.through)
			if core.CodeOf(err) != c.code || !slices.Equal(got, c.want) {
				t.Errorf("%v %v, want %v %q", got, err, c.want, c.code)
			}
		})
	}
}

// Making one list and then the other carried through it is the same as making
// both at once: this is what reverting an older change stands on (R-DOC-3).
func TestReprojectEditsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := genText(30).Draw(t, "src")
		edits := genEdits(src).Draw(t, "edits")
		through := genEdits(src).Draw(t, "through")
		moved, err := textpatch.ReprojectEdits(edits, through)
		conflict := false
		for _, e := range edits {
			for _, u := range through {
				conflict = conflict || e.Span.Overlaps(u.Span) || e.Span == u.Span
			}
		}
		if conflict != (core.CodeOf(err) == core.OverlapsLater) {
			t.Fatalf("%v through %v: conflict %v, error %v", edits, through, conflict, err)
		}
		if conflict {
			return
		}
		atOnce := mustApply(t, src, append(slices.Clone(edits), through...))
		if got := mustApply(t, mustApply(t, src, through), moved); got != atOnce {
			t.Fatalf("in a row %q, at once %q", got, atOnce)
		}
	})
}
