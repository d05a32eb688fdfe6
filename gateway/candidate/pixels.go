package candidate

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"math"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// channelNoise is how far two channel values (of 255) may lie apart and still
// count as the same.
const channelNoise = 2

// picture is a decoded screenshot, four bytes a pixel.
type picture struct {
	w, h int
	pix  []byte
}

// decode reads a PNG screenshot of bounded size.
func decode(shot contract.Shot) (*picture, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, core.Wrap(core.BrowserFailed, err, "the browser's picture of the page cannot be read")
	}
	if cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width > core.MaxClipPixels/cfg.Height {
		return nil, core.Errorf(core.TooLarge, "the picture of the page has %d × %d pixels, which is too many", cfg.Width, cfg.Height)
	}
	img, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, core.Wrap(core.BrowserFailed, err, "the browser's picture of the page cannot be read")
	}
	p := &picture{w: cfg.Width, h: cfg.Height}
	switch m := img.(type) {
	case *image.RGBA:
		p.pix = m.Pix
	case *image.NRGBA:
		p.pix = m.Pix
	default:
		r := image.NewRGBA(image.Rect(0, 0, p.w, p.h))
		draw.Draw(r, r.Bounds(), img, img.Bounds().Min, draw.Src)
		p.pix = r.Pix
	}
	return p, nil
}

// differs tells whether the pictures differ at a pixel; one that only one of
// them has differs.
func differs(a, b *picture, x, y int) bool {
	if x >= a.w || y >= a.h || x >= b.w || y >= b.h {
		return true
	}
	i, j := (y*a.w+x)*4, (y*b.w+x)*4
	p, q := a.pix[i:i+4:i+4], b.pix[j:j+4:j+4]
	for c := range 4 {
		d := int(p[c]) - int(q[c])
		if d > channelNoise || d < -channelNoise {
			return true
		}
	}
	return false
}

// unstable marks the pixels that differ between two pictures of one unchanged
// page: animations, videos, clocks. They say nothing about the edit.
type unstable struct {
	w, h int
	bits []bool
}

func unstableOf(a, b *picture) *unstable {
	u := &unstable{w: max(a.w, b.w), h: max(a.h, b.h)}
	u.bits = make([]bool, u.w*u.h)
	for y := range u.h {
		for x := range u.w {
			u.bits[y*u.w+x] = differs(a, b, x, y)
		}
	}
	return u
}

func (u *unstable) at(x, y int) bool {
	return u != nil && x < u.w && y < u.h && u.bits[y*u.w+x]
}

// changed gives the share of the pixels inside the rectangles that differ, and
// the share of all others, each from 0 to 1. Unstable pixels count on neither
// side.
func changed(base, cand *picture, inside []image.Rectangle, masks ...*unstable) (in, out float64) {
	w, h := max(base.w, cand.w), max(base.h, cand.h)
	target := make([]bool, w*h)
	for _, r := range inside {
		r = r.Intersect(image.Rect(0, 0, w, h))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := target[y*w : y*w+w]
			for x := r.Min.X; x < r.Max.X; x++ {
				row[x] = true
			}
		}
	}
	var n, d [2]int
	for y := range h {
	pixel:
		for x := range w {
			for _, u := range masks {
				if u.at(x, y) {
					continue pixel
				}
			}
			side := 0
			if target[y*w+x] {
				side = 1
			}
			n[side]++
			if differs(base, cand, x, y) {
				d[side]++
			}
		}
	}
	return share(d[1], n[1]), share(d[0], n[0])
}

// share is rounded up to six digits, so that one pixel never counts as none.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	const digits = 1e6
	return math.Ceil(float64(part)*digits/float64(whole)) / digits
}

// pixelRect gives the device pixels a rectangle in CSS pixels touches.
func pixelRect(r contract.Rect, scale float64) image.Rectangle {
	const edge = 1e-6
	return image.Rect(
		int(math.Floor(r.X*scale+edge)), int(math.Floor(r.Y*scale+edge)),
		int(math.Ceil((r.X+r.Width)*scale-edge)), int(math.Ceil((r.Y+r.Height)*scale-edge)),
	)
}
