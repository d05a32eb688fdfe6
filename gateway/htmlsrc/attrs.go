package htmlsrc

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"proofmark/gateway/core"
)

// Attr is one attribute of a start tag. Of several with one name the first
// counts, as in the DOM; the others are only spans.
type Attr struct {
	Name       string      // qualified, as the DOM has it
	Value      string      // decoded
	Span       core.Span   // from the name to behind the value and its quote
	NameSpan   core.Span   // as written
	ValueSpan  core.Span   // as written, without quotes; empty behind the name where there is none
	HasValue   bool        // there is an equals sign
	Quote      byte        // the quote around the value, 0 for none
	Duplicates []core.Span // later attributes of the same name, which the DOM drops
}

// Attrs gives the attributes of the element's start tag in source order. It
// reads them from the source at every call. For html and body elements see
// LateTags too.
func (t *Tree) Attrs(id ID) []Attr {
	n := &t.nodes[id]
	if n.isText() || n.open < 0 {
		return nil
	}
	return t.attrsAt(int(n.open), n.ns())
}

// Attr gives the element's attribute of that name.
func (t *Tree) Attr(id ID, name string) (Attr, bool) {
	for _, a := range t.Attrs(id) {
		if a.Name == name {
			return a, true
		}
	}
	return Attr{}, false
}

// attrsAt reads the attributes of the start tag at offset open.
func (t *Tree) attrsAt(open int, ns NS) []Attr {
	var out []Attr
	var byName map[string]int // made where looking through out would take long
	i := tagNameEnd(t.src, open+1)
	for {
		for i < len(t.src) && (isSpace(t.src[i]) || t.src[i] == '/') {
			i++
		}
		if i >= len(t.src) || t.src[i] == '>' {
			return out
		}
		a, end := t.readAttr(i, ns)
		if end < 0 {
			return out
		}
		i = end
		if first := find(out, byName, a.Name); first != nil {
			first.Duplicates = append(first.Duplicates, a.Span)
			continue
		}
		out = append(out, a)
		if byName == nil && len(out) == 32 {
			byName = make(map[string]int, 64)
			for k := range out {
				byName[out[k].Name] = k
			}
		}
		if byName != nil {
			byName[a.Name] = len(out) - 1
		}
	}
}

// find gives the attribute of that name; index may be nil.
func find(as []Attr, index map[string]int, name string) *Attr {
	if index != nil {
		if i, ok := index[name]; ok {
			return &as[i]
		}
		return nil
	}
	for i := range as {
		if as[i].Name == name {
			return &as[i]
		}
	}
	return nil
}

// readAttr reads the attribute that begins at i; the steps are those of
// attributeEnd.
func (t *Tree) readAttr(i int, ns NS) (Attr, int) {
	src := t.src
	end := attributeEnd(src, i)
	if end < 0 {
		return Attr{}, -1
	}
	nameEnd := skip(src, i+1, endsAttrName)
	a := Attr{
		NameSpan:  core.Span{Start: i, End: nameEnd},
		Span:      core.Span{Start: i, End: nameEnd},
		ValueSpan: core.Span{Start: nameEnd, End: nameEnd},
		Name:      attrName(src[i:nameEnd], ns),
	}
	v := nameEnd
	for v < end && isSpace(src[v]) {
		v++
	}
	if v >= end || src[v] != '=' {
		return a, end // end may be behind white space
	}
	a.HasValue = true
	v++
	for v < end && isSpace(src[v]) {
		v++
	}
	a.Span.End = end
	a.ValueSpan = core.Span{Start: v, End: end}
	if v < end && (src[v] == '"' || src[v] == '\'') {
		a.Quote = src[v]
		a.ValueSpan = core.Span{Start: v + 1, End: end - 1}
	}
	a.Value = decodeValue(src[v:end], a.Quote)
	return a, end
}

// decodeValue decodes an attribute value as written, quotes included.
func decodeValue(raw []byte, quote byte) string {
	if bytes.IndexByte(raw, '&') < 0 {
		if quote != 0 {
			raw = raw[1 : len(raw)-1]
		}
		return strings.ReplaceAll(unifyNewlines(string(raw)), "\x00", "\ufffd")
	}
	z := html.NewTokenizer(strings.NewReader("<a x=" + string(raw) + ">"))
	z.Next()
	z.TagName()
	_, v, _ := z.TagAttr()
	return strings.ReplaceAll(string(v), "\x00", "\ufffd")
}

// unifyNewlines turns CRLF and CR into LF, as the browser does before it reads.
func unifyNewlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// attrName gives the qualified name that the DOM gives an attribute.
func attrName(raw []byte, ns NS) string {
	low := string(appendLower(nil, raw))
	switch ns {
	case SVG:
		if s, ok := svgAttrNames[low]; ok {
			return s
		}
	case MathML:
		if low == "definitionurl" {
			return "definitionURL"
		}
	}
	return low
}

// TagNameSpan gives the bytes of the name in the element's start tag.
func (t *Tree) TagNameSpan(id ID) (core.Span, bool) {
	s, ok := t.StartTag(id)
	if !ok {
		return core.Span{}, false
	}
	return core.Span{Start: s.Start + 1, End: tagNameEnd(t.src, s.Start+1)}, true
}

// LateTags gives the html or body start tags that only added attributes to the
// element: the first of them made none, and what an element has from it may be
// hidden by an attribute of its own tag.
func (t *Tree) LateTags(id ID) []core.Span {
	n := &t.nodes[id]
	if !n.is(tHtml) && !n.is(tBody) {
		return nil
	}
	var out []core.Span
	for _, at := range t.late {
		nameEnd := tagNameEnd(t.src, int(at)+1)
		if knownTag(t.src[at+1:nameEnd]) == n.tag {
			end, _ := tagEnd(t.src, nameEnd)
			out = append(out, core.Span{Start: int(at), End: end})
		}
	}
	return out
}
