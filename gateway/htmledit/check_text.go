package htmledit

import (
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// piece is a stretch of a text run that no edit touches; start counts in the
// bytes after the edits.
type piece struct {
	start, end int
	run        htmlsrc.ID
}

// pieces gives the stretches of all text runs of the tree outside the edits, in
// order.
func (s *side) pieces(move bool) []piece {
	var out []piece
	for i := 1; i < s.t.Len(); i++ {
		id := htmlsrc.ID(i)
		if !s.hasText(id) {
			continue
		}
		span := s.t.TextSpan(id)
		at := span.Start
		for k := s.first(at); at < span.End; k++ {
			end := span.End
			if k < len(s.spans) {
				end = min(end, max(s.spans[k].Start, at))
			}
			if end > at {
				from := at
				if move {
					from = s.moved(at)
				}
				out = append(out, piece{from, from + end - at, id})
			}
			if k == len(s.spans) || s.spans[k].Start >= span.End {
				break
			}
			at = max(at, s.spans[k].End)
		}
	}
	byStart := func(x, y piece) int { return x.start - y.start }
	if !slices.IsSortedFunc(out, byStart) {
		slices.SortStableFunc(out, byStart)
	}
	return out
}

// hasText tells whether id is a text run of the document (and not of something
// that was taken out of it).
func (s *side) hasText(id htmlsrc.ID) bool {
	if !s.t.IsText(id) {
		return false
	}
	p := s.t.Parent(id)
	return p != 0 && s.state[p] != outside
}

// text proves that all text outside the edits is text as before, at its place.
func (c *comparison) text() error {
	was, is := c.b.pieces(true), c.a.pieces(false)
	var lastB, lastA htmlsrc.ID
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].start < is[0].start:
			end := was[0].end
			if len(is) > 0 {
				end = min(end, is[0].start)
			}
			if !c.b.negligible(was[0], end-was[0].start) {
				return unsafeEdit("text outside the edit would no longer be text of the page")
			}
			was = advance(was, end)
		case len(was) == 0 || is[0].start < was[0].start:
			end := is[0].end
			if len(was) > 0 {
				end = min(end, was[0].start)
			}
			if !c.a.negligible(is[0], end-is[0].start) {
				return unsafeEdit("markup outside the edit would become text")
			}
			is = advance(is, end)
		default:
			b, a := was[0].run, is[0].run
			if c.b.t.Literal(b) != c.a.t.Literal(a) || c.b.t.InShadow(b) != c.a.t.InShadow(a) {
				return unsafeEdit("text outside the edit would be read in another way")
			}
			end := min(was[0].end, is[0].end)
			if b != lastB || a != lastA {
				n := end - was[0].start
				if err := c.under(c.b.t.Parent(b), c.a.t.Parent(a)); err != nil && !(c.b.negligible(was[0], n) && c.a.negligible(is[0], n)) {
					return err
				}
				lastB, lastA = b, a
			}
			was, is = advance(was, end), advance(is, end)
		}
	}
	return nil
}

func advance(list []piece, to int) []piece {
	if list[0].end <= to {
		return list[1:]
	}
	list[0].start = to
	return list
}

// negligible tells whether the first n bytes of a piece are blanks directly in
// html, head or body: at the very start of a page those come and go with what
// stands around them, and nobody sees them.
func (s *side) negligible(p piece, n int) bool {
	switch parent := s.t.Parent(p.run); s.t.Name(parent) {
	case "html", "head", "body":
		if s.t.NS(parent) != htmlsrc.HTML {
			return false
		}
	default:
		return false
	}
	return n > 0 && blank(s.t, p.run)
}

