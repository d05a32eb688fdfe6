package suite

import (
	"context"
	"errors"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// testLife: loads, handles, ends.
func testLife(t *testing.T, b *bench) {
	t.Run("Epochs", func(t *testing.T) { epochs(t, b) })
	t.Run("NotLoaded", func(t *testing.T) { notLoaded(t, b) })
	t.Run("NeverEnds", func(t *testing.T) { neverEnds(t, b) })
	t.Run("Apart", func(t *testing.T) { apart(t, b) })
	t.Run("Moved", func(t *testing.T) { moved(t, b) })
	t.Run("Closed", func(t *testing.T) { closed(t, b) })
	t.Run("Crash", func(t *testing.T) { crashed(t, b) })
	t.Run("Cancelled", func(t *testing.T) { cancelled(t, b) })
	t.Run("Limit", func(t *testing.T) { limited(t, b) })
	t.Run("Paths", func(t *testing.T) {
		v := b.blank(t, "")
		for path, served := range map[string]string{
			"/my%20page.html": "/my page.html", "/\u00e9t\u00e9's [1].html": "/\u00e9t\u00e9's [1].html", "/a.html?x=1&y=%20": "/a.html", "/dir/100%25.html": "/dir/100%.html",
		} {
			b.site.put(served, "text/html", "<!doctype html><p id=p>"+served)
			if _, err := v.Load(v.ctx, path); err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if p := v.first("#p"); p.Text == "" {
				t.Errorf("%s: empty", path)
			}
		}
		for _, bad := range []string{"", "page.html", "@evil.test/", ".evil.test/", ":80/"} {
			if _, err := v.Load(v.ctx, bad); err == nil {
				t.Errorf("%q was loaded", bad)
			}
		}
	})
	t.Run("BadOrigin", func(t *testing.T) {
		for _, o := range []string{"", "https://x.localhost:1", "http://x.localhost:1/path", "file:///etc", "http://"} {
			if s, err := b.host.Open(context.Background(), contract.OpenOptions{Origin: o}); err == nil {
				s.Close()
				t.Errorf("%q was opened", o)
			}
		}
	})
}

func epochs(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><p id=p>x`)
	p := v.first("#p")
	l := v.load()
	if l.Epoch != 2 || l.URL != b.site.origin()+v.path || l.TimedOut || l.Took <= 0 {
		t.Errorf("%+v", l)
	}
	for name, call := range map[string]func() error{
		"Step":      func() error { _, err := v.Step(v.ctx, p.Handle, contract.Up); return err },
		"Describe":  func() error { _, err := v.Describe(v.ctx, p.Handle); return err },
		"Highlight": func() error { return v.Highlight(v.ctx, p.Handle) },
		"Rect":      func() error { _, err := v.Rect(v.ctx, p.Handle); return err },
		"Act":       func() error { return v.Act(v.ctx, contract.Action{Kind: "click", Handle: p.Handle}) },
	} {
		if got := core.CodeOf(call()); got != core.StaleEpoch {
			t.Errorf("%s with an old handle: %q", name, got)
		}
	}
	if q := v.first("#p"); q.Epoch != 2 {
		t.Errorf("epoch %d", q.Epoch)
	}
}

func notLoaded(t *testing.T, b *bench) {
	v := b.blank(t, "")
	_, err := v.PickAt(v.ctx, 1, 1)
	wantCode(t, err, core.SurfaceChanged)
	_, _, err = v.Query(v.ctx, "p", 1)
	wantCode(t, err, core.SurfaceChanged)
}

// neverEnds: an image that never comes does not keep the page from being used.
func neverEnds(t *testing.T, b *bench) {
	release := make(chan struct{})
	b.site.set("/endless.png", file{kind: "image/png", wait: release})
	defer close(release)
	v := b.blank(t, `<!doctype html><p id=p>x</p><img src="/endless.png">`)
	begun := time.Now()
	l := v.load()
	if !l.TimedOut || time.Since(begun) > 20*time.Second {
		t.Errorf("%+v after %v", l, time.Since(begun))
	}
	if p := v.first("#p"); p.Text != "x" {
		t.Errorf("%+v", p)
	}
}

// apart: two surfaces share nothing.
func apart(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><p id=p>x`)
	w := b.open(t, `<!doctype html><p id=p>y`, b.beside)
	p := v.first("#p")
	if _, err := w.Describe(w.ctx, p.Handle); core.CodeOf(err) != core.StaleEpoch {
		t.Errorf("a foreign handle: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if q, err := v.Describe(v.ctx, p.Handle); err != nil || q.Text != "x" {
		t.Errorf("the other surface: %+v %v", q, err)
	}
}

// moved: an element that scripts took out is refused, one they moved is found
// where it is now.
func moved(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><main><p id=p>x</p></main><aside></aside><script>addEventListener('keydown', (e) => {
  const p = globalThis.kept ??= document.querySelector('#p');
  if (e.key === 'End') p.remove(); else document.querySelector('aside').append(p); })</script>`)
	p := v.first("#p")
	v.press("Home")
	if q, err := v.Describe(v.ctx, p.Handle); err != nil || path(q) != "/html[1]/body[2]/aside[2]/p[1]" || q.Refusal != "" {
		t.Errorf("moved: %s %q %v", path(q), q.Refusal, err)
	}
	v.press("End")
	if q, err := v.Describe(v.ctx, p.Handle); err != nil || q.Refusal != core.Detached {
		t.Errorf("taken out: %s %q %v", path(q), q.Refusal, err)
	}
}

func closed(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><p>x`)
	select {
	case <-v.Lost():
		t.Fatal("lost before it was closed")
	default:
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	<-v.Lost()
	_, err := v.Load(v.ctx, v.path)
	wantCode(t, err, core.SurfaceLost)
	if err := v.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func crashed(t *testing.T, b *bench) {
	if b.Driver.Crash == nil {
		t.Skip("SKIPPED: this driver has no way to crash a page")
	}
	v := b.open(t, `<!doctype html><p>x`)
	other := b.open(t, `<!doctype html><p id=p>y`, b.beside)
	b.Driver.Crash(t, v.Surface)
	select {
	case <-v.Lost():
	case <-v.ctx.Done():
		t.Fatal("a crash was not noticed")
	}
	_, _, err := v.Query(v.ctx, "p", 1)
	wantCode(t, err, core.SurfaceLost)
	if b.Framed {
		return // frames of one site share a process, and the suite has one site; the product has one a preview
	}
	if p := other.first("#p"); p.Text != "y" {
		t.Errorf("the other surface: %+v", p)
	}
}

func cancelled(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><p id=p>x`)
	ctx, cancel := context.WithCancel(v.ctx)
	cancel()
	_, _, err := v.Query(ctx, "p", 1)
	wantCode(t, err, core.Cancelled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the cause is lost: %v", err)
	}
	if p := v.first("#p"); p.Text != "x" {
		t.Error("the surface cannot be used any more")
	}
}

func limited(t *testing.T, b *bench) {
	var open []contract.Surface
	for {
		s, err := b.host.Open(context.Background(), contract.OpenOptions{Origin: b.site.origin(), Hidden: !b.Shown || b.Single})
		if err != nil {
			wantCode(t, err, core.TooMany)
			break
		}
		if open = append(open, s); len(open) > core.MaxPreviewsPerHost {
			t.Fatal("there is no limit")
		}
	}
	for _, s := range open {
		s.Close()
	}
}
