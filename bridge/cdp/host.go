package cdp

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// slot is the place of the one page that each browser context is made for.
type slot struct {
	target   target.ID // "" while it is being made
	attached chan target.SessionID
}

// event takes the browser's events. New pages stop before their first request:
// ours are taken over, those we did not make are closed.
func (h *Host) event(method string, params jsonv2.Value) {
	switch method {
	case "Target.attachedToTarget":
		on(params, h.attached)
	case "Target.targetCrashed":
		on(params, func(e target.EventTargetCrashed) { h.lose(e.TargetID) })
	case "Target.targetDestroyed":
		on(params, func(e target.EventTargetDestroyed) { h.lose(e.TargetID) })
	}
}

func (h *Host) attached(e target.EventAttachedToTarget) {
	if e.TargetInfo == nil || h.hooks.takes != nil && h.hooks.takes(h, e) {
		return
	}
	own := h.own(e.TargetInfo)
	if own == nil {
		go h.turnAway(e.SessionID, e.TargetInfo.TargetID)
		return
	}
	select {
	case own.attached <- e.SessionID:
	default: // attached already
	}
}

// own gives the slot of a page we made, nil for any other. Its first event can
// come before the answer that names it: the first page without an opener in a
// context of ours is ours.
func (h *Host) own(i *target.Info) *slot {
	if i.Type != "page" {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.contexts[i.BrowserContextID]
	switch {
	case s == nil:
		return nil
	case s.target == "" && i.OpenerID == "":
		s.target = i.TargetID
	}
	if s.target != i.TargetID {
		return nil
	}
	return s
}

// firstRequest is how long the first request of a foreign page is waited for.
const firstRequest = time.Second

// turnAway closes a page that a page has opened. It waits before its first
// request, and cannot be closed while it waits: so all its requests are made to
// fail, and it may go on. It is closed when its first request has failed; closed
// earlier, what was only held would be let go.
func (h *Host) turnAway(id target.SessionID, page target.ID) {
	h.pol.Bind(id, "")
	defer h.pol.Unbind(id)
	ctx := context.Background()
	failed := make(chan struct{}, 1)
	var s *session
	s = h.conn.attach(id, func(method string, params jsonv2.Value) {
		if method != "Fetch.requestPaused" {
			return
		}
		on(params, func(e fetch.EventRequestPaused) {
			go func() {
				_, _ = protocol.Call(ctx, s, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted}) // it may be gone
				select {
				case failed <- struct{}{}:
				default:
				}
			}()
		})
	})
	defer s.detach()
	s.send(ctx, fetch.CommandEnable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*", RequestStage: fetch.RequestStageRequest}}})
	s.send(ctx, runtime.CommandRunIfWaitingForDebugger, protocol.Empty{})
	select {
	case <-failed:
	case <-s.gone:
	case <-time.After(firstRequest):
	}
	h.closeTarget(page)
}

func (h *Host) closeTarget(id target.ID) {
	_, _ = protocol.Call(context.Background(), h.root, target.CloseTarget, target.CloseTargetParams{TargetID: id}) // it may have closed by itself
}

func (h *Host) lose(id target.ID) {
	if h.hooks.lost != nil {
		h.hooks.lost(id)
	}
	h.mu.Lock()
	s := h.surfaces[id]
	h.mu.Unlock()
	if s != nil {
		s.lose()
	}
}

// Open makes a surface in a browser context of its own, which leaves nothing
// behind.
func (h *Host) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	u, err := url.Parse(o.Origin)
	if err != nil || u.Scheme != "http" || u.Host == "" || fmtOrigin(u) != o.Origin {
		return nil, core.Errorf(core.Internal, "the surface's origin is not http://<host>:<port>").In("cdp.Open")
	}
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = h.o.Width, h.o.Height
	}
	if o.Hidden && !h.o.Headless {
		back, err := h.backstage(ctx)
		if err != nil {
			return nil, err
		}
		return back.Open(ctx, o)
	}
	h.mu.Lock()
	full, closed := len(h.surfaces) >= core.MaxPreviewsPerHost, h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return nil, lost().In("cdp.Open")
	case full:
		return nil, core.Errorf(core.TooMany, "%d previews are open already, which is the limit", core.MaxPreviewsPerHost).In("cdp.Open")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*core.BridgeCommandTimeout)
	defer cancel()
	s, err := h.open(ctx, o)
	if err != nil {
		return nil, refuse(err, "the preview page could not be made").In("cdp.Open")
	}
	return s, nil
}