// added proves that what the edits put in hangs where the edits stand.
func (c *comparison) added() error {
	around := make([]map[htmlsrc.ID]bool, len(c.edits))
	for id := range c.a.t.Elements() {
		if c.a.state[id] != touched {
			continue
		}
		if err := c.placed(id, c.a.start(id), around); err != nil {
			return err
		}
	}
	for i := 1; i < c.a.t.Len(); i++ {
		id := htmlsrc.ID(i)
		if !c.a.hasText(id) {
			continue
		}
		span := c.a.t.TextSpan(id)
		for k := c.a.first(span.Start); k < len(c.a.spans) && c.a.spans[k].Start < span.End; k++ {
			if c.a.spans[k].Len() == 0 {
				continue
			}
			if err := c.placed(id, max(span.Start, c.a.spans[k].Start), around); err != nil {
				return err
			}
		}
	}
	return c.textStaysText()
}

// placed proves that the new node at offset hangs under an element that was
// around the edit there.
func (c *comparison) placed(id htmlsrc.ID, offset int, around []map[htmlsrc.ID]bool) error {
	k := c.a.first(offset)
	if k == len(c.edits) {
		return nil
	}
	if around[k] == nil {
		around[k] = c.around(k)
	}
	movedBefore := around[k][0] // some node in the edit was moved before, too
	if c.a.t.Provenance(id) == htmlsrc.FromMove && !movedBefore {
		return unsafeEdit("the browser would move what the edit puts there out of the table")
	}
	for p := c.a.t.Parent(id); p != 0; p = c.a.t.Parent(p) {
		if whole, ok := c.a.alias[p]; ok {
			p = whole
		}
		if c.a.state[p] == touched {
			continue
		}
		if !around[k][c.a.pair[p]] {
			if c.a.state[p] == tagless {
				continue // the browser put it around the new
			}
			return unsafeEdit("what the edit puts in would land in <%s>, which is not around the edit", c.a.t.Name(p))
		}
		return nil
	}
	return nil
}

// around gives the elements before that hold the edit or stand at its borders,
// with all their ancestors. The document, 0, is in it where the edit touches
// something that the browser had moved.
func (c *comparison) around(k int) map[htmlsrc.ID]bool {
	out := map[htmlsrc.ID]bool{}
	s := c.edits[k].Span
	for _, at := range []int{s.Start - 1, s.Start, s.End - 1, s.End} {
		for id := c.b.t.At(at); id != 0 && !out[id]; id = c.b.t.Parent(id) {
			out[id] = true
		}
	}
	for i := 1; i < c.b.t.Len(); i++ {
		id := htmlsrc.ID(i)
		if c.b.t.Provenance(id) != htmlsrc.FromMove {
			continue
		}
		span, ok := c.b.t.StartTag(id)
		if c.b.t.IsText(id) {
			span, ok = c.b.t.TextSpan(id), true
		}
		if ok && span.Overlaps(s) {
			out[0] = true
		}
	}
	return out
}

// textStaysText proves that what an edit writes into a text run, without
// markup, is text under the same parent.
func (c *comparison) textStaysText() error {
	for k, e := range c.edits {
		if strings.Trim(e.Replacement, spaces) == "" || strings.Contains(e.Replacement, "<") {
			continue
		}
		b := c.b.runAround(e.Span)
		if b == 0 {
			continue
		}
		a := c.a.runAround(c.a.spans[k])
		if a == 0 && dropsNewlines(c.b.t, c.b.t.Parent(b)) {
			a = c.a.runAround(c.a.trimmed(k))
		}
		if a == 0 {
			return unsafeEdit("the new text would not be text there")
		}
		if err := c.under(c.b.t.Parent(b), c.a.t.Parent(a)); err != nil {
			return err
		}
	}
	return nil
}

// trimmed gives the edit's span without blanks at its ends.
func (s *side) trimmed(k int) core.Span {
	span := s.spans[k]
	text := string(s.t.Source()[span.Start:span.End])
	span.Start += len(text) - len(strings.TrimLeft(text, spaces))
	span.End -= len(text) - len(strings.TrimRight(text, spaces))
	return span
}

// runAround gives the text run that holds the span, or 0.
func (s *side) runAround(span core.Span) htmlsrc.ID {
	for i := 1; i < s.t.Len(); i++ {
		if id := htmlsrc.ID(i); s.hasText(id) && s.t.TextSpan(id).Contains(span) {
			return id
		}
	}
	return 0
}
