package candidate

import (
	"context"
	"fmt"
	"image"
	"slices"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// Look is what one look at the draft saw, and the receipt for it.
type Look struct {
	Receipt      string // "vfy_…": Commit needs the newest one, for these very bytes
	Verification core.Verification
	// Faults are the reasons why Commit will refuse this draft, as sentences;
	// none where it may be committed.
	Faults        []string
	Before, After contract.Shot // the full pages, bounded
}

// receipt binds a look to the draft it saw.
type receipt struct {
	token string
	sha   string
	look  Look
}

// Look loads the base and the draft side by side in hidden views of the same
// size and says what differs: what broke, whether Chromium's tree of the draft
// is the map's, and how many pixels changed inside and outside the targets. It
// gives a receipt for exactly this draft. A draft that Chromium builds another
// tree from than meant is refused with UnsafeStructure, a view that went away
// with SurfaceLost; a new fault is in the receipt and stops Commit.
func (s *Session) Look(ctx context.Context) (Look, error) {
	switch {
	case s.over:
		return Look{}, turnEnded("candidate.Look")
	case s.draft == nil:
		return Look{}, core.Errorf(core.Unbound, "nothing is staged yet, so there is no draft to verify").
			WithHint("Stage a change first.").In("candidate.Look")
	case s.svc.Surfaces == nil:
		return Look{}, core.Errorf(core.NoBrowser, "the draft cannot be looked at without a browser, so it cannot be committed").In("candidate.Look")
	}
	s.receipt = nil
	pair, err := s.see(ctx)
	if err != nil {
		return Look{}, err
	}
	if err := s.checkTree(ctx, pair); err != nil {
		return Look{}, err
	}
	fresh, err := s.newFaults(ctx, pair)
	if err != nil {
		return Look{}, err
	}
	look := Look{Before: pair.base.shot, After: pair.cand.shot}
	look.Verification = core.Verification{
		CandidateSHA: s.draft.sha, TreeMatches: true, Width: s.opt.Width, Height: s.opt.Height,
		NewErrors: nonNil(fresh.errors), MissingResources: nonNil(fresh.missing),
	}
	if err := s.measure(ctx, pair, &look); err != nil {
		return Look{}, err
	}
	look.Faults = reasons(look.Verification)
	look.Receipt = core.NewID("vfy")
	s.receipt = &receipt{token: look.Receipt, sha: s.draft.sha, look: look}
	s.looks++
	return look, nil
}

// sightings of base and draft. again is a second picture of the unchanged base.
type sightings struct {
	base, cand sighting
	again      contract.Shot
}

// see loads the draft while the base is photographed a second time.
func (s *Session) see(ctx context.Context) (sightings, error) {
	var out sightings
	var err error
	if out.base, err = s.before.fresh(ctx); err != nil {
		return out, err
	}
	if out.again, err = s.before.shoot(ctx, contract.Rect{Width: float64(out.base.shot.Width), Height: float64(out.base.shot.Height)}); err != nil {
		return out, err
	}
	out.cand, err = s.after.fresh(ctx)
	return out, err
}

// showDraft begins to load the draft, and the base where it is not there yet.
func (s *Session) showDraft() {
	s.openViews()
	if s.after != nil {
		s.after.show(s.spec(s.turn.RevisionID, core.NewID("cand"), s.draft.sha, s.draft.tree.Source()), s.draft.tree)
	}
}

func (s *Session) checkTree(ctx context.Context, p sightings) error {
	births := func(v *view) func() (contract.Births, error) {
		return func() (contract.Births, error) {
			b, err := v.preview.Surface().Births(ctx)
			return b, v.named(err)
		}
	}
	return chromiumAgrees(
		treeEvidence{tree: s.base, live: p.base.live, births: births(s.before)},
		treeEvidence{tree: s.draft.tree, live: p.cand.live, births: births(s.after)},
	)
}

// newFaults gives the faults the draft has and the base has not. A fault that
// only shows now and then is not the draft's: before anything is held against
// it, both pages are loaded once more.
func (s *Session) newFaults(ctx context.Context, p sightings) (faults, error) {
	fresh := p.cand.faults.since(p.base.faults)
	if fresh.none() {
		return fresh, nil
	}
	base, err := s.before.again(ctx)
	if err != nil {
		return fresh, err
	}
	cand, err := s.after.again(ctx)
	if err != nil {
		return fresh, err
	}
	// The base is known to have what any of its loads showed.
	s.before.shown.first.faults = p.base.faults.and(base.faults)
	return fresh.both(cand.faults).since(base.faults), nil
}

// measure compares the pictures and the layout.
func (s *Session) measure(ctx context.Context, p sightings, look *Look) error {
	baseIDs, candIDs := s.targets()
	calm, _ := sameTree(expectedTree(s.base), p.base.live)
	baseRects, err := s.before.rects(ctx, baseIDs, calm)
	if err != nil {
		return err
	}
	calm, _ = sameTree(expectedTree(s.draft.tree), p.cand.live)
	candRects, err := s.after.rects(ctx, candIDs, calm)
	if err != nil {
		return err
	}
	if collapsed(p.base, p.cand, baseRects) {
		look.Verification.NewErrors = append(look.Verification.NewErrors,
			fmt.Sprintf("layout: the page's body was %.0f CSS pixels high and is now %.0f", p.base.body.Height, p.cand.body.Height))
	}
	look.Verification.OutOfPicture = max(below(baseRects, p.base.shot), below(candRects, p.cand.shot))
	return s.comparePictures(ctx, p, slices.Concat(baseRects, candRects), &look.Verification)
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

// comparePictures fills in the shares of changed pixels.
func (s *Session) comparePictures(ctx context.Context, p sightings, rects []contract.Rect, v *core.Verification) error {
	if slices.Equal(p.base.shot.Data, p.cand.shot.Data) {
		return nil
	}
	base, err := decode(p.base.shot)
	if err != nil {
		return err
	}
	cand, err := decode(p.cand.shot)
	if err != nil {
		return err
	}
	var masks []*unstable
	if !slices.Equal(p.base.shot.Data, p.again.Data) {
		again, err := decode(p.again)
		if err != nil {
			return err
		}
		masks = append(masks, unstableOf(base, again))
	}
	inside := make([]image.Rectangle, 0, len(rects))
	for _, r := range rects {
		inside = append(inside, pixelRect(r, 1))
	}
	v.PixelsInside, v.PixelsOutside = shares(base, cand, inside, masks...)
	if v.PixelsOutside == 0 {
		return nil
	}
	// Something outside differs: see whether the draft itself stands still.
	second, err := s.after.shoot(ctx, contract.Rect{Width: float64(cand.w), Height: float64(cand.h)})
	if err != nil || slices.Equal(second.Data, p.cand.shot.Data) {
		return err
	}
	again, err := decode(second)
	if err != nil {
		return err
	}
	v.PixelsInside, v.PixelsOutside = shares(base, cand, inside, append(masks, unstableOf(cand, again))...)
	return nil
}

// collapsed tells whether the page's body, which had a height, has practically
// none any more although the targets were not all there was on the page.
func collapsed(base, cand sighting, targets []contract.Rect) bool {
	const standing, flat, whole = 40, 2, 0.9
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

// reasons gives what stops a commit, as sentences.
func reasons(v core.Verification) []string {
	var out []string
	for _, e := range v.NewErrors {
		out = append(out, "new error: "+e)
	}
	for _, m := range v.MissingResources {
		out = append(out, "newly missing: "+m)
	}
	return out
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Surface gives a view of the current bytes for the browser tools: the draft's,
// or the base's where nothing is staged. Whatever is done there, the next Look
// begins with a fresh load.
func (s *Session) Surface(ctx context.Context) (contract.Surface, error) {
	if s.over {
		return nil, turnEnded("candidate.Surface")
	}
	if s.svc.Surfaces == nil {
		return nil, core.Errorf(core.NoBrowser, "there is no browser to show the page in").In("candidate.Surface")
	}
	s.openViews()
	v := s.view()
	if err := v.wait(ctx); err != nil {
		return nil, err
	}
	v.shown.touched = true
	return v.preview.Surface(), v.lost(nil)
}

// view gives the view of the current bytes.
func (s *Session) view() *view {
	if s.draft != nil {
		return s.after
	}
	return s.before
}

// Reload loads the view of the current bytes anew, for the browser tools.
func (s *Session) Reload(ctx context.Context) error {
	if _, err := s.Surface(ctx); err != nil {
		return err
	}
	_, err := s.view().again(ctx)
	return err
}
