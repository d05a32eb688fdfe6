package proof

import (
	"math"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// Reasons why a target is contextual.
const (
	ReasonNoMatch   = "no_match"  // nothing in the new source is the target
	ReasonAmbiguous = "ambiguous" // it cannot be told for certain what is
)

// Reproject carries an anchor through edits of the bytes it was made for, into
// the map of the edited bytes. Where the bytes are the same the anchor stays as
// it is. Exact means that the very start tag stands there still, seen again in
// the new map; it may have been edited behind its name. Contextual comes with a
// reason and the anchor as it was.
func Reproject(a core.Anchor, edits []core.Edit, after *htmlsrc.Tree, afterSHA, revisionID string) (core.Anchor, core.Resolution, string) {
	if a.SourceSHA == afterSHA {
		a.RevisionID = revisionID
		return a, core.Exact, ""
	}
	id, why := carry(a, edits, after)
	if why != "" {
		return a, core.Contextual, why
	}
	return moved(a, after, id, afterSHA, revisionID), core.Exact, ""
}

// moved gives the anchor as it is in a new revision.
func moved(a core.Anchor, after *htmlsrc.Tree, id htmlsrc.ID, afterSHA, revisionID string) core.Anchor {
	tag, _ := after.StartTag(id)
	a.RevisionID, a.SourceSHA = revisionID, afterSHA
	fill(&a, after, id, tag)
	return a
}

// carry follows the anchor's tag through the edits by its bytes and looks at
// what now begins there.
func carry(a core.Anchor, edits []core.Edit, after *htmlsrc.Tree) (htmlsrc.ID, string) {
	norm, err := textpatch.Normalize(edits, math.MaxInt)
	if err != nil {
		return 0, ReasonNoMatch
	}
	// The "<" and the first letter make a tag; what is written behind them is
	// compared as a name in the new map.
	head, ok := textpatch.Reproject(core.Span{Start: a.StartTag.Start, End: a.StartTag.Start + 2}, norm)
	if !ok {
		return 0, ReasonNoMatch
	}
	id := tagAt(after, head.Start, a)
	if id == 0 {
		return 0, ReasonNoMatch
	}
	if !keepsExtent(a, norm, after, id) {
		return 0, ReasonAmbiguous
	}
	return id, ""
}

// tagAt gives the element whose start tag begins at the offset and has the
// anchor's name, 0 where there is none. Of several that share the tag it is the
// one with the anchor's path, or else the first.
func tagAt(t *htmlsrc.Tree, offset int, a core.Anchor) htmlsrc.ID {
	at := t.At(offset)
	if tag, ok := t.StartTag(at); !ok || tag.Start != offset {
		return 0
	}
	if t.Name(at) != a.Name || t.NS(at).String() != a.NS {
		return 0
	}
	sharers := t.Sharers(at)
	if len(sharers) < 2 {
		return at
	}
	if same, ok := t.Find(a.Path); ok {
		for _, s := range sharers {
			if s == same {
				return s
			}
		}
	}
	return sharers[0]
}

// keepsExtent tells whether the element still ends where the edits leave its
// end. An edit list says which bytes stayed, but a list made by comparing two
// versions may keep one twin's tag and another's contents; then the ends differ.
func keepsExtent(a core.Anchor, norm []core.Edit, after *htmlsrc.Tree, id htmlsrc.ID) bool {
	if a.Name == "html" || a.Name == "body" {
		return true // there is no second one
	}
	if a.Range == nil {
		return untilOnly(norm, a.StartTag.Start) || sameQuoteAlone(a, after, id)
	}
	end, atEnd := a.Range.End, 0
	for _, e := range norm {
		switch {
		case e.Span.Start == a.Range.End && e.Span.Len() == 0:
			atEnd += len(e.Replacement) // in it or behind it, the map says which
		case e.Span.End <= a.Range.End:
			end += len(e.Replacement) - e.Span.Len()
		case e.Span.Start < a.Range.End:
			return sameQuoteAlone(a, after, id)
		}
	}
	r, why := after.Range(id)
	if why == "" && (r.End == end || r.End == end+atEnd) {
		return true
	}
	return sameQuoteAlone(a, after, id)
}

// untilOnly tells whether all edits end at or before the offset.
func untilOnly(norm []core.Edit, offset int) bool {
	return len(norm) == 0 || norm[len(norm)-1].Span.End <= offset
}

// sameQuoteAlone tells whether the element has the anchor's text and no other
// element has both its start tag and its text.
func sameQuoteAlone(a core.Anchor, t *htmlsrc.Tree, id htmlsrc.ID) bool {
	if a.Quote == "" || Quote(t, id) != a.Quote {
		return false
	}
	tag, _ := t.StartTag(id)
	hash := tagHash(t, tag)
	for e := range t.Elements() {
		if other, ok := t.StartTag(e); ok && other != tag && other.Len() == tag.Len() && t.Name(e) == a.Name &&
			tagHash(t, other) == hash && Quote(t, e) == a.Quote {
			return false
		}
	}
	return true
}
