package htmlsrc

import (
	"slices"

	"proofmark/gateway/core"
)

// Reason says why an element has no range, or no tag, of its own; "" is none.
type Reason string

// Reasons.
const (
	Implied      Reason = "implied"       // the tree builder put it in: it has no tag
	Shared       Reason = "shared"        // its tag makes several elements
	Merged       Reason = "merged"        // other html or body tags added attributes to it
	NotContained Reason = "not_contained" // its contents do not lie between its tags
	Removed      Reason = "removed"       // a later tag took it out of the tree (frameset)
	NotElement   Reason = "not_element"   // a text run or the document
)

// StartTag gives the span of the start tag that made the element; clones share
// theirs. An html or body element whose tag came too late to make it has none.
func (t *Tree) StartTag(id ID) (core.Span, bool) {
	n := &t.nodes[id]
	if !t.IsElement(id) || n.open < 0 || n.bits&flagMerged != 0 {
		return core.Span{}, false
	}
	return core.Span{Start: int(n.open), End: int(n.openEnd)}, true
}

// EndTag gives the span of the end tag that closed the element. Its name may
// be another: </h1> closes an h3.
func (t *Tree) EndTag(id ID) (core.Span, bool) {
	n := &t.nodes[id]
	if !t.IsElement(id) || n.bits&flagClosed == 0 {
		return core.Span{}, false
	}
	return core.Span{Start: int(t.closeStart(n)), End: int(t.closeEnd(n))}, true
}

func (t *Tree) closeStart(n *node) int32 {
	switch {
	case n.is(tHtml):
		return t.htmlClose
	case n.is(tBody):
		return t.bodyClose
	}
	return n.end
}

// closeEnd gives the end of the end tag of a closed element. Nodes are kept
// small, so it is read again.
func (t *Tree) closeEnd(n *node) int32 {
	end, _ := tagEnd(t.src, tagNameEnd(t.src, int(t.closeStart(n))+2))
	return int32(end)
}

// rangeEnd gives where the range of a node with its own tag ends.
func (t *Tree) rangeEnd(n *node) int32 {
	switch {
	case n.bits&flagVoid != 0 || n.isText():
		return n.openEnd
	case n.bits&flagClosed != 0:
		return t.closeEnd(n)
	}
	return n.end
}

// Range gives the span from the element's start tag to its end tag, or to
// where it was closed by implication, if that span holds exactly the element's
// subtree; otherwise the reason why there is none.
func (t *Tree) Range(id ID) (core.Span, Reason) {
	if r := t.rangeReason(id); r != "" {
		return core.Span{}, r
	}
	n := &t.nodes[id]
	return core.Span{Start: int(n.open), End: int(t.rangeEnd(n))}, ""
}

func (t *Tree) rangeReason(id ID) Reason {
	if !t.IsElement(id) {
		return NotElement
	}
	n := &t.nodes[id]
	switch {
	case t.Merged(id):
		return Merged
	case n.open < 0:
		return Implied
	case n.bits&flagShared != 0:
		return Shared
	case t.isRemoved(id):
		return Removed
	case !t.Contained(id):
		return NotContained
	}
	return ""
}

func (t *Tree) isRemoved(id ID) bool {
	for id > 0 {
		id = t.nodes[id].parent
	}
	return id == detached
}

// Inner gives the span between the element's tags, where Range has a span and
// the element can have an inside.
func (t *Tree) Inner(id ID) (core.Span, bool) {
	if t.rangeReason(id) != "" || t.Void(id) {
		return core.Span{}, false
	}
	n := &t.nodes[id]
	end := n.end
	if n.bits&flagClosed != 0 {
		end = t.closeStart(n)
	}
	return core.Span{Start: int(n.openEnd), End: int(end)}, true
}

// Contained tells whether the node has a tag of its own, makes no other
// element with it, and the bytes of its range make exactly its subtree.
func (t *Tree) Contained(id ID) bool {
	t.rangesOnce.Do(func() { t.contained = t.findContained() })
	return t.valid(id) && t.contained[id]
}

// subtree is what findContained sums up from the leaves to the root.
type subtree struct {
	last  ID    // greatest id
	count int32 // of nodes
	end   int32 // greatest end of a range in it
	bad   bool  // holds a clone, a shared or a merged tag
}

// findContained decides for all nodes in one pass. Ids follow the source, so
// the ids of a subtree that one stretch of source made are consecutive.
func (t *Tree) findContained() []bool {
	out := make([]bool, len(t.nodes))
	sums := make([]subtree, len(t.nodes))
	var visit func(id ID)
	visit = func(id ID) { // some 520 deep at most
		n := &t.nodes[id]
		sum := subtree{last: id, count: 1, end: n.openEnd, bad: n.bits&(flagShared|flagMerged|flagClone) != 0}
		for c := n.first; c != 0; c = t.nodes[c].next {
			visit(c)
			s := &sums[c]
			sum.last, sum.count, sum.end = max(sum.last, s.last), sum.count+s.count, max(sum.end, s.end)
			sum.bad = sum.bad || s.bad
		}
		if n.open >= 0 {
			end := t.rangeEnd(n)
			out[id] = id != 0 && !sum.bad && n.bits&flagShadow == 0 && t.holds(id, end, &sum)
			sum.end = max(sum.end, end)
		}
		sums[id] = sum
	}
	visit(0)
	return out
}

// holds tells whether the node's range, up to end, holds exactly the subtree.
func (t *Tree) holds(id ID, end int32, sum *subtree) bool {
	n := &t.nodes[id]
	if sum.last-id+1 != ID(sum.count) || sum.end > end || end < n.openEnd {
		return false
	}
	// The next node in source order must lie behind the range.
	for k := sum.last + 1; int(k) < len(t.nodes); k++ {
		if next := &t.nodes[k]; next.open >= 0 && next.bits&(flagClone|flagMerged) == 0 {
			if next.open < end {
				return false
			}
			break
		}
	}
	// No html or body tag inside may add attributes to an element outside.
	i, _ := slices.BinarySearch(t.late, n.open)
	return i == len(t.late) || t.late[i] >= end
}
