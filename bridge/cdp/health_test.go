package cdp

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
)

const leaseOrigin = "http://abc.localhost:4321"

// TestHealthLines: one bounded line each, the random origin taken out.
func TestHealthLines(t *testing.T) {
	h := &health{origin: leaseOrigin}
	h.exception(&runtime.ExceptionDetails{Text: "Uncaught", Exception: &runtime.RemoteObject{Description: "Error: at " + leaseOrigin + "/x.js\n    at f"}})
	h.exception(&runtime.ExceptionDetails{Text: "Uncaught", Exception: &runtime.RemoteObject{Value: jsonv2.Value(`"thrown text"`)}})
	h.exception(nil)
	h.log(&runtime.EventConsoleAPICalled{Type: runtime.ConsoleAPICalledTypeLog, Args: []*runtime.RemoteObject{{Value: jsonv2.Value(`"fine"`)}}})
	h.log(&runtime.EventConsoleAPICalled{Type: runtime.ConsoleAPICalledTypeError, Args: []*runtime.RemoteObject{{Value: jsonv2.Value(`"a\nb"`)}, nil, {Value: jsonv2.Value(`7`)}, {Type: "undefined"}}})
	h.log(&runtime.EventConsoleAPICalled{Type: runtime.ConsoleAPICalledTypeError, Args: []*runtime.RemoteObject{{Value: jsonv2.Value(`"` + strings.Repeat("\u4f60", 1000) + `"`)}}})
	h.entry(&log.Entry{Level: log.EntryLevelError, Source: log.EntrySourceNetwork, Text: "404"})
	h.entry(&log.Entry{Level: log.EntryLevelError, Source: "security", Text: "Refused"})
	h.entry(&log.Entry{Level: "warning", Source: "security", Text: "meh"})
	h.entry(nil)
	for _, u := range []string{leaseOrigin + "/b.png", "https://x.test/a", leaseOrigin + "/b.png", "data:,x", "blob:null/1", leaseOrigin + "/favicon.ico"} {
		h.missingURL(u)
	}
	got := h.snapshot()
	if want := []string{"Error: at " + contract.PageOrigin + "/x.js", "Uncaught thrown text"}; strings.Join(got.Errors, "|") != strings.Join(want, "|") {
		t.Errorf("errors %q", got.Errors)
	}
	if len(got.ConsoleErr) != 3 || got.ConsoleErr[0] != "a" || len([]rune(got.ConsoleErr[1])) != maxComplaintRune+1 || got.ConsoleErr[2] != "Refused" {
		t.Errorf("console %q", got.ConsoleErr)
	}
	if strings.Join(got.Missing, "|") != "/b.png|https://x.test/a" {
		t.Errorf("missing %q", got.Missing)
	}
	h.reset()
	if got = h.snapshot(); len(got.Errors)+len(got.ConsoleErr)+len(got.Missing)+got.Dropped != 0 {
		t.Errorf("after a reset: %+v", got)
	}
}

// TestHealthRate: a flood is counted, unread, and the next second is new.
func TestHealthRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &health{origin: leaseOrigin}
		passed := 0
		for range 3 * maxEventsASecond {
			if h.admit() {
				passed++
			}
		}
		if passed != maxEventsASecond || h.snapshot().Dropped != 2*maxEventsASecond {
			t.Errorf("%d passed, %d dropped", passed, h.snapshot().Dropped)
		}
		time.Sleep(time.Second) // in the bubble's own time
		if !h.admit() {
			t.Error("the next second is still closed")
		}
		for range maxComplaints + 5 {
			h.add(&h.errors, "x")
		}
		if got := h.snapshot(); len(got.Errors) != maxComplaints || got.Dropped != 2*maxEventsASecond+5 {
			t.Errorf("%d kept, %d dropped", len(got.Errors), got.Dropped)
		}
	})
}
