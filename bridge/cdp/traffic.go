package cdp

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
)

// maxTracked bounds the requests in flight that are remembered.
const maxTracked = 4096

// traffic knows which requests of the page are under way.
type traffic struct {
	mu      sync.Mutex // guards the following
	urls    map[network.RequestID]string
	changed chan struct{} // closed at the next change
}

func (t *traffic) init() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.urls = map[network.RequestID]string{}
	t.changed = make(chan struct{})
}

func (t *traffic) started(e *network.EventRequestWillBeSent) {
	switch e.Type {
	case network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing:
		return // they have no end to wait for
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.urls) < maxTracked && e.Request != nil {
		t.urls[e.RequestID] = e.Request.URL
		t.signal()
	}
}

// ended gives the request's URL, "" where it was not tracked.
func (t *traffic) ended(id network.RequestID) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	url, ok := t.urls[id]
	if ok {
		delete(t.urls, id)
		t.signal()
	}
	return url
}

func (t *traffic) signal() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// quiet waits until no request has been under way for the given time; false
// means that the context ended first.
func (t *traffic) quiet(ctx context.Context, rest time.Duration) bool {
	for {
		t.mu.Lock()
		busy, changed := len(t.urls) > 0, t.changed
		t.mu.Unlock()
		var still <-chan time.Time
		if !busy {
			still = time.After(rest)
		}
		select {
		case <-still:
			return true
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
