package cdp

import (
	"context"
	"errors"
	"net/url"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// event takes the browser's events: pages we did not make are closed, pages
// that died are lost.
func (h *Host) event(method string, params jsonv2.Value) {
	switch method {
	case "Target.targetCreated":
		var e target.EventTargetCreated
		if jsonv2.Unmarshal(params, &e) == nil && e.TargetInfo != nil && h.unexpected(e.TargetInfo) {
			go h.closeTarget(e.TargetInfo.TargetID)
		}
	case "Target.targetCrashed":
		var e target.EventTargetCrashed
		if jsonv2.Unmarshal(params, &e) == nil {
			h.lose(e.TargetID)
		}
	case "Target.targetDestroyed":
		var e target.EventTargetDestroyed
		if jsonv2.Unmarshal(params, &e) == nil {
			h.lose(e.TargetID)
		}
	}
}

// unexpected tells pop-ups from the one page each browser context is made for.
// The event can come before the answer that gives our page's id: the first
// page without an opener is ours.
func (h *Host) unexpected(i *target.Info) bool {
	if i.Type != "page" {
		return false // frames and workers end with their page; the browser's own views are no pages
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	own, ok := h.contexts[i.BrowserContextID]
	if !ok {
		return i.OpenerID != ""
	}
	if own == "" && i.OpenerID == "" {
		h.contexts[i.BrowserContextID] = i.TargetID
		return false
	}
	return own != i.TargetID
}

func (h *Host) closeTarget(id target.ID) {
	_, _ = protocol.Call(context.Background(), h.root, target.CloseTarget, target.CloseTargetParams{TargetID: id}) // it may have closed by itself
}

func (h *Host) lose(id target.ID) {
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

func (h *Host) open(ctx context.Context, o contract.OpenOptions) (*Surface, error) {
	made, err := protocol.Call(ctx, h.root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: ptr(true)})
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.contexts[made.BrowserContextID] = ""
	h.mu.Unlock()
	s, err := h.openIn(ctx, made.BrowserContextID, o)
	if err != nil {
		h.dispose(made.BrowserContextID)
		return nil, err
	}
	return s, nil
}

func (h *Host) openIn(ctx context.Context, in protocol.BrowserContextID, o contract.OpenOptions) (*Surface, error) {
	deny := h.root.send(ctx, browser.CommandSetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: in,
	})
	params := target.CreateTargetParams{URL: "about:blank", BrowserContextID: in}
	if !h.o.Headless {
		params.Width, params.Height, params.NewWindow = int64(o.Width), int64(o.Height), ptr(true)
		if o.Hidden {
			params.Hidden, params.NewWindow = ptr(true), nil
		}
	}
	page, err := protocol.Call(ctx, h.root, target.CreateTarget, params)
	if err != nil {
		return nil, err
	}
	if err := deny.wait(ctx, nil); err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.contexts[in] = page.TargetID
	h.mu.Unlock()
	att, err := protocol.Call(ctx, h.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: page.TargetID, Flatten: ptr(true)})
	if err != nil {
		return nil, err
	}
	h.pol.Bind(att.SessionID, o.Origin)
	s := newSurface(h, in, page.TargetID, o)
	s.session = h.conn.attach(att.SessionID, s.event)
	h.mu.Lock()
	h.surfaces[page.TargetID] = s
	h.mu.Unlock()
	if err := s.prepare(ctx); err != nil {
		s.forget()
		return nil, err
	}
	return s, nil
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
