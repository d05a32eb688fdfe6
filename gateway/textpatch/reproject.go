package textpatch

import "proofmark/gateway/core"

// Reproject carries a span of a text through edits of that text. It gives the
// span of the very same bytes in the edited text, or false where an edit
// touches the span.
//
// An edit touches the span when they share a byte, or when one of them is empty
// and stands strictly inside the other. Standing at a border is not touching:
// what is inserted or replaced right before the span pushes it, what is
// inserted or replaced right behind it leaves it as it is. An insertion at the
// place of an empty span counts as before it. Edits that cannot be made at all
// (overlapping, negative) touch everything.
func Reproject(span core.Span, edits []core.Edit) (core.Span, bool) {
	norm, err := Normalize(edits, maxOffset)
	if err != nil || span.Start < 0 || span.End < span.Start {
		return core.Span{}, false
	}
	return reproject(span, norm)
}

const maxOffset = int(^uint(0) >> 1)

func reproject(span core.Span, norm []core.Edit) (core.Span, bool) {
	shift := 0
	for _, e := range norm {
		if e.Span.Overlaps(span) {
			return core.Span{}, false
		}
		if e.Span.End > span.Start {
			break // behind the span; so are all that follow
		}
		shift += len(e.Replacement) - e.Span.Len()
	}
	return core.Span{Start: span.Start + shift, End: span.End + shift}, true
}

// ReprojectEdits carries edits through other edits of the same text, so that
// they can be made after those: the rules of Reproject hold for each span, and
// beyond them an insertion conflicts with an insertion at the same point, since
// nothing tells which comes first. A conflict is refused with OverlapsLater and
// names both spans; it refuses the whole list.
//
// Making through and then the result gives the same bytes as making both lists
// at once.
func ReprojectEdits(edits, through []core.Edit) ([]core.Edit, error) {
	norm, err := Normalize(edits, maxOffset)
	if err != nil {
		return nil, core.AsError(err).In("textpatch.ReprojectEdits")
	}
	thr, err := Normalize(through, maxOffset)
	if err != nil {
		return nil, core.AsError(err).In("textpatch.ReprojectEdits")
	}
	out := make([]core.Edit, len(norm))
	shift, k := 0, 0
	for i, e := range norm {
		for k < len(thr) && thr[k].Span.End <= e.Span.Start {
			if thr[k].Span == e.Span { // both insert here
				return nil, overlapsLater(e.Span, thr[k].Span)
			}
			shift += len(thr[k].Replacement) - thr[k].Span.Len()
			k++
		}
		if k < len(thr) && thr[k].Span.Overlaps(e.Span) {
			return nil, overlapsLater(e.Span, thr[k].Span)
		}
		out[i] = e
		out[i].Span.Start += shift
		out[i].Span.End += shift
	}
	return out, nil
}

func overlapsLater(span, by core.Span) error {
	return core.Errorf(core.OverlapsLater, "a later change has touched the same place").
		WithHint("take the later change back first, or edit the place anew").
		With("span", span).With("later", by).In("textpatch.ReprojectEdits")
}
