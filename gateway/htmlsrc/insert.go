package htmlsrc

// Where nodes come into the tree.

// place gives the "appropriate place for inserting a node": a parent and the
// child to insert before (0: at the end).
func (b *builder) place(target ID) (parent, before ID) {
	if b.fosterParenting && b.has(target, cTableish) {
		return b.fosterPlace()
	}
	return target, 0
}

// fosterPlace gives the place in front of the current table.
func (b *builder) fosterPlace() (parent, before ID) {
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		id := b.stack[i]
		if b.is(id, tTemplate) {
			return id, 0
		}
		if b.is(id, tTable) {
			if p := b.nodes[id].parent; p >= 0 {
				return p, id
			}
			return b.stack[i-1], 0
		}
	}
	return b.stack[0], 0
}

// currentPlace gives the place for a node that goes into the current node, and
// whether it is another than the current node's end.
func (b *builder) currentPlace() (parent, before ID, moved bool) {
	cur := b.current()
	parent, before = b.place(cur)
	moved = before != 0 || parent != cur
	// Chromium: beyond the greatest depth a node becomes a sibling.
	if !moved && len(b.stack) > maxOpen && b.nodes[parent].parent >= 0 {
		parent = b.nodes[parent].parent
	}
	return parent, before, moved
}

// attach hangs id under parent, before a child of it or (0) at the end.
func (b *builder) attach(id, parent, before ID) {
	n, p := &b.nodes[id], &b.nodes[parent]
	n.parent = parent
	if before != 0 {
		x := &b.nodes[before]
		n.next, n.prev = before, x.prev
		if p.first == before {
			p.first = id
		} else {
			b.nodes[x.prev].next = id
		}
		x.prev = id
		return
	}
	if p.first == 0 {
		p.first, n.prev = id, id
		return
	}
	first := &b.nodes[p.first]
	n.prev = first.prev
	b.nodes[first.prev].next = id
	first.prev = id
}

// detach takes id out of the tree.
func (b *builder) detach(id ID) {
	n := &b.nodes[id]
	if n.parent < 0 {
		return
	}
	p := &b.nodes[n.parent]
	last := b.nodes[p.first].prev
	switch {
	case p.first == id:
		p.first = n.next
	default:
		b.nodes[n.prev].next = n.next
	}
	switch {
	case n.next != 0:
		b.nodes[n.next].prev = n.prev
	case last == id && p.first != 0:
		b.nodes[p.first].prev = n.prev
	}
	n.parent, n.prev, n.next = detached, 0, 0
}

// newElement makes an element of the current tag without hanging it anywhere.
func (b *builder) newElement(tag tagID, ns NS, open, openEnd int) ID {
	b.elements++
	b.nodes = append(b.nodes, node{
		parent: detached, open: int32(open), openEnd: int32(openEnd), tag: tag, bits: nodeBits(ns),
	})
	return ID(len(b.nodes) - 1)
}

// insertElement puts a new element at the appropriate place and on the stack.
func (b *builder) insertElement(id ID) {
	parent, before, moved := b.currentPlace()
	if moved {
		b.nodes[id].bits |= flagMoved
	}
	b.attach(id, parent, before)
	b.push(id)
}

// insert makes an HTML element for the current start tag.
func (b *builder) insert() ID { return b.insertForeign(HTML) }

// insertForeign makes an element of the name space for the current start tag.
func (b *builder) insertForeign(ns NS) ID {
	id := b.newElement(b.tok.tag, ns, b.tok.start, b.tok.end)
	b.insertElement(id)
	return id
}

// insertImplied makes an element that has no tag.
func (b *builder) insertImplied(t tagID) ID {
	id := b.newElement(t, HTML, -1, -1)
	b.insertElement(id)
	return id
}

// insertVoid makes an element without an inside for the current start tag.
func (b *builder) insertVoid() { b.popVoid(b.insert()) }

// insertRoot makes the root element.
func (b *builder) insertRoot(open, openEnd int) {
	id := b.newElement(tHtml, HTML, open, openEnd)
	b.attach(id, 0, 0)
	b.push(id)
}

// addText makes a node of a run of text that goes into the current node or its
// foster place.
func (b *builder) addText(t text) {
	if t.start >= t.end || len(b.stack) == 0 {
		return
	}
	parent, before, moved := b.currentPlace()
	bits := nodeBits(textNode)
	if moved {
		bits |= flagMoved
	}
	if t.literal {
		bits |= flagLiteral
	}
	b.nodes = append(b.nodes, node{open: int32(t.start), openEnd: int32(t.end), end: int32(t.end), bits: bits})
	b.attach(ID(len(b.nodes)-1), parent, before)
}

// clone makes another element from the tag of id.
func (b *builder) clone(id ID) ID {
	o := &b.nodes[id]
	o.bits |= flagShared
	c := b.newElement(o.tag, o.ns(), int(o.open), int(o.openEnd))
	b.nodes[c].bits |= flagClone | flagShared
	return c
}

// mergeAttributes is what a second html or body tag does: it adds attributes.
func (b *builder) mergeAttributes(id ID) {
	b.late = append(b.late, int32(b.tok.start))
	if n := &b.nodes[id]; n.open < 0 {
		n.open, n.openEnd = int32(b.tok.start), int32(b.tok.end)
		n.bits |= flagMerged
	}
}
