package htmlsrc

import "bytes"

// raw inserts an element whose text runs up to its own end tag (title,
// textarea, script, style, xmp, iframe …), and reads its text and end tag.
func (b *builder) raw() {
	id := b.insert()
	tag := b.tok.tag
	from := b.pos
	b.pos += rawTextEnd(b.src[from:], tag)
	if tag == tTextarea {
		from += newlineLen(b.src[from:b.pos])
	}
	b.addText(text{from, b.pos, !hasReferences(tag)})
	b.next() // the end tag, or the end of the file
	b.pop()
	if b.tok.kind == tokenEnd {
		b.closed(id)
	}
}

// hasReferences tells whether character references count in the text of an
// element whose text runs up to its own end tag.
func hasReferences(tag tagID) bool { return tag == tTitle || tag == tTextarea }

// newlineLen gives the length of a newline at the start of s.
func newlineLen(s []byte) int {
	switch {
	case len(s) > 1 && s[0] == '\r' && s[1] == '\n':
		return 2
	case len(s) > 0 && (s[0] == '\r' || s[0] == '\n'):
		return 1
	}
	return 0
}

// rawTextEnd gives the length of the text that runs up to the end tag.
func rawTextEnd(s []byte, tag tagID) int {
	if tag == tScript {
		return scriptEnd(s)
	}
	name := tagNames[tag]
	for i := 0; ; i++ {
		j := bytes.IndexByte(s[i:], '<')
		if j < 0 {
			return len(s)
		}
		i += j
		if endTagAt(s[i:], name) {
			return i
		}
	}
}

// endTagAt tells whether s begins with "</name" and a delimiter.
func endTagAt(s []byte, name string) bool {
	n := 2 + len(name)
	if len(s) <= n || s[1] != '/' || !equalFold(s[2:n], name) {
		return false
	}
	return delimiter(s[n])
}

func delimiter(c byte) bool { return isSpace(c) || c == '/' || c == '>' }

// scriptState is where in a script's text the tokenizer stands.
type scriptState uint8

const (
	scriptPlain   scriptState = iota
	scriptEscaped             // behind "<!--"
	scriptDouble              // behind "<!--" and "<script"
)

// scriptEnd gives the length of a script's text, after the rules for "<!--".
func scriptEnd(s []byte) int {
	state := scriptPlain
	for i := 0; i < len(s); {
		if state == scriptPlain {
			j := bytes.IndexByte(s[i:], '<')
			if j < 0 {
				return len(s)
			}
			i += j
			switch {
			case endTagAt(s[i:], "script"):
				return i
			case bytes.HasPrefix(s[i:], []byte("<!--")):
				state = scriptEscaped
				i += 2 // the two dashes may already be part of "-->"
			default:
				i++
			}
			continue
		}
		j := bytes.IndexAny(s[i:], "<-")
		if j < 0 {
			return len(s)
		}
		i += j
		if s[i] == '-' {
			n, ends := dashes(s[i:])
			i += n
			if ends {
				state = scriptPlain
			}
			continue
		}
		switch {
		case state == scriptEscaped && endTagAt(s[i:], "script"):
			return i
		case state == scriptEscaped && scriptWord(s[i+1:]):
			state = scriptDouble
			i += 7
		case state == scriptDouble && i+1 < len(s) && s[i+1] == '/' && scriptWord(s[i+2:]):
			state = scriptEscaped
			i += 8
		default:
			i++
		}
	}
	return len(s)
}

// dashes gives the length of the dashes at the start of s, and whether they
// are two or more and a '>' ends the comment, which then is counted too.
func dashes(s []byte) (n int, ends bool) {
	for n < len(s) && s[n] == '-' {
		n++
	}
	if n >= 2 && n < len(s) && s[n] == '>' {
		return n + 1, true
	}
	return n, false
}

// scriptWord tells whether s begins with "script" and a delimiter.
func scriptWord(s []byte) bool {
	return len(s) > 6 && equalFold(s[:6], "script") && delimiter(s[6])
}
