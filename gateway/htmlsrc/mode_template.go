package htmlsrc

import "strings"

// Templates and declarative shadow roots.

// shadowHosts are the HTML names, besides custom ones, that take a shadow root.
var shadowHosts = map[string]bool{
	"article": true, "aside": true, "blockquote": true, "body": true, "div": true, "footer": true, "h1": true,
	"h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "header": true, "main": true, "nav": true,
	"p": true, "section": true, "span": true,
}

func (b *builder) templateStartTag() {
	b.listMarker()
	b.framesetOK = false
	b.mode = modeInTemplate
	b.templateModes = append(b.templateModes, modeInTemplate)
	m, ok := b.tokenAttr("shadowrootmode")
	if !ok || len(b.stack) < 2 || !strings.EqualFold(m, "open") && !strings.EqualFold(m, "closed") || !b.canHost(b.current()) {
		b.insert()
		return
	}
	// The tag makes no element; what follows goes into the shadow root.
	host := b.current()
	b.nodes[host].bits |= flagHost
	id := b.newElement(tTemplate, HTML, b.tok.start, b.tok.end)
	b.nodes[id].bits |= flagShadow
	b.attach(id, host, 0)
	b.push(id)
}

// canHost tells whether an element can get a shadow root: one each.
func (b *builder) canHost(id ID) bool {
	n := &b.nodes[id]
	if n.ns() != HTML || n.bits&flagHost != 0 {
		return false
	}
	name := b.name(n.tag)
	return shadowHosts[name] || n.tag >= firstUnknown && customName(name)
}

// customName tells whether s is a valid custom element name (ASCII part of the
// rule: Chromium's tokenizer gives lower-case names).
func customName(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' || !strings.Contains(s, "-") {
		return false
	}
	switch s {
	case "annotation-xml", "color-profile", "font-face", "font-face-src", "font-face-uri", "font-face-format",
		"font-face-name", "missing-glyph":
		return false
	}
	return true
}

func (b *builder) templateEndTag() {
	if b.templates == 0 {
		return
	}
	b.generateImpliedThoroughly()
	i := len(b.stack) - 1
	for !b.is(b.stack[i], tTemplate) {
		i--
	}
	b.closeTo(i)
	b.leaveTemplate()
}

func (b *builder) leaveTemplate() {
	b.clearToMarker()
	b.templateModes = b.templateModes[:len(b.templateModes)-1]
	b.resetMode()
}

func (b *builder) inTemplate() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return b.inBody()
	case tokenStart:
		return b.templateContentStartTag()
	case tokenEnd:
		if t.tag == tTemplate {
			return b.inHead()
		}
		return true
	}
	if b.templates == 0 {
		return b.stop()
	}
	for !b.is(b.pop(), tTemplate) {
	}
	b.leaveTemplate()
	return false
}

// templateContentStartTag lets the first start tag of a template's contents
// choose the mode for them.
func (b *builder) templateContentStartTag() bool {
	to := modeInBody
	switch b.tok.tag {
	case tLink, tMeta, tScript, tStyle, tTemplate:
		// The standard has base, basefont, bgsound, noframes and title here too;
		// in Chromium these switch to "in body".
		return b.inHead()
	case tCaption, tColgroup, tTbody, tTfoot, tThead:
		to = modeInTable
	case tCol:
		to = modeInColumnGroup
	case tTr:
		to = modeInTableBody
	case tTd, tTh:
		to = modeInRow
	}
	b.templateModes[len(b.templateModes)-1] = to
	b.mode = to
	return false
}
