package candidate

import (
	"context"
	"fmt"
	"image"
	"slices"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// found is what one comparison of base and draft found.
type found struct {
	faults   faults // that the draft has and the base has not
	layout   []layoutFault
	compared int // elements
	pixels   shares
	below    int // boxes of targets that lie below the pictures
	widths   []foundAt
}

// foundAt is what was found at another width.
type foundAt struct {
	width  int
	errors []string // that were not there at the view's own width
	layout []layoutFault
	pixels shares
}

// shares are the shares of changed pixels, 0 to 1.
type shares struct{ inside, outside float64 }

// clean tells whether nothing stands against the draft.
func (f found) clean() bool {
	return f.faults.none() && len(f.layout) == 0 && !slices.ContainsFunc(f.widths, func(w foundAt) bool {
		return len(w.errors) > 0 || len(w.layout) > 0
	})
}

// compare finds what differs between two sightings, at the view's own width and
// at those the page adapts to.
func (s *Session) compare(ctx context.Context, p sightings) (found, error) {
	baseIDs, candIDs := s.targets()
	f := found{faults: p.cand.faults.since(p.base.faults)}
	pairs := newPairing(s.base, s.draft.tree, s.draft.edits, baseIDs)
	own := comparison{pairing: pairs, before: p.base.plan, after: p.cand.plan}
	f.layout, f.compared = own.faults()
	baseRects, err := s.before.places(ctx, baseIDs, p.base)
	if err != nil {
		return f, err
	}
	candRects, err := s.after.places(ctx, candIDs, p.cand)
	if err != nil {
		return f, err
	}
	if len(f.layout) == 0 && collapsed(p.base, p.cand, baseRects) {
		f.layout = append(f.layout, layoutFault{key: "body", say: fmt.Sprintf(
			"the page's body was %.0f CSS pixels high and is now %.0f", p.base.body.Height, p.cand.body.Height)})
	}
	f.below = max(below(baseRects, p.base.shot), below(candRects, p.cand.shot))
	still, err := s.before.standstill(ctx)
	if err != nil {
		return f, err
	}
	f.pixels, err = compareShots(p.base.shot, p.cand.shot, still, slices.Concat(baseRects, candRects), func() (contract.Shot, error) {
		return s.after.shoot(ctx, contract.Rect{Width: float64(p.cand.shot.Width), Height: float64(p.cand.shot.Height)})
	})
	if err == nil {
		f.widths, err = s.compareWidths(ctx, p, pairs, candIDs)
	}
	return f, err
}

// confirmed looks a second time, at pages loaded anew, and keeps what both
// looks found: what only shows now and then is not the draft's.
func (s *Session) confirmed(ctx context.Context, p sightings, first found) (found, error) {
	var again sightings
	err := both(func() (err error) { again.base, err = s.before.again(ctx); return err },
		func() (err error) { again.cand, err = s.after.again(ctx); return err })
	if err != nil {
		return first, err
	}
	second, err := s.compare(ctx, again)
	if err != nil {
		return first, err
	}
	// The base is known to have what any of its loads showed.
	s.before.shown.first.faults = p.base.faults.and(again.base.faults)
	first.faults = first.faults.both(again.cand.faults).since(again.base.faults)
	first.layout = inBoth(first.layout, second.layout)
	for i, w := range first.widths {
		var too foundAt
		for _, o := range second.widths {
			if o.width == w.width {
				too = o
			}
		}
		first.widths[i].errors = without(w.errors, without(w.errors, too.errors))
		first.widths[i].layout = inBoth(w.layout, too.layout)
	}
	return first, nil
}

func inBoth(a, b []layoutFault) []layoutFault {
	return slices.DeleteFunc(slices.Clone(a), func(f layoutFault) bool {
		return !slices.ContainsFunc(b, func(o layoutFault) bool { return o.key == f.key })
	})
}

// both runs two functions side by side and gives the first one's error, or else
// the second's.
func both(a, b func() error) error {
	done := make(chan error, 1)
	go func() { done <- a() }()
	err := b()
	if first := <-done; first != nil {
		return first
	}
	return err
}

// places gives the boxes of elements on a page as it was seen.
func (v *view) places(ctx context.Context, ids []htmlsrc.ID, seen sighting) ([]contract.Rect, error) {
	out, rest := seen.plan.rects(ids)
	if len(rest) == 0 {
		return out, nil
	}
	calm, _ := sameTree(expectedTree(v.shown.tree), seen.live)
	more, err := v.rects(ctx, rest, calm)
	return append(out, more...), err
}

// rects gives the boxes of elements that have one, and which cannot be told.
func (p *plan) rects(ids []htmlsrc.ID) (out []contract.Rect, rest []htmlsrc.ID) {
	for _, id := range ids {
		b, _, ok := p.box(id)
		switch {
		case !ok:
			rest = append(rest, id)
		case b.Width > 0 || b.Height > 0:
			out = append(out, b.Rect)
		}
	}
	return out, rest
}

// below counts the boxes that do not show in a picture, whose height is bounded.
func below(rects []contract.Rect, shot contract.Shot) int {
	n := 0
	for _, r := range rects {
		if r.Height > 0 && r.Y >= float64(shot.Height) {
			n++
		}
	}
	return n
}

// compareShots gives the shares of changed pixels inside and outside of the
// rectangles. still is a second picture of the base; second takes one of the
// draft, where something outside differs.
func compareShots(baseShot, candShot, still contract.Shot, rects []contract.Rect, second func() (contract.Shot, error)) (out shares, err error) {
	if slices.Equal(baseShot.Data, candShot.Data) {
		return out, nil
	}
	base, err := decode(baseShot)
	if err != nil {
		return out, err
	}
	cand, err := decode(candShot)
	if err != nil {
		return out, err
	}
	var masks []*unstable
	mask := func(first *picture, shot contract.Shot) error {
		again, err := decode(shot)
		if err == nil {
			masks = append(masks, unstableOf(first, again))
		}
		return err
	}
	if !slices.Equal(baseShot.Data, still.Data) {
		if err := mask(base, still); err != nil {
			return out, err
		}
	}
	inside := make([]image.Rectangle, 0, len(rects))
	for _, r := range rects {
		inside = append(inside, pixelRect(r, 1))
	}
	out.inside, out.outside = changed(base, cand, inside, masks...)
	if out.outside == 0 {
		return out, nil
	}
	// Something outside differs: see whether the draft itself stands still.
	shot, err := second()
	if err != nil || slices.Equal(shot.Data, candShot.Data) {
		return out, err
	}
	if err := mask(cand, shot); err != nil {
		return out, err
	}
	out.inside, out.outside = changed(base, cand, inside, masks...)
	return out, nil
}

// collapsed tells whether the page's body, which had a height, has practically
// none any more although the targets were not all there was on the page.
func collapsed(base, cand sighting, targets []contract.Rect) bool {
	const flat, whole = 2, 0.9
	if base.body.Height < standing || cand.body.Height >= flat {
		return false
	}
	for _, t := range targets {
		if t.Height >= whole*base.body.Height {
			return false
		}
	}
	return true
}

// verification writes down what was found.
func (f found) verification() core.Verification {
	v := core.Verification{
		NewErrors: nonNil(f.faults.errors), MissingResources: nonNil(f.faults.missing), Layout: sentences(f.layout), Compared: f.compared,
		PixelsInside: f.pixels.inside, PixelsOutside: f.pixels.outside, OutOfPicture: f.below,
	}
	for _, w := range f.widths {
		v.Widths = append(v.Widths, core.WidthLook{
			Width: w.width, NewErrors: w.errors, Layout: sentences(w.layout), PixelsInside: w.pixels.inside, PixelsOutside: w.pixels.outside,
		})
	}
	return v
}

// maxLayoutFaults bounds how many places a verification names.
const maxLayoutFaults = 6

func sentences(list []layoutFault) []string {
	var out []string
	for i, f := range list {
		if i == maxLayoutFaults {
			return append(out, fmt.Sprintf("%d more places", len(list)-i))
		}
		out = append(out, f.say)
	}
	return out
}

// reasons gives what stops a commit, as sentences. Layout does not where a
// person approved it.
func reasons(v core.Verification, approved []string) []string {
	var out []string
	add := func(where, what string, list []string) {
		for _, s := range list {
			out = append(out, where+what+s)
		}
	}
	layout := !slices.Contains(approved, LayoutKind)
	add("", "new error: ", v.NewErrors)
	add("", "newly missing: ", v.MissingResources)
	if layout {
		add("", "layout: ", v.Layout)
	}
	for _, w := range v.Widths {
		where := fmt.Sprintf("at a width of %d: ", w.Width)
		add(where, "new error: ", w.NewErrors)
		if layout {
			add(where, "layout: ", w.Layout)
		}
	}
	return out
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
