package cdp

import (
	"context"
	"strconv"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/overlay"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/chromedp/cdproto/fetch"

	"proofmark/bridge/policy"
	"proofmark/gateway/core"
)

// event takes every event of the page, in order, on the reading goroutine: it
// only notes things down; what needs an answer gets a goroutine of its own.
func (s *Surface) event(method string, params jsonv2.Value) {
	switch method {
	case "Runtime.executionContextCreated":
		on(params, s.worldMade)
	case "Runtime.executionContextDestroyed":
		on(params, s.worldGone)
	case "Runtime.executionContextsCleared":
		s.mu.Lock()
		clear(s.worlds)
		s.mu.Unlock()
	case "Page.frameNavigated":
		on(params, s.navigated)
	case "Page.lifecycleEvent":
		on(params, s.lifecycle)
	case "Page.domContentEventFired":
		s.mu.Lock()
		l := s.loading
		s.mu.Unlock()
		if l != nil && l.back != nil {
			go s.scrollBack(l)
		}
	case "Page.javascriptDialogOpening":
		go s.dismiss()
	case policy.EventDropped:
		on(params, func(e struct {
			Count int `json:"count"`
		},
		) {
			s.health.lose(e.Count)
		})
	case "Fetch.requestPaused":
		on(params, func(e fetch.EventRequestPaused) { go s.judge(&e) })
	case "Overlay.inspectNodeRequested":
		on(params, s.inspected)
	case "Overlay.nodeHighlightRequested":
		on(params, s.highlighted)
	case "Inspector.targetCrashed", "Inspector.detached":
		s.lose()
	default:
		s.report(method, params)
	}
}

// report takes the events that tell how the page is doing. They are counted
// before they are read: a page can send them without end.
func (s *Surface) report(method string, params jsonv2.Value) {
	switch method {
	case "Runtime.exceptionThrown":
		if s.health.admit() {
			on(params, func(e runtime.EventExceptionThrown) {
				if !s.health.old(e.Timestamp) {
					s.health.exception(e.ExceptionDetails)
				}
			})
		}
	case "Runtime.consoleAPICalled":
		if s.health.admit() {
			on(params, func(e runtime.EventConsoleAPICalled) {
				if !s.health.old(e.Timestamp) {
					s.health.log(&e)
				}
			})
		}
	case "Log.entryAdded":
		if s.health.admit() {
			on(params, func(e log.EventEntryAdded) {
				if e.Entry != nil && !s.health.old(e.Entry.Timestamp) {
					s.health.entry(e.Entry)
				}
			})
		}
	case "Network.requestWillBeSent":
		on(params, func(e network.EventRequestWillBeSent) { s.traffic.started(&e) })
	case "Network.responseReceived":
		on(params, func(e network.EventResponseReceived) {
			if e.Response != nil && s.ownDocument(e.Type, e.FrameID) {
				s.measured(e.Response.Headers)
			}
			if e.Response != nil && e.Response.Status >= 400 && !s.ownDocument(e.Type, e.FrameID) {
				s.health.missingURL(e.Response.URL)
			}
		})
	case "Network.loadingFailed":
		on(params, func(e network.EventLoadingFailed) {
			url := s.traffic.ended(e.RequestID)
			canceled := e.Canceled
			if url != "" && !canceled && e.Type != network.ResourceTypeDocument {
				s.health.missingURL(url)
			}
		})
	case "Network.loadingFinished":
		on(params, func(e network.EventLoadingFinished) { s.traffic.ended(e.RequestID) })
	}
}

// measured notes the size of the document that is coming.
func (s *Surface) measured(headers network.Headers) {
	for name, value := range headers {
		text, ok := value.(string)
		if !ok || !strings.EqualFold(name, "Content-Length") {
			continue
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			s.mu.Lock()
			s.size = min(n, core.MaxSourceBytes)
			s.mu.Unlock()
		}
	}
}

func (s *Surface) ownDocument(t network.ResourceType, frame protocol.FrameID) bool {
	return t == network.ResourceTypeDocument && frame == s.mainFrame
}

func on[E any](params jsonv2.Value, f func(E)) {
	var e E
	if jsonv2.Unmarshal(params, &e) == nil {
		f(e)
	}
}

func (s *Surface) worldMade(e runtime.EventExecutionContextCreated) {
	if e.Context == nil || e.Context.Name != worldName {
		return
	}
	var aux struct {
		FrameID   protocol.FrameID `json:"frameId"`
		IsDefault bool             `json:"isDefault"`
	}
	if jsonv2.Unmarshal(e.Context.AuxData, &aux) != nil || aux.IsDefault {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds[aux.FrameID] = world{e.Context.ID, e.Context.UniqueID}
	if aux.FrameID == s.mainFrame && s.loading == nil && s.epoch > 0 {
		s.wandered = true
	}
}

func (s *Surface) worldGone(e runtime.EventExecutionContextDestroyed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for frame, w := range s.worlds {
		if w.unique == e.ExecutionContextUniqueID {
			delete(s.worlds, frame)
		}
	}
}

// navigated notes a new document. One that Load did not ask for ends the use
// of the page until the next Load.
func (s *Surface) navigated(e page.EventFrameNavigated) {
	if e.Frame == nil || e.Frame.ID != s.mainFrame {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.framed != nil && s.epoch == 0 {
		s.framed.arrive()
	}
	if s.loading == nil {
		if s.epoch > 0 {
			s.wandered = true
			s.points.leave()
		}
		return
	}
	s.loading.documents++
	s.loading.committed = e.Frame.LoaderID
}

func (s *Surface) lifecycle(e page.EventLifecycleEvent) {
	if e.FrameID != s.mainFrame || e.Name != "load" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loading != nil {
		s.loading.fired(e.LoaderID)
	}
}

func (s *Surface) inspected(e overlay.EventInspectNodeRequested) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inspect != nil {
		select {
		case s.inspect <- e.BackendNodeID:
		default: // one pick at a time
		}
		return
	}
	if s.armed {
		s.points.pick(e.BackendNodeID)
	}
}

func (s *Surface) highlighted(e overlay.EventNodeHighlightRequested) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed && s.inspect == nil {
		s.points.hover(e.NodeID)
	}
}

// dismiss answers a dialog with "no": the page waits for it.
func (s *Surface) dismiss() {
	_, _ = protocol.Call(s.life, s.session, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false}) // it may have gone
}

// judge decides on one request of the page. The proxy is the wall; this lock
// keeps the page where it is and lets allowed origins be answered.
func (s *Surface) judge(e *fetch.EventRequestPaused) {
	ctx, cancel := context.WithTimeout(s.life, fetchTimeout)
	defer cancel()
	if e.Request == nil {
		s.fail(ctx, e, network.ErrorReasonBlockedByClient)
		return
	}
	switch s.verdict(e) {
	case verdictContinue:
		_, _ = protocol.Call(ctx, s.session, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
	case verdictAsk:
		s.fulfil(ctx, e)
	case verdictStay:
		s.fail(ctx, e, network.ErrorReasonAborted)
	default:
		s.fail(ctx, e, network.ErrorReasonBlockedByClient)
	}
}
