package candidate

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/internal/faultpoint"
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
	}
	if err := s.visible("candidate.Look"); err != nil {
		return Look{}, err
	}
	s.receipt = nil
	faultpoint.Reach("verify: the draft is to be looked at")
	pair, err := s.see(ctx)
	if err != nil {
		return Look{}, err
	}
	faultpoint.Reach("verify: the draft was looked at")
	if err := s.checkTree(ctx, pair); err != nil {
		return Look{}, err
	}
	found, err := s.compare(ctx, pair)
	if err == nil && !found.clean() {
		found, err = s.confirmed(ctx, pair, found)
	}
	if err == nil && ctx.Err() != nil { // all of it may have been known already
		err = core.Wrap(core.Cancelled, ctx.Err(), "the turn was stopped while the draft was looked at").In("candidate.Look")
	}
	if err != nil {
		return Look{}, err
	}
	look := Look{Before: pair.base.shot, After: pair.cand.shot, Verification: found.verification()}
	look.Verification.CandidateSHA, look.Verification.TreeMatches = s.draft.sha, true
	look.Verification.Width, look.Verification.Height = s.opt.Width, s.opt.Height
	look.Faults = reasons(look.Verification, s.opt.Approved)
	look.Receipt = core.NewID("vfy")
	s.receipt = &receipt{token: look.Receipt, sha: s.draft.sha, look: look}
	s.looks++
	if s.opt.Looked != nil {
		s.opt.Looked(look)
	}
	return look, nil
}

// sightings of base and draft.
type sightings struct{ base, cand sighting }

// see loads the draft while the base is photographed a second time.
func (s *Session) see(ctx context.Context) (sightings, error) {
	var out sightings
	var err error
	if out.base, err = s.before.fresh(ctx); err != nil {
		return out, err
	}
	if _, err = s.before.standstill(ctx); err != nil {
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

// visible refuses where there is nothing to show pages in, or where what shows
// them speaks a protocol whose word is no verification: then the source can
// still be edited by hand, but no turn may claim to have seen its change.
func (s *Session) visible(op string) error {
	if s.svc.Surfaces == nil {
		return core.Errorf(core.NoBrowser, "there is no browser to look at the page in, so nothing can be committed").In(op)
	}
	if h := s.svc.Surfaces.Host(); !h.Verifies() {
		return core.Errorf(core.NoBrowser, "this program shows pages by protocol %d, which cannot verify a change; %d is needed", h.Protocol, contract.Version).
			WithHint("Bring the desktop app up to date, or edit the source by hand.").In(op)
	}
	return nil
}

// Surface gives a view of the current bytes for the browser tools: the draft's,
// or the base's where nothing is staged. Whatever is done there, the next Look
// begins with a fresh load.
func (s *Session) Surface(ctx context.Context) (contract.Surface, error) {
	if s.over {
		return nil, turnEnded("candidate.Surface")
	}
	if err := s.visible("candidate.Surface"); err != nil {
		return nil, err
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
