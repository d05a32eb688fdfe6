package htmlsrc

// scopeKind is one of the standard's scopes.
type scopeKind uint8

const (
	inScope scopeKind = iota
	inListItemScope
	inButtonScope
	inTableScope
)

// scopeIndex gives the stack index of the topmost element that match accepts,
// or -1 when a boundary of the scope comes first.
func (b *builder) scopeIndex(kind scopeKind, match func(ID) bool) int {
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		if id := b.stack[i]; match(id) {
			return i
		} else if b.nodes[id].bounds(kind) {
			return -1
		}
	}
	return -1
}

// bounds tells whether n is a boundary of the scope.
func (n *node) bounds(kind scopeKind) bool {
	switch ns := n.ns(); {
	case kind == inTableScope:
		return ns == HTML && (n.tag == tHtml || n.tag == tTable || n.tag == tTemplate)
	case ns == HTML:
		return n.has(cScope) ||
			kind == inListItemScope && (n.tag == tOl || n.tag == tUl) ||
			kind == inButtonScope && n.tag == tButton
	case ns == MathML:
		return n.mathTextOrAnnotation()
	}
	return n.svgIntegration()
}

// tagInScope gives the stack index of the topmost HTML element t in the scope,
// or -1.
func (b *builder) tagInScope(kind scopeKind, t tagID) int {
	if b.open[t] == 0 {
		return -1 // without this a deep tree costs a walk of the stack at every tag
	}
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		n := &b.nodes[b.stack[i]]
		if n.is(t) {
			return i
		}
		if n.bounds(kind) {
			return -1
		}
	}
	return -1
}

// idInScope tells whether the element id is in scope.
func (b *builder) idInScope(id ID) bool {
	return b.nodes[id].bits&flagOpen != 0 &&
		b.scopeIndex(inScope, func(x ID) bool { return x == id }) >= 0
}

// closeP is "close a p element" if one is in button scope.
func (b *builder) closeP() {
	if b.tagInScope(inButtonScope, tP) >= 0 {
		b.generateImplied(tP)
		b.popTo(b.tagInScope(inButtonScope, tP))
	}
}
