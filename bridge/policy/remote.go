package policy

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"proofmark/gateway/core"
)

// Protocol is the version of what the desktop's relay and the gateway say to each
// other.
const Protocol = 4

// Places of a surface behind a relay.
const (
	PlacePreview   = "preview"   // shown to the person
	PlaceCandidate = "candidate" // never seen by anybody
)

// remoteTable is what may be said to a relay instead of to a browser.
var remoteTable = table{
	"Bridge.hello": {params: fields{"protocol": only(float64(Protocol))}, need: []string{"protocol"}},
	"Bridge.open": {
		params: fields{"place": only(PlacePreview, PlaceCandidate), "origin": leaseBase, "width": between(1, 16384), "height": between(1, 16384)},
		need:   []string{"place", "origin", "width", "height"},
	},
	"Bridge.close": {params: fields{"sessionId": token}, need: []string{"sessionId"}},
}

// remoteEvents are those of a relay itself.
var remoteEvents = set("Bridge.closed")

// floods are the events that a page can send without end. A relay passes
// floodsASecond of a session on, and tells with EventDropped how many it did not.
var floods = set("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")

// EventDropped tells how many events of a session were not passed on since the last.
const EventDropped = "Bridge.dropped"

const (
	floodsASecond = 500
	relayInFlight = 64   // commands of one session that the browser works on
	relayWaiting  = 4096 // that wait for their turn behind them
	relaySessions = 16
	relayAwait    = time.Hour + time.Minute             // of a call that waits for the page to move
	relayMaxIn    = maxFulfil + core.BridgeRequestBytes // bytes of one message
	relayMaxOut   = 32 << 20
)

// slow are the methods that a large page may keep longer than
// core.BridgeCommandTimeout: the gateway waits for them as long as its operations
// may take.
var slow = set(
	"Bridge.open",
	"Runtime.callFunctionOn", "Runtime.getProperties",
	"DOM.getDocument", "DOM.requestNode", "DOM.resolveNode", "DOM.describeNode", "DOM.getNodeStackTraces",
	"DOM.scrollIntoViewIfNeeded", "DOM.getContentQuads", "DOM.getFrameOwner", "DOM.focus",
	"Page.getLayoutMetrics", "Page.captureScreenshot", "Page.navigate", "Network.getResponseBody",
	"Overlay.setInspectMode", "Overlay.highlightNode", "Overlay.hideHighlight", "Overlay.setShowContainerQueryOverlays", "Overlay.setShowHinge", "Emulation.setDeviceMetricsOverride",
	"Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Input.insertText",
)

// described is a rule as a relay reads it.
type described struct {
	Params fields          `json:"params"`
	Need   []string        `json:"need"`
	Stub   json.RawMessage `json:"stub,omitempty"`
}

// Describe writes everything that a relay has to know, for the relay's side of
// the list.
func Describe(c Config) ([]byte, error) {
	b, err := json.MarshalIndent(map[string]any{
		"protocol": Protocol,
		"host":     describe(remoteTable), "page": describe(pageTable),
		"hostEvents": names(remoteEvents), "pageEvents": names(pageEvents), "floods": names(floods),
		"slow":  names(slow),
		"world": c.World, "functions": digests(c.Functions), "scripts": digests(c.Scripts),
		"originPattern": originPattern,
		"large":         map[string]int{largest: maxFulfil},
		"limits": map[string]int64{
			"number": maxNumber, "urlBytes": maxURLBytes, "clipPixels": core.MaxClipPixels, "clipScale": maxClipScale,
			"commandBytes": core.BridgeRequestBytes, "inBytes": relayMaxIn, "outBytes": relayMaxOut,
			"inFlight": relayInFlight, "waiting": relayWaiting, "sessions": relaySessions, "floodsASecond": floodsASecond,
			"commandMs": core.BridgeCommandTimeout.Milliseconds(), "slowMs": core.BridgeLongestTimeout.Milliseconds(), "awaitMs": relayAwait.Milliseconds(),
		},
	}, "", " ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

func describe(t table) map[string]described {
	out := map[string]described{}
	for method, r := range t {
		d := described{Params: r.params, Need: r.need}
		if d.Params == nil {
			d.Params = fields{}
		}
		if d.Need == nil {
			d.Need = []string{}
		}
		if r.stub != "" {
			d.Stub = json.RawMessage(r.stub)
		}
		out[method] = d
	}
	return out
}

func names(s map[string]bool) []string { return slices.Sorted(maps.Keys(s)) }

func digests(texts []string) []string {
	var out []string
	for h := range hashes(texts) {
		out = append(out, hex.EncodeToString(h[:]))
	}
	slices.Sort(out)
	return out
}
