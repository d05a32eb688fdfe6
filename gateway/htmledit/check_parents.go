package htmledit

import (
	"proofmark/gateway/htmlsrc"
)

// anchor gives the nearest element, from id upwards, that stays or is implied. It
// climbs through touched elements only where their end tags are touched as well;
// otherwise it gives the offender and false.
func (s *side) anchor(id htmlsrc.ID) (htmlsrc.ID, bool) {
	for id != 0 {
		if whole, ok := s.alias[id]; ok {
			return whole, true
		}
		if s.state[id] != touched {
			return id, true
		}
		end, ok := s.t.EndTag(id)
		if !ok || !s.meets(end) || s.t.RawText(id) {
			return id, false
		}
		id = s.t.Parent(id)
	}
	return 0, true
}

// under proves that what hangs under x before and under y after hangs under the
// same.
func (c *comparison) under(x, y htmlsrc.ID) error {
	for {
		bx, ok := c.b.anchor(x)
		if !ok {
			return unsafeEdit("the edit takes the start tag of <%s> but not its end, so what stood in it would move", c.b.t.Name(bx))
		}
		ay, ok := c.a.anchor(y)
		if !ok {
			return unsafeEdit("the new <%s> is not closed where the edit ends, so what follows would move into it", c.a.t.Name(ay))
		}
		if bx == 0 && ay == 0 {
			return nil
		}
		if bx == 0 || ay == 0 || c.b.t.Name(bx) != c.a.t.Name(ay) {
			return unsafeEdit("what stands in <%s> would move to <%s>", c.b.t.Name(bx), c.a.t.Name(ay))
		}
		if c.b.pair[bx] == ay {
			return nil
		}
		if c.b.pair[bx] != 0 || c.a.pair[ay] != 0 || c.b.state[bx] != tagless || c.a.state[ay] != tagless {
			return unsafeEdit("what stands in one <%s> would move to another", c.b.t.Name(bx))
		}
		// Two implied elements meet for the first time.
		c.b.pair[bx], c.a.pair[ay] = ay, bx
		x, y = c.b.t.Parent(bx), c.a.t.Parent(ay)
	}
}

// parents proves that each element that stays keeps its parent.
func (c *comparison) parents() error {
	for _, id := range c.b.order {
		if err := c.under(c.b.t.Parent(id), c.a.t.Parent(c.b.pair[id])); err != nil {
			return err
		}
	}
	return nil
}

// impliedElements accounts for the elements the browser puts in by itself and
// that hold nothing that stays: each must be there on both sides. One may go
// with an element around it that the edits touch, but not because what it held
// went (a tbody with its last row): it is no target. One may come around
// something new.
func (c *comparison) impliedElements() error {
	left := map[htmlsrc.ID][]htmlsrc.ID{} // unpaired ones after, by parent
	for id := range c.a.t.Elements() {
		if c.a.state[id] == tagless && c.a.pair[id] == 0 {
			p := c.a.t.Parent(id)
			left[p] = append(left[p], id)
		}
	}
	for id := range c.b.t.Elements() {
		if c.b.state[id] != tagless || c.b.pair[id] != 0 {
			continue
		}
		if p := c.b.t.Parent(id); p == 0 || c.b.pair[p] != 0 {
			c.pairImplied(id, left)
		}
		if c.b.pair[id] == 0 && !c.b.inTouched(id) {
			return unsafeEdit("the browser would no longer put in a <%s>", c.b.t.Name(id))
		}
	}
	for id := range c.a.t.Elements() {
		if c.a.state[id] == tagless && c.a.pair[id] == 0 && !c.a.inTouched(id) && !c.a.holdsTouched(id) {
			return unsafeEdit("the browser would put in a <%s>", c.a.t.Name(id))
		}
	}
	return nil
}

// pairImplied pairs an implied element with the first free one of its name under
// the same parent.
func (c *comparison) pairImplied(id htmlsrc.ID, left map[htmlsrc.ID][]htmlsrc.ID) {
	var parent htmlsrc.ID
	if p := c.b.t.Parent(id); p != 0 {
		parent = c.b.pair[p]
	}
	for _, other := range left[parent] {
		if c.a.pair[other] == 0 && c.a.t.Name(other) == c.b.t.Name(id) {
			c.b.pair[id], c.a.pair[other] = other, id
			return
		}
	}
}

// inTouched tells whether an implied element hangs under a touched one.
func (s *side) inTouched(id htmlsrc.ID) bool {
	for p := s.t.Parent(id); p != 0; p = s.t.Parent(p) {
		if s.state[p] != tagless {
			return s.state[p] == touched
		}
	}
	return false
}

// holdsTouched tells whether an implied element holds something the edits touch.
func (s *side) holdsTouched(id htmlsrc.ID) bool {
	for c := s.t.FirstChild(id); c != 0; c = s.t.NextSibling(c) {
		switch {
		case s.t.IsText(c):
			if s.meets(s.t.TextSpan(c)) {
				return true
			}
		case s.state[c] == touched || s.state[c] == tagless && s.holdsTouched(c):
			return true
		}
	}
	return false
}
