package workbench

import (
	"context"
	"errors"
	"sync"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/annotate"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/router"
	"proofmark/gateway/store"
	"proofmark/gateway/surface"
	"proofmark/gateway/turn"
)

// Browser is what previews are opened in.
type Browser struct {
	Previews *surface.Manager
	Lost     <-chan struct{} // closed when it has died; nil where that is not known
	Close    func() error
}

// Config is what a Workbench works with.
type Config struct {
	Store     *store.Store
	Documents *document.Service
	Notes     *annotate.Service
	// Start starts a browser, when the first preview is opened.
	Start func(context.Context) (*Browser, error)
	// Lineup gives the models a name stands for, "" for the default.
	Lineup func(ctx context.Context, name string) (router.Lineup, error)
	// Check refuses what an operator has switched off.
	Check func(context.Context, core.Feature) error
	// Closed, if any, is told of each preview that is closed, so that what was
	// given out for it ends with it.
	Closed func(previewID string)

	Now        func() time.Time // the clock of leases; nil for the machine's
	SweepEvery time.Duration    // how often open previews are looked at; 0 for a second
}

// Workbench is what is open. It is safe for concurrent use.
type Workbench struct {
	c    Config
	ctx  context.Context // of everything that goes on; done when the workbench closes
	stop context.CancelFunc
	work sync.WaitGroup // turns, and the sweeping of previews

	candidates *candidate.Service
	engine     *turn.Engine

	sending sync.Mutex // held from a turn's acceptance until it is known here

	starting chan struct{} // holds one value while nobody starts a browser
	pictures pictures      // of versions

	mu       sync.Mutex
	browser  *Browser            // nil before the first preview; guarded by mu
	window   *Browser            // the person's own window with the workbench; nil without one; guarded by mu
	host     contract.HostInfo   // of the browser that ran last; guarded by mu
	previews map[string]*Preview // by id; guarded by mu
	turns    map[string]*Running // by turn id, running and lately ended; guarded by mu
	ended    []string            // turns in the order they ended; guarded by mu
	running  int                 // turns that run or are about to; guarded by mu
	sweeping bool                // somebody looks after the previews; guarded by mu
	closed   bool                // guarded by mu
}

// New makes a Workbench.
func New(c Config) *Workbench {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.SweepEvery <= 0 {
		c.SweepEvery = sweepEvery
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &Workbench{c: c, ctx: ctx, stop: stop, starting: make(chan struct{}, 1), pictures: newPictures(), previews: map[string]*Preview{}, turns: map[string]*Running{}}
	w.starting <- struct{}{}
	w.candidates = candidate.New(candidate.Config{Store: c.Store, Documents: c.Documents, Surfaces: surfaces{w}})
	w.engine = newEngine(w)
	return w
}

// Reconcile settles, at start, the turns an earlier process left unfinished.
func (w *Workbench) Reconcile(ctx context.Context) error {
	_, err := w.engine.Reconcile(ctx)
	return err
}

// Close ends every turn, waits for them until ctx is done, closes all previews
// and then the browser. A turn that is committing ends its commit first.
func (w *Workbench) Close(ctx context.Context) error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop()
	done := make(chan struct{})
	go func() { w.work.Wait(); close(done) }()
	var errs []error
	select {
	case <-done:
	case <-ctx.Done():
		errs = append(errs, core.Wrap(core.Timeout, ctx.Err(), "a turn did not end in time"))
	}
	w.mu.Lock()
	b, open := w.browser, w.previews
	w.browser, w.window, w.previews = nil, nil, map[string]*Preview{}
	w.mu.Unlock()
	for _, p := range open {
		errs = append(errs, p.end())
	}
	if b != nil {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}

// manager gives the browser's previews, and starts one where none runs or the
// last one died.
func (w *Workbench) manager(ctx context.Context) (*surface.Manager, error) {
	select {
	case <-w.starting: // one at a time, without a lock over it
		defer func() { w.starting <- struct{}{} }()
	case <-ctx.Done():
		return nil, core.Wrap(core.Cancelled, ctx.Err(), "nobody waits for the browser any more")
	}
	w.mu.Lock()
	b, closed := w.browser, w.closed
	w.mu.Unlock()
	switch {
	case closed:
		return nil, core.Errorf(core.ShuttingDown, "the gateway is ending")
	case b != nil && !gone(b.Lost):
		return b.Previews, nil
	case b != nil:
		w.forgetBrowser(b)
	}
	b, err := w.c.Start(w.ctx) // it outlives the request that needed it first
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	closed = w.closed
	if !closed {
		w.browser, w.host = b, b.Previews.Host()
	}
	w.mu.Unlock()
	if closed {
		return nil, errors.Join(core.Errorf(core.ShuttingDown, "the gateway is ending"), b.Close())
	}
	return b.Previews, nil
}

// forgetBrowser drops a browser that died, with all that was open in it.
func (w *Workbench) forgetBrowser(b *Browser) {
	var open map[string]*Preview
	w.mu.Lock()
	if w.browser == b {
		open, w.browser = map[string]*Preview{}, nil
		for id, p := range w.previews {
			if p.ask.Place != PlaceWindow { // it has a browser of its own
				open[id] = p
				delete(w.previews, id)
			}
		}
	}
	w.mu.Unlock()
	for _, p := range open {
		_ = p.end() // the view is gone already
	}
	_ = b.Close()
}

// open opens a view, in a fresh browser where the last one turns out to be dead.
func (w *Workbench) open(ctx context.Context, s surface.Spec) (*surface.Preview, error) {
	for again := false; ; again = true {
		m, err := w.manager(ctx)
		if err != nil {
			return nil, err
		}
		p, err := m.Open(ctx, s)
		if code := core.CodeOf(err); again || code != core.SurfaceLost && code != core.BrowserFailed {
			return p, err
		}
		w.mu.Lock()
		b := w.browser
		w.mu.Unlock()
		if b != nil && b.Previews == m {
			w.forgetBrowser(b)
		}
	}
}

// PreviewPort gives the port that leased pages come from, that of the window where
// there is one, 0 while no browser runs.
func (w *Workbench) PreviewPort() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.window != nil:
		return w.window.Previews.Listener().Port()
	case w.browser != nil:
		return w.browser.Previews.Listener().Port()
	}
	return 0
}

func (w *Workbench) now() time.Time { return w.c.Now() }

func gone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// patience bounds one piece of work in the browser that a request waits for.
const patience = 90 * time.Second
