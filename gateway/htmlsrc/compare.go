package htmlsrc

import (
	"bytes"

	"proofmark/gateway/core"
)

// Compare tells whether after, the map of the edited bytes, is before but for
// what was declared to change. It compares each element's tag by its offset,
// shifted through the edits, and all text by its bytes: the same shape alone
// would not do, since once ignored tags can take the place of those cut out.
//
// The edits must be sorted and must not overlap. What may differ:
//
//   - A declared element all of whose start tag is inside an edit is gone, with
//     its subtree; in its place the edit may put new elements and text.
//   - A declared element with edits strictly inside its start tag keeps its
//     name, its place and every attribute the edits do not touch.
//   - A declared text run (or a text run of a declared element that stays) may
//     have edits inside it; what they put there must be text of the same parent.
//   - In a declared element that stays, edits may put new elements and text
//     between its children.
//
// A refusal is a *core.Error with code UnsafeStructure (InvalidEdit for edits
// that are out of order).
func Compare(before, after *Tree, edits []core.Edit, declared func(ID) bool) error {
	sh, err := newShift(edits, len(before.src), len(after.src))
	if err != nil {
		return err
	}
	c := &comparison{
		before: before, after: after, declared: declared, shift: sh,
		state: make([]editState, len(edits)),
	}
	if before.quirks != after.quirks {
		return unsafeEdit("the page would change between standards and quirks mode")
	}
	if err := c.lateTags(); err != nil {
		return err
	}
	if err := c.children(0, 0, false); err != nil {
		return err
	}
	return c.accounted()
}

// editState is what a comparison has seen of one edit in before.
type editState struct {
	used   bool // it changes something declared
	inText bool // it stands inside a declared text run
	// Where its replacement may put new nodes: under the node parent, if free or
	// (for text only) inText is set.
	parent ID
	free   bool // it takes a declared element, or text, away
}

// arrival is something new in after that an edit brought.
type arrival struct {
	edit     int
	parent   ID // in before
	declared bool
	text     int // bytes of text, 0 for an element
}

type comparison struct {
	before, after *Tree
	declared      func(ID) bool
	shift         *shift
	state         []editState
	arrivals      []arrival
}

// notCompared are the flags that do not tell what an element is: an edit may
// let another end tag, or none, close it.
const notCompared = flagClosed | flagOpen | flagListed

func unsafeEdit(format string, args ...any) error {
	return core.Errorf(core.UnsafeStructure, format, args...).In("htmlsrc.Compare")
}

// children holds the children of two corresponding nodes against each other.
// declared tells whether the node in before is.
func (c *comparison) children(b, a ID, declared bool) error {
	x := &cursor{t: c.before, id: c.before.nodes[b].first, parent: b, declared: declared}
	y := &cursor{t: c.after, id: c.after.nodes[a].first, parent: b, declared: declared}
	var bp, ap piece
	for {
		if bp.empty() {
			var err error
			if bp, err = c.nextBefore(x); err != nil {
				return err
			}
		}
		if ap.empty() {
			var err error
			if ap, err = c.nextAfter(y); err != nil {
				return err
			}
		}
		switch {
		case bp.kind == pieceText && ap.kind == pieceText:
			n := min(bp.end-bp.start, ap.end-ap.start)
			if bp.literal != ap.literal || !bytes.Equal(c.before.src[bp.start:bp.start+n], c.after.src[ap.start:ap.start+n]) {
				return unsafeEdit("text of the page outside the edit would change, near byte %d", bp.start)
			}
			bp.start, ap.start = bp.start+n, ap.start+n
		case bp.kind != ap.kind:
			return unsafeEdit("the structure of the page outside the edit would change in <%s>", c.before.Name(b))
		case bp.kind == pieceEnd:
			return nil
		default:
			if err := c.element(bp.id, ap.id); err != nil {
				return err
			}
			bp, ap = piece{}, piece{}
		}
	}
}

