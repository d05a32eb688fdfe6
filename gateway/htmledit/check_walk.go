package htmledit

import (
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// lineEnds proves that no CR and LF that stood apart become one line end.
func (c *comparison) lineEnds() error {
	pair := func(s []byte, i int) bool { return i > 0 && i < len(s) && s[i-1] == '\r' && s[i] == '\n' }
	was, is := c.b.t.Source(), c.a.t.Source()
	for k, s := range c.a.spans {
		if pair(is, s.Start) && !pair(was, c.b.spans[k].Start) || pair(is, s.End) && !pair(was, c.b.spans[k].End) {
			return unsafeEdit("two line ends would become one")
		}
	}
	return nil
}

// lateTags holds the html and body tags that only add attributes against each
// other.
func (c *comparison) lateTags() error {
	list := func(s *side, move bool) map[int]bool {
		out := map[int]bool{}
		for id := range s.t.Elements() {
			if n := s.t.Name(id); n != "html" && n != "body" {
				continue
			}
			for _, tag := range s.t.LateTags(id) {
				if s.meets(core.Span{Start: tag.Start, End: tag.Start + 1}) {
					continue
				}
				at := tag.Start
				if move {
					at = s.moved(at)
				}
				out[at] = true
			}
		}
		return out
	}
	was, is := list(c.b, true), list(c.a, false)
	same := len(was) == len(is)
	for at := range was {
		same = same && is[at]
	}
	if !same {
		return unsafeEdit("a second html or body tag of the page would change its meaning")
	}
	return nil
}

// alteredTags finds which altered tags still make the same elements; the others
// count as touched.
func (c *comparison) alteredTags() error {
	makers := func(s *side) map[int][]htmlsrc.ID {
		out := map[int][]htmlsrc.ID{}
		for id, st := range s.state {
			if st == altered {
				tag, _ := s.t.StartTag(htmlsrc.ID(id))
				out[tag.Start] = append(out[tag.Start], htmlsrc.ID(id))
			}
		}
		return out
	}
	was, is := makers(c.b), makers(c.a)
	matched := map[int]bool{}
	for at, ids := range was {
		now := is[c.b.moved(at)]
		same := len(now) == len(ids)
		for i := 0; same && i < len(ids); i++ {
			same = c.b.t.Name(ids[i]) == c.a.t.Name(now[i]) && c.b.t.NS(ids[i]) == c.a.t.NS(now[i])
		}
		if same {
			matched[c.b.moved(at)] = true
			continue
		}
		for _, id := range ids {
			c.b.state[id] = touched
		}
	}
	for at, ids := range is {
		if !matched[at] {
			for _, id := range ids {
				c.a.state[id] = touched
			}
		}
	}
	return nil
}

// walk pairs the elements that stay: they must be the same on both sides, in
// the same order.
func (c *comparison) walk() error {
	list := func(s *side) (out []htmlsrc.ID) {
		for id := range s.t.Elements() {
			if st := s.state[id]; st == kept || st == altered {
				out = append(out, id)
			}
		}
		return out
	}
	c.b.order, c.a.order = list(c.b), list(c.a)
	for i, id := range c.b.order {
		if i >= len(c.a.order) || !c.same(id, c.a.order[i]) {
			return unsafeEdit("another <%s>, which the edit does not touch, would change or move", c.b.t.Name(id))
		}
		c.b.pair[id], c.a.pair[c.a.order[i]] = c.a.order[i], id
	}
	if n := len(c.b.order); n < len(c.a.order) {
		id := c.a.order[n]
		return unsafeEdit("text or markup outside the edit would become the element <%s>", c.a.t.Name(id))
	}
	return nil
}

func (s *side) start(id htmlsrc.ID) int {
	tag, _ := s.t.StartTag(id)
	return tag.Start
}

// same tells whether an element before and one after are made by the same tag
// in the same way.
func (c *comparison) same(b, a htmlsrc.ID) bool {
	x, y := c.b.t, c.a.t
	return c.b.state[b] == c.a.state[a] && c.b.moved(c.b.start(b)) == c.a.start(a) &&
		x.Name(b) == y.Name(a) && x.NS(b) == y.NS(a) && x.Provenance(b) == y.Provenance(a) &&
		x.Void(b) == y.Void(a) && x.InContent(b) == y.InContent(a) && x.InShadow(b) == y.InShadow(a) &&
		x.SharedBy(b) == y.SharedBy(a)
}

// endTags holds the end tags of elements that stay against each other. One that
// no edit touches must still close the element it closed or, where edits cut the
// element in two or join two, its other half.
func (c *comparison) endTags() error {
	for _, id := range c.b.order {
		now := c.b.pair[id]
		x, wasThere := c.b.end(id)
		y, isThere := c.a.end(now)
		wasThere, isThere = wasThere && !c.b.meets(x), isThere && !c.a.meets(y)
		switch {
		case !wasThere && !isThere: // none, or part of the edit
		case wasThere && isThere && c.b.moved(x.Start) == y.Start:
		case wasThere && !isThere && passOn(c.a, now, c.b.moved(x.Start)):
		case isThere && !wasThere && passOn(c.b, id, c.a.moved(y.Start)):
		default:
			return unsafeEdit("a <%s> would end somewhere else than now", c.b.t.Name(id))
		}
	}
	return nil
}

func (s *side) end(id htmlsrc.ID) (core.Span, bool) { return s.t.EndTag(id) }

// passOn looks on one side for the other half of an element: a touched element
// of the same name right behind it, which the end tag at offset closes. It
// stands for the element from then on.
func passOn(s *side, id htmlsrc.ID, offset int) bool {
	last := id
	for next := nextElement(s.t, id); next != 0; next = nextElement(s.t, next) {
		if s.state[next] != touched || s.t.Name(next) != s.t.Name(id) || s.t.NS(next) != s.t.NS(id) {
			return false
		}
		end, ok := s.t.EndTag(next)
		if !ok {
			return false
		}
		last = next
		if end.Start == offset {
			s.alias[last] = id
			return true
		}
		if !s.meets(end) {
			return false
		}
	}
	return false
}

func nextElement(t *htmlsrc.Tree, id htmlsrc.ID) htmlsrc.ID {
	for n := t.NextSibling(id); n != 0; n = t.NextSibling(n) {
		if t.IsElement(n) {
			return n
		}
	}
	return 0
}
