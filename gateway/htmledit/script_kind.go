package htmledit

import (
	"encoding/json"
	"errors"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit/internal/jscheck"
	"proofmark/gateway/htmlsrc"
)

// codeKind says what a piece of code is and so how it is checked.
type codeKind uint8

const (
	codeOther   codeKind = iota // of a type that nothing here reads
	codeClassic                 // a script
	codeModule                  // a script of type module
	codeHandler                 // the value of an event-handler attribute
	codeJSON                    // data
	codeSteer                   // JSON that steers what scripts run or what loads: import maps, speculation rules
)

// jsonTypes are the types of script elements that hold JSON as data.
var jsonTypes = set("application/json text/json application/ld+json application/geo+json application/manifest+json")

// kindOf gives the kind of a script element.
func kindOf(t *htmlsrc.Tree, id htmlsrc.ID, attrs []htmlsrc.Attr) codeKind {
	if t.NS(id) != htmlsrc.HTML {
		return codeOther // in SVG the text may hold markup and references
	}
	switch kind := strings.Trim(lower(scriptType(attrs)), spaces); {
	case kind == "importmap" || kind == "speculationrules":
		return codeSteer
	case jsonTypes[kind]:
		return codeJSON
	case kind == "module":
		return codeModule
	case kind == "text/babel" || kind == "text/vbscript":
		return codeOther
	case runs(kind):
		return codeClassic
	}
	return codeOther
}

// scriptType gives the type a script element states, in words of its type
// attribute.
func scriptType(attrs []htmlsrc.Attr) string {
	kind, typed := "", false
	for _, a := range attrs {
		if n := lower(a.Name); n == "type" || n == "language" && !typed {
			kind, typed = a.Value, n == "type"
			if n == "language" && kind != "" {
				kind = "text/" + kind
			}
		}
	}
	return kind
}

// correct tells whether text is what its kind says it is; if not, why. Nothing
// is known of codeOther.
func correct(text string, k codeKind) error {
	switch k {
	case codeClassic:
		return jscheck.Check(text, jscheck.Classic)
	case codeModule:
		return jscheck.Check(text, jscheck.Module)
	case codeHandler:
		return jscheck.Check(text, jscheck.Handler)
	case codeJSON, codeSteer:
		return correctJSON(text)
	}
	return errUnread
}

var errUnread = errors.New("code of this type cannot be checked")

func correctJSON(text string) error {
	var v json.RawMessage
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return errors.New("it is not JSON: " + err.Error())
	}
	return nil
}

// language names the language of a kind for a sentence.
func (k codeKind) language() string {
	if k == codeJSON || k == codeSteer {
		return "JSON"
	}
	return "JavaScript"
}

// code is one place of a page that holds code: the text of a script element, or
// the value of an event handler.
type code struct {
	id      htmlsrc.ID
	tag     core.Span // the start tag
	element core.Span // from the start tag to behind the end tag
	name    string    // of the handler, in lower case; "" for a script's text
	attr    core.Span // the handler's attribute
	span    core.Span // of the code as written
	valued  bool      // the handler has a value
	bare    bool      // its value has no quotes
	kind    codeKind
	text    string // as it is run
}

// codeIn gives the code of the elements whose bytes the spans touch, borders
// included, in source order. A tag that makes several elements counts once.
func codeIn(t *htmlsrc.Tree, s *side) []code {
	var out []code
	seen := map[int]bool{}
	src := t.Source()
	for id := range t.Elements() {
		tag, ok := t.StartTag(id)
		if !ok {
			continue
		}
		script := t.Name(id) == "script" && !t.Void(id)
		element := tag
		if script {
			element.End = len(src)
			if end, closed := t.EndTag(id); closed {
				element.End = end.End
			}
		}
		if !s.touches(element) || seen[tag.Start] {
			continue
		}
		if !script && !mayHoldHandler(src[tag.Start:tag.End]) {
			continue
		}
		seen[tag.Start] = true
		out = append(out, codeOf(t, id, tag, element, script)...)
	}
	return out
}

func codeOf(t *htmlsrc.Tree, id htmlsrc.ID, tag, element core.Span, script bool) []code {
	var out []code
	attrs := t.Attrs(id)
	for _, a := range attrs {
		if n := lower(a.Name); isHandler(n) {
			out = append(out, code{
				id: id, tag: tag, element: tag, name: n, attr: a.Span, span: a.ValueSpan, valued: a.HasValue, bare: a.Quote == 0,
				kind: codeHandler, text: a.Value,
			})
		}
	}
	if script {
		body := core.Span{Start: tag.End, End: element.End}
		if end, ok := t.EndTag(id); ok {
			body.End = end.Start
		}
		c := collector{t: t}
		out = append(out, code{id: id, tag: tag, element: element, span: body, kind: kindOf(t, id, attrs), text: c.rawText(id)})
	}
	return out
}

// flag says what a person is asked to approve about the code; false where it is
// data.
func (c code) flag(t *htmlsrc.Tree, inert []bool) (core.PolicyFlag, bool) {
	i := item{Kind: FlagScript, where: "script " + scriptType(t.Attrs(c.id)), what: c.text}
	switch {
	case c.kind == codeHandler:
		i.Kind, i.where = FlagEventHandler, c.name+" of "+t.Name(c.id)
	case !runs(scriptType(t.Attrs(c.id))):
		return core.PolicyFlag{}, false
	}
	if inert != nil && inert[c.id] {
		i.where += " in a template"
	}
	return core.PolicyFlag{Kind: i.Kind, Detail: i.detail()}, true
}
