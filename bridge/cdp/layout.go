package cdp

import (
	"context"

	"github.com/chromedp/cdproto/emulation"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// maxView bounds a view's width and height, CSS pixels.
const maxView = 16384

// Flags of a box in the bridge's answer.
const (
	boxShown = 1 << iota
	boxText
	boxReplaced
	boxPainted
	boxInline
	boxAbsolute
	boxFixed
	boxClipsX
	boxClipsY
	boxScrollsX
	boxScrollsY
)

// layoutColumns is the bridge's answer: four numbers a box in Rects.
type layoutColumns struct {
	Rects   []float64  `json:"rects"`
	Flags   []int      `json:"flags"`
	Births  []int      `json:"births"`
	Parents []int      `json:"parents"`
	Cut     bool       `json:"cut"`
	Area    [4]float64 `json:"area"`
	View    [2]float64 `json:"view"`
	Clips   [2]bool    `json:"clips"`
	Adapts  bool       `json:"adapts"`
}

// Layout gives the boxes of Tree's elements, in the same order.
func (s *Surface) Layout(ctx context.Context) (contract.Layout, error) {
	ctx, done, err := s.reading(ctx, "Layout")
	if err != nil {
		return contract.Layout{}, err
	}
	defer done()
	in, err := s.top()
	if err != nil {
		return contract.Layout{}, err
	}
	var c layoutColumns
	if err := s.value(ctx, where{world: in}, "layout", &c, contract.MaxLayoutElements); err != nil {
		return contract.Layout{}, refuse(err, "the page could not be measured").In("cdp.Layout")
	}
	if len(c.Rects) != 4*len(c.Flags) || len(c.Births) != len(c.Flags) || len(c.Parents) != len(c.Flags) {
		return contract.Layout{}, core.Errorf(core.Internal, "the bridge's columns of boxes differ in length").In("cdp.Layout")
	}
	return c.layout(), nil
}

func (c *layoutColumns) layout() contract.Layout {
	l := contract.Layout{
		Cut: c.Cut, Adapts: c.Adapts, ClipsX: c.Clips[0], ClipsY: c.Clips[1], Width: c.View[0], Height: c.View[1],
		Area: contract.Rect{X: c.Area[0], Y: c.Area[1], Width: c.Area[2], Height: c.Area[3]},
	}
	if c.Cut {
		return l
	}
	l.Boxes = make([]contract.Box, len(c.Flags))
	for i, f := range c.Flags {
		r := c.Rects[4*i : 4*i+4]
		l.Boxes[i] = contract.Box{
			Rect:   contract.Rect{X: r[0], Y: r[1], Width: r[2], Height: r[3]},
			Parent: c.Parents[i], Birth: c.Births[i], Shown: f&boxShown != 0, Text: f&boxText != 0, Replaced: f&boxReplaced != 0,
			Painted: f&boxPainted != 0, Inline: f&boxInline != 0, Absolute: f&boxAbsolute != 0, Fixed: f&boxFixed != 0,
			ClipsX: f&boxClipsX != 0, ClipsY: f&boxClipsY != 0, ScrollsX: f&boxScrollsX != 0, ScrollsY: f&boxScrollsY != 0,
		}
	}
	return l
}

// Resize gives the view another size and lets the page settle.
func (s *Surface) Resize(ctx context.Context, width, height int) error {
	if width < 1 || height < 1 || width > maxView || height > maxView {
		return core.Errorf(core.Usage, "a view of %d × %d pixels is not possible; 1 to %d are", width, height, maxView).In("cdp.Resize")
	}
	ctx, done, err := s.take(ctx, "Resize")
	if err != nil {
		return err
	}
	defer done()
	if s.shown {
		return inWorkbench("a size of its own").In("cdp.Resize")
	}
	if _, err := typed(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: 1,
	}); err != nil {
		return refuse(err, "the view could not be made %d × %d", width, height).In("cdp.Resize")
	}
	s.o.Width, s.o.Height = width, height
	// Two frames at the new size have asked for whatever it needs.
	rest, stop := context.WithTimeout(ctx, s.stretch(settleTimeout))
	defer stop()
	s.settleFrames(rest)
	s.traffic.quiet(rest, quietTime/4)
	return nil
}
