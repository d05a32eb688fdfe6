package cdp

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// WindowOptions say how to open the workbench's window.
type WindowOptions struct {
	Path     string // of the executable; empty looks for one
	Proxy    string // of the preview listener; everything but Origin goes through it
	Origin   string // of the workbench, "http://127.0.0.1:<port>"
	Fragment string // where in it the window begins, without "#"
	Headless bool   // for machines without a display, and for tests
	Width    int    // of the window, 0 for 1280 × 800
	Height   int
	// Hello is what the workbench is told about its host, as JSON.
	Hello func() ([]byte, error)
	// Token gives the workbench a credential of its own, fresh each time.
	Token func() (token string, expires time.Time, err error)
}

// Window is a Chromium of its own that shows one trusted page, the workbench. The
// pages it is about stand in frames of that page, each driven as a Surface.
type Window struct {
	o    WindowOptions
	host *Host // its own pages are none of contract.Host's: it opens frames only

	page    target.ID       // of the workbench; constant once made is closed
	session *session        // of the workbench; constant once made is closed
	made    chan struct{}   // closed when the window's page is there
	closed  chan struct{}   // closed when the window is gone
	life    context.Context // ends with the window
	end     context.CancelFunc
	once    sync.Once

	mu       sync.Mutex                    // guards the following
	waiting  map[string]*Surface           // that have no frame yet, by origin
	surfaces map[target.SessionID]*Surface // that have one
	frames   map[protocol.FrameID]string   // where the workbench's frames are going
}

var _ contract.Host = (*Window)(nil)

// startPage is shown until the workbench is: the window's session has to be
// there before the workbench's first request.
const startPage = "data:text/html,<title>Proofmark</title>"

// OpenWindow starts Chromium with the workbench in a window. It lives until the
// person closes it, or until Close; the context bounds the start only.
func OpenWindow(ctx context.Context, o WindowOptions) (*Window, error) {
	u, err := url.Parse(o.Origin)
	if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" || fmtOrigin(u) != o.Origin {
		return nil, core.Errorf(core.Internal, "the workbench is at http://127.0.0.1:<port>, not at %q", o.Origin).In("cdp.OpenWindow")
	}
	if err := checkProxy(o.Proxy); err != nil {
		return nil, err
	}
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = defaultWidth, defaultHeight
	}
	path, err := chromium.Locate(o.Path)
	if err != nil {
		return nil, err
	}
	proc, err := chromium.Start(path, chromium.Flags{
		Proxy: o.Proxy, Headless: o.Headless, Width: o.Width, Height: o.Height, App: startPage, Direct: u.Host,
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	w := &Window{
		o: o, made: make(chan struct{}), closed: make(chan struct{}),
		waiting: map[string]*Surface{}, surfaces: map[target.SessionID]*Surface{}, frames: map[protocol.FrameID]string{},
	}
	w.life, w.end = context.WithCancel(context.Background())
	w.host, err = connectWith(ctx, newPipe(proc.Pipes()), LaunchOptions{Path: path, Proxy: o.Proxy, Headless: o.Headless}, hooks{takes: w.pageAttached, lost: w.pageLost})
	if err == nil {
		w.host.proc = proc
		err = w.show(ctx)
	}
	if err != nil {
		proc.Close()
		if w.host != nil {
			w.host.pol.Close()
		}
		w.end()
		why, hint := chromium.Diagnose(proc.Output())
		return nil, core.Wrap(core.BrowserFailed, err, "the window did not open: %s", why).With("output", proc.Output()).
			WithHint("%s", hint).In("cdp.OpenWindow")
	}
	go w.watch()
	return w, nil
}

// pageAttached takes the window's one page; any other page is turned away by the
// host.
func (w *Window) pageAttached(h *Host, e target.EventAttachedToTarget) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.TargetInfo.Type != "page" || e.TargetInfo.OpenerID != "" || w.session != nil {
		return false
	}
	h.pol.BindWindow(e.SessionID, w.o.Origin)
	w.page = e.TargetInfo.TargetID
	w.session = h.conn.attach(e.SessionID, w.event)
	close(w.made)
	return true
}

