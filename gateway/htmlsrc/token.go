package htmlsrc

import "bytes"

type tokenKind uint8

const (
	tokenText tokenKind = iota
	tokenStart
	tokenEnd
	tokenComment // comments, bogus comments, and all else that makes no node here
	tokenDoctype
	tokenEOF
)

// token is one token, as byte ranges of the source.
type token struct {
	kind        tokenKind
	selfClosing bool
	literal     bool // text without character references (CDATA)
	tag         tagID
	start, end  int // the whole token
}

// text gives a text token's run.
func (t *token) text() text { return text{t.start, t.end, t.literal} }

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// ends says which bytes end what, as bits: the tokenizer asks for every byte of
// every tag.
var ends = func() (t [256]byte) {
	for _, c := range " \n\t\r\f" {
		t[c] = space | endsTagName | endsAttrName | endsValue
	}
	t['/'] = endsTagName | endsAttrName
	t['>'] = endsTagName | endsAttrName | endsValue
	t['='] = endsAttrName
	return t
}()

const (
	space        = 1 << iota
	endsTagName  // a tag's name
	endsAttrName // an attribute's name
	endsValue    // an unquoted attribute value
)

func isSpace(c byte) bool { return ends[c]&space != 0 }

// skip gives the offset of the first byte at or behind i that is in the class.
func skip(src []byte, i int, class byte) int {
	for i < len(src) && ends[src[i]]&class == 0 {
		i++
	}
	return i
}

// skipSpace gives the offset of the first byte at or behind i that is no white
// space.
func skipSpace(src []byte, i int) int {
	for i < len(src) && ends[src[i]]&space != 0 {
		i++
	}
	return i
}

// next reads one token in the data state into b.tok.
func (b *builder) next() {
	src, pos := b.src, b.pos
	t := &b.tok
	t.start, t.literal, t.selfClosing = pos, false, false
	if pos >= len(src) {
		t.kind, t.end = tokenEOF, pos
		return
	}
	if src[pos] != '<' || !b.markupAt(pos) {
		b.textRun(pos)
		return
	}
	switch c := src[pos+1]; {
	case isLetter(c):
		b.tagToken(pos+1, tokenStart)
	case c == '/':
		if isLetter(src[pos+2]) {
			b.tagToken(pos+2, tokenEnd)
			return
		}
		b.bogusComment(pos + 2) // "</>" makes nothing, "</" and another a bogus comment
	case c == '?':
		b.bogusComment(pos + 2)
	default:
		b.declaration(pos)
	}
}

// textRun reads text up to the next markup; the first byte is text.
func (b *builder) textRun(pos int) {
	src := b.src
	i := pos + 1
	for {
		j := bytes.IndexByte(src[i:], '<')
		if j < 0 {
			i = len(src)
			break
		}
		i += j
		if b.markupAt(i) {
			break
		}
		i++
	}
	b.tok.kind, b.tok.end = tokenText, i
	b.pos = i
}

// markupAt tells whether the '<' at i begins something other than text.
func (b *builder) markupAt(i int) bool {
	if i+1 >= len(b.src) {
		return false
	}
	c := b.src[i+1]
	return isLetter(c) || c == '!' || c == '?' || c == '/' && i+2 < len(b.src)
}

// declaration reads what begins with "<!" at pos.
func (b *builder) declaration(pos int) {
	rest := b.src[pos+2:]
	switch {
	case len(rest) >= 2 && rest[0] == '-' && rest[1] == '-':
		b.comment(pos + 4)
	case len(rest) >= 7 && equalFold(rest[:7], "doctype"):
		b.bogusComment(pos + 9)
		b.tok.kind = tokenDoctype
	case len(rest) >= 7 && string(rest[:7]) == "[CDATA[" && b.foreignCurrent():
		b.cdata(pos + 9)
	default:
		b.bogusComment(pos + 2)
	}
}

// cdata reads a CDATA section whose text begins at from: the token is the text
// between the brackets, b.pos is behind them.
func (b *builder) cdata(from int) {
	t := &b.tok
	t.kind, t.literal, t.start = tokenText, true, from
	if e := bytes.Index(b.src[from:], []byte("]]>")); e >= 0 {
		t.end, b.pos = from+e, from+e+3
		return
	}
	t.end, b.pos = len(b.src), len(b.src)
}

