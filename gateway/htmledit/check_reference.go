package htmledit

import (
	"regexp"
	"slices"

	"golang.org/x/net/html"

	"proofmark/gateway/core"
)

var (
	referenceHead = regexp.MustCompile(`&[#0-9A-Za-z]{0,33}$`)
	referenceTail = regexp.MustCompile(`^[#0-9A-Za-z]{0,33};?`)
)

// longestReference bounds, in bytes, what a character reference takes.
const longestReference = 40

// wholeReferences widens edits that cut a character reference, before or after,
// to all of it, so that what lies outside them reads the same: of "&am" and an
// inserted "p;" the kept bytes are no longer text of their own.
func wholeReferences(src []byte, edits []core.Edit) []core.Edit {
	out := slices.Clone(edits)
	for i := range out {
		e := &out[i]
		floor, ceil := max(0, e.Span.Start-longestReference), min(len(src), e.Span.End+longestReference)
		if i > 0 {
			floor = max(floor, out[i-1].Span.End)
		}
		if i+1 < len(out) {
			ceil = min(ceil, out[i+1].Span.Start)
		}
		head := referenceHead.FindString(string(src[floor:e.Span.Start]))
		tail := referenceTail.FindString(string(src[e.Span.End:ceil]))
		old := string(src[e.Span.Start:e.Span.End])
		left := crossesStart(head, old+tail) || crossesStart(head, e.Replacement+tail)
		n := max(crossesEnd(head+old, tail), crossesEnd(head+e.Replacement, tail))
		if left {
			e.Span.Start -= len(head)
			e.Replacement = head + e.Replacement
		}
		e.Span.End += n
		e.Replacement += tail[:n]
	}
	return out
}

// crossesStart tells whether a reference begins in head and ends behind it.
func crossesStart(head, rest string) bool {
	rest = rest[:min(len(rest), longestReference)]
	return head != "" && html.UnescapeString(head+rest) != html.UnescapeString(head)+html.UnescapeString(rest)
}

// crossesEnd gives how many bytes of tail belong to a reference that begins in
// text.
func crossesEnd(text, tail string) int {
	text = text[max(0, len(text)-longestReference):]
	all := html.UnescapeString(text + tail)
	n := 0
	for html.UnescapeString(text+tail[:n])+html.UnescapeString(tail[n:]) != all {
		n++
	}
	return n
}
