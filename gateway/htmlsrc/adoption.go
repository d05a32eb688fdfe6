package htmlsrc

// adopt is the adoption agency algorithm for the current end tag, or, for a
// and nobr, the current start tag.
func (b *builder) adopt(subject tagID, endTag bool) {
	if cur := b.current(); b.is(cur, subject) && b.listIndex(cur) < 0 {
		b.pop()
		if endTag {
			b.closed(cur)
		}
		return
	}
	for outer := 0; outer < 8 && !b.failed(); outer++ {
		at := b.lastListed(subject)
		if at < 0 {
			b.anyOtherEndTag(subject)
			return
		}
		element := b.formatting[at].id
		onStack := b.stackIndex(element)
		if onStack < 0 {
			b.listRemove(at)
			return
		}
		if !b.idInScope(element) {
			return
		}
		block := b.furthestBlock(onStack)
		if block < 0 {
			b.popTo(onStack)
			if endTag && outer == 0 {
				b.closed(element)
			}
			b.listRemove(at)
			return
		}
		b.adoptAround(element, onStack, block)
	}
}

// lastListed gives the index in the formatting list of the last entry of that
// name behind the last marker, or -1.
func (b *builder) lastListed(subject tagID) int {
	for i := len(b.formatting) - 1; i >= 0 && b.formatting[i].id != marker; i-- {
		b.steps++
		if b.formatting[i].tag == subject {
			return i
		}
	}
	return -1
}

// furthestBlock gives the stack index of the first special element above
// index from, or -1.
func (b *builder) furthestBlock(from int) int {
	for i := from + 1; i < len(b.stack); i++ {
		b.steps++
		if b.special(b.stack[i]) {
			return i
		}
	}
	return -1
}

// adoptAround is one round of the algorithm: the formatting element is at
// stack index at, the furthest block at index block.
func (b *builder) adoptAround(element ID, at, block int) {
	furthest, common := b.stack[block], b.stack[at-1]
	last, bookmark := b.cloneBetween(at, block, b.listIndex(element))
	b.detach(last)
	was := b.fosterParenting
	b.fosterParenting = was || b.has(common, cTableish)
	parent, before := b.place(common)
	b.fosterParenting = was
	b.attach(last, parent, before)

	c := b.clone(element)
	for x := b.nodes[furthest].first; x != 0; {
		next := b.nodes[x].next
		if b.nodes[x].bits&flagShadow == 0 { // a shadow root stays with its host
			b.detach(x)
			b.attach(x, c, 0)
		}
		x = next
	}
	b.attach(c, furthest, 0)

	b.listMove(b.listIndex(element), bookmark, c)
	b.removeFromStack(element)
	above := b.stackIndex(furthest) + 1
	b.stack = append(b.stack, 0)
	copy(b.stack[above+1:], b.stack[above:])
	b.stack[above] = c
	b.opened(c)
}

// cloneBetween is the inner loop: of the elements between the formatting
// element and the furthest block, the listed ones are made again from their
// tags, each the parent of the one below, and the others leave the stack. It
// gives the outermost clone (or the block) and the place in the formatting
// list for the new formatting element.
func (b *builder) cloneBetween(at, block, bookmark int) (last ID, mark int) {
	furthest := b.stack[block]
	last = furthest
	firstClone := ID(len(b.nodes))
	for i, inner := block-1, 1; i > at; i, inner = i-1, inner+1 {
		id := b.stack[i]
		entry := b.listIndex(id)
		b.ended(id)
		if inner > 3 && entry >= 0 {
			b.listRemove(entry)
			if entry < bookmark {
				bookmark--
			}
			entry = -1
		}
		if entry < 0 {
			b.stack[i] = 0
			continue
		}
		c := b.clone(id)
		b.listReplace(entry, c)
		b.stack[i] = c
		b.opened(c)
		if last == furthest {
			bookmark = entry + 1
		}
		b.detach(last)
		b.attach(last, c, 0)
		last = c
	}
	// The clones come into the document with the outermost, so outermost first.
	if lastClone := ID(len(b.nodes)) - 1; lastClone > firstClone {
		b.reversed = append(b.reversed, idRun{firstClone, lastClone})
	}
	kept := b.stack[:at+1]
	for _, id := range b.stack[at+1:] {
		if id != 0 {
			kept = append(kept, id)
		}
	}
	b.stack = kept
	return last, bookmark
}
