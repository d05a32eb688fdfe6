package candidate

import (
	"slices"
	"strings"
	"testing"

	"proofmark/bridge/contract"
)

// R-TURN-7: two loads of one page compare equal, though origin and lines differ.
func TestFaultsCompareAcrossLoads(t *testing.T) {
	base := faultsOf(contract.Health{
		Errors:     []string{"Uncaught TypeError: x is null (http://aaa.localhost:41/page.html:12:5)"},
		ConsoleErr: []string{"old trouble"},
		Missing:    []string{"http://aaa.localhost:41/gone.png", "gone.css"},
	}, []string{"gone.png"}, "http://aaa.localhost:41", nil)
	cand := faultsOf(contract.Health{
		Errors: []string{
			"Uncaught TypeError: x is null (http://bbb.localhost:41/page.html:17:5)",
			"Uncaught ReferenceError: y is not defined (" + contract.PageOrigin + "/page.html:3:1)",
		},
		ConsoleErr: []string{"old trouble"},
		Missing:    []string{"gone.css", contract.PageOrigin + "/fresh.png"},
	}, []string{"fresh.png", "gone.png"}, "http://bbb.localhost:41", nil)
	fresh := cand.since(base)
	if len(fresh.errors) != 1 || !strings.Contains(fresh.errors[0], "y is not defined") || strings.Contains(fresh.errors[0], "localhost") {
		t.Errorf("errors %q", fresh.errors)
	}
	if !slices.Equal(fresh.missing, []string{"fresh.png"}) {
		t.Errorf("missing %q", fresh.missing)
	}
	if !base.since(base).none() || cand.both(base).since(base).errors != nil {
		t.Error("a page has faults that it has not")
	}
	if got := base.and(cand); len(got.errors) != 3 || len(got.missing) != 3 {
		t.Errorf("together %+v", got)
	}
}

// What the network policy keeps out is flagged as policy, not held as a fault;
// a resource of an allowed origin is one.
func TestForeignResources(t *testing.T) {
	const origin = "http://aaa.localhost:41"
	h := contract.Health{
		Missing: []string{"https://cdn.example.com/x.css", "https://ok.example.com/y.css", "//cdn.example.com/z.js", "data:image/png;base64,AA"},
		ConsoleErr: []string{
			"Refused to load the image 'https://cdn.example.com/a.png' because it violates the following Content Security Policy directive",
			"GET https://cdn.example.com/x.css net::ERR_FAILED",
			"GET https://ok.example.com/y.css net::ERR_FAILED",
			"the network is down: https://cdn.example.com/",
			`Framing '/' violates the following Content Security Policy directive: "frame-src 'none'". The request has been blocked.`,
			`Loading plugin data from '/x.swf' violates the following Content Security Policy directive: "object-src 'none'". The action has been blocked.`,
		},
	}
	f := faultsOf(h, nil, origin, []string{"https://ok.example.com"})
	if len(f.missing) != 2 || !strings.HasPrefix(f.missing[0], "https://ok.") {
		t.Errorf("missing %q", f.missing)
	}
	if len(f.errors) != 2 || !strings.Contains(f.errors[0], "https://ok.") {
		t.Errorf("errors %q", f.errors)
	}
}

// A page that floods its console stays bounded.
func TestFaultsAreBounded(t *testing.T) {
	var h contract.Health
	for i := range 1000 {
		h.Errors = append(h.Errors, strings.Repeat(string(rune('a'+i%26)), i+1))
	}
	f := faultsOf(h, nil, "", nil)
	if len(f.errors) != maxFaults {
		t.Errorf("%d errors", len(f.errors))
	}
	for _, e := range faultsOf(contract.Health{Errors: []string{strings.Repeat("é", 4000)}}, nil, "", nil).errors {
		if len(e) > maxFaultBytes+len("…") || !strings.HasSuffix(e, "é…") {
			t.Errorf("%d bytes, ends in %q", len(e), e[len(e)-6:])
		}
	}
}
