package htmlsrc

import (
	"strings"

	"golang.org/x/net/html"

	"proofmark/gateway/core"
)

// TextRuns gives the text runs directly in an element, in order. Two runs are
// one text node in the DOM where only an ignored tag stands between them.
func (t *Tree) TextRuns(id ID) []ID {
	var out []ID
	for c := t.nodes[id].first; c != 0; c = t.nodes[c].next {
		if t.nodes[c].isText() {
			out = append(out, c)
		}
	}
	return out
}

// TextSpan gives the bytes of a text run. The newline that is dropped behind
// <pre>, <listing> and <textarea> is not in it.
func (t *Tree) TextSpan(id ID) core.Span {
	n := &t.nodes[id]
	return core.Span{Start: int(n.open), End: int(n.openEnd)}
}

// Text gives a text run as the DOM has it: character references decoded where
// they count, newlines unified.
func (t *Tree) Text(id ID) string {
	n := &t.nodes[id]
	s := unifyNewlines(string(t.src[n.open:n.openEnd]))
	if n.bits&flagLiteral != 0 {
		return s
	}
	return html.UnescapeString(strings.ReplaceAll(s, "\x00", ""))
}

// Literal tells whether character references in the text run stand for
// themselves: in script, style and the like, and in CDATA sections.
func (t *Tree) Literal(id ID) bool { return t.nodes[id].bits&flagLiteral != 0 }

// RawText tells whether the element's text runs up to its own end tag, so that
// markup in it is text: script, style, title, textarea, xmp, iframe, noembed,
// noframes, plaintext, and noscript with scripting on.
func (t *Tree) RawText(id ID) bool {
	n := &t.nodes[id]
	if n.ns() != HTML {
		return false
	}
	switch n.tag {
	case tScript, tStyle, tTitle, tTextarea, tXmp, tIframe, tNoembed, tNoframes, tPlaintext:
		return true
	case tNoscript:
		return t.opts.Scripting
	}
	return false
}

// HasReferences tells whether character references count in an element of
// which RawText is true: title and textarea.
func (t *Tree) HasReferences(id ID) bool { return hasReferences(t.nodes[id].tag) }
