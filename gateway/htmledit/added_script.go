package htmledit

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// script looks at a script element. Data blocks, whose type no browser runs, are
// not scripts.
func (c *collector) script(id htmlsrc.ID, attrs []htmlsrc.Attr) {
	kind := scriptType(attrs)
	if !runs(kind) {
		return
	}
	src := value(attrs, "src")
	if c.t.NS(id) != htmlsrc.HTML {
		src = value(attrs, "href") + value(attrs, "xlink:href")
	}
	text := c.rawText(id)
	if src != "" {
		c.add(FlagScript, "script "+kind, "from "+src)
	}
	if src == "" || strings.Trim(text, spaces) != "" {
		c.add(FlagScript, "script "+kind, text)
		c.code("script", text)
	}
}

// scriptTypes are what browsers run, or what steers what they run.
var scriptTypes = set("module importmap speculationrules text/javascript application/javascript application/ecmascript " +
	"application/x-ecmascript application/x-javascript text/ecmascript text/javascript1.0 text/javascript1.1 " +
	"text/javascript1.2 text/javascript1.3 text/javascript1.4 text/javascript1.5 text/jscript text/livescript " +
	"text/x-ecmascript text/x-javascript text/babel text/vbscript")

func runs(kind string) bool {
	kind, _, _ = strings.Cut(lower(kind), ";")
	kind = strings.Trim(kind, spaces)
	return kind == "" || scriptTypes[kind]
}

// code looks for the registration of a service worker in script text.
func (c *collector) code(where, text string) {
	low := lower(text)
	if strings.Contains(low, "serviceworker") {
		c.add(FlagServiceWorker, where, text)
	}
}

// rawText gives the text between an element's tags as written. In SVG it may
// hold markup.
func (c *collector) rawText(id htmlsrc.ID) string {
	tag, ok := c.t.StartTag(id)
	if !ok || c.t.Void(id) {
		return ""
	}
	var b strings.Builder
	for r := c.t.FirstChild(id); r != 0; r = c.t.NextSibling(r) {
		if c.t.IsText(r) {
			b.WriteString(c.t.Text(r))
		}
	}
	if end, ok := c.t.EndTag(id); ok && b.Len() == 0 {
		span := core.Span{Start: tag.End, End: end.Start}
		b.Write(c.t.Source()[span.Start:span.End])
	}
	return b.String()
}
