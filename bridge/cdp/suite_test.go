package cdp

import (
	"context"
	"os"
	"testing"

	"github.com/chromedp/cdproto"

	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/bridge/suite"
	"proofmark/gateway/core"
)

// launch starts a real Chromium. Without one the test is skipped, loudly, and
// fails where PROOFMARK_REQUIRE_CHROMIUM is set.
func launch(t testing.TB, proxyURL string) *Host {
	t.Helper()
	if _, err := chromium.Locate(""); err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
			t.Fatal(err)
		}
		t.Skipf("NO BROWSER, NOTHING OF THE BRIDGE IS TESTED: %v (%s)", err, core.AsError(err).Hint)
	}
	h, err := Launch(context.Background(), LaunchOptions{Proxy: proxyURL, Headless: true})
	if err != nil {
		t.Fatalf("%v %v", err, core.AsError(err).Detail)
	}
	return h
}

func TestSuite(t *testing.T) {
	suite.Run(t, suite.Driver{
		Open: func(t testing.TB, proxyURL string) contract.Host { return launch(t, proxyURL) },
		Crash: func(t testing.TB, s contract.Surface) {
			// Past the allow-list, which has no command for this.
			v := s.(*Surface)
			msg := &cdproto.Message{ID: 1 << 30, SessionID: v.session.id, Method: "Page.crash"}
			if err := v.books.(*Host).raw.Write(context.Background(), msg); err != nil {
				t.Fatal(err)
			}
		},
	})
}
