package textpatch

import (
	"slices"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// Normalize checks edits against a text of n bytes and gives them sorted by
// start, then end; edits that start and end alike keep their order. Edits that
// neither take nor add a byte are dropped. The input is not changed.
//
// It refuses a span outside the text (InvalidEdit) and two spans that share a
// byte, or of which an empty one stands strictly inside the other (Overlap).
// Rune borders are checked by Apply, which has the text.
func Normalize(edits []core.Edit, n int) ([]core.Edit, error) {
	out := make([]core.Edit, 0, len(edits))
	for _, e := range edits {
		if e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > n {
			return nil, core.Errorf(core.InvalidEdit, "an edit reaches outside the text (%s of %d bytes)", e.Span, n).
				With("span", e.Span).With("length", n).In("textpatch.Normalize")
		}
		if e.Span.Len() > 0 || e.Replacement != "" {
			out = append(out, e)
		}
	}
	if !slices.IsSortedFunc(out, compareEdits) {
		slices.SortStableFunc(out, compareEdits)
	}
	for i := 1; i < len(out); i++ {
		if out[i].Span.Start < out[i-1].Span.End {
			return nil, core.Errorf(core.Overlap, "two edits change the same bytes (%s and %s)", out[i-1].Span, out[i].Span).
				With("first", out[i-1].Span).With("second", out[i].Span).
				With("notes", []int{out[i-1].Note, out[i].Note}).In("textpatch.Normalize")
		}
	}
	return out, nil
}

func compareEdits(a, b core.Edit) int {
	if a.Span.Start != b.Span.Start {
		return a.Span.Start - b.Span.Start
	}
	return a.Span.End - b.Span.End
}

// normalizeFor is Normalize with the checks that need the text itself.
func normalizeFor(src []byte, edits []core.Edit) ([]core.Edit, error) {
	norm, err := Normalize(edits, len(src))
	if err != nil {
		return nil, err
	}
	for _, e := range norm {
		if !onBorder(src, e.Span.Start) || !onBorder(src, e.Span.End) {
			return nil, core.Errorf(core.InvalidEdit, "an edit would cut a character in two (%s)", e.Span).With("span", e.Span)
		}
		if !utf8.ValidString(e.Replacement) {
			return nil, core.Errorf(core.InvalidEdit, "the new text of an edit is not UTF-8 (%s)", e.Span).With("span", e.Span)
		}
	}
	return norm, nil
}

// onBorder tells whether offset i of src is a border between two runes.
func onBorder[T string | []byte](src T, i int) bool {
	return i == 0 || i == len(src) || utf8.RuneStart(src[i])
}