// element holds two corresponding elements against each other.
func (c *comparison) element(b, a ID) error {
	n, m := &c.before.nodes[b], &c.after.nodes[a]
	if n.bits&^notCompared != m.bits&^notCompared || c.before.tagName(n.tag) != c.after.tagName(m.tag) ||
		c.shift.start(n.open) != m.open || c.shift.end(n.openEnd) != m.openEnd {
		return unsafeEdit("the element <%s> at byte %d would change, though it is no target of the edit", c.before.Name(b), n.open)
	}
	declared := c.declared(b)
	if n.open >= 0 {
		if err := c.startTag(b, a, declared); err != nil {
			return err
		}
	}
	return c.children(b, a, declared)
}

// startTag looks at the edits inside the start tag of an element that stays.
func (c *comparison) startTag(b, a ID, declared bool) error {
	n := &c.before.nodes[b]
	first, end := c.shift.overlapping(int(n.open), int(n.openEnd))
	if first == end {
		return nil
	}
	if !declared {
		return unsafeEdit("the start tag <%s> at byte %d would change, though it is no target of the edit", c.before.Name(b), n.open)
	}
	for i := first; i < end; i++ {
		if e := c.shift.edits[i].Span; e.Start <= int(n.open) || e.End >= int(n.openEnd) {
			return unsafeEdit("the edit at byte %d reaches beyond the start tag of <%s>", e.Start, c.before.Name(b))
		}
		c.state[i].used = true
	}
	now := c.after.Attrs(a)
	for _, attr := range c.before.Attrs(b) {
		if c.shift.touches(attr.Span) {
			continue
		}
		kept := find(now, nil, attr.Name)
		if kept == nil || kept.Value != attr.Value || kept.Span != c.shift.span(attr.Span) {
			return unsafeEdit("the attribute %s of <%s> would change, though the edit is about another", attr.Name, c.before.Name(b))
		}
	}
	return nil
}

// lateTags holds the html and body tags that only add attributes against each
// other: an edit may touch none, but inside the one that an element without a
// tag of its own has.
func (c *comparison) lateTags() error {
	same := len(c.before.late) == len(c.after.late)
	for i, at := range c.before.late {
		same = same && c.shift.start(at) == c.after.late[i]
		end, _ := tagEnd(c.before.src, tagNameEnd(c.before.src, int(at)+1))
		if first, end := c.shift.overlapping(int(at), end); first < end && !c.before.lateMade(at) {
			return unsafeEdit("the edit at byte %d is in an html or body tag that only adds attributes", c.shift.edits[first].Span.Start)
		}
	}
	if !same {
		return unsafeEdit("an html or body tag would change its meaning")
	}
	return nil
}

// lateMade tells whether the late tag at an offset is all the tag that an html
// or body element has.
func (t *Tree) lateMade(at int32) bool {
	for id := t.Root(); id != 0; id = t.nodes[id].next {
		if t.nodes[id].open == at {
			return true
		}
	}
	for id := range t.Children(t.Root()) {
		if t.nodes[id].open == at {
			return true
		}
	}
	return false
}

// accounted tells whether every edit changed something that was declared, and
// put what it brought where it may be.
func (c *comparison) accounted() error {
	textBytes := make([]int, len(c.state))
	for _, x := range c.arrivals {
		s := &c.state[x.edit]
		here := s.parent == x.parent && (s.free || s.inText && x.text > 0)
		if !here && !x.declared {
			return unsafeEdit("what the edit at byte %d puts in would come to stand elsewhere", c.shift.edits[x.edit].Span.Start)
		}
		s.used = true
		textBytes[x.edit] += x.text
	}
	for i, s := range c.state {
		e := c.shift.edits[i]
		switch {
		case !s.used:
			return unsafeEdit("the edit at byte %d is outside of what was to change", e.Span.Start)
		case s.inText && textBytes[i] != len(e.Replacement):
			return unsafeEdit("the new text at byte %d would not stay text where it stands", e.Span.Start)
		}
	}
	return nil
}
