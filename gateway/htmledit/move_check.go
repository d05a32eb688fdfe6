package htmledit

import (
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// At gives where the byte at offset stands after the change, false where it is
// gone. The start of an element that is not moved stays that element's.
func (a Arranged) At(offset int) (int, bool) {
	for _, p := range a.Moved {
		if p.From.Start <= offset && offset < p.From.End {
			return p.To + offset - p.From.Start, true
		}
	}
	shift := 0
	for _, e := range a.Edits {
		switch {
		case e.Span.End <= offset:
			shift += len(e.Replacement) - e.Span.Len()
		case e.Span.Start <= offset:
			return 0, false
		}
	}
	return offset + shift, true
}

// Check is Check of the change's edits, and proves beyond it that each piece is
// the same elements where it stands now, under the same parent. It gives the new
// map.
func (a Arranged) Check(before *htmlsrc.Tree, o htmlsrc.Options) (*htmlsrc.Tree, error) {
	after, err := Check(before, a.Edits, o)
	if err != nil || len(a.Moved)+len(a.Copied) == 0 {
		return after, err
	}
	was, is := byOffset(before), byOffset(after)
	for _, list := range [][]Piece{a.Moved, a.Copied} {
		for _, p := range list {
			x, y := was[p.From.Start], is[p.To]
			if x == 0 || y == 0 || !sameShape(before, after, x, y) || !a.sameParent(before, after, x, y, is) {
				return nil, core.AsError(unsafeEdit("the element would not be the same in its new place")).In("htmledit.Arranged.Check")
			}
		}
	}
	return after, nil
}

// sameParent tells whether y hangs under what x hung under. Of parents without a
// tag the names decide: a noscript moved to the top of a page without a body tag
// would come to stand in the head.
func (a Arranged) sameParent(before, after *htmlsrc.Tree, x, y htmlsrc.ID, is map[int]htmlsrc.ID) bool {
	was, now := before.Parent(x), after.Parent(y)
	if tag, ok := before.StartTag(was); ok && before.SharedBy(was) == 1 {
		to, ok := a.At(tag.Start)
		return ok && is[to] == now
	}
	return before.Name(was) == after.Name(now)
}

// byOffset finds elements by where their start tags begin.
func byOffset(t *htmlsrc.Tree) map[int]htmlsrc.ID {
	out := make(map[int]htmlsrc.ID, t.Len()/2)
	for id := range t.Elements() {
		if tag, ok := t.StartTag(id); ok && t.SharedBy(id) == 1 {
			out[tag.Start] = id
		}
	}
	return out
}

// sameShape tells whether two elements are the same bytes and the same tree.
func sameShape(b, a *htmlsrc.Tree, x, y htmlsrc.ID) bool {
	r, why := b.Range(x)
	s, whyNow := a.Range(y)
	if why != "" || whyNow != "" || string(b.Source()[r.Start:r.End]) != string(a.Source()[s.Start:s.End]) {
		return false
	}
	if b.Name(x) != a.Name(y) || b.NS(x) != a.NS(y) {
		return false
	}
	twin := map[htmlsrc.ID]htmlsrc.ID{x: y}
	var theirs []htmlsrc.ID
	for id := range a.Descendants(y) {
		theirs = append(theirs, id)
	}
	n := 0
	for id := range b.Descendants(x) {
		if n == len(theirs) {
			return false
		}
		now := theirs[n]
		n++
		twin[id] = now
		tag, ok := b.StartTag(id)
		tagNow, okNow := a.StartTag(now)
		if b.Name(id) != a.Name(now) || b.NS(id) != a.NS(now) || twin[b.Parent(id)] != a.Parent(now) ||
			ok != okNow || ok && tag.Start-r.Start != tagNow.Start-s.Start {
			return false
		}
	}
	return n == len(theirs)
}
