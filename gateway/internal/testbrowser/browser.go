package testbrowser

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/gateway/surface"
)

// Browser is a Chromium behind a preview listener.
type Browser struct {
	Listener *surface.Listener
	Host     contract.Host
	Surfaces *surface.Manager
}

var (
	sharedOnce sync.Once
	shared     *Browser
	sharedErr  error
)

// Shared gives the package's one Chromium. The test is skipped where
// there is none, unless PROOFMARK_REQUIRE_CHROMIUM is set. Main closes it.
func Shared(t testing.TB) *Browser {
	t.Helper()
	path := find(t)
	sharedOnce.Do(func() { shared, sharedErr = launch(path) })
	if sharedErr != nil {
		t.Fatal(sharedErr)
	}
	return shared
}

// Own starts a Chromium for one test, which may end it.
func Own(t testing.TB) *Browser {
	t.Helper()
	b, err := launch(find(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

// Find gives the browser to test with; see Shared.
func Find(t testing.TB) string { return find(t) }

func find(t testing.TB) string {
	t.Helper()
	path, err := chromium.Locate("")
	if err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
			t.Fatalf("no Chromium, and PROOFMARK_REQUIRE_CHROMIUM is set: %v", err)
		}
		t.Skipf("SKIPPED, NOT TESTED: this needs a real Chromium and none was found: %v", err)
	}
	return path
}

func launch(path string) (*Browser, error) {
	l, err := surface.Listen()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	h, err := cdp.Launch(ctx, cdp.LaunchOptions{Path: path, Proxy: l.ProxyURL(), Headless: true, Width: 1000, Height: 700})
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return &Browser{Listener: l, Host: h, Surfaces: surface.NewManager(l, h)}, nil
}

func (b *Browser) close() {
	_ = b.Surfaces.Close()
	_ = b.Host.Close()
	_ = b.Listener.Close()
}

// Main runs a package's tests and closes the shared browser behind them.
func Main(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.close()
	}
	os.Exit(code)
}
