package candidate

import (
	"context"
	"image"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// What a picture is of.
const (
	OfDraft      = "draft"      // what is staged, or the document where nothing is
	OfDocument   = "document"   // the head the turn began with
	OfDifference = "difference" // what looks different between the two
)

// Parts of a page a picture is taken of.
const (
	PartViewport = "viewport" // as it is scrolled
	PartPage     = "page"     // all of it, within bounds
	PartTarget   = "target"
)

// clipMargin is what a picture shows around a target, CSS pixels.
const clipMargin = 8

// PictureOptions say what to take a picture of.
type PictureOptions struct {
	Of    string // draft where empty
	Part  string // viewport where empty
	Width int    // of the view, CSS pixels; 0 for its own
	// Targets are anchors of the head; the first one that can be told is the
	// target.
	Targets []core.Anchor
}

// Picture is a picture small enough for a model.
type Picture struct {
	contract.Shot
	Of, Part string
	View     int     // width of the view, CSS pixels
	Scale    float64 // of its pixels to CSS pixels, at most 1
	// Region is the part of the page that is shown, page CSS pixels; empty for
	// the viewport.
	Region contract.Rect
	// Changed is the share of the compared pixels that differ, for a difference.
	Changed float64
}

// Picture takes a picture of the draft, of the document as it was, or of the
// difference between the two. It is bounded by core.MaxPictureSide and
// core.MaxPictureBytes.
func (s *Session) Picture(ctx context.Context, o PictureOptions) (Picture, error) {
	const op = "candidate.Picture"
	if s.over {
		return Picture{}, turnEnded(op)
	}
	if err := s.visible(op); err != nil {
		return Picture{}, err
	}
	p := Picture{Of: o.Of, Part: o.Part, View: o.Width}
	if p.View == 0 {
		p.View = s.opt.Width
	}
	if p.Part == "" {
		p.Part = PartViewport
	}
	if !s.Staged() && o.Of == OfDifference {
		return p, core.Errorf(core.Unbound, "nothing is staged yet, so there is no difference to show").
			WithHint("Stage a change first, or take a picture of the document.").In(op)
	}
	if !s.Staged() || o.Of == OfDocument {
		p.Of = OfDocument
	} else if p.Of == "" {
		p.Of = OfDraft
	}
	s.openViews()
	var err error
	switch p.Of {
	case OfDifference:
		err = s.differencePicture(ctx, &p, o.Targets)
	case OfDocument:
		err = s.pictureOf(ctx, s.before, &p, o.Targets)
	default:
		err = s.pictureOf(ctx, s.after, &p, o.Targets)
	}
	if err != nil {
		return p, core.AsError(err).In(op)
	}
	return p, p.bound()
}

// pictureOf takes a picture of one view.
func (s *Session) pictureOf(ctx context.Context, v *view, p *Picture, targets []core.Anchor) error {
	if err := v.wait(ctx); err != nil {
		return err
	}
	if p.Part == PartPage && p.View == s.opt.Width && !v.shown.touched { // it was taken when the page was loaded
		p.Shot, p.Region = v.shown.first.shot, whole(v.shown.first.shot)
		return v.lost(nil)
	}
	v.shown.touched = true
	return s.atWidth(ctx, p.View, func() error { return s.shootPart(ctx, v, p, targets) }, v)
}

// atWidth makes views so wide while f runs.
func (s *Session) atWidth(ctx context.Context, width int, f func() error, views ...*view) error {
	defer func() {
		for _, v := range views {
			_ = v.resize(ctx, s.opt.Width, s.opt.Height) // or else with the next load
		}
	}()
	for _, v := range views {
		if err := v.resize(ctx, width, s.opt.Height); err != nil {
			return err
		}
	}
	return f()
}

func (s *Session) shootPart(ctx context.Context, v *view, p *Picture, targets []core.Anchor) (err error) {
	sf := v.preview.Surface()
	switch p.Part {
	case PartViewport:
		p.Shot, err = sf.Screenshot(ctx, contract.ShotOptions{})
		return v.named(err)
	case PartTarget:
		if p.Region, err = s.targetRect(ctx, v, targets); err != nil {
			return err
		}
	default:
		h, err := sf.Health(ctx)
		if err != nil {
			return v.named(err)
		}
		p.Region = wholePage(h, p.View, s.opt.Height)
	}
	p.Shot, err = v.shoot(ctx, p.Region)
	return err
}

// targetRect gives the part of the page around the first target that can be
// told.
func (s *Session) targetRect(ctx context.Context, v *view, targets []core.Anchor) (contract.Rect, error) {
	id, ok := s.targetIn(v, targets)
	if !ok {
		return contract.Rect{}, core.Errorf(core.NoMatch, "the target is not on this version of the page").
			WithHint("Take a picture of the viewport or of the page.")
	}
	pick, ok, err := v.locate(ctx, id, false)
	if err != nil {
		return contract.Rect{}, err
	}
	if !ok {
		return contract.Rect{}, core.Errorf(core.Changed, "a script has moved or replaced the target on the live page").
			WithHint("Take a picture of the viewport or of the page.")
	}
	r, err := v.preview.Surface().Rect(ctx, pick.Handle)
	if err != nil {
		return r, v.named(err)
	}
	if r.Width <= 0 || r.Height <= 0 {
		return r, core.Errorf(core.NoMatch, "the target is not displayed, so there is no picture of it").
			WithHint("Take a picture of the viewport or of the page.")
	}
	return margined(r), nil
}

// targetIn gives the element of the first anchor that a view's version has.
func (s *Session) targetIn(v *view, targets []core.Anchor) (htmlsrc.ID, bool) {
	for _, a := range targets {
		if v == s.after && s.draft != nil {
			carried, how, _ := s.Reproject(a)
			if how != core.Exact {
				continue
			}
			a = carried
		}
		if id, ok := find(v.shown.tree, a); ok {
			return id, true
		}
	}
	return 0, false
}

func margined(r contract.Rect) contract.Rect {
	x, y := max(0, r.X-clipMargin), max(0, r.Y-clipMargin)
	return contract.Rect{X: x, Y: y, Width: r.Width + clipMargin + r.X - x, Height: r.Height + clipMargin + r.Y - y}
}

func whole(s contract.Shot) contract.Rect {
	return contract.Rect{Width: float64(s.Width), Height: float64(s.Height)}
}

// differencePicture draws what looks different: all of it, or around a target.
func (s *Session) differencePicture(ctx context.Context, p *Picture, targets []core.Anchor) error {
	if err := both(func() error { return s.before.wait(ctx) }, func() error { return s.after.wait(ctx) }); err != nil {
		return err
	}
	s.before.shown.touched, s.after.shown.touched = true, true
	var shots [2]contract.Shot
	around := contract.Rect{}
	err := s.atWidth(ctx, p.View, func() error {
		for i, v := range []*view{s.before, s.after} {
			page := Picture{Part: PartPage, View: p.View}
			if err := s.shootPart(ctx, v, &page, nil); err != nil {
				return err
			}
			shots[i] = page.Shot
			if p.Part == PartTarget {
				if r, err := s.targetRect(ctx, v, targets); err == nil {
					around = union(around, r)
				} else if err := v.lost(nil); err != nil {
					return err
				}
			}
		}
		return nil
	}, s.before, s.after)
	if err != nil {
		return err
	}
	if p.Part == PartTarget && around == (contract.Rect{}) {
		return core.Errorf(core.NoMatch, "the target can be told on neither version of the page").
			WithHint("Take the difference of the whole page.")
	}
	return p.draw(shots, around, s.opt.Height)
}

// draw fills the picture with the difference of two pictures of the page:
// around a rectangle, in what the view shows first, or where something differs.
func (p *Picture) draw(shots [2]contract.Shot, around contract.Rect, height int) error {
	base, err := decode(shots[0])
	if err != nil {
		return err
	}
	cand, err := decode(shots[1])
	if err != nil {
		return err
	}
	marked, where, share := difference(base, cand)
	p.Changed = share
	if where.Empty() {
		return core.Errorf(core.NoMatch, "the two versions of the page look the same at a width of %d", p.View).
			WithHint("There is no difference to show; what changed may be below the picture, or not visible.")
	}
	part := where.Inset(-3 * clipMargin)
	switch p.Part {
	case PartTarget:
		part = pixelRect(around, 1)
	case PartViewport:
		part = image.Rect(0, 0, p.View, height)
	}
	part = part.Intersect(image.Rect(0, 0, marked.w, marked.h))
	if part.Empty() {
		return core.Errorf(core.NoMatch, "the target is below the part of the page that pictures show").
			WithHint("Take a picture of the target instead of the difference.")
	}
	p.Region = contract.Rect{X: float64(part.Min.X), Y: float64(part.Min.Y), Width: float64(part.Dx()), Height: float64(part.Dy())}
	p.Shot, err = marked.crop(part).encode()
	return err
}

func union(a, b contract.Rect) contract.Rect {
	if a == (contract.Rect{}) {
		return b
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return contract.Rect{X: x, Y: y, Width: max(a.X+a.Width, b.X+b.Width) - x, Height: max(a.Y+a.Height, b.Y+b.Height) - y}
}
