package htmledit

import (
	"strings"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// MaxRuns bounds the text runs that Runs lists.
const MaxRuns = 256

const spaces = " \t\n\f\r"

// Runs gives the text runs in the element's subtree that replace_text takes, in
// order, at most MaxRuns: those that are not blank, and not inside scripts,
// styles and other raw text, nor in the contents of a template below the
// element, which nobody sees.
func Runs(t *htmlsrc.Tree, target htmlsrc.ID) []htmlsrc.ID {
	var out []htmlsrc.ID
	if !t.IsElement(target) || refuseRaw(t, target) != nil {
		return nil
	}
	var visit func(id htmlsrc.ID)
	visit = func(id htmlsrc.ID) {
		for c := t.FirstChild(id); c != 0 && len(out) < MaxRuns; c = t.NextSibling(c) {
			switch {
			case t.IsText(c):
				if !t.Literal(c) && !blank(t, c) {
					out = append(out, c)
				}
			case refuseRaw(t, c) == nil && t.Name(c) != "template" && !t.SelectedContent(c):
				visit(c)
			}
		}
	}
	visit(target)
	return out
}

// blank tells whether a run is nothing but white space, written as it may be.
func blank(t *htmlsrc.Tree, run htmlsrc.ID) bool {
	s := t.TextSpan(run)
	raw := string(t.Source()[s.Start:min(s.End, s.Start+64)])
	return strings.Trim(raw, spaces+"&#;xXTNwLin0123456789abcdefABCDEF") == "" && strings.Trim(t.Text(run), spaces) == ""
}

// refuseRaw refuses elements whose text is not text for people.
func refuseRaw(t *htmlsrc.Tree, id htmlsrc.ID) error {
	name := t.Name(id)
	switch {
	case name == "script":
		return core.Errorf(core.ScriptRegion, "the text of a script is not edited")
	case name == "style":
		return core.Errorf(core.Unsupported, "the text of <style> is CSS, not text").
			WithHint("set a style property on the element, or edit the style sheet in the source")
	case t.RawText(id) && !t.HasReferences(id):
		return core.Errorf(core.Unsupported, "what stands in <%s> is not read as text of the page", name)
	}
	return nil
}

// place is where replace_text writes.
type place struct {
	run    htmlsrc.ID // 0 where the element has no text yet
	parent htmlsrc.ID
	span   core.Span
}

// placeOf finds the text run of an operation.
func placeOf(t *htmlsrc.Tree, op Op) (place, error) {
	if err := refuseRaw(t, op.Target); err != nil {
		return place{}, err
	}
	if op.Run != 0 {
		return runPlace(t, op.Target, op.Run)
	}
	switch runs := Runs(t, op.Target); len(runs) {
	case 1:
		return runPlace(t, op.Target, runs[0])
	case 0:
		return emptyPlace(t, op.Target)
	default:
		return place{}, core.Errorf(core.Ambiguous, "<%s> holds %d pieces of text; say which one", t.Name(op.Target), len(runs)).
			With("runs", len(runs))
	}
}

func runPlace(t *htmlsrc.Tree, target, run htmlsrc.ID) (place, error) {
	if !t.IsText(run) {
		return place{}, core.Errorf(core.InvalidEdit, "the run is no text")
	}
	parent := t.Parent(run)
	inside := false
	for p := parent; p != 0 && !inside; p = t.Parent(p) {
		inside = p == target
	}
	if !inside {
		return place{}, core.Errorf(core.InvalidEdit, "the text does not stand in <%s>", t.Name(target))
	}
	if err := refuseRaw(t, parent); err != nil {
		return place{}, err
	}
	if t.Literal(run) {
		return place{}, core.Errorf(core.Unsupported, "the text stands in a CDATA section")
	}
	if blank(t, run) {
		return place{}, core.Errorf(core.Unsupported, "the run holds nothing but white space")
	}
	return place{run: run, parent: parent, span: t.TextSpan(run)}, nil
}

// textless names elements that hold no text of their own: what is written into
// them lands elsewhere or is dropped.
var textless = map[string]bool{
	"html": true, "head": true, "table": true, "tbody": true, "thead": true, "tfoot": true, "tr": true, "colgroup": true,
	"frameset": true, "select": true, "optgroup": true, "datalist": true, "audio": true, "video": true, "canvas": true, "object": true,
	"picture": true, "template": true, "selectedcontent": true,
}

// emptyPlace is where an element that has no text, and nothing else, gets one.
func emptyPlace(t *htmlsrc.Tree, id htmlsrc.ID) (place, error) {
	name := t.Name(id)
	first := t.FirstChild(id)
	only := first == 0 || t.IsText(first) && t.NextSibling(first) == 0 && !t.Literal(first)
	inner, ok := t.Inner(id)
	switch {
	case t.Void(id) || textless[name]:
		return place{}, core.Errorf(core.Unsupported, "<%s> can hold no text", name)
	case !only:
		return place{}, core.Errorf(core.Unsupported, "<%s> holds no text, only other elements", name).
			WithHint("choose the element inside it that is to get the text")
	case !ok:
		return place{}, core.Errorf(core.UnsafeStructure, "it cannot be told where the contents of <%s> begin and end", name)
	}
	span := core.Span{Start: inner.Start, End: inner.Start}
	if first != 0 {
		span = t.TextSpan(first)
	}
	return place{parent: id, span: span}, nil
}

// replaceText plans replace_text.
func replaceText(t *htmlsrc.Tree, op Op, eol string) (core.Edit, error) {
	p, err := placeOf(t, op)
	if err != nil {
		return core.Edit{}, err
	}
	if err := checkText(op.Value); err != nil {
		return core.Edit{}, err
	}
	raw := string(t.Source()[p.span.Start:p.span.End])
	span, value := p.span, op.Value
	if p.run != 0 {
		lead := len(raw) - len(strings.TrimLeft(raw, spaces))
		tail := len(raw) - len(strings.TrimRight(raw, spaces))
		span = core.Span{Start: p.span.Start + lead, End: p.span.End - tail}
		if lead > 0 {
			value = strings.TrimLeft(value, spaces)
		}
		if tail > 0 {
			value = strings.TrimRight(value, spaces)
		}
	}
	value = textpatch.WithEOL(escapeText(value), eol)
	if dropsNewline(t, p.parent, span.Start) && strings.HasPrefix(value, eol) {
		value = eol + value
	}
	value = apartFrom(t.Source(), span, value)
	if string(t.Source()[span.Start:span.End]) == value {
		return core.Edit{}, noOp("the text is %s already", quoted(op.Value))
	}
	return core.Edit{Note: op.Note, Span: span, Replacement: value}, nil
}

// dropsNewline tells whether a newline at offset would be dropped by the
// browser, as it is the first byte inside a pre, listing or textarea.
func dropsNewline(t *htmlsrc.Tree, parent htmlsrc.ID, offset int) bool {
	tag, ok := t.StartTag(parent)
	return ok && tag.End == offset && dropsNewlines(t, parent)
}

// dropsNewlines tells whether the element is one whose first newline is dropped.
func dropsNewlines(t *htmlsrc.Tree, id htmlsrc.ID) bool {
	switch t.Name(id) {
	case "pre", "listing", "textarea":
		return t.NS(id) == htmlsrc.HTML
	}
	return false
}

// apartFrom keeps the line ends at the ends of value from becoming one with a CR
// before the span or an LF behind it, in files that mix line ends.
func apartFrom(src []byte, span core.Span, value string) string {
	if span.Start > 0 && src[span.Start-1] == '\r' {
		rest := strings.TrimLeft(value, "\n")
		value = strings.Repeat("\r", len(value)-len(rest)) + rest
	}
	if span.End < len(src) && src[span.End] == '\n' {
		rest := strings.TrimRight(value, "\r")
		value = rest + strings.Repeat("\n", len(value)-len(rest))
	}
	return value
}

// checkText refuses what cannot stand in an HTML file as text.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return core.Errorf(core.InvalidEdit, "the text is not UTF-8")
	}
	if len(s) > core.MaxSourceBytes {
		return core.Errorf(core.TooLarge, "the text has %d bytes", len(s))
	}
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f {
			return core.Errorf(core.InvalidEdit, "the text holds the control character U+%04X", r)
		}
	}
	return nil
}

// quoted shortens a value for a sentence.
func quoted(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return "“" + s + "”"
}
