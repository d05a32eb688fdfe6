package htmlsrc

// "In table" and the modes directly below it: caption and column group.

func (b *builder) inTable() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		if done, known := b.tableStartTag(); known {
			return done
		}
	case tokenEnd:
		switch t.tag {
		case tTable:
			if i := b.tagInScope(inTableScope, tTable); i >= 0 {
				b.closeTo(i)
				b.resetMode()
			}
			return true
		case tBody, tCaption, tCol, tColgroup, tHtml, tTbody, tTd, tTfoot, tTh, tThead, tTr:
			return true
		case tTemplate:
			return b.inHead()
		}
	case tokenEOF:
		return b.inBody()
	}
	b.fosterParenting = true
	done := b.inBody()
	b.fosterParenting = false
	return done
}

// tableStartTag handles the start tags that "in table" has a rule for.
func (b *builder) tableStartTag() (done, known bool) {
	switch b.tok.tag {
	case tCaption:
		b.clearTo(tTable)
		b.listMarker()
		b.insert()
		b.mode = modeInCaption
	case tColgroup:
		b.clearTo(tTable)
		b.insert()
		b.mode = modeInColumnGroup
	case tCol:
		b.clearTo(tTable)
		b.insertImplied(tColgroup)
		b.mode = modeInColumnGroup
		return false, true
	case tTbody, tTfoot, tThead:
		b.clearTo(tTable)
		b.insert()
		b.mode = modeInTableBody
	case tTd, tTh, tTr:
		b.clearTo(tTable)
		b.insertImplied(tTbody)
		b.mode = modeInTableBody
		return false, true
	case tTable:
		i := b.tagInScope(inTableScope, tTable)
		if i < 0 {
			return true, true
		}
		b.popTo(i)
		b.resetMode()
		return false, true
	case tStyle, tScript, tTemplate:
		return b.inHead(), true
	case tInput:
		if !b.hiddenInput() {
			return false, false
		}
		b.insertVoid()
	case tForm:
		b.formInTable()
	default:
		return false, false
	}
	return true, true
}

// formInTable makes an empty form element. The standard ignores the tag inside
// a template; Chromium does not.
func (b *builder) formInTable() {
	if b.templates == 0 && b.form != 0 {
		return
	}
	id := b.insert()
	b.popVoid(id)
	if b.templates == 0 {
		b.form = id
	}
}

func (b *builder) hiddenInput() bool {
	v, _ := b.tokenAttr("type")
	return len(v) == 6 && equalFold([]byte(v), "hidden")
}

func (b *builder) inCaption() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tCaption, tCol, tColgroup, tTbody, tTd, tTfoot, tTh, tThead, tTr:
			return !b.leaveCaption(false)
		}
	case tokenEnd:
		switch t.tag {
		case tCaption:
			b.leaveCaption(true)
			return true
		case tTable:
			return !b.leaveCaption(false)
		case tBody, tCol, tColgroup, tHtml, tTbody, tTd, tTfoot, tTh, tThead, tTr:
			return true
		}
	}
	return b.inBody()
}

// leaveCaption closes the caption, if there is one in scope.
func (b *builder) leaveCaption(byTag bool) bool {
	if b.tagInScope(inTableScope, tCaption) < 0 {
		return false
	}
	b.generateImplied(tNone)
	i := b.tagInScope(inTableScope, tCaption)
	if byTag {
		b.closeTo(i)
	} else {
		b.popTo(i)
	}
	b.clearToMarker()
	b.mode = modeInTable
	return true
}

func (b *builder) inColumnGroup() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tCol:
			b.insertVoid()
			return true
		case tTemplate:
			return b.inHead()
		}
	case tokenEnd:
		switch t.tag {
		case tColgroup:
			if b.currentIs(tColgroup) {
				b.closeTo(len(b.stack) - 1)
				b.mode = modeInTable
			}
			return true
		case tCol:
			return true
		case tTemplate:
			return b.inHead()
		}
	case tokenEOF:
		return b.inBody()
	}
	if !b.currentIs(tColgroup) {
		return true
	}
	b.pop()
	b.mode = modeInTable
	return false
}
