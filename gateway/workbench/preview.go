package workbench

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/surface"
)

// Viewport bounds, CSS pixels.
const (
	DefaultWidth  = 1280
	DefaultHeight = 800
)

// Open asks for a preview.
type Open struct {
	DocumentID   string
	Version      string // generation, name or id; "" for the newest
	Width        int    // CSS pixels; 0 for the default
	Height       int
	AllowOrigins []string // https origins the person allowed
	Place        string   // "" for a view of its own, PlaceWindow for a frame of the workbench's window
}

// Preview is an open view of one version of a document.
type Preview struct {
	ID string

	w    *Workbench
	view *surface.Preview
	ask  Open // AllowOrigins guarded by mu, the rest constant
	hub  hub

	loading chan struct{} // holds one value while nothing is loaded: what is shown is what rev says

	mu    sync.Mutex
	rev   core.Revision      // shown; guarded by mu
	tree  *htmlsrc.Tree      // its map; guarded by mu
	epoch int64              // of the last load; guarded by mu
	picks map[string]*Pick   // by handle; guarded by mu
	order []string           // of handles, the oldest first; guarded by mu
	tie   tie                // of the load that was pointed at last; guarded by mu
	found map[string]found   // where notes were found in rev, by id; guarded by mu
	born  map[htmlsrc.ID]int // the birth of each element of tree, once needed; guarded by mu
}

// State is a preview as it goes out. It holds no address but that of the frame the
// workbench is to make: the page's own is the browser's business.
type State struct {
	ID         string   `json:"id"`
	DocumentID string   `json:"documentId"`
	RevisionID string   `json:"revisionId"`
	Generation int64    `json:"generation"`
	SHA256     string   `json:"sha256"`
	Epoch      int64    `json:"epoch"` // grows with each load; picks of an older one are over
	Width      int      `json:"width"`
	Height     int      `json:"height"`
	Allowed    []string `json:"allowedOrigins"`
	Offline    []string `json:"offline"` // origins the page asked for and did not get
	Missing    []string `json:"missing"` // files beside the page that are not there
	ExpiresMS  int64    `json:"expiresMs"`
	Place      string   `json:"place"`              // "" for a view of its own, "window"
	FrameURL   string   `json:"frameUrl,omitempty"` // what the workbench's frame for it begins with
}

