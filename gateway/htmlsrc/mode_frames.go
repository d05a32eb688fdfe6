package htmlsrc

// The modes behind the body and those of framesets.

func (b *builder) afterBody() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		if t.tag == tHtml {
			return b.inBody()
		}
	case tokenEnd:
		if t.tag == tHtml {
			b.mode = modeAfterAfterBody
			b.closed(b.stack[0])
			return true
		}
	case tokenEOF:
		return b.stop()
	}
	b.mode = modeInBody
	return false
}

func (b *builder) afterAfterBody() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		if t.tag == tHtml {
			return b.inBody()
		}
	case tokenEOF:
		return b.stop()
	}
	b.mode = modeInBody
	return false
}

func (b *builder) inFrameset() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tFrameset:
			b.insert()
		case tFrame:
			b.insertVoid()
		case tNoframes:
			return b.inHead()
		}
	case tokenEnd:
		if t.tag == tFrameset && !b.currentIs(tHtml) {
			b.closeTo(len(b.stack) - 1)
			if !b.currentIs(tFrameset) {
				b.mode = modeAfterFrameset
			}
		}
	case tokenEOF:
		return b.stop()
	}
	return true
}

func (b *builder) afterFrameset() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tNoframes:
			return b.inHead()
		}
	case tokenEnd:
		if t.tag == tHtml {
			b.mode = modeAfterAfterFrameset
			b.closed(b.stack[0])
		}
	case tokenEOF:
		return b.stop()
	}
	return true
}

func (b *builder) afterAfterFrameset() bool {
	switch t := &b.tok; t.kind {
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tNoframes:
			return b.inHead()
		}
	case tokenEOF:
		return b.stop()
	}
	return true
}