// bogusComment reads on to the next '>'.
func (b *builder) bogusComment(from int) {
	if e := bytes.IndexByte(b.src[from:], '>'); e >= 0 {
		b.pos = from + e + 1
	} else {
		b.pos = len(b.src)
	}
	b.tok.kind, b.tok.end = tokenComment, b.pos
}

// comment reads a comment whose text begins at from.
func (b *builder) comment(from int) {
	b.pos = from + commentEnd(b.src[from:])
	b.tok.kind, b.tok.end = tokenComment, b.pos
}

// commentEnd gives the offset behind the end of a comment whose text is s.
func commentEnd(s []byte) int {
	switch {
	case len(s) > 0 && s[0] == '>':
		return 1
	case len(s) > 1 && s[0] == '-' && s[1] == '>':
		return 2
	}
	for i := 0; ; i-- { // one back: "--->" ends a comment too
		j := bytes.Index(s[i:], []byte("--"))
		if j < 0 {
			return len(s)
		}
		i += j + 2
		if i < len(s) && s[i] == '>' {
			return i + 1
		}
		if i+1 < len(s) && s[i] == '!' && s[i+1] == '>' {
			return i + 2
		}
	}
}

// tagToken reads a tag whose name begins at i. Attributes are passed over; the
// end of the file inside a tag drops the tag.
func (b *builder) tagToken(i int, kind tokenKind) {
	name := i
	nameEnd := tagNameEnd(b.src, i)
	end, selfClosing := tagEnd(b.src, nameEnd)
	t := &b.tok
	if end < 0 {
		b.pos = len(b.src)
		t.kind, t.start, t.end = tokenEOF, b.pos, b.pos
		return
	}
	t.kind, t.end, t.selfClosing = kind, end, selfClosing
	t.tag = b.tagID(b.src[name:nameEnd])
	b.pos = end
}

// tagNameEnd gives the end of the tag name that begins at i.
func tagNameEnd(src []byte, i int) int { return skip(src, i, endsTagName) }

// tagEnd passes over a tag's attributes from the end of its name, and gives
// the offset behind its '>', or -1 where the source ends before.
func tagEnd(src []byte, i int) (end int, selfClosing bool) {
	for {
		if i = skipSpace(src, i); i >= len(src) {
			return -1, false
		}
		switch src[i] {
		case '>':
			return i + 1, false
		case '/':
			i++
			if i < len(src) && src[i] == '>' {
				return i + 1, true
			}
		default:
			if i = attributeEnd(src, i); i < 0 {
				return -1, false
			}
		}
	}
}

// attributeEnd passes over one attribute, and gives the offset behind it, or
// -1 where the source ends before.
func attributeEnd(src []byte, i int) int {
	i = skip(src, i+1, endsAttrName) // the first character of a name may be '='
	if i = skipSpace(src, i); i >= len(src) {
		return -1
	}
	if src[i] != '=' {
		return i
	}
	if i = skipSpace(src, i+1); i >= len(src) {
		return -1
	}
	switch q := src[i]; q {
	case '"', '\'':
		j := bytes.IndexByte(src[i+1:], q)
		if j < 0 {
			return -1
		}
		return i + j + 2
	case '>':
		return i
	}
	if i = skip(src, i, endsValue); i >= len(src) {
		return -1
	}
	return i
}

// tagID gives the id of a tag name.
func (b *builder) tagID(name []byte) tagID {
	if t := knownTag(name); t != tNone {
		return t
	}
	var buf [64]byte
	low := appendLower(buf[:0], name)
	if t, ok := b.nameIDs[string(low)]; ok {
		return t
	}
	if len(b.unknown) > maxNames {
		return firstUnknown // failed ends the parse
	}
	if b.nameIDs == nil {
		b.nameIDs = map[string]tagID{}
	}
	t := firstUnknown + tagID(len(b.unknown))
	s := string(low)
	b.nameIDs[s] = t
	b.unknown = append(b.unknown, s)
	b.open = append(b.open, 0)
	return t
}

// appendLower appends a name in ASCII lower case, NUL as U+FFFD.
func appendLower(dst, name []byte) []byte {
	for _, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case c == 0:
			dst = append(dst, "\ufffd"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// name gives a tag's lower-case name.
func (b *builder) name(t tagID) string {
	if t < firstUnknown {
		return tagNames[t]
	}
	return b.unknown[t-firstUnknown]
}