// OpenPreview opens a version of a document in a view of its own and loads it.
// Refusals: FeatureOff, UnknownDocument, UnknownRevision, NoBrowser, TooMany,
// those of surface.Manager.Open.
func (w *Workbench) OpenPreview(ctx context.Context, o Open) (State, error) {
	if err := w.c.Check(ctx, core.FeatureWorkbench); err != nil {
		return State{}, err
	}
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = DefaultWidth, DefaultHeight
	}
	spec, rev, tree, err := w.spec(ctx, o)
	if err != nil {
		return State{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	open := w.open
	switch o.Place {
	case "":
	case PlaceWindow:
		open = w.openInWindow
	default:
		return State{}, core.Errorf(core.BadRequest, "the place of a preview is %q, or none for a view of its own", PlaceWindow)
	}
	view, err := open(ctx, spec)
	if err != nil {
		return State{}, err
	}
	p := &Preview{ID: core.NewID("prv"), w: w, view: view, ask: o, rev: rev, tree: tree, picks: map[string]*Pick{}, loading: make(chan struct{}, 1)}
	p.loading <- struct{}{}
	if o.Place == "" { // in a window the frame has to be made first
		if err := p.load(ctx); err != nil {
			_ = view.Close()
			return State{}, err
		}
	}
	if !w.keepPreview(p) {
		_ = view.Close()
		return State{}, core.Errorf(core.ShuttingDown, "the gateway is ending")
	}
	return p.State(), nil
}

// spec says what a view is to show.
func (w *Workbench) spec(ctx context.Context, o Open) (surface.Spec, core.Revision, *htmlsrc.Tree, error) {
	r, err := w.c.Documents.Version(ctx, o.DocumentID, o.Version)
	if err != nil {
		return surface.Spec{}, r, nil, err
	}
	d, err := w.c.Documents.Get(ctx, r.DocumentID)
	if err != nil {
		return surface.Spec{}, r, nil, err
	}
	b, err := w.c.Documents.Bytes(ctx, r.ID)
	if err != nil {
		return surface.Spec{}, r, nil, err
	}
	tree, err := w.c.Documents.Map(r.SHA256, b)
	return surface.Spec{
		DocumentID: d.ID, RevisionID: r.ID, SHA: r.SHA256, Bytes: b, AssetDir: filepath.Dir(d.Path), FileName: filepath.Base(d.Path),
		AllowOrigins: o.AllowOrigins, Width: o.Width, Height: o.Height,
	}, r, tree, err
}

// load loads what the lease stands for; what was picked before is over.
func (p *Preview) load(ctx context.Context) error {
	l, err := p.view.Load(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.epoch, p.picks, p.order = l.Epoch, map[string]*Pick{}, nil
	p.found, p.born = map[string]found{}, nil
	generation := p.rev.Generation
	p.mu.Unlock()
	p.hub.tell(func(f *follower) { f.loaded = &LoadedEvent{Epoch: l.Epoch, Generation: generation} })
	return nil
}

// State describes the preview.
func (p *Preview) State() State {
	l := p.view.Lease()
	p.mu.Lock()
	defer p.mu.Unlock()
	return State{
		ID: p.ID, DocumentID: p.rev.DocumentID, RevisionID: p.rev.ID, Generation: p.rev.Generation, SHA256: p.rev.SHA256, Epoch: p.epoch,
		Width: p.ask.Width, Height: p.ask.Height, Allowed: orEmpty(p.ask.AllowOrigins), Offline: orEmpty(p.view.Asked()), Missing: orEmpty(p.view.Missing()),
		ExpiresMS: l.ExpiresAt.UnixMilli(), Place: p.ask.Place, FrameURL: p.view.FrameURL(),
	}
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Preview gives an open preview, or NotFound.
func (w *Workbench) Preview(id string) (*Preview, error) {
	w.mu.Lock()
	p := w.previews[id]
	w.mu.Unlock()
	if p == nil || p.over(w.now()) {
		return nil, core.Errorf(core.NotFound, "there is no open preview %.80s", id).WithHint("It was closed, its lease expired, or its browser ended. Open it again.")
	}
	return p, nil
}

// Previews lists what is open, by id.
func (w *Workbench) Previews() []State {
	w.mu.Lock()
	var open []*Preview
	for _, p := range w.previews {
		open = append(open, p)
	}
	w.mu.Unlock()
	out := []State{}
	for _, p := range open {
		if !p.over(w.now()) {
			out = append(out, p.State())
		}
	}
	slices.SortFunc(out, func(a, b State) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Reload shows a version ("" for the newest) in the same view. What was picked
// before is over.
func (p *Preview) Reload(ctx context.Context, version string) (State, error) {
	return p.reload(ctx, func(*Open) string { return version })
}

// Allow changes the origins a person allowed and loads the page again.
func (p *Preview) Allow(ctx context.Context, origins []string) (State, error) {
	if err := surface.CheckOrigins(origins); err != nil {
		return State{}, err
	}
	return p.reload(ctx, func(o *Open) string {
		o.AllowOrigins = origins
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.rev.ID
	})
}

// reload shows the version that change gives, with what it changes besides.
func (p *Preview) reload(ctx context.Context, change func(*Open) (version string)) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-p.loading: // one after the other
		defer func() { p.loading <- struct{}{} }()
	case <-ctx.Done():
		return State{}, core.Wrap(core.Cancelled, ctx.Err(), "nobody waits for the page any more")
	}
	p.mu.Lock()
	o := p.ask
	p.mu.Unlock()
	o.Version = change(&o)
	spec, rev, tree, err := p.w.spec(ctx, o)
	if err != nil {
		return State{}, err
	}
	if err := p.view.Rebind(ctx, spec); err != nil {
		return State{}, err
	}
	p.mu.Lock()
	p.rev, p.tree, p.ask.AllowOrigins = rev, tree, o.AllowOrigins
	p.mu.Unlock()
	if err := p.load(ctx); err != nil {
		return State{}, err
	}
	return p.State(), nil
}

// ClosePreview ends a preview and its lease.
func (w *Workbench) ClosePreview(id string) error {
	p := w.dropPreview(id)
	if p == nil {
		return core.Errorf(core.NotFound, "there is no open preview %.80s", id)
	}
	return p.end()
}

// Picture takes a picture of the view, or of the whole page.
func (p *Preview) Picture(ctx context.Context, full bool) (contract.Shot, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return p.view.Surface().Screenshot(ctx, contract.ShotOptions{FullPage: full})
}
