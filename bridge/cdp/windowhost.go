package cdp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
)

// hostPath is below what the workbench asks its host; the gateway never sees it.
const hostPath = "/host/"

// judge decides on a request of the workbench that was stopped: what it asks its
// host, and every document, so that the window stays on the workbench and its
// frames on what surfaces wait for.
func (w *Window) judge(e *fetch.EventRequestPaused) {
	ctx, cancel := context.WithTimeout(w.life, fetchTimeout)
	defer cancel()
	switch r := e.Request; {
	case r == nil:
		w.fail(ctx, e)
	case e.ResourceType == network.ResourceTypeDocument:
		if w.mayGo(e) {
			_, _ = protocol.Call(ctx, w.session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
		} else {
			w.fail(ctx, e)
		}
	case e.FrameID != protocol.FrameID(w.page):
		w.fail(ctx, e)
	case r.Method == "GET" && r.URL == w.o.Origin+hostPath+"hello":
		w.hello(ctx, e)
	case r.Method == "POST" && r.URL == w.o.Origin+hostPath+"token":
		w.token(ctx, e)
	default:
		w.answer(ctx, e, 404, map[string]any{"error": "there is no such thing here"})
	}
}

// mayGo tells whether a document may be asked for: the workbench itself in the
// window, the page that a surface's frame begins with in a frame.
func (w *Window) mayGo(e *fetch.EventRequestPaused) bool {
	if e.Request.Method != "GET" {
		return false
	}
	if e.FrameID == protocol.FrameID(w.page) {
		return strings.TrimSuffix(e.Request.URL, "/") == w.o.Origin
	}
	origin, blank := strings.CutSuffix(e.Request.URL, BlankPath)
	w.mu.Lock()
	defer w.mu.Unlock()
	return blank && w.waiting[origin] != nil
}

// fail stops a request and leaves the page as it is.
func (w *Window) fail(ctx context.Context, e *fetch.EventRequestPaused) {
	_, _ = protocol.Call(ctx, w.session, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted}) // it may be gone
}

func (w *Window) hello(ctx context.Context, e *fetch.EventRequestPaused) {
	b, err := w.o.Hello()
	if err != nil {
		w.answer(ctx, e, 503, map[string]any{"error": "the host does not know"})
		return
	}
	w.answer(ctx, e, 200, json.RawMessage(b))
}

// token hands the workbench a credential: in an answer, never in an address, a
// name or a script.
func (w *Window) token(ctx context.Context, e *fetch.EventRequestPaused) {
	t, expires, err := w.o.Token()
	if err != nil {
		w.answer(ctx, e, 503, map[string]any{"error": "there is no token to be had"})
		return
	}
	w.answer(ctx, e, 200, map[string]any{"token": t, "expires": expires.UTC().Format(time.RFC3339)})
}

func (w *Window) answer(ctx context.Context, e *fetch.EventRequestPaused, status int64, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		w.fail(ctx, e)
		return
	}
	p := fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: status, Body: b, ResponseHeaders: []*fetch.HeaderEntry{
		{Name: "Content-Type", Value: "application/json"}, {Name: "Cache-Control", Value: "no-store"}, {Name: "X-Content-Type-Options", Value: "nosniff"},
	}}
	if _, err := protocol.Call(ctx, w.session, fetch.FulfillRequest, p); err != nil {
		w.fail(ctx, e)
	}
}
