package candidate

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/surface"
)

// maxShotHeight and maxShotWidth bound the pictures that are compared, in CSS
// pixels; what lies beyond them is not compared.
const (
	maxShotHeight = 6000
	maxShotWidth  = 4096
)

// view is one hidden page: the base's, or the draft's. It is opened and loaded
// in the background, one load at a time.
type view struct {
	life   context.Context
	opened chan struct{} // closed when preview and err are set
	err    error
	// preview is nil where opening failed.
	preview *surface.Preview
	owned   bool // close closes the preview
	width   int  // of the view now, CSS pixels; 0 where it is not known

	shown *showing
}

// showing is one load of one version in a view.
type showing struct {
	spec  surface.Spec
	tree  *htmlsrc.Tree
	skip  context.CancelFunc // keeps a load that has not begun from beginning
	ready chan struct{}      // closed when first and err are set
	first sighting
	err   error
	// still is a second picture of the page as it was first seen, and widths what
	// it shows at other widths; both are taken once a load.
	still  *contract.Shot
	widths map[int]widthSight
	// touched is set when the page was handed out after it was loaded: what it
	// shows then is not the page's own any more.
	touched bool
}

// sighting is what a freshly loaded page shows.
type sighting struct {
	shot   contract.Shot
	live   []contract.TreeElement
	plan   *plan // where the map's elements stand; nil where they cannot be told
	adapts bool  // the page asks how wide its view is
	faults faults
	body   contract.Rect
}

// openView opens a hidden view that can show spec.
func openView(life context.Context, m Surfaces, spec surface.Spec) *view {
	v := &view{life: life, opened: make(chan struct{}), owned: true}
	go func() {
		defer close(v.opened)
		v.preview, v.err = m.Open(life, spec)
		v.width = spec.Width
	}()
	return v
}

// lentView makes a view of a preview that somebody else owns, of that width.
func lentView(life context.Context, p *surface.Preview, width int) *view {
	v := &view{life: life, opened: make(chan struct{}), preview: p, width: width}
	close(v.opened)
	return v
}

// show begins to load a version, behind a load that is under way: a browser
// that is interrupted in one load may abort the next. A version that another
// one follows before its load began is never loaded.
func (v *view) show(spec surface.Spec, tree *htmlsrc.Tree) {
	wanted, skip := context.WithCancel(v.life)
	s := &showing{spec: spec, tree: tree, skip: skip, ready: make(chan struct{})}
	before := v.shown
	v.shown = s
	if before != nil {
		before.skip()
	}
	go func() {
		defer close(s.ready)
		if before != nil {
			<-before.ready
		}
		if <-v.opened; v.err != nil {
			s.err = v.err
			return
		}
		if s.err = wanted.Err(); s.err == nil {
			s.first, s.err = v.bring(s)
		}
	}()
}

// bring loads the version of s, unless it is there already.
func (v *view) bring(s *showing) (sighting, error) {
	if !v.owned { // it is loaded, and nobody touched it
		return v.see(v.life, s)
	}
	if v.preview.Lease().SHA != s.spec.SHA {
		if err := v.preview.Rebind(v.life, s.spec); err != nil {
			return sighting{}, v.named(err)
		}
	}
	return v.load(v.life, s)
}

// load loads the page anew and reads what it shows.
func (v *view) load(ctx context.Context, s *showing) (sighting, error) {
	if err := v.resize(ctx, s.spec.Width, s.spec.Height); err != nil {
		return sighting{}, err
	}
	if _, err := v.preview.Load(ctx); err != nil {
		return sighting{}, v.named(err)
	}
	s.touched = false
	return v.see(ctx, s)
}

// see reads what the loaded page shows.
func (v *view) see(ctx context.Context, s *showing) (sighting, error) {
	var out sighting
	var err error
	sf := v.preview.Surface()
	if out.live, err = sf.Tree(ctx); err != nil {
		return out, v.named(err)
	}
	h, err := sf.Health(ctx)
	if err != nil {
		return out, v.named(err)
	}
	if out.body, err = v.bodyRect(ctx); err != nil {
		return out, err
	}
	if out.plan, out.adapts, err = v.plan(ctx, s.tree); err != nil {
		return out, err
	}
	if out.shot, err = v.shoot(ctx, wholePage(h, s.spec.Width, s.spec.Height)); err != nil {
		return out, err
	}
	// Health again, for what the page complained about meanwhile.
	if h, err = sf.Health(ctx); err != nil {
		return out, v.named(err)
	}
	out.faults = faultsOf(h, v.preview.Missing(), v.preview.Lease().Origin, s.spec.AllowOrigins)
	return out, nil
}

