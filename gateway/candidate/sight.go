package candidate

import (
	"math"

	"proofmark/bridge/contract"
)

// sight says what a person can see of one box.
type sight struct {
	state state
	// by is the box that cuts it off, pageEdge for the page's own edge; only
	// where state is cutOff.
	by    int
	shown contract.Rect // the part that can be seen, by scrolling where the page allows it
}

// state is why a box is not seen.
type state int

const (
	inSight     state = iota
	undisplayed       // display, visibility or opacity hides it
	roomless          // it has no width or no height
	cutOff            // it lies where a person cannot get
)

// pageEdge stands for the page itself as what cuts a box off.
const pageEdge = -1

// least is the width and height, in CSS pixels, below which nothing is seen.
const least = 1

// bounds is where something may show, and what bounds it.
type bounds struct {
	left, top, right, bottom float64
	by                       int
}

func boundsOf(r contract.Rect, by int) bounds {
	return bounds{left: r.X, top: r.Y, right: r.X + r.Width, bottom: r.Y + r.Height, by: by}
}

// cut gives the part of a rectangle within the bounds.
func (b bounds) cut(r contract.Rect) contract.Rect {
	left, top := math.Max(b.left, r.X), math.Max(b.top, r.Y)
	right, bottom := math.Min(b.right, r.X+r.Width), math.Min(b.bottom, r.Y+r.Height)
	return contract.Rect{X: left, Y: top, Width: math.Max(0, right-left), Height: math.Max(0, bottom-top)}
}

// sights gives what can be seen of each box. view names the boxes whose
// overflow goes for the view as a whole. A box that is taken out of the flow is
// bounded by the page alone: which box it is placed in is not known, and to
// call it cut off where it is not would be a false alarm.
func sights(l contract.Layout, view map[int]bool) []sight {
	page := boundsOf(l.Area, pageEdge)
	if l.ClipsX {
		page.left, page.right = 0, l.Width
	}
	if l.ClipsY {
		page.top, page.bottom = 0, l.Height
	}
	window := boundsOf(contract.Rect{Width: l.Width, Height: l.Height}, pageEdge)
	out := make([]sight, len(l.Boxes))
	within := make([]bounds, len(l.Boxes)) // of each box's contents
	for i, b := range l.Boxes {
		in := page
		switch {
		case b.Fixed:
			in = window
		case !b.Absolute && b.Parent >= 0:
			in = within[b.Parent]
		}
		out[i] = sightOf(b, in)
		within[i] = contents(b, in, out[i], i, view[i])
	}
	return out
}

func sightOf(b contract.Box, in bounds) sight {
	s := sight{shown: in.cut(b.Rect)}
	switch {
	case !b.Shown:
		s.state = undisplayed
	case b.Width < least || b.Height < least:
		s.state = roomless
	case s.shown.Width < least || s.shown.Height < least:
		s.state, s.by = cutOff, in.by
	}
	return s
}

// contents gives the bounds of what is in a box.
func contents(b contract.Box, in bounds, s sight, i int, view bool) bounds {
	clips, scrolls := b.ClipsX || b.ClipsY, b.ScrollsX || b.ScrollsY
	if view || !clips && !scrolls {
		return in
	}
	if s.shown.Width < least || s.shown.Height < least {
		return bounds{by: by(s, i)} // what cannot be seen cannot be scrolled either
	}
	out := in
	if b.ClipsX && (b.X > out.left || b.X+b.Width < out.right) {
		out.left, out.right, out.by = math.Max(out.left, b.X), math.Min(out.right, b.X+b.Width), i
	}
	if b.ClipsY && (b.Y > out.top || b.Y+b.Height < out.bottom) {
		out.top, out.bottom, out.by = math.Max(out.top, b.Y), math.Min(out.bottom, b.Y+b.Height), i
	}
	if b.ScrollsX {
		out.left, out.right = math.Inf(-1), math.Inf(1)
	}
	if b.ScrollsY {
		out.top, out.bottom = math.Inf(-1), math.Inf(1)
	}
	return out
}

// by gives what keeps the contents of box i from being seen.
func by(s sight, i int) int {
	if s.state == cutOff {
		return s.by
	}
	return i
}

// overlap gives the area two rectangles share and the smaller of its sides.
func overlap(a, b contract.Rect) (area, side float64) {
	w := math.Min(a.X+a.Width, b.X+b.Width) - math.Max(a.X, b.X)
	h := math.Min(a.Y+a.Height, b.Y+b.Height) - math.Max(a.Y, b.Y)
	if w <= 0 || h <= 0 {
		return 0, 0
	}
	return w * h, math.Min(w, h)
}

func area(r contract.Rect) float64 { return r.Width * r.Height }
