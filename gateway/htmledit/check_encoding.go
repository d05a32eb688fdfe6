package htmledit

import (
	"bytes"
	"regexp"
	"strings"

	"proofmark/gateway/htmlsrc"
)

// utf8Labels are the names of UTF-8 in a declaration.
var utf8Labels = set("utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8")

// Browsers look for a declaration in the first bytes, before there is a tree.
const declaredWithin = 1024

var (
	declared  = regexp.MustCompile(`(?i)<meta[\t\n\f\r /][^>]*?charset[\t\n\f\r ]*=[\t\n\f\r ]*["']?[\t\n\f\r ]*([^\t\n\f\r "'/>;]+)`)
	charsetIn = regexp.MustCompile(`(?i)charset[\t\n\f\r ]*=[\t\n\f\r ]*["']?[\t\n\f\r ]*([^\t\n\f\r "';]+)`)
)

// encoding refuses edits by which a browser would read the page's bytes as
// another encoding than UTF-8, and so perhaps as other elements: those that
// declare another one, or take the declaration away.
func (c *comparison) encoding() error {
	mark := []byte("\ufeff")
	if bytes.HasPrefix(c.a.t.Source(), mark) {
		return nil // a byte-order mark counts above all
	}
	was, is := encodingsOf(c.b.t), encodingsOf(c.a.t)
	for label, n := range is.others {
		if n > was.others[label] {
			return unsafeEdit("the page would be declared to be %s, and is UTF-8", quoted(label))
		}
	}
	if !is.early && (was.early || bytes.HasPrefix(c.b.t.Source(), mark)) {
		return unsafeEdit("the page would not be declared to be UTF-8 any more")
	}
	return nil
}

// encodings is what a page declares.
type encodings struct {
	early  bool           // UTF-8, where browsers look for it
	others map[string]int // anything else, wherever it stands
}

func encodingsOf(t *htmlsrc.Tree) encodings {
	src := t.Source()
	out := encodings{others: map[string]int{}}
	for _, m := range declared.FindAllSubmatch(src[:min(len(src), 4*declaredWithin)], -1) {
		out.note(string(m[1]))
	}
	for id := range t.Elements() {
		tag, ok := t.StartTag(id)
		if !ok || t.Name(id) != "meta" || t.NS(id) != htmlsrc.HTML {
			continue
		}
		attrs := t.Attrs(id)
		label := strings.Trim(value(attrs, "charset"), spaces)
		if strings.EqualFold(strings.Trim(value(attrs, "http-equiv"), spaces), "content-type") && label == "" {
			if m := charsetIn.FindStringSubmatch(value(attrs, "content")); m != nil {
				label = m[1]
			}
		}
		if label == "" {
			continue
		}
		out.note(label)
		out.early = out.early || utf8Labels[lower(label)] && tag.End <= declaredWithin
	}
	return out
}

func (e encodings) note(label string) {
	if !utf8Labels[lower(label)] {
		e.others[lower(label)]++
	}
}
