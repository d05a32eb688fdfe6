package proof

import (
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/htmlsrc"
)

// stateAttrs are attributes of an ancestor that scripts and people change all
// the time to show, hide and mark parts of a page. They say how it stands, not
// what it is.
var stateAttrs = map[string]bool{
	"class": true, "style": true, "hidden": true, "open": true, "inert": true,
	"aria-busy": true, "aria-checked": true, "aria-current": true, "aria-disabled": true,
	"aria-expanded": true, "aria-hidden": true, "aria-pressed": true, "aria-selected": true,
}

// changedAttr gives the first attribute the source gives the element that the
// live one no longer has as given, "" where there is none. The element itself
// may have gained classes; an ancestor's state may be anything, and so may all
// of html and body.
func changedAttr(t *htmlsrc.Tree, id htmlsrc.ID, link *contract.Link, ancestor bool) string {
	if ancestor && t.NS(id) == htmlsrc.HTML && (t.Name(id) == "html" || t.Name(id) == "body") {
		return ""
	}
	for i, a := range t.Attrs(id) {
		if a.Name == "nonce" || ancestor && stateAttrs[a.Name] {
			continue // a browser hides nonces from everyone
		}
		if !attrHolds(a, i, link) {
			return a.Name
		}
	}
	return ""
}

// attrHolds tells whether the live element still has the source's n-th
// attribute. Where the bounds cut the live list, source attributes come first
// in it: one beyond the list cannot be told and holds, one whose value was cut
// holds as far as it goes.
func attrHolds(a htmlsrc.Attr, n int, link *contract.Link) bool {
	for i := range link.Attrs {
		l := &link.Attrs[i]
		if l.Name != a.Name {
			continue
		}
		switch {
		case l.Value == a.Value:
			return true
		case a.Name == "class":
			return hasTokens(l.Value, strings.FieldsFunc(a.Value, htmlSpace))
		default:
			// The cut may have gone through a pair of UTF-16 units.
			known := strings.TrimSuffix(l.Value, "\ufffd")
			return link.AttrsCut && len(known) >= cutValueBytes && strings.HasPrefix(a.Value, known)
		}
	}
	return link.AttrsCut && n >= len(link.Attrs)
}

// cutValueBytes is the shortest value that can have been cut by the bridge's
// bounds.
const cutValueBytes = 256

// hasTokens tells whether the class list holds every token.
func hasTokens(list string, tokens []string) bool {
	have := strings.FieldsFunc(list, htmlSpace)
next:
	for _, w := range tokens {
		for _, h := range have {
			if h == w {
				continue next
			}
		}
		return false
	}
	return true
}

// htmlSpace tells ASCII white space as HTML has it.
func htmlSpace(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r'
}
