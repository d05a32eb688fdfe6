package candidate

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

func shot(w, h int, paint func(x, y int) color.Color) contract.Shot {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, paint(x, y))
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m)
	return contract.Shot{MediaType: "image/png", Data: b.Bytes(), Width: w, Height: h}
}

func white(int, int) color.Color { return color.White }

func decoded(t *testing.T, s contract.Shot) *picture {
	t.Helper()
	p, err := decode(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// R-TURN-8: differences are told apart by the targets' rectangles.
func TestSharesInsideAndOutside(t *testing.T) {
	base := decoded(t, shot(10, 10, white))
	cand := decoded(t, shot(10, 10, func(x, y int) color.Color {
		if x < 5 && y < 2 { // the left half of a target of 10 × 2
			return color.Black
		}
		if y == 9 && x < 8 { // 8 of the other 80
			return color.Black
		}
		if y == 5 {
			return color.NRGBA{254, 254, 254, 255} // rounding, not a change
		}
		return color.White
	}))
	in, out := changed(base, cand, []image.Rectangle{pixelRect(contract.Rect{Width: 10, Height: 2}, 1)})
	if in != 0.5 || out != 0.1 {
		t.Errorf("inside %v, outside %v; want 0.5 and 0.1", in, out)
	}
	if in, out := changed(base, base, nil); in != 0 || out != 0 {
		t.Errorf("equal pictures: inside %v, outside %v", in, out)
	}
	// Pixels that move by themselves count on neither side.
	again := decoded(t, shot(10, 10, func(_, y int) color.Color {
		if y == 9 {
			return color.Gray{Y: 100}
		}
		return color.White
	}))
	if in, out := changed(base, cand, []image.Rectangle{image.Rect(0, 0, 10, 2)}, unstableOf(base, again)); in != 0.5 || out != 0 {
		t.Errorf("masked: inside %v, outside %v; want 0.5 and 0", in, out)
	}
}

// A page that became longer differs by what only one of the pictures has.
func TestSharesOfDifferentHeights(t *testing.T) {
	base, cand := decoded(t, shot(10, 10, white)), decoded(t, shot(10, 20, white))
	if in, out := changed(base, cand, []image.Rectangle{image.Rect(0, 0, 10, 5)}); in != 0 || out != 0.666667 {
		t.Errorf("inside %v, outside %v", in, out)
	}
	// A target beyond the picture is no reason to fail.
	if in, _ := changed(base, cand, []image.Rectangle{image.Rect(-5, -5, 99, 99)}); in != 0.5 {
		t.Errorf("inside %v", in)
	}
}

// One pixel of a large page is not nothing.
func TestShareNeverHidesAPixel(t *testing.T) {
	for _, c := range []struct {
		part, whole int
		want        float64
	}{{0, 9, 0}, {1, 10_000_000, 0.000001}, {1, 2, 0.5}, {9, 9, 1}, {0, 0, 0}} {
		if got := share(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.part, c.whole, got, c.want)
		}
	}
}

func TestDecodeRefusesWhatIsNoPicture(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("GIF89a"), shot(3, 3, white).Data[:40]} {
		if _, err := decode(contract.Shot{Data: data}); core.CodeOf(err) != core.BrowserFailed {
			t.Errorf("%q: got %v", data, err)
		}
	}
}

func TestPixelRectTakesEveryTouchedPixel(t *testing.T) {
	for _, c := range []struct {
		r     contract.Rect
		scale float64
		want  image.Rectangle
	}{
		{contract.Rect{X: 1, Y: 2, Width: 3, Height: 4}, 1, image.Rect(1, 2, 4, 6)},
		{contract.Rect{X: 0.4, Y: 0.6, Width: 1, Height: 1}, 1, image.Rect(0, 0, 2, 2)},
		{contract.Rect{X: 1, Y: 1, Width: 2, Height: 2}, 2, image.Rect(2, 2, 6, 6)},
	} {
		if got := pixelRect(c.r, c.scale); got != c.want {
			t.Errorf("%v × %v: got %v, want %v", c.r, c.scale, got, c.want)
		}
	}
}
