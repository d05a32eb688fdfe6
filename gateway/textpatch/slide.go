package textpatch

import (
	"strings"

	"proofmark/gateway/core"
)

// What was put in or taken out next to its like can be cut in several ways: a
// list item behind an equal start tag, say, may begin at its own tag or behind
// the one before. All give the same bytes, but only one way leaves the elements
// around it whole, and spans carried through the edit depend on it. So such a
// stretch is slid to where it begins and ends with whole tags.

// maxSlide bounds, in bytes, how far a stretch is slid.
const maxSlide = 8 << 10

// slide moves the stretch [start, end) of s within [lo, hi), over bytes that
// repeat, to the best cut; s without the stretch stays the same.
func slide(s string, start, end, lo, hi int) (int, int) {
	if start == end {
		return start, end
	}
	best, bestScore := start, score(s, start, end)
	try := func(at int) {
		if a, b := at, at+end-start; fits(s, a, b) {
			if sc := score(s, a, b); sc > bestScore {
				best, bestScore = at, sc
			}
		}
	}
	for a, b := start, end; a > lo && start-a < maxSlide && s[a-1] == s[b-1]; {
		a, b = a-1, b-1
		try(a)
	}
	for a, b := start, end; b < hi && a-start < maxSlide && s[a] == s[b]; {
		a, b = a+1, b+1
		try(a)
	}
	return best, best + end - start
}

// fits tells whether a stretch may be cut out at token borders.
func fits(s string, a, b int) bool {
	return atTokenStart(s, a) && atTokenStart(s, b)
}

// score rates a stretch: best begins with a start tag, and ends with a tag or
// with the white space behind one.
func score(s string, a, b int) int {
	n := 0
	first := a
	for first < b && isBlank(s[first]) {
		first++
	}
	if first+1 < b && s[first] == '<' && s[first+1] != '/' {
		n += 8
		if first > a {
			n--
		}
	}
	last := b
	for last > a && isBlank(s[last-1]) {
		last--
	}
	if last > a && s[last-1] == '>' {
		if lt := strings.LastIndexByte(s[a:last], '<'); lt >= 0 && s[a+lt+1] != '/' && s[a+lt+1] != '!' {
			n -= 2 // a start tag
		} else {
			n += 4
		}
		if last < b {
			n--
		}
	}
	if a == 0 || s[a-1] == '\n' {
		n++
	}
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// slideAll slides the insertions and deletions of a sorted list that leads from
// before to after, and joins those that come to touch.
func slideAll(before, after string, edits []core.Edit) []core.Edit {
	shift := 0 // of after against before, at the edit's start
	floor := 0 // end of the edit before, in before
	for i := range edits {
		e := &edits[i]
		ceil := len(before)
		if i+1 < len(edits) {
			ceil = edits[i+1].Span.Start
		}
		switch n := len(e.Replacement); {
		case n == 0:
			e.Span.Start, e.Span.End = slide(before, e.Span.Start, e.Span.End, floor, ceil)
		case e.Span.Len() == 0:
			at := e.Span.Start + shift
			at, end := slide(after, at, at+n, floor+shift, ceil+shift+n)
			e.Span = core.Span{Start: at - shift, End: at - shift}
			e.Replacement = after[at:end]
		}
		shift += len(e.Replacement) - e.Span.Len()
		floor = e.Span.End
	}
	out := edits[:0]
	for _, e := range edits {
		if n := len(out); n > 0 && out[n-1].Span.End == e.Span.Start {
			out[n-1].Span.End = e.Span.End
			out[n-1].Replacement += e.Replacement
			continue
		}
		out = append(out, e)
	}
	return out
}
