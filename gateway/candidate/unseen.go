package candidate

import (
	"fmt"
	"image"

	"proofmark/bridge/contract"
)

// unseen names the blocks of text outside of the targets that stood out in the
// picture of the base and do not in that of the draft: something covers them, or
// they have the colour of what is behind them. Boxes do not tell that.
func (c *comparison) unseen(baseShot, candShot contract.Shot) ([]layoutFault, error) {
	if c.before == nil || c.after == nil {
		return nil, nil
	}
	base, err := decode(baseShot)
	if err != nil {
		return nil, err
	}
	cand, err := decode(candShot)
	if err != nil {
		return nil, err
	}
	var out []layoutFault
	for _, b := range c.blocks() {
		if b.text && base.blank(pixelRect(b.before, 1)) == no && cand.blank(pixelRect(b.after, 1)) == yes {
			out = append(out, layoutFault{
				key: fmt.Sprint("unseen ", b.id),
				say: named(c.base, b.id) + " is covered, or has the colour of what is behind it, so that nobody can see it any more",
			})
		}
	}
	return out, nil
}

// known is yes, no, or that it cannot be told.
type known uint8

const (
	unknown known = iota
	yes
	no
)

// blank tells whether all pixels of a rectangle have one colour; unknown where
// some of it is not in the picture.
func (p *picture) blank(r image.Rectangle) known {
	if r.Empty() || !r.In(image.Rect(0, 0, p.w, p.h)) {
		return unknown
	}
	first := (r.Min.Y*p.w + r.Min.X) * 4
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.pix[(y*p.w+r.Min.X)*4 : (y*p.w+r.Max.X)*4]
		for i, v := range row {
			if d := int(v) - int(p.pix[first+i%4]); d > channelNoise || d < -channelNoise {
				return no
			}
		}
	}
	return yes
}
