package cdp

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"

	"proofmark/gateway/core"
)

// TestTimeGrowsWithTheDocument: ordinary pages keep the stated bounds, large
// ones get more, none more than the longest (R-SEC-4: size and time limits).
func TestTimeGrowsWithTheDocument(t *testing.T) {
	for _, c := range []struct {
		length any
		want   time.Duration
	}{
		{"1000", 10 * time.Second},
		{"1048575", 10 * time.Second},
		{"1048576", 20 * time.Second},
		{"5559774", 60 * time.Second},
		{"99999999999", core.BridgeLongestTimeout},
		{"-5", 10 * time.Second},
		{"many", 10 * time.Second},
		{7.0, 10 * time.Second},
	} {
		s := &Surface{}
		s.measured(network.Headers{"content-length": c.length, "Date": "today"})
		if got := s.stretch(10 * time.Second); got != c.want {
			t.Errorf("length %v: %v, want %v", c.length, got, c.want)
		}
	}
}
