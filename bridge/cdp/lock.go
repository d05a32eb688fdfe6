package cdp

import (
	"context"
	"net/url"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// fetchTimeout bounds one request that the gateway fulfils.
const fetchTimeout = 20 * time.Second

type verdict int

const (
	verdictFail     verdict = iota
	verdictContinue         // to the lease's origin, through the proxy
	verdictAsk              // the gateway may answer it
	verdictStay             // a navigation that Load did not ask for: the page stays
)

func (s *Surface) verdict(e *fetch.EventRequestPaused) verdict {
	own := within(e.Request.URL, s.o.Origin)
	if e.ResourceType == network.ResourceTypeDocument {
		switch {
		case e.FrameID == s.mainFrame && s.permits(e.Request):
			return verdictContinue
		case e.FrameID != s.mainFrame && own:
			return verdictContinue // the page's own policy decides on its frames
		}
		return verdictStay
	}
	switch {
	case own, strings.HasPrefix(e.Request.URL, "blob:"), strings.HasPrefix(e.Request.URL, "data:"):
		return verdictContinue
	case s.o.Fetch != nil && e.Request.Method == "GET":
		return verdictAsk
	}
	return verdictFail
}

// within tells whether raw is a URL of the origin.
func within(raw, origin string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.User == nil && fmtOrigin(u) == origin
}

// permits uses up the running load's one permission to navigate.
func (s *Surface) permits(r *network.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loading == nil || s.loading.permitted || r.Method != "GET" || !samePage(r.URL, s.loading.url) {
		return false
	}
	s.loading.permitted = true
	return true
}

// samePage compares two URLs by what they mean: the browser and Go escape
// different characters of a path.
func samePage(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	return err == nil && u.User == nil && fmtOrigin(u) == fmtOrigin(v) && u.Path == v.Path && u.RawQuery == v.RawQuery
}

func (s *Surface) fail(ctx context.Context, e *fetch.EventRequestPaused, why network.ErrorReason) {
	_, _ = protocol.Call(ctx, s.session, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: why}) // it may be gone
}

// fulfil lets the gateway answer a request for an origin the person allowed.
func (s *Surface) fulfil(ctx context.Context, e *fetch.EventRequestPaused) {
	select {
	case s.fetches <- struct{}{}:
		defer func() { <-s.fetches }()
	case <-ctx.Done():
		return
	}
	r, ok := s.o.Fetch(ctx, contract.FetchRequest{Method: e.Request.Method, URL: e.Request.URL, ResourceType: string(e.ResourceType)})
	if !ok || r.Status < 200 || r.Status > 599 || len(r.Body) > core.MaxAssetBytes {
		s.fail(ctx, e, network.ErrorReasonBlockedByClient)
		return
	}
	p := fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: int64(r.Status), Body: r.Body}
	for name, value := range r.Header {
		p.ResponseHeaders = append(p.ResponseHeaders, &fetch.HeaderEntry{Name: name, Value: value})
	}
	if _, err := protocol.Call(ctx, s.session, fetch.FulfillRequest, p); err != nil {
		s.fail(ctx, e, network.ErrorReasonFailed)
	}
}