// pageLost ends the window when its page is gone, as when the person closes it.
func (w *Window) pageLost(id target.ID) {
	w.mu.Lock()
	own := w.session != nil && id == w.page
	w.mu.Unlock()
	if own {
		w.session.detach()
	}
}

// show locks the window's page in and brings the workbench into it.
func (w *Window) show(ctx context.Context) error {
	select {
	case <-w.made:
	case <-w.host.conn.gone:
		return lost()
	case <-ctx.Done():
		return ended(ctx, "OpenWindow")
	}
	deny := w.host.root.send(ctx, browser.CommandSetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny})
	calls := []*sent{deny}
	do := func(method string, params any) { calls = append(calls, w.session.send(ctx, method, params)) }
	do(page.CommandEnable, page.EnableParams{})
	do("Inspector.enable", protocol.Empty{})
	do(fetch.CommandEnable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{
		{URLPattern: w.o.Origin + hostPath + "*", RequestStage: fetch.RequestStageRequest},
		{URLPattern: "*", ResourceType: "Document", RequestStage: fetch.RequestStageRequest},
	}})
	do(target.CommandSetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: ptr(true), Filter: target.Filter{{Type: "iframe"}},
	})
	do("Runtime.runIfWaitingForDebugger", protocol.Empty{})
	for _, c := range calls {
		if err := c.wait(ctx, nil); err != nil {
			return core.Wrap(core.BrowserFailed, err, "the browser refused %s", c.method)
		}
	}
	to := w.o.Origin + "/"
	if w.o.Fragment != "" {
		to += "#" + w.o.Fragment
	}
	nav, err := protocol.Call(ctx, w.session, page.Navigate, page.NavigateParams{URL: to})
	if err != nil {
		return err
	}
	if nav.ErrorText != "" {
		return core.Errorf(core.BrowserFailed, "the workbench could not be shown: %s", nav.ErrorText)
	}
	return nil
}

// watch tells when the window is gone, whatever ended it.
func (w *Window) watch() {
	select {
	case <-w.host.conn.gone:
	case <-w.session.gone: // the person closed it
	}
	w.end()
	for _, s := range w.take() {
		s.lose()
	}
	w.once.Do(func() { close(w.closed) })
}

// Closed is closed when the window is gone.
func (w *Window) Closed() <-chan struct{} { return w.closed }

// Info says what drives the pages.
func (w *Window) Info() contract.HostInfo { return w.host.info }

// Pid gives the browser's process id.
func (w *Window) Pid() int { return w.host.Pid() }

// Close closes the window.
func (w *Window) Close() error {
	err := w.host.Close()
	<-w.closed
	return err
}

// Open makes a surface for a page on o.Origin. The workbench is to put a frame on
// BlankPath of that origin; Load waits for it.
func (w *Window) Open(_ context.Context, o contract.OpenOptions) (contract.Surface, error) {
	u, err := url.Parse(o.Origin)
	if err != nil || u.Scheme != "http" || u.Host == "" || fmtOrigin(u) != o.Origin {
		return nil, core.Errorf(core.Internal, "the surface's origin is not http://<host>:<port>").In("cdp.Open")
	}
	if o.Hidden {
		return nil, core.Errorf(core.Internal, "nothing is hidden in a window").In("cdp.Open")
	}
	s := newSurface(w, "", o)
	s.framed, s.shown, s.health.retold = newFrame(w), true, true
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.life.Done():
		s.end()
		return nil, lost().In("cdp.Open")
	default:
	}
	if len(w.waiting)+len(w.surfaces) >= core.MaxPreviewsPerHost {
		s.end()
		return nil, core.Errorf(core.TooMany, "%d previews are open already, which is the limit", core.MaxPreviewsPerHost).In("cdp.Open")
	}
	w.waiting[o.Origin] = s
	return s, nil
}

