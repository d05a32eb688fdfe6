package htmlsrc

// textToken handles a text token in every mode.
func (b *builder) textToken(t text) {
	if t.start >= t.end {
		return // an empty CDATA section
	}
	if b.skipNewline {
		b.skipNewline = false
		t.start += b.newlineAtStart(t)
	}
	if t.start >= t.end {
		return
	}
	if len(b.stack) > 0 {
		cur := b.current()
		if b.nodes[cur].ns() != HTML && !b.textIntegrationPoint(cur) {
			b.notFrameset(t)
			b.addText(t)
			return
		}
		if b.mode == modeInTable || b.mode == modeInTableBody || b.mode == modeInRow {
			if b.has(cur, cTableish) { // the standard has template here too; Chromium has not
				b.keepTableText(t)
				return
			}
		}
	}
	for t.start < t.end && !b.failed() {
		t.start += b.modeText(t)
	}
}

// newlineAtStart gives the length of the newline at the start of t that is
// dropped behind <pre> and <listing>.
func (b *builder) newlineAtStart(t text) int {
	s := b.src[t.start:t.end]
	if s[0] == '&' && !t.literal {
		if n, c := spaceReference(s); c == '\n' {
			return n
		}
		return 0
	}
	return newlineLen(s)
}

// notFrameset is "set the frameset-ok flag to not ok" for text that asks for it.
func (b *builder) notFrameset(t text) {
	if b.framesetOK && b.hasOther(t) {
		b.framesetOK = false
	}
}

func (b *builder) keepTableText(t text) {
	b.tableText = append(b.tableText, t)
	b.tableTextOther = b.tableTextOther || b.hasOther(t)
}

// flushTableText ends "in table text": white space goes in where it stands,
// all of it goes in front of the table where there is more than that.
func (b *builder) flushTableText() {
	if len(b.tableText) == 0 {
		return
	}
	kept, other := b.tableText, b.tableTextOther
	b.tableText, b.tableTextOther = kept[:0], false
	if !other {
		for _, t := range kept {
			b.addText(t)
		}
		return
	}
	b.fosterParenting = true
	for _, t := range kept {
		b.bodyText(t)
	}
	b.fosterParenting = false
}

// bodyText is text "in body".
func (b *builder) bodyText(t text) {
	if b.src[t.start] == 0 && b.onlyNUL(t) {
		if t.literal { // a CDATA section
			b.reconstruct()
		}
		return
	}
	b.reconstruct()
	b.notFrameset(t)
	b.addText(t)
}

// modeText handles the beginning of t and says how much of it, in bytes.
func (b *builder) modeText(t text) int {
	switch b.mode {
	case modeInitial, modeBeforeHTML, modeBeforeHead:
		if n := b.leadingSpace(t); n > 0 {
			return n // dropped
		}
		b.actAsIfNothing()
		return 0
	case modeInHead, modeInHeadNoscript, modeAfterHead:
		if n := b.spaceAsItIs(t); n > 0 {
			return n
		}
		b.actAsIfNothing()
		return 0
	case modeInColumnGroup:
		return b.columnGroupText(t)
	case modeAfterBody, modeAfterAfterBody:
		// "in body", says the standard; Chromium reconstructs nothing here.
		if n := b.spaceAsItIs(t); n > 0 {
			return n
		}
		b.mode = modeInBody
		return 0
	case modeInFrameset, modeAfterFrameset:
		if n := b.spaceAsItIs(t); n > 0 {
			return n
		}
		return 1 // dropped
	case modeAfterAfterFrameset:
		if n := b.leadingSpace(t); n > 0 {
			b.bodyText(text{t.start, t.start + n, t.literal})
			return n
		}
		return 1
	case modeInTable, modeInTableBody, modeInRow:
		b.fosterParenting = true
		b.bodyText(t)
		b.fosterParenting = false
	default:
		b.bodyText(t)
	}
	return t.end - t.start
}

// spaceAsItIs puts the white space at the start of t into the current node and
// gives its length.
func (b *builder) spaceAsItIs(t text) int {
	n := b.leadingSpace(t)
	b.addText(text{t.start, t.start + n, t.literal})
	return n
}

func (b *builder) columnGroupText(t text) int {
	if n := b.spaceAsItIs(t); n > 0 {
		return n
	}
	if !b.currentIs(tColgroup) {
		return 1 // dropped
	}
	b.pop()
	b.mode = modeInTable
	if b.has(b.current(), cTableish) { // the rest is text in a table
		b.keepTableText(t)
		return t.end - t.start
	}
	return 0
}
