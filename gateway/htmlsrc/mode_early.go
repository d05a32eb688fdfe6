package htmlsrc

// The modes up to the head: initial, before html, before head.

// actAsIfNothing does what an early mode does with a token it has no rule for:
// make the element that is missing, or leave the one that is open, and go on
// to the next mode.
func (b *builder) actAsIfNothing() {
	switch b.mode {
	case modeInitial:
		b.quirks = true
		b.mode = modeBeforeHTML
	case modeBeforeHTML:
		b.insertRoot(-1, -1)
		b.mode = modeBeforeHead
	case modeBeforeHead:
		b.head = b.insertImplied(tHead)
		b.mode = modeInHead
	case modeInHead:
		b.pop()
		b.mode = modeAfterHead
	case modeInHeadNoscript:
		b.pop()
		b.mode = modeInHead
	case modeAfterHead:
		b.insertImplied(tBody)
		b.framesetOK = true // as Chromium does; the standard leaves it
		b.mode = modeInBody
	}
}

// again is actAsIfNothing for a token that is then handled again.
func (b *builder) again() bool {
	b.actAsIfNothing()
	return false
}

// passesEarly tells whether an end tag is not ignored in the early modes.
func passesEarly(t tagID) bool { return t == tHead || t == tBody || t == tHtml || t == tBr }

func (b *builder) initial() bool {
	if b.tok.kind != tokenDoctype {
		return b.again()
	}
	b.quirks = quirksDoctype(b.src[b.tok.start:b.tok.end])
	b.mode = modeBeforeHTML
	return true
}

func (b *builder) beforeHTML() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		if t.tag == tHtml {
			b.insertRoot(t.start, t.end)
			b.mode = modeBeforeHead
			return true
		}
	case tokenEnd:
		if !passesEarly(t.tag) {
			return true
		}
	}
	return b.again()
}

func (b *builder) beforeHead() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tHead:
			b.head = b.insert()
			b.mode = modeInHead
			return true
		}
	case tokenEnd:
		if !passesEarly(t.tag) {
			return true
		}
	}
	return b.again()
}