func (w *Window) forget(s *Surface) {
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[s.o.Origin] == s {
		delete(w.waiting, s.o.Origin)
	}
	if session != nil {
		delete(w.surfaces, session.id)
		w.host.pol.Unbind(session.id)
	}
}

// event takes the events of the workbench's page, on the reading goroutine.
func (w *Window) event(method string, params jsonv2.Value) {
	switch method {
	case "Page.frameRequestedNavigation":
		on(params, func(e page.EventFrameRequestedNavigation) { w.going(e.FrameID, e.URL) })
	case "Page.frameStartedNavigating":
		on(params, func(e page.EventFrameStartedNavigating) { w.going(e.FrameID, e.URL) })
	case "Page.frameNavigated":
		on(params, w.shown)
	case "Page.frameDetached":
		on(params, func(e page.EventFrameDetached) { w.left(e) })
	case "Target.attachedToTarget":
		on(params, w.frameAttached)
	case "Target.detachedFromTarget":
		on(params, func(e target.EventDetachedFromTarget) { w.frameGone(e.SessionID) })
	case "Page.javascriptDialogOpening":
		on(params, func(e page.EventJavascriptDialogOpening) { go w.answerDialog(&e) })
	case "Fetch.requestPaused":
		on(params, func(e fetch.EventRequestPaused) { go w.judge(&e) })
	case "Inspector.targetCrashed", "Inspector.detached":
		w.session.detach()
	}
}

// shown ends the surfaces of a workbench that was loaded again: it makes its
// frames anew.
func (w *Window) shown(e page.EventFrameNavigated) {
	if e.Frame == nil || e.Frame.ID != protocol.FrameID(w.page) {
		return
	}
	for _, s := range w.take() {
		s.lose()
	}
}

// take takes all surfaces off the books.
func (w *Window) take() []*Surface {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*Surface
	for _, s := range w.waiting {
		all = append(all, s)
	}
	for _, s := range w.surfaces {
		all = append(all, s)
	}
	clear(w.waiting)
	clear(w.surfaces)
	clear(w.frames)
	return all
}

// maxFrames bounds the frames of the workbench that are remembered; it has one or two.
const maxFrames = 64

func (w *Window) going(id protocol.FrameID, to string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.frames[id]; known || len(w.frames) < maxFrames {
		w.frames[id] = to
	}
}

// left forgets a frame. One that only changed its process stays.
func (w *Window) left(e page.EventFrameDetached) {
	if e.Reason == page.FrameDetachedReasonSwap {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.frames, e.FrameID)
}

// frameAttached gives the surface that waits for it a new frame. A frame that no
// surface waits for never begins: it waits for us, for good.
func (w *Window) frameAttached(e target.EventAttachedToTarget) {
	if e.TargetInfo == nil || e.TargetInfo.Type != "iframe" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	to := w.frames[protocol.FrameID(e.TargetInfo.TargetID)]
	for origin, s := range w.waiting {
		if to == origin+BlankPath {
			delete(w.waiting, origin)
			w.surfaces[e.SessionID] = s
			s.adopt(e.SessionID, e.TargetInfo.TargetID)
			return
		}
	}
}

func (w *Window) frameGone(id target.SessionID) {
	w.mu.Lock()
	s := w.surfaces[id]
	w.mu.Unlock()
	if s != nil {
		s.lose()
	}
}

// answerDialog lets the workbench go, as a person who closes its window wants, and
// says no to anything else: it has no dialogs of the browser's.
func (w *Window) answerDialog(e *page.EventJavascriptDialogOpening) {
	_, _ = protocol.Call(w.life, w.session, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: e.Type == page.DialogTypeBeforeunload}) // it may be gone
}
