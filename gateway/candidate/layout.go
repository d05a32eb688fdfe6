package candidate

import (
	"cmp"
	"fmt"
	"slices"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// LayoutKind is what a person approves so that a draft may be committed that
// breaks the layout elsewhere than in the targets.
const LayoutKind = "layout"

// layoutFault is one thing that stands worse than before.
type layoutFault struct {
	key string // the same fault at another look has the same
	say string
}

// comparison holds base and draft side by side at one width. What is a fault
// and what is not is explained in docs/decisions/2026-11-30-layout-elsewhere.md.
type comparison struct {
	pairing
	before, after *plan
}

// pairing says which elements of base and draft are the same, and which of
// them the person pointed at.
type pairing struct {
	base, cand *htmlsrc.Tree
	twin       []htmlsrc.ID // by element of the base: the draft's, 0 for none
	mine       []bool       // it is a target or inside one
	above      []bool       // it holds a target
	targets    []htmlsrc.ID // of the base
	// local says that every edit stands in a target.
	local bool
}

// newPairing pairs base and draft.
func newPairing(base, cand *htmlsrc.Tree, edits []core.Edit, targets []htmlsrc.ID) pairing {
	p := pairing{
		base: base, cand: cand, twin: matching(base, cand, edits), targets: targets,
		mine: make([]bool, base.Len()), above: make([]bool, base.Len()),
	}
	for _, t := range targets {
		p.mine[t] = true
		for d := range base.Descendants(t) {
			p.mine[d] = true
		}
		for a := base.Parent(t); a > 0; a = base.Parent(a) {
			p.above[a] = true
		}
	}
	p.local = len(targets) > 0 && !slices.ContainsFunc(edits, func(e core.Edit) bool {
		id := base.At(e.Span.Start)
		return id == 0 || !p.mine[id]
	})
	return p
}

// faults gives what stands worse, the worst first, and how many elements were
// compared.
func (c *comparison) faults() (out []layoutFault, compared int) {
	if c.before == nil || c.after == nil {
		return nil, 0
	}
	out, compared = c.vanished()
	out = append(out, c.collapsed()...)
	out = append(out, c.overflow()...)
	out = append(out, c.piled()...)
	return out, compared
}

// pair gives an element's boxes before and after, false where it is not on both
// pages or is the person's own business.
func (c *comparison) pair(id htmlsrc.ID) (before, after contract.Box, was, is sight, ok bool) {
	if c.mine[id] || c.twin[id] == 0 {
		return before, after, was, is, false
	}
	before, was, ok = c.before.box(id)
	if !ok {
		return before, after, was, is, false
	}
	after, is, ok = c.after.box(c.twin[id])
	return before, after, was, is, ok
}

// vanished names what a person could see before and cannot any more, each time
// the outermost element that vanished as a whole.
func (c *comparison) vanished() (out []layoutFault, compared int) {
	order := slices.Collect(c.base.Elements())
	held, gone := make([]int, c.base.Len()), make([]int, c.base.Len())
	first := make([]htmlsrc.ID, c.base.Len()) // the first vanished one in each element
	for _, id := range order {
		before, after, was, is, ok := c.pair(id)
		if !ok {
			continue
		}
		compared++
		if was.state != inSight || !before.Text && !before.Replaced && !before.Painted {
			continue
		}
		held[id]++
		if c.lost(id, before, after, is) {
			gone[id]++
			first[id] = id
		}
	}
	for _, id := range slices.Backward(order) {
		if up := c.base.Parent(id); up > 0 {
			held[up] += held[id]
			gone[up] += gone[id]
			first[up] = cmp.Or(first[id], first[up])
		}
	}
	whole := func(id htmlsrc.ID) bool {
		return id > 0 && held[id] > 0 && held[id] == gone[id] && !c.above[id] && !unique(c.base.Name(id))
	}
	for _, id := range order {
		if whole(id) && !whole(c.base.Parent(id)) || first[id] == id && !whole(id) {
			out = append(out, c.vanishedFault(id, first[id]))
		}
	}
	return out, compared
}

// lost tells whether what was in sight is not any more, for another reason than
// that a target has grown in a place that was bounded before.
func (c *comparison) lost(id htmlsrc.ID, before, after contract.Box, is sight) bool {
	switch is.state {
	case inSight:
		return false
	case undisplayed:
		return true
	case roomless:
		return !before.Painted // what is only painted may shrink away, as a filler does
	}
	if before.Painted || before.Inline { // a line of text is cut where it is meant to be
		return false
	}
	if is.by == pageEdge {
		return c.offPage(is, after)
	}
	return !c.boundedBefore(id, is.by)
}

// offPage tells whether what lies beyond the page's edge is lost: it is, unless
// the view cut off what is beyond that edge before, and a target that has grown
// pushed it there.
func (c *comparison) offPage(is sight, after contract.Box) bool {
	b := c.before.layout
	if after.X+after.Width <= 0 || after.Y+after.Height <= 0 {
		return true
	}
	return is.shown.Width < least && !b.ClipsX || is.shown.Height < least && !b.ClipsY
}

// boundedBefore tells whether a box of the draft that cuts an element off holds
// a target and did cut off its contents before: then the target has grown.
func (c *comparison) boundedBefore(id htmlsrc.ID, by int) bool {
	for up := c.base.Parent(id); up > 0; up = c.base.Parent(up) {
		twin := c.twin[up]
		if twin == 0 || c.after.boxes[twin] != int32(by+1) {
			continue
		}
		b, _, ok := c.before.box(up)
		return ok && c.above[up] && (b.ClipsX || b.ClipsY)
	}
	return false
}

// vanishedFault says how an element vanished, by what became of itself or, where
// that is not it, of the first thing it holds.
func (c *comparison) vanishedFault(id, example htmlsrc.ID) layoutFault {
	key, say := fmt.Sprint("vanished ", id), named(c.base, id)
	before, after, _, is, ok := c.pair(id)
	if !ok || is.state == inSight {
		before, after, _, is, _ = c.pair(example)
	}
	switch is.state {
	case undisplayed:
		say += " is not displayed any more"
	case roomless:
		say += fmt.Sprintf(" was %s CSS pixels and has no room any more (%s)", size(before), size(after))
	default:
		say += " is where nobody can see it or scroll to it any more"
	}
	return layoutFault{key: key, say: say}
}

func size(b contract.Box) string { return fmt.Sprintf("%.0f × %.0f", b.Width, b.Height) }

// standing is the height and width, in CSS pixels, from which a container can
// collapse.
const standing = 40

// collapsed names the outermost containers that lost their height or width
// while what they hold is still there: it now lies on what follows.
func (c *comparison) collapsed() (out []layoutFault) {
	known := make([]bool, c.base.Len())
	for id := range c.base.Elements() {
		before, after, was, is, ok := c.pair(id)
		up := c.base.Parent(id)
		if up > 0 && known[up] {
			known[id] = true
			continue
		}
		if !ok || c.above[id] || unique(c.base.Name(id)) || was.state != inSight || is.state != roomless || before.Inline ||
			before.Text || before.Replaced || before.Painted || before.Height < standing || before.Width < standing || !c.holds(id) {
			continue
		}
		known[id] = true
		out = append(out, layoutFault{
			key: fmt.Sprint("collapsed ", id),
			say: fmt.Sprintf("%s was %s CSS pixels and is now %s, so its contents lie on what follows", named(c.base, id), size(before), size(after)),
		})
	}
	return out
}

// holds tells whether an element holds something that is still in sight.
func (c *comparison) holds(id htmlsrc.ID) bool {
	for d := range c.base.Descendants(id) {
		if _, after, was, is, ok := c.pair(d); ok && was.state == inSight && is.state == inSight && (after.Text || after.Replaced) {
			return true
		}
	}
	return false
}

// overflow names what makes the page wider than its view, where it was not and
// the edits are not the targets' own.
func (c *comparison) overflow() []layoutFault {
	b, a := c.before.layout, c.after.layout
	if c.local || b.Area.Width > b.Width+1 || a.Area.Width <= a.Width+1 || a.ClipsX {
		return nil
	}
	for id := range c.base.Elements() {
		before, after, was, is, ok := c.pair(id)
		if !ok || c.above[id] || unique(c.base.Name(id)) || was.state != inSight || is.state != inSight || after.Fixed {
			continue
		}
		if !within(is.shown, a) && within(before.Rect, b) {
			return []layoutFault{{key: "overflow", say: fmt.Sprintf(
				"the page is now %.0f CSS pixels wide in a view of %.0f, which it fitted before; %s sticks out", a.Area.Width, a.Width, named(c.base, id))}}
		}
	}
	return nil
}

// within tells whether a rectangle is between the left and right edges of the view.
func within(r contract.Rect, l contract.Layout) bool {
	return r.X >= -1 && r.X+r.Width <= l.Width+1
}