// backstage gives the headless browser beside one with windows, where hidden
// pages live: a Chromium with windows has no page without one.
func (h *Host) backstage(ctx context.Context) (*Host, error) {
	h.starting.Lock()
	defer h.starting.Unlock()
	h.mu.Lock()
	back, closed := h.back, h.closed
	h.mu.Unlock()
	if closed {
		return nil, lost().In("cdp.Open")
	}
	if back != nil {
		select {
		case <-back.conn.gone: // it died; a new one takes its place
			back.Close()
		default:
			return back, nil
		}
	}
	o := h.o
	o.Headless = true
	back, err := Launch(ctx, o)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.back, closed = back, h.closed
	h.mu.Unlock()
	if closed {
		back.Close()
		return nil, lost().In("cdp.Open")
	}
	return back, nil
}

func (h *Host) open(ctx context.Context, o contract.OpenOptions) (*Surface, error) {
	made, err := protocol.Call(ctx, h.root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: ptr(true)})
	if err != nil {
		return nil, err
	}
	place := &slot{attached: make(chan target.SessionID, 1)}
	h.mu.Lock()
	h.contexts[made.BrowserContextID] = place
	h.mu.Unlock()
	s, err := h.openIn(ctx, made.BrowserContextID, place, o)
	if err != nil {
		h.dispose(made.BrowserContextID)
		return nil, err
	}
	return s, nil
}

func (h *Host) openIn(ctx context.Context, in protocol.BrowserContextID, place *slot, o contract.OpenOptions) (*Surface, error) {
	deny := h.root.send(ctx, browser.CommandSetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: in,
	})
	params := target.CreateTargetParams{URL: "about:blank", BrowserContextID: in}
	if !h.o.Headless {
		params.Width, params.Height, params.NewWindow = int64(o.Width), int64(o.Height), ptr(true)
	}
	page, err := protocol.Call(ctx, h.root, target.CreateTarget, params)
	if err != nil {
		return nil, err
	}
	if err := deny.wait(ctx, nil); err != nil {
		return nil, err
	}
	var id target.SessionID
	select {
	case id = <-place.attached:
	case <-h.conn.gone:
		return nil, lost()
	case <-ctx.Done():
		return nil, ended(ctx, "Open")
	}
	h.pol.Bind(id, o.Origin)
	s := newSurface(h, page.TargetID, o)
	s.inContext = in
	s.session = h.conn.attach(id, s.event)
	h.mu.Lock()
	h.surfaces[page.TargetID] = s
	h.mu.Unlock()
	go s.watch()
	if err := s.prepare(ctx); err != nil {
		s.lose()
		return nil, err
	}
	return s, nil
}

func (h *Host) forget(s *Surface) {
	h.mu.Lock()
	delete(h.surfaces, s.target)
	h.mu.Unlock()
	h.pol.Unbind(s.session.id)
}

func (h *Host) leave(s *Surface) error {
	s.lose()
	h.dispose(s.inContext)
	return nil
}

// dispose ends a browser context with the pages in it.
func (h *Host) dispose(id protocol.BrowserContextID) {
	h.mu.Lock()
	delete(h.contexts, id)
	h.mu.Unlock()
	_, _ = protocol.Call(context.Background(), h.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: id}) // gone with the browser at the latest
}

func ptr[T any](v T) *T { return &v }

// refuse makes a *core.Error of what a call gave; refusals of our own pass.
func refuse(err error, format string, args ...any) *core.Error {
	var e *core.Error
	if errors.As(err, &e) {
		return e
	}
	return core.Wrap(core.BrowserFailed, err, format, args...)
}
