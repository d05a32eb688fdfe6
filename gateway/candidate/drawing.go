package candidate

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// mark is the colour of changed pixels in a difference.
var mark = [3]byte{230, 0, 120}

// difference draws the second picture faded, with what differs from the first
// one marked. It tells where that is, and which share of the pixels.
func difference(base, cand *picture) (marked *picture, where image.Rectangle, portion float64) {
	w, h := max(base.w, cand.w), max(base.h, cand.h)
	marked = &picture{w: w, h: h, pix: make([]byte, 4*w*h)}
	n := 0
	for y := range h {
		for x := range w {
			to := marked.pix[4*(y*w+x):][:4]
			grey := byte(255)
			if x < cand.w && y < cand.h {
				from := cand.pix[4*(y*cand.w+x):][:4]
				grey = byte(160 + (int(from[0])*3+int(from[1])*6+int(from[2]))*95/2550)
			}
			to[0], to[1], to[2], to[3] = grey, grey, grey, 255
			if !differs(base, cand, x, y) {
				continue
			}
			n++
			for c, m := range mark {
				to[c] = byte((int(m)*3 + int(to[c])) / 4)
			}
			where = where.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return marked, where, share(n, w*h)
}

// crop gives a part of the picture, which has to lie within it.
func (p *picture) crop(r image.Rectangle) *picture {
	out := &picture{w: r.Dx(), h: r.Dy(), pix: make([]byte, 0, 4*r.Dx()*r.Dy())}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		out.pix = append(out.pix, p.pix[4*(y*p.w+r.Min.X):4*(y*p.w+r.Max.X)]...)
	}
	return out
}

// shrink gives the picture with sides of at most most pixels, each pixel the
// mean of those it stands for.
func (p *picture) shrink(most int) *picture {
	long := max(p.w, p.h)
	if long <= most {
		return p
	}
	out := &picture{w: max(1, p.w*most/long), h: max(1, p.h*most/long)}
	out.pix = make([]byte, 4*out.w*out.h)
	for y := range out.h {
		top, bottom := y*p.h/out.h, max(y*p.h/out.h+1, (y+1)*p.h/out.h)
		for x := range out.w {
			left, right := x*p.w/out.w, max(x*p.w/out.w+1, (x+1)*p.w/out.w)
			var sum [4]int
			for sy := top; sy < bottom; sy++ {
				row := p.pix[4*(sy*p.w+left) : 4*(sy*p.w+right)]
				for i, b := range row {
					sum[i%4] += int(b)
				}
			}
			for c := range sum {
				out.pix[4*(y*out.w+x)+c] = byte(sum[c] / ((bottom - top) * (right - left)))
			}
		}
	}
	return out
}

// image gives the picture as the image packages take it; pictures of pages are
// opaque.
func (p *picture) image() *image.NRGBA {
	return &image.NRGBA{Pix: p.pix, Stride: 4 * p.w, Rect: image.Rect(0, 0, p.w, p.h)}
}

func (p *picture) encode() (contract.Shot, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, p.image()); err != nil {
		return contract.Shot{}, core.Wrap(core.Internal, err, "the picture could not be written")
	}
	return contract.Shot{MediaType: "image/png", Data: b.Bytes(), Width: p.w, Height: p.h}, nil
}

func (p *picture) encodeJPEG(quality int) (contract.Shot, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p.image(), &jpeg.Options{Quality: quality}); err != nil {
		return contract.Shot{}, core.Wrap(core.Internal, err, "the picture could not be written")
	}
	return contract.Shot{MediaType: "image/jpeg", Data: b.Bytes(), Width: p.w, Height: p.h}, nil
}

// bound makes the picture small enough for a model: first its sides, then its
// bytes, by a format that loses a little.
func (p *Picture) bound() error {
	p.Scale = 1
	fits := func() bool {
		return max(p.Width, p.Height) <= core.MaxPictureSide && len(p.Data) <= core.MaxPictureBytes
	}
	if fits() {
		return nil
	}
	full, err := decode(p.Shot)
	if err != nil {
		return err
	}
	small := full.shrink(core.MaxPictureSide)
	p.Scale = float64(small.w) / float64(full.w)
	if p.Shot, err = small.encode(); err != nil || fits() {
		return err
	}
	for _, quality := range []int{85, 60, 35} {
		if p.Shot, err = small.encodeJPEG(quality); err != nil || fits() {
			return err
		}
	}
	return core.Errorf(core.TooLarge, "the picture has %d bytes, the limit is %d", len(p.Data), core.MaxPictureBytes).
		WithHint("Take a picture of the viewport or of one target.")
}