// wholePage gives the page's part that is compared: all of it, within bounds.
func wholePage(h contract.Health, width, height int) contract.Rect {
	return contract.Rect{
		Width:  min(max(h.DocumentRect.Width, float64(width)), maxShotWidth),
		Height: min(max(h.DocumentRect.Height, float64(height)), maxShotHeight),
	}
}

// plan reads where the elements stand.
func (v *view) plan(ctx context.Context, t *htmlsrc.Tree) (p *plan, adapts bool, err error) {
	sf := v.preview.Surface()
	l, err := sf.Layout(ctx)
	if err != nil || l.Cut {
		return nil, l.Adapts, v.named(err)
	}
	births, err := sf.Births(ctx)
	if err != nil {
		return nil, false, v.named(err)
	}
	return newPlan(l, proof.NewTie(births, t), t), l.Adapts, nil
}

// again loads the shown version anew and keeps what it shows as its first sight.
func (v *view) again(ctx context.Context) (sighting, error) {
	s := v.shown
	first, err := v.load(ctx, s)
	if err == nil {
		s.first, s.still, s.widths = first, nil, nil
	}
	return first, err
}

// standstill gives a second picture of the page as it was first seen; what
// differs from the first one moves by itself.
func (v *view) standstill(ctx context.Context) (contract.Shot, error) {
	s := v.shown
	if s.still == nil {
		shot, err := v.shoot(ctx, contract.Rect{Width: float64(s.first.shot.Width), Height: float64(s.first.shot.Height)})
		if err != nil {
			return shot, err
		}
		s.still = &shot
	}
	return *s.still, nil
}

// shoot takes a part of the page.
func (v *view) shoot(ctx context.Context, clip contract.Rect) (contract.Shot, error) {
	shot, err := v.preview.Surface().Screenshot(ctx, contract.ShotOptions{Clip: &clip})
	return shot, v.named(err)
}

// bodyRect gives the box of the page's body; empty where there is none.
func (v *view) bodyRect(ctx context.Context) (contract.Rect, error) {
	sf := v.preview.Surface()
	picks, _, err := sf.Query(ctx, "body", 1)
	if err != nil || len(picks) == 0 {
		return contract.Rect{}, v.named(err)
	}
	r, err := sf.Rect(ctx, picks[0].Handle)
	if err != nil { // a body that is not displayed has no box
		return contract.Rect{}, v.lost(nil)
	}
	return r, nil
}

// wait waits until what is shown is loaded.
func (v *view) wait(ctx context.Context) error {
	select {
	case <-v.shown.ready:
		return v.named(v.shown.err)
	case <-ctx.Done():
		return core.Wrap(core.Cancelled, ctx.Err(), "the turn was stopped while the page was loading").In("candidate.Look")
	}
}

// fresh gives what the page shows of itself: the first sight, or that of a new
// load where somebody used the page since.
func (v *view) fresh(ctx context.Context) (sighting, error) {
	if err := v.wait(ctx); err != nil {
		return sighting{}, err
	}
	if v.shown.touched {
		return v.again(ctx)
	}
	return v.shown.first, v.lost(nil)
}

// lost gives SurfaceLost where the page is gone, else err.
func (v *view) lost(err error) error {
	if v.preview == nil {
		return err
	}
	select {
	case <-v.preview.Surface().Lost():
		return core.Wrap(core.SurfaceLost, err, "the hidden page is gone; nothing was changed").
			WithHint("Send the notes again.").In("candidate.Look")
	default:
		return err
	}
}

// named gives a failure on a lost page its name.
func (v *view) named(err error) error {
	if err == nil {
		return nil
	}
	return v.lost(err)
}

// close waits for what still loads and closes the page. The view's life has to
// be over.
func (v *view) close() {
	if v == nil {
		return
	}
	<-v.opened
	if v.shown != nil {
		v.shown.skip()
		<-v.shown.ready
	}
	if v.owned && v.preview != nil {
		_ = v.preview.Close()
	}
}
