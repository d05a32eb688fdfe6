package htmlsrc

import "iter"

// Ways through the tree.

// Parent gives the node an element or text run hangs under: its parent, the
// template in whose contents it is, or the host in whose shadow root it is.
func (t *Tree) Parent(id ID) ID {
	if !t.valid(id) {
		return 0
	}
	p := t.nodes[id].parent
	if p > 0 && t.nodes[p].bits&flagShadow != 0 {
		p = t.nodes[p].parent
	}
	return max(p, 0)
}

// InContent tells whether the element is directly in a template's contents.
func (t *Tree) InContent(id ID) bool {
	p := t.nodes[id].parent
	return p > 0 && t.nodes[p].is(tTemplate) && t.nodes[p].bits&flagShadow == 0
}

// InShadow tells whether the element is directly in a shadow root.
func (t *Tree) InShadow(id ID) bool {
	p := t.nodes[id].parent
	return p > 0 && t.nodes[p].bits&flagShadow != 0
}

// FirstChild gives the first child, text runs included; a template's children
// are its contents. A shadow root is no child.
func (t *Tree) FirstChild(id ID) ID { return t.skipShadow(t.nodes[id].first) }

// LastChild gives the last child, text runs included.
func (t *Tree) LastChild(id ID) ID {
	f := t.nodes[id].first
	if f == 0 {
		return 0
	}
	l := t.nodes[f].prev
	if t.nodes[l].bits&flagShadow != 0 {
		return t.PrevSibling(l)
	}
	return l
}

// NextSibling gives the next sibling, text runs included, or 0.
func (t *Tree) NextSibling(id ID) ID { return t.skipShadow(t.nodes[id].next) }

// PrevSibling gives the sibling before, text runs included, or 0.
func (t *Tree) PrevSibling(id ID) ID {
	for {
		n := &t.nodes[id]
		if n.parent < 0 || t.nodes[n.parent].first == id {
			return 0
		}
		id = n.prev
		if t.nodes[id].bits&flagShadow == 0 {
			return id
		}
	}
}

func (t *Tree) skipShadow(id ID) ID {
	for id != 0 && t.nodes[id].bits&flagShadow != 0 {
		id = t.nodes[id].next
	}
	return id
}

// shadowRoot gives the node that stands for the element's shadow root, or 0.
func (t *Tree) shadowRoot(id ID) ID {
	if t.nodes[id].bits&flagHost == 0 {
		return 0
	}
	for c := t.nodes[id].first; c != 0; c = t.nodes[c].next {
		if t.nodes[c].bits&flagShadow != 0 {
			return c
		}
	}
	return 0
}

// elements yields the element nodes of the child list that begins at c.
func (t *Tree) elements(c ID, yield func(ID) bool) bool {
	for ; c != 0; c = t.nodes[c].next {
		if n := &t.nodes[c]; n.isText() || n.bits&flagShadow != 0 {
			continue
		}
		if !yield(c) {
			return false
		}
	}
	return true
}

// Children yields the ordinary element children.
func (t *Tree) Children(id ID) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		if n := &t.nodes[id]; !n.is(tTemplate) {
			t.elements(n.first, yield)
		}
	}
}

// Content yields the elements directly in a template's contents or in the
// element's shadow root.
func (t *Tree) Content(id ID) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		n := &t.nodes[id]
		switch {
		case n.is(tTemplate):
			t.elements(n.first, yield)
		case n.bits&flagHost != 0:
			t.elements(t.nodes[t.shadowRoot(id)].first, yield)
		}
	}
}

// Elements yields all elements depth first, an element's template or shadow
// contents before its children.
func (t *Tree) Elements() iter.Seq[ID] { return t.Descendants(0) }

// Descendants yields the elements below id depth first, contents before
// children.
func (t *Tree) Descendants(id ID) iter.Seq[ID] {
	return func(yield func(ID) bool) { t.descend(id, yield) }
}

// descend recurses; the tree is at most some 515 deep, as Chromium's.
func (t *Tree) descend(id ID, yield func(ID) bool) bool {
	visit := func(c ID) bool { return yield(c) && t.descend(c, yield) }
	if s := t.shadowRoot(id); s != 0 && !t.elements(t.nodes[s].first, visit) {
		return false
	}
	return t.elements(t.nodes[id].first, visit)
}
