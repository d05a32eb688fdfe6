package textpatch

import (
	"bytes"

	"proofmark/gateway/core"
)

// Apply gives src with the edits made. src is not changed, and the result
// never shares memory with it.
func Apply(src []byte, edits []core.Edit) ([]byte, error) {
	norm, err := normalizeFor(src, edits)
	if err != nil {
		return nil, core.AsError(err).In("textpatch.Apply")
	}
	return apply(src, norm), nil
}

// apply makes edits that are sorted and checked.
func apply(src []byte, norm []core.Edit) []byte {
	out := make([]byte, 0, len(src)+Growth(norm))
	at := 0
	for _, e := range norm {
		out = append(out, src[at:e.Span.Start]...)
		out = append(out, e.Replacement...)
		at = e.Span.End
	}
	return append(out, src[at:]...)
}

// Growth gives the bytes a text gains through the edits; it is negative where
// they shorten it.
func Growth(edits []core.Edit) int {
	n := 0
	for _, e := range edits {
		n += len(e.Replacement) - e.Span.Len()
	}
	return n
}

// Inverse gives the edits that take the given ones back: their spans are
// counted in Apply(src, edits), and they keep their notes, so that the edits
// of one note can be taken back alone. Edits that Apply would refuse have no
// inverse: the result is nil.
func Inverse(src []byte, edits []core.Edit) []core.Edit {
	norm, err := normalizeFor(src, edits)
	if err != nil {
		return nil
	}
	out := make([]core.Edit, len(norm))
	shift := 0
	for i, e := range norm {
		start := e.Span.Start + shift
		out[i] = core.Edit{
			Note:        e.Note,
			Notes:       e.Notes,
			Span:        core.Span{Start: start, End: start + len(e.Replacement)},
			Replacement: string(src[e.Span.Start:e.Span.End]),
		}
		shift += len(e.Replacement) - e.Span.Len()
	}
	return out
}

// Stats counts what an edit list does to a text.
type Stats struct {
	Edits     int `json:"edits"`
	Removed   int `json:"removed"`   // bytes taken out
	Inserted  int `json:"inserted"`  // bytes put in
	Unchanged int `json:"unchanged"` // bytes outside every edit
}

// Stat proves that after is before with exactly these edits made, so that
// every byte outside them is the same, and counts them. It refuses with
// InvalidEdit where the bytes say otherwise.
func Stat(before, after []byte, edits []core.Edit) (Stats, error) {
	norm, err := normalizeFor(before, edits)
	if err != nil {
		return Stats{}, core.AsError(err).In("textpatch.Stat")
	}
	if !bytes.Equal(apply(before, norm), after) {
		return Stats{}, core.Errorf(core.InvalidEdit, "the edits do not lead from the one text to the other").In("textpatch.Stat")
	}
	s := Stats{Edits: len(norm), Unchanged: len(before)}
	for _, e := range norm {
		s.Removed += e.Span.Len()
		s.Inserted += len(e.Replacement)
	}
	s.Unchanged -= s.Removed
	return s, nil
}
