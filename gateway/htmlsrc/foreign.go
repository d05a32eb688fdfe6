package htmlsrc

import "strings"

// Foreign content: SVG and MathML.

// textIntegrationPoint tells whether text and ordinary tags in id are read by
// the HTML rules.
func (b *builder) textIntegrationPoint(id ID) bool {
	n := &b.nodes[id]
	return n.ns() == MathML && n.tag >= tMi && n.tag <= tMtext || b.htmlIntegrationPoint(id)
}

func (b *builder) htmlIntegrationPoint(id ID) bool {
	n := &b.nodes[id]
	switch n.ns() {
	case SVG:
		return n.svgIntegration()
	case MathML:
		if n.tag != tAnnotationXML {
			return false
		}
		for _, a := range decodedAttrs(b.src[n.open:n.openEnd]) {
			if a.Key == "encoding" {
				return strings.EqualFold(a.Val, "text/html") || strings.EqualFold(a.Val, "application/xhtml+xml")
			}
		}
	}
	return false
}

// inForeignContent tells whether the current token goes by the rules of
// foreign content.
func (b *builder) inForeignContent() bool {
	if len(b.stack) == 0 {
		return false
	}
	cur := b.current()
	n := &b.nodes[cur]
	if n.ns() == HTML || b.tok.kind == tokenEOF {
		return false
	}
	if b.tok.kind != tokenStart {
		return true
	}
	if n.ns() == MathML {
		if n.tag >= tMi && n.tag <= tMtext && b.tok.tag != tMglyph && b.tok.tag != tMalignmark {
			return false
		}
		if n.tag == tAnnotationXML && b.tok.tag == tSvg {
			return false
		}
	}
	return !b.htmlIntegrationPoint(cur)
}

func (b *builder) foreignContent() bool {
	switch b.tok.kind {
	case tokenStart:
		if b.breaksOut() {
			b.leaveForeign()
			return b.inMode()
		}
		id := b.insertForeign(b.nodes[b.current()].ns())
		if b.tok.selfClosing {
			b.popVoid(id)
		}
	case tokenEnd:
		return b.foreignEndTag()
	}
	return true // a doctype is ignored
}

// breaksOut tells whether a start tag ends foreign content.
func (b *builder) breaksOut() bool {
	t := b.tok.tag
	if t < firstUnknown && class[t]&cBreakout != 0 {
		return true
	}
	if t != tFont {
		return false
	}
	for _, name := range []string{"color", "face", "size"} {
		if _, ok := b.tokenAttr(name); ok {
			return true
		}
	}
	return false
}

func (b *builder) foreignEndTag() bool {
	t := b.tok.tag
	if t == tBr || t == tP {
		b.leaveForeign()
		return b.inMode()
	}
	// Chromium gives the tag the SVG spelling when the current node is SVG, and
	// then compares with regard to case.
	svg := b.nodes[b.current()].ns() == SVG
	_, capitals := svgNames[b.name(t)]
	top := len(b.stack) - 1
	for i := top; i > 0; i-- {
		b.steps++
		n := &b.nodes[b.stack[i]]
		if n.ns() == HTML && i != top {
			if capitals && svg {
				return true // no HTML element has such a name
			}
			return b.inMode()
		}
		if n.tag == t && (!capitals || svg == (n.ns() == SVG)) {
			b.closeTo(i)
			return true
		}
	}
	return true
}

// leaveForeign pops up to the next element that HTML may stand in.
func (b *builder) leaveForeign() {
	for {
		cur := b.current()
		if b.nodes[cur].ns() == HTML || b.textIntegrationPoint(cur) {
			return
		}
		b.pop()
	}
}
