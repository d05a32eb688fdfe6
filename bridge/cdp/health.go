package cdp

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
)

const (
	maxComplaints    = 100 // of each kind
	maxComplaintRune = 300
	maxEventsASecond = 500
)

// health collects what the page complains about, within bounds.
type health struct {
	origin string // of the lease; constant
	retold bool   // the browser tells things again; constant

	mu      sync.Mutex // guards the following
	since   time.Time  // of the load; what was said before it is not this page's
	errors  []string
	console []string
	missing []string
	dropped int
	second  time.Time
	events  int
}

func (h *health) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errors, h.console, h.missing, h.dropped, h.events = nil, nil, nil, 0, 0
	h.since = time.Now()
}

// old tells that something was said before the load, by milliseconds since 1970: a
// frame tells again, with each document, what the ones before it have said.
func (h *health) old(at runtime.Timestamp) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.retold && float64(at) < float64(h.since.UnixMilli())
}

// admit lets a bounded number of events a second through; the others are
// counted, unread.
func (h *health) admit() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); now.Sub(h.second) >= time.Second {
		h.second, h.events = now, 0
	}
	h.events++
	if h.events > maxEventsASecond {
		h.dropped++
		return false
	}
	return true
}

// lose counts what a relay did not pass on.
func (h *health) lose(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropped += n
}

func (h *health) add(list *[]string, line string) {
	line = h.line(line)
	if line == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(*list) >= maxComplaints {
		h.dropped++
		return
	}
	*list = append(*list, line)
}

// line makes one bounded line with the lease's random origin taken out.
func (h *health) line(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.ToValidUTF8(strings.ReplaceAll(s, h.origin, contract.PageOrigin), "\uFFFD")
	if r := []rune(s); len(r) > maxComplaintRune {
		s = string(r[:maxComplaintRune]) + "…"
	}
	return strings.TrimSpace(s)
}

func (h *health) exception(d *runtime.ExceptionDetails) {
	if d == nil {
		return
	}
	text := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		text = d.Exception.Description
	} else if d.Exception != nil && len(d.Exception.Value) > 0 {
		text += " " + plain(d.Exception.Value)
	}
	h.add(&h.errors, text)
}

func (h *health) log(e *runtime.EventConsoleAPICalled) {
	if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeAssert {
		return
	}
	var parts []string
	for _, a := range e.Args {
		switch {
		case a == nil:
		case a.Description != "":
			first, _, _ := strings.Cut(a.Description, "\n")
			parts = append(parts, first)
		case len(a.Value) > 0:
			parts = append(parts, plain(a.Value))
		default:
			parts = append(parts, string(a.Type))
		}
	}
	h.add(&h.console, strings.Join(parts, " "))
}

// entry takes the browser's own messages. Network failures come through the
// network events, with their URL.
func (h *health) entry(e *log.Entry) {
	if e == nil || e.Level != log.EntryLevelError || e.Source == log.EntrySourceNetwork {
		return
	}
	h.add(&h.console, e.Text)
}

// missingURL notes a resource that failed: of the lease as a path, of others
// as a URL. The browser's own wish for an icon is not the page's.
func (h *health) missingURL(raw string) {
	if len(raw) > 2048 {
		raw = raw[:2048]
	}
	if path, own := strings.CutPrefix(raw, h.origin); own && strings.HasPrefix(path, "/") {
		raw = path
	} else if u, err := url.Parse(raw); err != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return
	}
	if raw == "/favicon.ico" {
		return
	}
	h.mu.Lock()
	known := slices.Contains(h.missing, raw)
	h.mu.Unlock()
	if !known {
		h.add(&h.missing, raw)
	}
}

func (h *health) snapshot() contract.Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := contract.Health{
		Errors: slices.Clone(h.errors), ConsoleErr: slices.Clone(h.console), Missing: slices.Clone(h.missing), Dropped: h.dropped,
	}
	slices.Sort(out.Missing)
	return out
}

// plain writes a JSON value as a person would: a text without its quotes.
func plain(v jsonv2.Value) string {
	var s string
	if jsonv2.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
