package suite

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // pictures come in both formats
	_ "image/png"
	"strings"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// testShot: pictures of the view, the page and a part, within bounds, and never
// with a highlight in them.
func testShot(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><style>*{margin:0}</style><div id=red style="width:300px;height:200px;background:#f00"></div>
<div style="height:2000px"></div><div id=blue style="width:100px;height:50px;background:#00f"></div>`)
	if b.Framed { // the browser takes pictures of windows' own pages only
		_, err := v.Screenshot(v.ctx, contract.ShotOptions{})
		wantCode(t, err, core.Unsupported)
		return
	}
	plain := shoot(t, v, contract.ShotOptions{})
	if plain.Width != 800 || plain.Height != 600 || plain.MediaType != "image/png" {
		t.Errorf("view %dx%d %s", plain.Width, plain.Height, plain.MediaType)
	}
	p := v.first("#red")
	if err := v.Highlight(v.ctx, p.Handle); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shoot(t, v, contract.ShotOptions{}).Data, plain.Data) {
		t.Error("a picture shows the highlight")
	}
	v.pickMiddle(p.Rect)
	if !bytes.Equal(shoot(t, v, contract.ShotOptions{}).Data, plain.Data) {
		t.Error("a picture shows the pick")
	}
	full := shoot(t, v, contract.ShotOptions{FullPage: true})
	wide := 800
	if b.ScrollBars {
		wide -= 15 // the bar is no part of the page
	}
	if full.Width != wide || full.Height != 2250 {
		t.Errorf("page %dx%d", full.Width, full.Height)
	}
	blue, err := v.Rect(v.ctx, v.first("#blue").Handle)
	if err != nil || blue != (contract.Rect{Y: 2200, Width: 100, Height: 50}) {
		t.Fatalf("rect %+v %v", blue, err)
	}
	part := shoot(t, v, contract.ShotOptions{Clip: &blue})
	if part.Width != 100 || part.Height != 50 {
		t.Errorf("part %dx%d", part.Width, part.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(part.Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, bl, _ := img.At(50, 25).RGBA(); color.RGBAModel.Convert(color.RGBA{uint8(r), uint8(g), uint8(bl), 255}) != (color.RGBA{0, 0, 255, 255}) {
		t.Errorf("the part is not blue: %x %x %x", r, g, bl)
	}
	if jpeg := shoot(t, v, contract.ShotOptions{JPEG: true}); jpeg.MediaType != "image/jpeg" || jpeg.Width != 800 {
		t.Errorf("jpeg %+v", jpeg.MediaType)
	}
	t.Run("Bounds", func(t *testing.T) {
		v := b.open(t, `<!doctype html><style>*{margin:0}</style><div style="width:30000px;height:90000px;background:linear-gradient(red,blue)"></div>`)
		s := shoot(t, v, contract.ShotOptions{FullPage: true})
		if s.Width*s.Height > core.MaxClipPixels || s.Width > 16384 || s.Height > 16384 || len(s.Data) > core.MaxScreenshotBytes {
			t.Errorf("%dx%d, %d bytes", s.Width, s.Height, len(s.Data))
		}
	})
}

func shoot(t *testing.T, v *view, o contract.ShotOptions) contract.Shot {
	t.Helper()
	s, err := v.Screenshot(v.ctx, o)
	if err != nil {
		t.Fatalf("screenshot %+v: %v", o, err)
	}
	return s
}

// testHealth: R-TURN-7, complaints in words that compare equal between loads.
func testHealth(t *testing.T, b *bench) {
	b.site.put("/ok.css", "text/css", "p{color:red}")
	v := b.open(t, `<!doctype html><link rel=stylesheet href="/ok.css"><img src="/gone.png"><img src="https://stranger.test/x.png"><script src="missing.js"></script>
<p>x</p><script>console.log('fine'); console.error('bad', 1, {a: 1}, location.href); setTimeout(() => { throw new TypeError('late') }); null.x</script><script>Promise.reject(new Error('rejected'))</script>`)
	h := v.health()
	all := strings.Join(append(append(append([]string{}, h.Errors...), h.ConsoleErr...), h.Missing...), "\n")
	for _, want := range []string{"TypeError: late", "TypeError: Cannot read properties of null", "Error: rejected", "bad 1 Object " + contract.PageOrigin + v.path, "/gone.png", "/missing.js", "https://stranger.test/x.png"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	for _, not := range []string{"fine", "ok.css", b.site.label} {
		if strings.Contains(all, not) {
			t.Errorf("%q in\n%s", not, all)
		}
	}
	if len(h.Errors) != 3 || len(h.Missing) != 3 || h.Dropped != 0 || h.DocumentRect.Width != 800 || h.DocumentRect.Height <= 0 {
		t.Errorf("%+v", h)
	}
	v.load()
	again := v.health()
	if strings.Join(again.Errors, "\n") != strings.Join(h.Errors, "\n") || strings.Join(again.Missing, "\n") != strings.Join(h.Missing, "\n") ||
		strings.Join(again.ConsoleErr, "\n") != strings.Join(h.ConsoleErr, "\n") {
		t.Errorf("the second load differs:\n%+v\n%+v", again, h)
	}
	t.Run("Flood", func(t *testing.T) {
		v := b.open(t, `<!doctype html><p>x<script>for (let i = 0; i < 20000; i++) console.error('line ' + i + ' '.repeat(100)); console.error('x'.repeat(5e6))</script>`)
		h := v.health()
		if len(h.ConsoleErr) > 100 || h.Dropped == 0 {
			t.Errorf("%d lines, %d dropped", len(h.ConsoleErr), h.Dropped)
		}
		for _, l := range h.ConsoleErr {
			if len(l) > 1300 {
				t.Errorf("a line of %d bytes", len(l))
			}
		}
	})
}
