package htmlsrc

// The stack of open elements. b.open and b.templates count what is on it, so
// that most questions about it need no walk.

// current gives the current node.
func (b *builder) current() ID { return b.stack[len(b.stack)-1] }

func (b *builder) is(id ID, t tagID) bool { return b.nodes[id].is(t) }

// currentIs tells whether the current node is an HTML element of these names.
func (b *builder) currentIs(tags ...tagID) bool {
	n := &b.nodes[b.current()]
	for _, t := range tags {
		if n.is(t) {
			return true
		}
	}
	return false
}

// has tells whether id is an HTML element whose name is in the class.
func (b *builder) has(id ID, class uint32) bool { return b.nodes[id].has(class) }

func (n *node) has(bit uint32) bool {
	return n.tag < firstUnknown && class[n.tag]&bit != 0 && n.ns() == HTML
}

// special tells whether id is "special".
func (b *builder) special(id ID) bool {
	n := &b.nodes[id]
	switch n.ns() {
	case HTML:
		return n.has(cSpecial)
	case MathML:
		return n.mathTextOrAnnotation()
	}
	return n.svgIntegration()
}

// mathTextOrAnnotation tells whether a MathML element is mi, mn, mo, ms, mtext
// or annotation-xml.
func (n *node) mathTextOrAnnotation() bool {
	return n.tag >= tMi && n.tag <= tMtext || n.tag == tAnnotationXML
}

// svgIntegration tells whether an SVG element is foreignObject, desc or title.
func (n *node) svgIntegration() bool {
	return n.tag == tForeignObject || n.tag == tDesc || n.tag == tTitle
}

// foreignCurrent tells whether the current node is not an HTML element.
func (b *builder) foreignCurrent() bool {
	return len(b.stack) > 0 && b.nodes[b.current()].ns() != HTML
}

func (b *builder) push(id ID) {
	b.stack = append(b.stack, id)
	b.opened(id)
}

// opened books an element that has come onto the stack.
func (b *builder) opened(id ID) {
	n := &b.nodes[id]
	n.bits |= flagOpen
	if n.ns() == HTML {
		b.open[n.tag]++
		if n.tag == tTemplate {
			b.templates++
		}
	}
}

// ended books an element that leaves the stack: it ends where the current
// token begins.
func (b *builder) ended(id ID) {
	n := &b.nodes[id]
	n.end = int32(b.tok.start)
	n.bits &^= flagOpen
	if n.ns() == HTML {
		b.open[n.tag]--
		if n.tag == tTemplate {
			b.templates--
		}
	}
}

// pop takes the current node off the stack.
func (b *builder) pop() ID {
	id := b.current()
	b.stack = b.stack[:len(b.stack)-1]
	b.ended(id)
	return id
}

// popVoid takes off an element that has no inside.
func (b *builder) popVoid(id ID) {
	b.pop()
	n := &b.nodes[id]
	n.bits |= flagVoid
	n.end = int32(b.tok.end)
}

// popTo takes off stack index i and all above it.
func (b *builder) popTo(i int) {
	for len(b.stack) > i {
		b.pop()
	}
}

// closeTo takes off stack index i, which the current end tag closes, and all
// above it.
func (b *builder) closeTo(i int) {
	id := b.stack[i]
	b.popTo(i)
	b.closed(id)
}

// closed records that the current end tag closes id.
func (b *builder) closed(id ID) {
	n := &b.nodes[id]
	n.bits |= flagClosed
	switch { // these two stay on the stack
	case n.is(tHtml):
		b.htmlClose = int32(b.tok.start)
	case n.is(tBody):
		b.bodyClose = int32(b.tok.start)
	}
}

// removeFromStack takes id off the stack wherever it is.
func (b *builder) removeFromStack(id ID) {
	if i := b.stackIndex(id); i >= 0 {
		b.stack = append(b.stack[:i], b.stack[i+1:]...)
		b.ended(id)
	}
}

// stackIndex gives id's index in the stack, or -1.
func (b *builder) stackIndex(id ID) int {
	if b.nodes[id].bits&flagOpen == 0 {
		return -1
	}
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		if b.stack[i] == id {
			return i
		}
	}
	return -1
}

// clearTo is "clear the stack back to a … context".
func (b *builder) clearTo(tags ...tagID) {
	for !b.currentIs(tags...) && !b.currentIs(tHtml, tTemplate) {
		b.pop()
	}
}

// generateImplied is "generate implied end tags" but for one name.
func (b *builder) generateImplied(except tagID) {
	for {
		n := &b.nodes[b.current()]
		if !n.has(cImplied) || n.tag == except {
			return
		}
		b.pop()
	}
}

// generateImpliedThoroughly is "generate all implied end tags thoroughly".
func (b *builder) generateImpliedThoroughly() {
	for b.has(b.current(), cImplied) || b.currentIs(tCaption, tColgroup, tTbody, tTd, tTfoot, tTh, tThead, tTr) {
		b.pop()
	}
}

// resetMode is "reset the insertion mode appropriately".
func (b *builder) resetMode() {
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		n := &b.nodes[b.stack[i]]
		if n.ns() != HTML {
			continue
		}
		if m, ok := b.modeFor(n.tag, i); ok {
			b.mode = m
			return
		}
	}
	b.mode = modeInBody
}

// modeFor gives the mode that an open HTML element at a stack index asks for.
func (b *builder) modeFor(t tagID, at int) (mode, bool) {
	switch t {
	case tTd, tTh:
		return modeInCell, at > 0
	case tTr:
		return modeInRow, true
	case tTbody, tThead, tTfoot:
		return modeInTableBody, true
	case tCaption:
		return modeInCaption, true
	case tColgroup:
		return modeInColumnGroup, true
	case tTable:
		return modeInTable, true
	case tTemplate:
		return b.templateModes[len(b.templateModes)-1], true
	case tHead:
		return modeInHead, at > 0
	case tBody:
		return modeInBody, true
	case tFrameset:
		return modeInFrameset, true
	case tHtml:
		if b.head == 0 {
			return modeBeforeHead, true
		}
		return modeAfterHead, true
	}
	return 0, false
}
