package cdp

import (
	"context"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// Surface is one page in a browser context of its own.
type Surface struct {
	// Constant after Open.
	books     keeper
	inContext protocol.BrowserContextID // of a page of a Host; "" for any other
	target    target.ID
	mainFrame protocol.FrameID
	session   *session        // of a framed surface: nil before ready
	framed    *frame          // the page stands in a frame of the workbench; nil for one of its own
	shown     bool            // a person looks at it, and their window says how large it is
	life      context.Context // ends with the surface
	end       context.CancelFunc
	fetches   chan struct{} // a slot for each request being fulfilled

	// turn is held by the one operation that runs; a channel, so that waiting
	// for it can be given up.
	turn chan struct{}

	// Used by whoever holds the turn.
	o        contract.OpenOptions // its size is that of the view now, the rest constant
	handles  handles
	births   *contract.Births   // of the loaded page, once read
	rooted   bool               // DOM.getDocument was called for the loaded page
	named    map[string]bool    // handles that the page's world knows by name
	watching bool               // movements of the loaded page are noted
	framing  bool               // the browser's one frame is around one of them
	outlined []contract.Outline // in the loaded page

	health  health
	traffic traffic
	points  points

	mu       sync.Mutex // guards the following
	epoch    int64
	loading  *load
	document protocol.LoaderID // that was loaded last
	wandered bool              // the page left the document that was loaded
	size     int64             // of the document that was requested last, bytes
	worlds   map[protocol.FrameID]world
	inspect  chan protocol.BackendNodeID // what PickAt has pressed, while it waits
	armed    bool                        // inspect mode is on
}

// world is the bridge's execution context in one frame.
type world struct {
	id     runtime.ExecutionContextID
	unique string
}

var _ contract.Surface = (*Surface)(nil)

// keeper has a surface on its books.
type keeper interface {
	forget(*Surface)      // its session has ended, whatever ended it
	leave(*Surface) error // nobody wants the page any more
}

func newSurface(k keeper, id target.ID, o contract.OpenOptions) *Surface {
	s := &Surface{
		books: k, target: id, mainFrame: protocol.FrameID(id), o: o,
		turn: make(chan struct{}, 1), fetches: make(chan struct{}, contract.MaxFetches),
		worlds: map[protocol.FrameID]world{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.traffic.init()
	s.points.init()
	s.health.origin = o.Origin
	return s
}

// prepare switches on what the surface listens to and locks the page in. All
// commands are on their way before the first answer is awaited.
func (s *Surface) prepare(ctx context.Context) error {
	var sent []*sent
	do := func(method string, params any) { sent = append(sent, s.session.send(ctx, method, params)) }
	do(page.CommandEnable, page.EnableParams{})
	do(page.CommandSetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
	do(page.CommandAddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: s.script(), WorldName: worldName})
	do("Runtime.enable", protocol.Empty{})
	do("Log.enable", protocol.Empty{})
	do("Inspector.enable", protocol.Empty{})
	do("Network.enable", protocol.Empty{})
	do(network.CommandSetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
	do(network.CommandSetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	do(fetch.CommandEnable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*", RequestStage: fetch.RequestStageRequest}}})
	do("DOM.enable", protocol.Empty{})
	do(dom.CommandSetNodeStackTracesEnabled, dom.SetNodeStackTracesEnabledParams{Enable: true})
	do("Overlay.enable", protocol.Empty{})
	do(page.CommandSetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
	if !s.shown { // else it is as large as it is shown, and has the focus when a person gives it
		do(emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		do(emulation.CommandSetScrollbarsHidden, emulation.SetScrollbarsHiddenParams{Hidden: true}) // a picture has none, wherever it is taken
		do(emulation.CommandSetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(s.o.Width), Height: int64(s.o.Height), DeviceScaleFactor: 1,
		})
	}
	do("Runtime.runIfWaitingForDebugger", protocol.Empty{})
	for _, c := range sent {
		if err := c.wait(ctx, nil); err != nil {
			return core.Wrap(core.BrowserFailed, err, "the browser refused %s", c.method)
		}
	}
	return nil
}

func (s *Surface) script() string {
	switch {
	case s.framed != nil:
		return frameScript
	case s.shown:
		return shownScript
	}
	return worldScript
}

// stretch gives a time bound as it is for the loaded document: as stated up to
// 1 MiB, and as much again for each MiB, since parsing and layout take their
// time; never beyond core.BridgeLongestTimeout.
func (s *Surface) stretch(d time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(d*time.Duration(1+s.size>>20), max(d, core.BridgeLongestTimeout))
}

// take waits for the surface's turn and bounds the operation. The returned
// function gives the turn back.
func (s *Surface) take(ctx context.Context, op string) (context.Context, func(), error) {
	ctx, cancel := context.WithTimeout(ctx, s.stretch(2*core.BridgeCommandTimeout))
	return s.takeFor(ctx, cancel, op)
}

func (s *Surface) takeFor(ctx context.Context, cancel context.CancelFunc, op string) (context.Context, func(), error) {
	select {
	case <-s.life.Done():
		cancel()
		return nil, nil, lost().In("cdp." + op)
	case <-ctx.Done():
		defer cancel()
		return nil, nil, ended(ctx, op).In("cdp." + op)
	case s.turn <- struct{}{}:
	}
	if err := s.attached(ctx, op); err != nil {
		cancel()
		<-s.turn
		return nil, nil, err.In("cdp." + op)
	}
	return ctx, func() { cancel(); <-s.turn }, nil
}

// reading is take for operations on the loaded page; it refuses when the page
// has left the document that was loaded.
func (s *Surface) reading(ctx context.Context, op string) (context.Context, func(), error) {
	ctx, done, err := s.take(ctx, op)
	if err != nil {
		return nil, nil, err
	}
	if err := s.usable(); err != nil {
		done()
		return nil, nil, err.In("cdp." + op)
	}
	return ctx, done, nil
}

func (s *Surface) usable() *core.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.epoch == 0:
		return core.Errorf(core.SurfaceChanged, "no page has been loaded yet")
	case s.wandered:
		return core.Errorf(core.SurfaceChanged, "the page has replaced itself since it was loaded").WithHint("Load it again.")
	}
	return nil
}

// top gives the bridge's world in the page's own document.
func (s *Surface) top() (runtime.ExecutionContextID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.worlds[s.mainFrame]
	if !ok {
		return 0, core.Errorf(core.SurfaceChanged, "the page has no document that can be read").WithHint("Load it again.")
	}
	return w.id, nil
}

func (s *Surface) currentEpoch() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// Lost is closed when the surface is gone.
func (s *Surface) Lost() <-chan struct{} { return s.life.Done() }

// lose ends every running and later call. It may run on the reading goroutine.
func (s *Surface) lose() {
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	if session != nil {
		session.detach()
	}
	s.end()
}

// watch takes the surface off the books when its session has ended, whatever
// ended it.
func (s *Surface) watch() {
	<-s.session.gone
	s.end()
	s.books.forget(s)
}

// Close ends the page.
func (s *Surface) Close() error { return s.books.leave(s) }
