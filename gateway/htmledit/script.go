package htmledit

import (
	"bytes"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// ScriptRegion tells whether the span meets the text of a script element or an
// event-handler attribute. An empty span, an insertion, meets a script's text
// also at its ends.
func ScriptRegion(t *htmlsrc.Tree, span core.Span) bool {
	for id := range t.Elements() {
		tag, ok := t.StartTag(id)
		if !ok || tag.Start > span.End {
			continue
		}
		if tag.Overlaps(span) && meetsHandler(t, id, tag, span) {
			return true
		}
		if t.Name(id) == "script" && meetsScript(t, id, tag, span) {
			return true
		}
	}
	return false
}

func meetsScript(t *htmlsrc.Tree, id htmlsrc.ID, tag, span core.Span) bool {
	if t.Void(id) {
		return false
	}
	body := core.Span{Start: tag.End, End: len(t.Source())}
	if end, ok := t.EndTag(id); ok {
		body.End = end.Start
	}
	if span.Len() == 0 {
		return body.Start <= span.Start && span.End <= body.End
	}
	return body.Overlaps(span)
}

func meetsHandler(t *htmlsrc.Tree, id htmlsrc.ID, tag, span core.Span) bool {
	if !mayHoldHandler(t.Source()[tag.Start:tag.End]) {
		return false
	}
	for _, a := range t.Attrs(id) {
		if isHandler(lower(a.Name)) && a.Span.Start <= span.End && span.Start <= a.Span.End &&
			(span.Len() == 0 || a.Span.Overlaps(span)) {
			return true
		}
	}
	return false
}

// mayHoldHandler is a quick look at a tag's bytes for "on".
func mayHoldHandler(tag []byte) bool {
	for i := 0; i+1 < len(tag); i++ {
		n := bytes.IndexAny(tag[i:], "oO")
		if n < 0 {
			return false
		}
		i += n
		if i+1 < len(tag) && (tag[i+1] == 'n' || tag[i+1] == 'N') {
			return true
		}
	}
	return false
}
