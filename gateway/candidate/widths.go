package candidate

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/htmlsrc"
)

// Widths of a view, CSS pixels, at which pages are looked at beside the view's
// own, and of which pictures can be taken.
const (
	Narrow = 390
	Middle = 768
	Wide   = 1280
)

// sameWidth is how far a width may be from the view's own to be no other one.
const sameWidth = 60

// widthSight is what a page shows at another width.
type widthSight struct {
	shot, still contract.Shot // two pictures of the unchanged page
	plan        *plan
	faults      faults // since it was loaded
}

// otherWidths gives the widths at which the pages are looked at too: the narrow
// and the wide one, where the page says that it adapts to its view. One that
// does not was never meant to be seen there.
func (s *Session) otherWidths(p sightings) []int {
	if p.base.plan == nil || p.cand.plan == nil || !p.base.adapts && !p.cand.adapts {
		return nil
	}
	var out []int
	for _, w := range []int{Narrow, Wide} {
		if w < s.opt.Width-sameWidth || w > s.opt.Width+sameWidth {
			out = append(out, w)
		}
	}
	return out
}

// compareWidths makes both views as wide as each of the other widths, compares
// what they show, and gives them their own width again.
func (s *Session) compareWidths(ctx context.Context, p sightings, pairs pairing, candIDs []htmlsrc.ID) (out []foundAt, err error) {
	widths := s.otherWidths(p)
	if len(widths) == 0 {
		return nil, nil
	}
	defer func() {
		// Where this fails the view is given its size with the next load.
		_ = both(func() error { return s.before.resize(ctx, s.opt.Width, s.opt.Height) },
			func() error { return s.after.resize(ctx, s.opt.Width, s.opt.Height) })
	}()
	known := p.cand.faults.errors
	for _, width := range widths {
		f, cand, err := s.compareAt(ctx, width, pairs, candIDs)
		if err != nil {
			return nil, err
		}
		f.errors = without(f.errors, known)
		known = append(known, cand.faults.errors...)
		out = append(out, f)
	}
	return out, nil
}

func (s *Session) compareAt(ctx context.Context, width int, pairs pairing, candIDs []htmlsrc.ID) (foundAt, widthSight, error) {
	f := foundAt{width: width}
	var base, cand widthSight
	err := both(func() (err error) { base, err = s.before.at(ctx, width, true); return err },
		func() (err error) { cand, err = s.after.at(ctx, width, false); return err })
	if err != nil {
		return f, cand, err
	}
	f.errors = cand.faults.since(base.faults).errors
	c := comparison{pairing: pairs, before: base.plan, after: cand.plan}
	f.layout, _ = c.faults()
	rects, _ := base.plan.rects(pairs.targets)
	more, _ := cand.plan.rects(candIDs)
	f.pixels, err = compareShots(base.shot, cand.shot, base.still, append(rects, more...), func() (contract.Shot, error) {
		return s.after.shoot(ctx, contract.Rect{Width: float64(cand.shot.Width), Height: float64(cand.shot.Height)})
	})
	return f, cand, err
}

// at gives what the page shows at another width; keep remembers it, with a
// second picture, until the page is loaded again.
func (v *view) at(ctx context.Context, width int, keep bool) (widthSight, error) {
	s := v.shown
	if known, ok := s.widths[width]; ok {
		return known, nil
	}
	var out widthSight
	if err := v.resize(ctx, width, s.spec.Height); err != nil {
		return out, err
	}
	var err error
	if out.plan, _, err = v.plan(ctx, s.tree); err != nil {
		return out, err
	}
	sf := v.preview.Surface()
	h, err := sf.Health(ctx)
	if err != nil {
		return out, v.named(err)
	}
	clip := wholePage(h, width, s.spec.Height)
	if out.shot, err = v.shoot(ctx, clip); err != nil {
		return out, err
	}
	if keep {
		if out.still, err = v.shoot(ctx, clip); err != nil {
			return out, err
		}
	}
	if h, err = sf.Health(ctx); err != nil {
		return out, v.named(err)
	}
	out.faults = faultsOf(h, v.preview.Missing(), v.preview.Lease().Origin, s.spec.AllowOrigins)
	if keep {
		if s.widths == nil {
			s.widths = map[int]widthSight{}
		}
		s.widths[width] = out
	}
	return out, nil
}

// resize gives the view a size.
func (v *view) resize(ctx context.Context, width, height int) error {
	if v.width == width {
		return nil
	}
	v.width = 0 // not known, should this fail
	if err := v.preview.Surface().Resize(ctx, width, height); err != nil {
		return v.named(err)
	}
	v.width = width
	return nil
}
