package htmlsrc

// "In body": the end tags.

func (b *builder) bodyEndTag() bool {
	tag := b.tok.tag
	if tag >= firstUnknown {
		b.anyOtherEndTag(tag)
		return true
	}
	c := class[tag]
	switch {
	case c&cFormatting != 0:
		b.adopt(tag, true)
	case c&cHeading != 0:
		b.headingEndTag()
	case c&cBlock != 0 && tag != tP || tag == tButton || tag == tListing || tag == tPre || tag == tSelect:
		b.endTagInScope(inScope, tag, tNone)
	default:
		return b.bodyEndTagByName(tag)
	}
	return true
}

func (b *builder) bodyEndTagByName(tag tagID) bool {
	switch tag {
	case tTemplate:
		b.templateEndTag()
	case tBody:
		if i := b.tagInScope(inScope, tBody); i >= 0 {
			b.mode = modeAfterBody
			b.closed(b.stack[i])
		}
	case tHtml:
		if b.tagInScope(inScope, tBody) < 0 {
			return true
		}
		b.mode = modeAfterBody
		return false
	case tForm:
		b.formEndTag()
	case tP:
		if b.tagInScope(inButtonScope, tP) < 0 {
			b.nodes[b.insertImplied(tP)].bits |= flagEndTag
		}
		b.endTagInScope(inButtonScope, tP, tP)
	case tLi:
		b.endTagInScope(inListItemScope, tLi, tLi)
	case tDd, tDt:
		b.endTagInScope(inScope, tag, tag)
	case tApplet, tMarquee, tObject:
		if b.endTagInScope(inScope, tag, tNone) {
			b.clearToMarker()
		}
	case tBr:
		b.reconstruct()
		id := b.insertImplied(tBr)
		b.popVoid(id)
		b.nodes[id].bits |= flagEndTag
		b.framesetOK = false
	default:
		b.anyOtherEndTag(tag)
	}
	return true
}

// endTagInScope closes the topmost element of that name, if it is in scope.
func (b *builder) endTagInScope(kind scopeKind, tag, except tagID) bool {
	if b.tagInScope(kind, tag) < 0 {
		return false
	}
	b.generateImplied(except)
	b.closeTo(b.tagInScope(kind, tag))
	return true
}

// headingEndTag closes the topmost heading, whatever its level.
func (b *builder) headingEndTag() {
	heading := func(id ID) bool { return b.has(id, cHeading) }
	if b.scopeIndex(inScope, heading) < 0 {
		return
	}
	b.generateImplied(tNone)
	b.closeTo(b.scopeIndex(inScope, heading))
}

// formEndTag takes the form out of the stack, which may leave its children on.
func (b *builder) formEndTag() {
	if b.templates > 0 {
		b.anyOtherEndTag(tForm) // as Chromium does it; the standard looks in scope
		return
	}
	form := b.form
	b.form = 0
	if form == 0 || !b.idInScope(form) {
		return
	}
	b.generateImplied(tNone)
	b.removeFromStack(form)
	b.closed(form)
}

// anyOtherEndTag is the rule of every end tag without one of its own.
func (b *builder) anyOtherEndTag(t tagID) {
	if b.open[t] == 0 {
		return
	}
	for i := len(b.stack) - 1; i >= 0; i-- {
		b.steps++
		id := b.stack[i]
		if b.is(id, t) {
			b.generateImplied(t)
			b.closeTo(i)
			return
		}
		if b.special(id) {
			return
		}
	}
}
