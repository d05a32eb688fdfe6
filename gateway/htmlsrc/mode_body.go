package htmlsrc

// "In body": the start tags. The end tags are in mode_body_end.go.

func (b *builder) inBody() bool {
	switch b.tok.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		return b.bodyStartTag()
	case tokenEnd:
		return b.bodyEndTag()
	}
	if len(b.templateModes) > 0 {
		return b.inTemplate()
	}
	return b.stop()
}

// insertFormatted is the rule of every start tag without one of its own.
func (b *builder) insertFormatted() {
	b.reconstruct()
	b.insert()
}

// bodyStartTag handles start tags by class; those with a rule of their own go
// on to bodyStartTagByName.
func (b *builder) bodyStartTag() bool {
	tag := b.tok.tag
	if tag >= firstUnknown {
		b.insertFormatted()
		return true
	}
	c := class[tag]
	switch {
	case c&cHeadish != 0:
		return b.inHead()
	case c&cBlock != 0:
		b.closeP()
		b.insert()
	case c&cHeading != 0:
		b.closeP()
		if b.has(b.current(), cHeading) {
			b.pop()
		}
		b.insert()
	case c&cIgnoredBody != 0:
	case c&cVoidBody != 0:
		b.reconstruct()
		b.insertVoid()
		b.framesetOK = false
	case c&cFormatting != 0:
		b.formattingStartTag()
	default:
		return b.bodyStartTagByName(tag)
	}
	return true
}

func (b *builder) bodyStartTagByName(tag tagID) bool {
	switch tag {
	case tHtml, tBody, tFrameset:
		b.documentStartTag(tag)
	case tLi, tDd, tDt:
		b.itemStartTag(tag)
	case tForm:
		b.formStartTag()
	case tInput, tButton, tSelect, tOption, tOptgroup:
		b.controlStartTag(tag)
	case tTextarea, tXmp, tIframe, tNoembed, tNoscript, tPlaintext, tPre, tListing:
		b.textualStartTag(tag)
	case tApplet, tMarquee, tObject:
		b.insertFormatted()
		b.listMarker()
		b.framesetOK = false
	case tTable:
		if !b.quirks {
			b.closeP()
		}
		b.insert()
		b.framesetOK = false
		b.mode = modeInTable
	case tParam, tSource, tTrack:
		b.insertVoid()
	case tHr:
		b.closeP()
		if b.tagInScope(inScope, tSelect) >= 0 {
			b.generateImplied(tNone)
		}
		b.insertVoid()
		b.framesetOK = false
	case tImage:
		b.tok.tag = tImg
		return false
	case tRb, tRtc:
		b.rubyStartTag(tNone)
	case tRp, tRt:
		b.rubyStartTag(tRtc)
	case tMath:
		b.foreignRoot(MathML)
	case tSvg:
		b.foreignRoot(SVG)
	default:
		b.insertFormatted()
	}
	return true
}

// documentStartTag handles html, body and frameset tags that come late.
func (b *builder) documentStartTag(tag tagID) {
	inBody := len(b.stack) > 1 && b.is(b.stack[1], tBody)
	switch {
	case tag == tHtml && b.templates == 0:
		b.mergeAttributes(b.stack[0])
	case tag == tBody && inBody && b.templates == 0:
		b.framesetOK = false
		b.mergeAttributes(b.stack[1])
	case tag == tFrameset && inBody && b.framesetOK:
		b.detach(b.stack[1])
		b.popTo(1)
		b.insert()
		b.mode = modeInFrameset
	}
}

// itemStartTag closes the list item or the term before it.
func (b *builder) itemStartTag(tag tagID) {
	b.framesetOK = false
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		n := &b.nodes[b.stack[i]]
		if n.is(tag) || tag == tDd && n.is(tDt) || tag == tDt && n.is(tDd) {
			b.generateImplied(n.tag)
			b.popTo(i)
			break
		}
		if b.special(b.stack[i]) && !n.is(tAddress) && !n.is(tDiv) && !n.is(tP) {
			break
		}
	}
	b.closeP()
	b.insert()
}

func (b *builder) formStartTag() {
	if b.form != 0 && b.templates == 0 {
		return
	}
	b.closeP()
	id := b.insert()
	if b.templates == 0 {
		b.form = id
	}
}

// controlStartTag handles form controls, with the rules of the customizable
// select.
func (b *builder) controlStartTag(tag tagID) {
	selectAt := b.tagInScope(inScope, tSelect)
	switch tag {
	case tInput:
		if selectAt >= 0 {
			b.popTo(selectAt)
		}
		b.reconstruct()
		b.insertVoid()
		if b.framesetOK && !b.hiddenInput() {
			b.framesetOK = false
		}
	case tButton:
		if b.tagInScope(inScope, tButton) >= 0 {
			b.generateImplied(tNone)
			b.popTo(b.tagInScope(inScope, tButton))
		}
		b.insertFormatted()
		b.framesetOK = false
	case tSelect:
		if selectAt >= 0 {
			b.popTo(selectAt)
			return
		}
		b.insertFormatted()
		b.framesetOK = false
	case tOption, tOptgroup:
		except := tNone
		if tag == tOption {
			except = tOptgroup
		}
		switch {
		case selectAt >= 0:
			b.generateImplied(except)
		case b.currentIs(tOption):
			b.pop()
		}
		b.insertFormatted()
	}
}

// textualStartTag handles elements that treat their text in a way of its own.
func (b *builder) textualStartTag(tag tagID) {
	switch tag {
	case tPre, tListing:
		b.closeP()
		b.insert()
		b.skipNewline = true
		b.framesetOK = false
	case tTextarea, tIframe:
		b.framesetOK = false
		b.raw()
	case tXmp:
		b.closeP()
		b.reconstruct()
		b.framesetOK = false
		b.raw()
	case tNoembed:
		b.raw()
	case tNoscript:
		if b.opts.Scripting {
			b.raw()
			return
		}
		b.insertFormatted()
	case tPlaintext:
		b.closeP()
		b.insert()
		rest := text{b.pos, len(b.src), true}
		b.tok = token{kind: tokenText, literal: true, start: rest.start, end: rest.end}
		b.pos = len(b.src)
		b.textToken(rest)
	}
}

// formattingStartTag handles the formatting elements.
func (b *builder) formattingStartTag() {
	switch b.tok.tag {
	case tA:
		if i := b.lastListed(tA); i >= 0 {
			id := b.formatting[i].id
			b.adopt(tA, false)
			if j := b.listIndex(id); j >= 0 {
				b.listRemove(j)
			}
			b.removeFromStack(id)
		}
	case tNobr:
		b.reconstruct()
		if b.tagInScope(inScope, tNobr) >= 0 {
			b.adopt(tNobr, false)
		}
	}
	b.reconstruct()
	b.listPush(b.insert())
}

// rubyStartTag closes what rb, rt, rtc and rp close.
func (b *builder) rubyStartTag(except tagID) {
	if b.tagInScope(inScope, tRuby) >= 0 {
		b.generateImplied(except)
	}
	b.insert()
}

func (b *builder) foreignRoot(ns NS) {
	b.reconstruct()
	id := b.insertForeign(ns)
	if b.tok.selfClosing {
		b.popVoid(id)
	}
}
