package textpatch

import (
	"bytes"

	"proofmark/gateway/core"
)

// Context an edit is known again by, in bytes on each side.
const (
	leastContext = 16
	mostContext  = 4096
)

// Relocate carries edits against before over a change of which only the two
// texts are known, not the edits that were made. A computed difference does not
// tell which of several equal pieces is gone; so an edit is carried only where
// what stands on its left and what stands on its right both name the same place:
// each, taken far enough to stand once in before, stands once in after, and the
// two agree. An edit for which that does not hold gives OverlapsLater.
func Relocate(before, after []byte, edits []core.Edit) ([]core.Edit, error) {
	norm, err := normalizeFor(before, edits)
	if err != nil {
		return nil, err
	}
	out := make([]core.Edit, len(norm))
	for i, e := range norm {
		left, ok := leftAnchor(before, after, e.Span)
		right, also := rightAnchor(before, after, e.Span)
		if !ok || !also || left != right {
			return nil, core.Errorf(core.OverlapsLater, "the place at byte %d cannot be told for certain in the later text", e.Span.Start).
				With("span", e.Span).In("textpatch.Relocate")
		}
		e.Span = core.Span{Start: left, End: left + e.Span.Len()}
		out[i] = e
	}
	return Normalize(out, len(after))
}

// leftAnchor gives where the span begins in after, by its bytes and those
// before it.
func leftAnchor(before, after []byte, s core.Span) (int, bool) {
	for n := leastContext; ; n = grow(n) {
		from := max(0, s.Start-n)
		at, done := find(before, after, before[from:s.End])
		if at >= 0 {
			return at + s.Start - from, true
		}
		if done || from == 0 || n >= mostContext {
			return 0, false
		}
	}
}

// rightAnchor gives where the span begins in after, by its bytes and those
// behind it.
func rightAnchor(before, after []byte, s core.Span) (int, bool) {
	for n := leastContext; ; n = grow(n) {
		to := min(len(before), s.End+n)
		at, done := find(before, after, before[s.Start:to])
		if at >= 0 {
			return at, true
		}
		if done || to == len(before) || n >= mostContext {
			return 0, false
		}
	}
}

// find gives where the one window of before stands in after, -1 where it does
// not; done is false where it stands several times in before, and more context
// may tell.
func find(before, after, window []byte) (at int, done bool) {
	if len(window) == 0 || count2(before, window) > 1 {
		return -1, false
	}
	if count2(after, window) != 1 {
		return -1, true
	}
	return bytes.Index(after, window), true
}

// count2 counts occurrences, overlapping ones too, up to 2.
func count2(text, window []byte) int {
	i := bytes.Index(text, window)
	if i < 0 {
		return 0
	}
	if bytes.Contains(text[i+1:], window) {
		return 2
	}
	return 1
}

// grow takes small steps first, so that a change near by is not drawn in
// without need.
func grow(n int) int {
	if n < 64 {
		return n + 8
	}
	return 2 * n
}
