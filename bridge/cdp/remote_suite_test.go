package cdp

import (
	"context"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/bridge/staged"
	"proofmark/bridge/suite"
)

func dial(t testing.TB, r *staged.Relay) *Remote {
	t.Helper()
	h, err := DialRelay(context.Background(), r.URL, r.Token)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// relaySuite runs the contract over a relay: pages that nobody sees, then the one
// that a person looks at.
func relaySuite(t *testing.T, start func(testing.TB) *staged.Relay, electron bool) {
	for name, shown := range map[string]bool{"Candidate": false, "Preview": true} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			suite.Run(t, suite.Driver{
				Shown: shown, Single: shown, ScrollBars: shown && electron, Prints: electron,
				Open: func(t testing.TB, _ string) contract.Host { return dial(t, r) },
				Crash: func(_ testing.TB, s contract.Surface) {
					r.Crash(string(s.(*Surface).mainFrame))
				},
			})
		})
	}
}

func TestRelaySuite(t *testing.T)    { relaySuite(t, staged.OverChromium, false) }
func TestElectronSuite(t *testing.T) { relaySuite(t, staged.InElectron, true) }
