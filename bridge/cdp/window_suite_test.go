package cdp

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto"

	"proofmark/bridge/contract"
	"proofmark/bridge/suite"
)

func TestFrameSuite(t *testing.T) {
	suite.Run(t, suite.Driver{
		Framed: true, Shown: true, ScrollBars: true,
		Open: func(t testing.TB, proxyURL string) contract.Host {
			d := newDesk(t)
			return &framer{Window: d.window(proxyURL), desk: d}
		},
		Crash: func(t testing.TB, s contract.Surface) {
			v := s.(*framedView).Surface.(*Surface)
			msg := &cdproto.Message{ID: 1 << 30, SessionID: v.session.id, Method: "Page.crash"}
			if err := v.books.(*Window).host.raw.Write(context.Background(), msg); err != nil {
				t.Fatal(err)
			}
		},
	})
}
