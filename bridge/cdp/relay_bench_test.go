package cdp

import (
	"context"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"proofmark/bridge/contract"
	"proofmark/bridge/staged"
)

// BenchmarkRelay measures one command over each way to a page: through a pipe,
// through a relay to the same browser, and through the app's own. The second less
// the first is what the relay costs.
func BenchmarkRelay(b *testing.B) {
	for name, open := range map[string]func(testing.TB, string) contract.Host{
		"Pipe":     func(t testing.TB, proxy string) contract.Host { return launch(t, proxy) },
		"Chromium": func(t testing.TB, _ string) contract.Host { return dial(t, staged.OverChromium(t)) },
		"Electron": func(t testing.TB, _ string) contract.Host { return dial(t, staged.InElectron(t)) },
	} {
		b.Run(name, func(b *testing.B) {
			origin, proxy := pageServer(b, nodes(1000))
			h := open(b, proxy)
			b.Cleanup(func() { h.Close() })
			s, err := h.Open(context.Background(), contract.OpenOptions{Origin: origin, Hidden: true})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Load(context.Background(), "/"); err != nil {
				b.Fatal(err)
			}
			b.Run("Command", func(b *testing.B) {
				timed(b, func() error {
					_, err := protocol.Call(context.Background(), s.(*Surface).session, page.GetFrameTree, protocol.Empty{})
					return err
				})
			})
			b.Run("Pick", func(b *testing.B) {
				timed(b, func() error { _, err := s.PickAt(context.Background(), 40, 40); return err })
			})
			b.Run("Picture", func(b *testing.B) {
				timed(b, func() error { _, err := s.Screenshot(context.Background(), contract.ShotOptions{}); return err })
			})
		})
	}
}

// timed gives the median and the 95th percentile of an operation.
func timed(b *testing.B, f func() error) {
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
	}
	sorted(b, took)
}
