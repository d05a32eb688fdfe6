package htmledit

import (
	"regexp"
	"slices"

	"golang.org/x/net/html"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

var (
	referenceHead = regexp.MustCompile(`&[#0-9A-Za-z]{0,33}$`)
	referenceTail = regexp.MustCompile(`^[#0-9A-Za-z]{0,33};?`)
)

// longestReference bounds, in bytes, what a character reference takes.
const longestReference = 40

// wholeReferences widens edits that cut a character reference to all of it, so
// that what lies outside them reads the same: the edit of "amp" to "lt" in
// "&amp;" is one of the whole. It refuses edits by which text beside them, that
// was none before, would become part of a reference: of "&#x20<br>b" without the
// tag, say.
func wholeReferences(t *htmlsrc.Tree, edits []core.Edit) ([]core.Edit, error) {
	src := t.Source()
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
		left, right := crossesStart(head, old+tail), crossesEnd(head+old, tail)
		newLeft, newRight := crossesStart(head, e.Replacement+tail), crossesEnd(head+e.Replacement, tail)
		if !left && newLeft && readsReferences(t, e.Span.Start-1) || newRight > right && !left && readsReferences(t, e.Span.End) {
			return nil, unsafeEdit("the text beside the edit would be read as part of a character reference")
		}
		if left || newLeft {
			e.Span.Start -= len(head)
			e.Replacement = head + e.Replacement
		}
		n := max(right, newRight)
		e.Span.End += n
		e.Replacement += tail[:n]
	}
	return out, nil
}

// readsReferences tells whether the byte at offset is text in which character
// references count.
func readsReferences(t *htmlsrc.Tree, offset int) bool {
	for i := 1; i < t.Len(); i++ {
		id := htmlsrc.ID(i)
		if t.IsText(id) && !t.Literal(id) && t.TextSpan(id).Contains(core.Span{Start: offset, End: offset + 1}) {
			return true
		}
	}
	return false
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
