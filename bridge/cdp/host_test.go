package cdp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"go.uber.org/goleak"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

func opened(t *testing.T, body string) (*Host, *Surface) {
	t.Helper()
	origin, proxy := pageServer(t, body)
	h := launch(t, proxy)
	t.Cleanup(func() { h.Close() })
	s, err := h.Open(context.Background(), contract.OpenOptions{Origin: origin})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(context.Background(), "/"); err != nil {
		t.Fatal(err)
	}
	return h, s.(*Surface)
}

// TestHighlightIsDrawn: without it the test that pictures are clean of it could
// not fail.
func TestHighlightIsDrawn(t *testing.T) {
	ctx := context.Background()
	_, s := opened(t, nodes(20))
	raw := func() []byte {
		t.Helper()
		r, err := protocol.Call(ctx, protocol.Session(s.session), page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Data
	}
	before := raw()
	picks, _, err := s.Query(ctx, "h1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Highlight(ctx, picks[0].Handle); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(raw(), before) {
		t.Error("no highlight is drawn")
	}
	if err := s.HideHighlight(ctx); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(raw(), before) {
		t.Error("the highlight stays")
	}
}

// TestOutlineIsDrawn: likewise, each element that has a place, in its own look, and
// where it has moved to.
func TestOutlineIsDrawn(t *testing.T) {
	ctx := context.Background()
	_, s := opened(t, `<!doctype html><style>*{margin:0}</style><h1 style="padding:20px">Heading</h1><p>a <em>part</em> of a line</p>
<svg width=200 height=100><rect x=20 y=20 width=60 height=40 fill=orange /></svg><p style="height:3000px"><button>Button</button><p hidden><i>none</i>`)
	raw := func() []byte {
		t.Helper()
		r, err := protocol.Call(ctx, protocol.Session(s.session), page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Data
	}
	show := func(list ...contract.Outline) []byte {
		t.Helper()
		if err := s.Outline(ctx, list); err != nil {
			t.Fatal(err)
		}
		return raw()
	}
	of := func(selector string, look contract.OutlineLook) contract.Outline {
		t.Helper()
		picks, _, err := s.Query(ctx, selector, 1)
		if err != nil {
			t.Fatal(err)
		}
		return contract.Outline{Spot: contract.Spot{Handle: picks[0].Handle}, Look: look}
	}
	plain := raw()
	for _, selector := range []string{"h1", "em", "rect", "svg", "button", "p"} {
		selected, refused := show(of(selector, contract.OutlineSelected)), show(of(selector, contract.OutlineRefused))
		if bytes.Equal(selected, plain) || bytes.Equal(refused, plain) || bytes.Equal(selected, refused) {
			t.Errorf("%s has no border, or the same in both looks", selector)
		}
	}
	if got := show(of("i", contract.OutlineSelected)); !bytes.Equal(got, plain) {
		t.Error("something is drawn for what is not to be seen")
	}
	both := show(of("h1", contract.OutlineSelected), of("em", contract.OutlineSelected))
	if bytes.Equal(both, show(of("h1", contract.OutlineSelected))) || bytes.Equal(both, show(of("em", contract.OutlineSelected))) {
		t.Error("of two elements one has no border")
	}
	for what, after := range map[string]func() error{
		"a highlight":  func() error { return errors.Join(s.Highlight(ctx, of("h1", "").Spot.Handle), s.HideHighlight(ctx)) },
		"inspect mode": func() error { return errors.Join(s.Inspect(ctx, true), s.Inspect(ctx, false)) },
		"a picture":    func() error { _, err := s.Screenshot(ctx, contract.ShotOptions{}); return err },
		"a pick":       func() error { _, err := s.PickAt(ctx, 300, 300); return err },
	} {
		show(of("h1", contract.OutlineSelected), of("em", contract.OutlineSelected))
		if err := after(); err != nil {
			t.Fatal(what, err)
		}
		if !bytes.Equal(raw(), both) {
			t.Errorf("after %s the borders are not the same", what)
		}
	}
	if !bytes.Equal(show(), plain) {
		t.Error("a border stays")
	}
	if err := s.Inspect(ctx, true); err != nil { // from here on movements are followed
		t.Fatal(err)
	}
	em := of("em", contract.OutlineSelected)
	scroll := func(by float64) {
		t.Helper()
		if err := s.Act(ctx, contract.Action{Kind: "scroll", DY: by}); err != nil {
			t.Fatal(err)
		}
	}
	scroll(40)
	want := show(em)
	scroll(-40)
	show(em)
	scroll(40)
	until := time.Now().Add(10 * time.Second)
	for !bytes.Equal(raw(), want) {
		if time.Now().After(until) {
			t.Fatal("the border does not follow the page")
		}
	}
}

// TestBrowserKilled: when the browser dies, every surface is lost at once, and
// closing leaves no goroutine.
func TestBrowserKilled(t *testing.T) {
	before := goleak.IgnoreCurrent()
	h, s := opened(t, nodes(20))
	other, err := h.Open(context.Background(), contract.OpenOptions{Origin: s.o.Origin})
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(h.Pid())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, lostSurface := range []contract.Surface{s, other} {
		select {
		case <-lostSurface.Lost():
		case <-time.After(30 * time.Second):
			t.Fatal("not lost")
		}
		if _, err := lostSurface.Load(context.Background(), "/"); core.CodeOf(err) != core.SurfaceLost {
			t.Errorf("%v", err)
		}
		if err := lostSurface.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.Open(context.Background(), contract.OpenOptions{Origin: s.o.Origin}); core.CodeOf(err) != core.SurfaceLost {
		t.Errorf("opening on a dead browser: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http.(*Server).Serve"), goleak.IgnoreAnyFunction("net/http.(*connReader).backgroundRead"))
}

// TestLaunchRefuses: never without the proxy, never without a browser.
func TestLaunchRefuses(t *testing.T) {
	for _, proxy := range []string{"", "127.0.0.1:80", "http://example.com:80", "http://127.0.0.1", "https://127.0.0.1:80", "http://127.0.0.1:80/x"} {
		if h, err := Launch(context.Background(), LaunchOptions{Proxy: proxy}); err == nil {
			h.Close()
			t.Errorf("launched with the proxy %q", proxy)
		}
	}
	if _, err := Launch(context.Background(), LaunchOptions{Proxy: "http://127.0.0.1:9", Path: "/no/such/browser"}); core.CodeOf(err) != core.NoBrowser {
		t.Errorf("%v", err)
	}
	if _, err := Launch(context.Background(), LaunchOptions{Proxy: "http://127.0.0.1:9", Path: "/bin/false"}); core.CodeOf(err) != core.BrowserFailed {
		t.Errorf("%v", err)
	}
}

// TestWindow: with a visible window the same things work, and a hidden page
// lives in a browser of its own that shows nothing.
func TestWindow(t *testing.T) {
	screen(t)
	origin, proxy := pageServer(t, nodes(40))
	h, err := Launch(context.Background(), LaunchOptions{Proxy: proxy, Width: 900, Height: 600})
	if err != nil {
		t.Fatal(err, core.AsError(err).Detail)
	}
	defer h.Close()
	for _, hidden := range []bool{false, true} {
		s, err := h.Open(context.Background(), contract.OpenOptions{Origin: origin, Hidden: hidden})
		if err != nil {
			t.Fatal(err)
		}
		if s.(*Surface).books == keeper(h) == hidden {
			t.Errorf("hidden %v: the page is in the wrong browser", hidden)
		}
		if _, err := s.Load(context.Background(), "/"); err != nil {
			t.Fatal(err)
		}
		p, err := s.PickAt(context.Background(), 60, 40)
		if err != nil || p.Chain[0].Name != "h1" {
			t.Errorf("hidden %v: %+v %v", hidden, p.Chain, err)
		}
		shot, err := s.Screenshot(context.Background(), contract.ShotOptions{})
		if err != nil || shot.Width != 900 || shot.Height != 600 {
			t.Errorf("hidden %v: %dx%d %v", hidden, shot.Width, shot.Height, err)
		}
	}
}
