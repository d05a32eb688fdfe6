package htmlsrc

// The modes inside a table: table body, row, cell.

func (b *builder) inTableBody() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tTr:
			b.clearTo(tTbody, tTfoot, tThead)
			b.insert()
			b.mode = modeInRow
			return true
		case tTh, tTd:
			b.clearTo(tTbody, tTfoot, tThead)
			b.insertImplied(tTr)
			b.mode = modeInRow
			return false
		case tCaption, tCol, tColgroup, tTbody, tTfoot, tThead:
			return b.leaveSection()
		}
	case tokenEnd:
		switch t.tag {
		case tTbody, tTfoot, tThead:
			if b.tagInScope(inTableScope, t.tag) >= 0 {
				b.clearTo(tTbody, tTfoot, tThead)
				b.closeTo(len(b.stack) - 1)
				b.mode = modeInTable
			}
			return true
		case tTable:
			return b.leaveSection()
		case tBody, tCaption, tCol, tColgroup, tHtml, tTd, tTh, tTr:
			return true
		}
	}
	return b.inTable()
}

// leaveSection closes the open table section and has the token handled again.
func (b *builder) leaveSection() bool {
	section := func(id ID) bool { return b.is(id, tTbody) || b.is(id, tThead) || b.is(id, tTfoot) }
	if b.scopeIndex(inTableScope, section) < 0 {
		return true
	}
	b.clearTo(tTbody, tTfoot, tThead)
	b.pop()
	b.mode = modeInTable
	return false
}

func (b *builder) inRow() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tTh, tTd:
			b.clearTo(tTr)
			b.insert()
			b.mode = modeInCell
			b.listMarker()
			return true
		case tCaption, tCol, tColgroup, tTbody, tTfoot, tThead, tTr:
			return b.leaveRow()
		}
	case tokenEnd:
		switch t.tag {
		case tTr:
			if b.tagInScope(inTableScope, tTr) >= 0 {
				b.clearTo(tTr)
				b.closeTo(len(b.stack) - 1)
				b.mode = modeInTableBody
			}
			return true
		case tTable:
			return b.leaveRow()
		case tTbody, tTfoot, tThead:
			if b.tagInScope(inTableScope, t.tag) < 0 {
				return true
			}
			return b.leaveRow()
		case tBody, tCaption, tCol, tColgroup, tHtml, tTd, tTh:
			return true
		}
	}
	return b.inTable()
}

// leaveRow closes the open row and has the token handled again.
func (b *builder) leaveRow() bool {
	if b.tagInScope(inTableScope, tTr) < 0 {
		return true
	}
	b.clearTo(tTr)
	b.pop()
	b.mode = modeInTableBody
	return false
}

func (b *builder) inCell() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tCaption, tCol, tColgroup, tTbody, tTd, tTfoot, tTh, tThead, tTr:
			if b.scopeIndex(inTableScope, b.isCell) < 0 {
				return true
			}
			return b.leaveCell()
		}
	case tokenEnd:
		switch t.tag {
		case tTd, tTh:
			if b.tagInScope(inTableScope, t.tag) >= 0 {
				b.generateImplied(tNone)
				b.closeTo(b.tagInScope(inTableScope, t.tag))
				b.clearToMarker()
				b.mode = modeInRow
			}
			return true
		case tBody, tCaption, tCol, tColgroup, tHtml:
			return true
		case tTable, tTbody, tTfoot, tThead, tTr:
			if b.tagInScope(inTableScope, t.tag) < 0 {
				return true
			}
			return b.leaveCell()
		}
	}
	return b.inBody()
}

func (b *builder) isCell(id ID) bool { return b.is(id, tTd) || b.is(id, tTh) }

// leaveCell closes the open cell and has the token handled again.
func (b *builder) leaveCell() bool {
	b.generateImplied(tNone)
	if i := b.scopeIndex(inTableScope, b.isCell); i >= 0 {
		b.popTo(i)
	}
	b.clearToMarker()
	b.mode = modeInRow
	return false
}
