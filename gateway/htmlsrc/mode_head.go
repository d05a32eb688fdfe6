package htmlsrc

// The modes of the head: in head, in head noscript, after head.

func (b *builder) inHead() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		return b.headStartTag()
	case tokenEnd:
		switch t.tag {
		case tHead:
			b.closeTo(len(b.stack) - 1)
			b.mode = modeAfterHead
			return true
		case tTemplate:
			b.templateEndTag()
			return true
		case tBody, tHtml, tBr:
		default:
			return true
		}
	}
	return b.again()
}

func (b *builder) headStartTag() bool {
	switch b.tok.tag {
	case tHtml:
		return b.inBody()
	case tBase, tBasefont, tBgsound, tLink, tMeta:
		b.insertVoid()
	case tTitle, tNoframes, tStyle, tScript:
		b.raw()
	case tNoscript:
		if b.opts.Scripting {
			b.raw()
			return true
		}
		b.insert()
		b.mode = modeInHeadNoscript
	case tTemplate:
		b.templateStartTag()
	case tHead:
	default:
		return b.again()
	}
	return true
}

func (b *builder) inHeadNoscript() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tBasefont, tBgsound, tLink, tMeta, tNoframes, tStyle:
			return b.inHead()
		case tNoscript: // and head, says the standard; Chromium leaves the noscript
			return true
		}
	case tokenEnd:
		switch t.tag {
		case tNoscript:
			b.closeTo(len(b.stack) - 1)
			b.mode = modeInHead
			return true
		case tBr:
		default:
			return true
		}
	}
	return b.again()
}

func (b *builder) afterHead() bool {
	switch t := &b.tok; t.kind {
	case tokenDoctype:
		return true
	case tokenStart:
		switch t.tag {
		case tHtml:
			return b.inBody()
		case tBody:
			b.insert()
			b.framesetOK = false
			b.mode = modeInBody
			return true
		case tFrameset:
			b.insert()
			b.mode = modeInFrameset
			return true
		case tBase, tBasefont, tBgsound, tLink, tMeta, tNoframes, tScript, tStyle, tTemplate, tTitle:
			return b.backInHead()
		case tHead:
			return true
		}
	case tokenEnd:
		switch t.tag {
		case tTemplate:
			return b.inHead()
		case tBody, tHtml, tBr:
		default:
			return true
		}
	}
	return b.again()
}

// backInHead puts the element of a start tag that came late into the head.
func (b *builder) backInHead() bool {
	end := b.nodes[b.head].end
	b.push(b.head)
	done := b.inHead()
	b.removeFromStack(b.head)
	b.nodes[b.head].end = end
	return done
}
