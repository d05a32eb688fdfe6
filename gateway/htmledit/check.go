package htmledit

import (
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// Check maps the edited bytes and proves that the tree differs only where the
// edits touch it; it gives the new map. It refuses with UnsafeStructure and a
// sentence, or with what mapping the new bytes refuses.
//
// A tag is kept when no edit shares a byte with it, altered when an edit does
// but its "<" stays and it still makes the same element, and touched otherwise.
// What must hold:
//
//   - The elements of kept and altered tags are the same, at their offsets moved
//     by the edits, with the same names, in the same order, made once or as often
//     as before, with their own end tags, under the same parents. Elements the
//     browser puts in by itself count as kept.
//   - Text outside the edits is text as before, under the same parents.
//   - A new element may stand around kept things, and one that goes may have stood
//     around them, only when its end tag is touched too: an element left open
//     must not swallow what follows. An element cut in two, or joined with the
//     next, by edits passes on its end tag.
//   - What an edit adds hangs under the elements that were around the edit, and
//     is not moved by the browser to somewhere else.
//   - Late html and body tags, quirks mode, and the declaration of the encoding,
//     stay as they are.
//
// Attributes of an altered tag are free; Plan proves those of its own edits.
func Check(before *htmlsrc.Tree, edits []core.Edit, o htmlsrc.Options) (*htmlsrc.Tree, error) {
	src := before.Source()
	norm, err := textpatch.Normalize(edits, len(src))
	if err != nil {
		return nil, core.AsError(err).In("htmledit.Check")
	}
	now, err := textpatch.Apply(src, norm)
	if err != nil {
		return nil, core.AsError(err).In("htmledit.Check")
	}
	after, err := htmlsrc.Parse(now, o)
	if err != nil {
		return nil, core.AsError(err).In("htmledit.Check")
	}
	whole, err := wholeReferences(before, norm)
	if err == nil {
		err = compare(before, after, whole)
	}
	if err != nil {
		return nil, core.AsError(err).In("htmledit.Check")
	}
	return after, nil
}

func unsafeEdit(format string, args ...any) error {
	return core.Errorf(core.UnsafeStructure, format, args...).
		WithHint("change less at once, or edit the whole element around the place")
}

// compare holds the two maps against each other.
func compare(before, after *htmlsrc.Tree, edits []core.Edit) error {
	if before.Quirks() != after.Quirks() {
		return unsafeEdit("the page would change between standards and quirks mode")
	}
	c := &comparison{edits: edits}
	c.b = newSide(before, edits)
	c.a = newSide(after, textpatch.Inverse(before.Source(), edits))
	for _, step := range []func() error{
		c.encoding, c.lineEnds, c.lateTags, c.alteredTags, c.walk, c.endTags, c.parents, c.impliedElements, c.text, c.added,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// comparison is one run of Check. b is the map before, a the one after.
type comparison struct {
	edits []core.Edit
	b, a  *side
}

// state says what the edits did to an element.
type state uint8

const (
	outside state = iota // not in the tree, or not yet looked at
	touched              // its tag shares its "<" with an edit, or does not make the same any more
	altered              // an edit shares a byte with its tag, but not the "<"
	kept                 // no edit shares a byte with its tag
	tagless              // implied: it has no tag
)

// side is one of the two maps, with the edits as they lie in it.
type side struct {
	t     *htmlsrc.Tree
	spans []core.Span // of the edits, in this map's bytes
	delta []int       // bytes that the edits before each, and all of them, add towards the other side
	state []state
	pair  []htmlsrc.ID              // the element of the other side that each one is
	alias map[htmlsrc.ID]htmlsrc.ID // touched elements that are another half of one that stays
	order []htmlsrc.ID              // elements that stay, in tree order
}

// newSpans makes a side that only knows where the edits lie.
func newSpans(t *htmlsrc.Tree, edits []core.Edit) *side {
	s := &side{t: t, spans: make([]core.Span, len(edits)), delta: make([]int, len(edits)+1)}
	for i, e := range edits {
		s.spans[i] = e.Span
		s.delta[i+1] = s.delta[i] + len(e.Replacement) - e.Span.Len()
	}
	return s
}

func newSide(t *htmlsrc.Tree, edits []core.Edit) *side {
	s := newSpans(t, edits)
	s.state, s.pair, s.alias = make([]state, t.Len()), make([]htmlsrc.ID, t.Len()), map[htmlsrc.ID]htmlsrc.ID{}
	for id := range t.Elements() {
		tag, ok := t.StartTag(id)
		switch {
		case !ok:
			s.state[id] = tagless
		case !s.meets(tag):
			s.state[id] = kept
		case s.meets(core.Span{Start: tag.Start, End: tag.Start + 1}):
			s.state[id] = touched
		default:
			s.state[id] = altered
		}
	}
	return s
}

// first gives the first edit that ends behind offset.
func (s *side) first(offset int) int {
	lo, hi := 0, len(s.spans)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.spans[mid].End > offset {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// meets tells whether an edit shares a byte with the span, or is empty and
// stands inside it.
func (s *side) meets(span core.Span) bool {
	i := s.first(span.Start)
	return i < len(s.spans) && s.spans[i].Start < span.End
}

// touches tells whether an edit shares a byte or a border with the span.
func (s *side) touches(span core.Span) bool {
	i := s.first(span.Start - 1)
	return i < len(s.spans) && s.spans[i].Start <= span.End
}

// moved gives where a byte that no edit takes went on the other side.
func (s *side) moved(offset int) int { return offset + s.delta[s.first(offset)] }
