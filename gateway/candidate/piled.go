package candidate

import (
	"cmp"
	"fmt"
	"slices"

	"proofmark/bridge/contract"
	"proofmark/gateway/htmlsrc"
)

// Bounds of the search for what lies on top of something else.
const (
	maxPiledBlocks = 4000 // blocks of text looked at
	piledShare     = 0.5  // of the smaller one's area that is covered
	apartShare     = 0.05 // that may have been covered before
	piledSide      = 4    // CSS pixels the covered part is wide and high
)

// block is one block of text or one picture on both pages.
type block struct {
	id            htmlsrc.ID
	before, after contract.Rect
	root          int32 // the box out of the flow that it was in, 0 for the page
}

// piled names what now lies on something that it stood apart from before. Only
// what flowed together is compared: what a page takes out of the flow is meant
// to lie on something.
func (c *comparison) piled() []layoutFault {
	blocks := c.blocks()
	if len(blocks) > maxPiledBlocks {
		return nil
	}
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Or(cmp.Compare(a.after.Y, b.after.Y), cmp.Compare(a.id, b.id)) })
	var out []layoutFault
	told := map[htmlsrc.ID]bool{}
	var open []block // that reach down to where we are
	for _, b := range blocks {
		open = slices.DeleteFunc(open, func(o block) bool { return o.after.Y+o.after.Height <= b.after.Y })
		for _, o := range open {
			if !told[b.id] && !told[o.id] && c.pile(o, b) {
				told[b.id], told[o.id] = true, true
				out = append(out, layoutFault{
					key: fmt.Sprint("piled ", min(o.id, b.id), " ", max(o.id, b.id)),
					say: fmt.Sprintf("%s and %s lie on each other now", named(c.base, min(o.id, b.id)), named(c.base, max(o.id, b.id))),
				})
			}
		}
		open = append(open, b)
	}
	return out
}

// pile tells whether two blocks lie on each other and did not.
func (c *comparison) pile(a, b block) bool {
	now, side := overlap(a.after, b.after)
	if a.root != b.root || side < piledSide || now < piledShare*min(area(a.after), area(b.after)) {
		return false
	}
	was, _ := overlap(a.before, b.before)
	return was <= apartShare*min(area(a.before), area(b.before)) && !c.inside(a.id, b.id) && !c.inside(b.id, a.id)
}

func (c *comparison) inside(id, outer htmlsrc.ID) bool {
	for up := c.base.Parent(id); up > 0; up = c.base.Parent(up) {
		if up == outer {
			return true
		}
	}
	return false
}

// blocks gives what is in sight on both pages and holds text or is a picture:
// for text in a line, the block around it.
func (c *comparison) blocks() []block {
	roots := c.before.roots()
	known := map[htmlsrc.ID]bool{}
	var out []block
	for id := range c.base.Elements() {
		leaf, _, _, _, ok := c.pair(id)
		if !ok || !leaf.Text && !leaf.Replaced {
			continue
		}
		at := c.blockOf(id)
		before, after, was, is, ok := c.pair(at)
		if !ok || known[at] || c.above[at] || was.state != inSight || is.state != inSight || after.Fixed {
			continue
		}
		known[at] = true
		out = append(out, block{id: at, before: before.Rect, after: is.shown, root: roots[c.before.boxes[at]-1]})
	}
	return out
}

// blockOf gives the element itself, or the block whose lines it flows in; 0
// where that is not on the page.
func (c *comparison) blockOf(id htmlsrc.ID) htmlsrc.ID {
	for ; id > 0; id = c.base.Parent(id) {
		b, _, ok := c.before.box(id)
		switch {
		case !ok:
			return 0
		case !b.Inline || b.Replaced:
			return id
		}
	}
	return 0
}

// roots gives, for each box, one more than the index of the nearest box around
// it, or itself, that is out of the flow; 0 for none.
func (p *plan) roots() []int32 {
	out := make([]int32, len(p.layout.Boxes))
	for i, b := range p.layout.Boxes {
		switch {
		case b.Absolute || b.Fixed:
			out[i] = int32(i + 1)
		case b.Parent >= 0:
			out[i] = out[b.Parent]
		}
	}
	return out
}
