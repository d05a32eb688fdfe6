package candidate

import (
	"context"
	"sync"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/surface"
)

// maxShotHeight and maxShotWidth bound the pictures that are compared, in CSS
// pixels; what lies beyond them is not compared.
const (
	maxShotHeight = 6000
	maxShotWidth  = 4096
)

// view is one hidden page: the base, or the draft. Its first load runs in the
// background; every method waits for it.
type view struct {
	tree    *htmlsrc.Tree
	spec    surface.Spec
	preview *surface.Preview
	owned   bool // close closes the preview
	touched bool // handed out since the last load: its state is not the page's own

	ready chan struct{} // closed when the first load is over
	first sighting      // what it showed
	err   error

	once sync.Once
	stop context.CancelFunc
}

// sighting is what a freshly loaded page shows.
type sighting struct {
	shot   contract.Shot
	live   []contract.TreeElement
	faults faults
	body   contract.Rect
}

// openView opens a hidden view and begins to load it.
func (s *Session) openView(spec surface.Spec, tree *htmlsrc.Tree) *view {
	v := &view{tree: tree, spec: spec, ready: make(chan struct{})}
	ctx, cancel := context.WithCancel(s.life)
	v.stop = cancel
	if p := s.opt.Base; p != nil && spec.CandidateID == "" {
		v.preview = p
	} else {
		v.owned = true
	}
	go func() {
		defer close(v.ready)
		if v.preview != nil {
			v.first, v.err = v.see(ctx)
			return
		}
		if v.preview, v.err = s.svc.Surfaces.Open(ctx, spec); v.err != nil {
			return
		}
		v.first, v.err = v.load(ctx)
	}()
	return v
}

// load loads the page anew and reads what it shows.
func (v *view) load(ctx context.Context) (sighting, error) {
	if _, err := v.preview.Load(ctx); err != nil {
		return sighting{}, v.surfaceError(err)
	}
	v.touched = false
	return v.see(ctx)
}

// see reads what the loaded page shows.
func (v *view) see(ctx context.Context) (sighting, error) {
	var s sighting
	var err error
	sf := v.preview.Surface()
	if s.live, err = sf.Tree(ctx); err != nil {
		return s, v.surfaceError(err)
	}
	h, err := sf.Health(ctx)
	if err != nil {
		return s, v.surfaceError(err)
	}
	if s.body, err = v.bodyRect(ctx); err != nil {
		return s, err
	}
	if s.shot, err = v.shoot(ctx, h.DocumentRect); err != nil {
		return s, err
	}
	// Health again, for what the page complained about meanwhile.
	if h, err = sf.Health(ctx); err != nil {
		return s, v.surfaceError(err)
	}
	s.faults = faultsOf(h, v.preview.Missing(), v.preview.Lease().Origin, v.spec.AllowOrigins)
	return s, nil
}

// shoot takes the full page, bounded.
func (v *view) shoot(ctx context.Context, doc contract.Rect) (contract.Shot, error) {
	clip := contract.Rect{
		Width:  min(max(doc.Width, float64(v.spec.Width)), maxShotWidth),
		Height: min(max(doc.Height, float64(v.spec.Height)), maxShotHeight),
	}
	shot, err := v.preview.Surface().Screenshot(ctx, contract.ShotOptions{Clip: &clip})
	return shot, v.surfaceError(err)
}

// bodyRect gives the box of the page's body; empty where there is none.
func (v *view) bodyRect(ctx context.Context) (contract.Rect, error) {
	sf := v.preview.Surface()
	picks, _, err := sf.Query(ctx, "body", 1)
	if err != nil || len(picks) == 0 {
		return contract.Rect{}, v.surfaceError(err)
	}
	r, err := sf.Rect(ctx, picks[0].Handle)
	if err != nil {
		return contract.Rect{}, v.lostOr(nil)
	}
	return r, nil
}

// wait waits until the first load is over.
func (v *view) wait(ctx context.Context) error {
	select {
	case <-v.ready:
		return v.surfaceError(v.err)
	case <-ctx.Done():
		return core.Wrap(core.Cancelled, ctx.Err(), "the turn was stopped while the page was loading").In("candidate.Look")
	}
}

// fresh gives what the page shows of itself: the first load, or a new one where
// somebody used the page since.
func (v *view) fresh(ctx context.Context) (sighting, error) {
	if err := v.wait(ctx); err != nil {
		return sighting{}, err
	}
	if !v.touched {
		return v.first, v.lostOr(nil)
	}
	s, err := v.load(ctx)
	if err == nil {
		v.first = s
	}
	return s, err
}

// lostOr gives SurfaceLost where the page is gone, else err.
func (v *view) lostOr(err error) error {
	if v.preview != nil {
		select {
		case <-v.preview.Surface().Lost():
			return core.Wrap(core.SurfaceLost, err, "the hidden page is gone; nothing was changed").
				WithHint("Send the notes again.").In("candidate.Look")
		default:
		}
	}
	return err
}

// surfaceError turns a failure on a lost page into SurfaceLost.
func (v *view) surfaceError(err error) error {
	if err == nil {
		return nil
	}
	return v.lostOr(err)
}

// close stops loading, waits for it and closes the page.
func (v *view) close() {
	if v == nil {
		return
	}
	v.once.Do(func() {
		v.stop()
		<-v.ready
		if v.owned && v.preview != nil {
			_ = v.preview.Close()
		}
	})
}
