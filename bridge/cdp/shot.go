package cdp

import (
	"bytes"
	"context"
	"image"
	_ "image/jpeg" // the two formats pictures come in
	_ "image/png"
	"math"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/overlay"
	"github.com/chromedp/cdproto/page"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

const (
	maxSide     = 16384 // device pixels; Chromium repeats what is beyond
	jpegQuality = 85
)

// Screenshot takes a picture without any highlight or border in it. A page that is
// larger than the bounds is cut at the bottom.
func (s *Surface) Screenshot(ctx context.Context, o contract.ShotOptions) (contract.Shot, error) {
	ctx, done, err := s.take(ctx, "Screenshot")
	if err != nil {
		return contract.Shot{}, err
	}
	defer done()
	if s.framed != nil {
		return contract.Shot{}, inWorkbench("a picture of its own").In("cdp.Screenshot")
	}
	shot, err := s.shoot(ctx, o)
	if err != nil {
		return contract.Shot{}, refuse(err, "the picture could not be taken").In("cdp.Screenshot")
	}
	return shot, nil
}

func (s *Surface) shoot(ctx context.Context, o contract.ShotOptions) (contract.Shot, error) {
	if _, err := typed(ctx, s, overlay.HideHighlight, protocol.Empty{}); err != nil {
		return contract.Shot{}, err
	}
	again, err := s.bare(ctx)
	if err != nil {
		return contract.Shot{}, err
	}
	defer again()
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: ptr(true)}
	shot := contract.Shot{MediaType: "image/png"}
	if o.JPEG {
		p.Format, p.Quality = page.CaptureScreenshotFormatJpeg, ptr(int64(jpegQuality))
		shot.MediaType = "image/jpeg"
	}
	clip := o.Clip
	if o.FullPage {
		m, err := typed(ctx, s, page.GetLayoutMetrics, protocol.Empty{})
		if err != nil {
			return contract.Shot{}, err
		}
		clip = &contract.Rect{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height}
	}
	if clip != nil {
		c := bounded(*clip)
		p.Clip = &page.Viewport{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height, Scale: 1}
		p.CaptureBeyondViewport = ptr(true)
	}
	r, err := typed(ctx, s, page.CaptureScreenshot, p)
	if err != nil {
		return contract.Shot{}, err
	}
	if len(r.Data) > core.MaxScreenshotBytes {
		return contract.Shot{}, core.Errorf(core.TooLarge, "the picture has %d bytes, more than %d", len(r.Data), core.MaxScreenshotBytes)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(r.Data))
	if err != nil {
		return contract.Shot{}, err
	}
	shot.Data, shot.Width, shot.Height = r.Data, size.Width, size.Height
	return shot, nil
}

// bounded cuts a clip to whole pixels of the page and to what one picture may
// hold.
func bounded(r contract.Rect) contract.Rect {
	left, top := math.Max(0, math.Floor(r.X)), math.Max(0, math.Floor(r.Y))
	right, bottom := math.Ceil(r.X+r.Width), math.Ceil(r.Y+r.Height)
	w := math.Min(math.Max(1, right-left), maxSide)
	h := math.Min(math.Max(1, bottom-top), maxSide)
	h = math.Min(h, math.Floor(core.MaxClipPixels/w))
	return contract.Rect{X: left, Y: top, Width: w, Height: h}
}
