package cdp

import (
	"context"
	"math"
	"strconv"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/overlay"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

type border = overlay.ContainerQueryHighlightConfig

// lines are how the borders are drawn.
var lines = map[contract.OutlineLook]*overlay.LineStyle{
	contract.OutlineSelected: {Color: blue},
	contract.OutlineCursor:   {Color: blue, Pattern: overlay.LineStylePatternDashed},
	contract.OutlineRefused:  {Color: grey, Pattern: overlay.LineStylePatternDashed},
}

var (
	blue = &protocol.RGBA{R: 47, G: 120, B: 208, A: 1}
	// An alpha of nothing would be left out on the wire, and mean a dark one.
	unseen = &protocol.RGBA{R: 255, G: 255, B: 255, A: 0.001}
	grey   = &protocol.RGBA{R: 111, G: 121, B: 136, A: 1}
)

// Outline draws borders around elements. The browser's highlight would end inspect
// mode; the border that it draws around a query's container does not, and it draws
// one around any element.
func (s *Surface) Outline(ctx context.Context, outlines []contract.Outline) error {
	if len(outlines) > core.MaxOutlines {
		return core.Errorf(core.TooMany, "at most %d elements are outlined", core.MaxOutlines).In("cdp.Outline")
	}
	ctx, done, err := s.reading(ctx, "Outline")
	if err != nil {
		return err
	}
	defer done()
	for _, o := range outlines {
		if lines[o.Look] == nil {
			return core.Errorf(core.BadRequest, "no border looks like %.40q", string(o.Look)).In("cdp.Outline")
		}
		if o.Spot.Handle != "" {
			if _, err := s.handles.find(o.Spot.Handle); err != nil {
				return refuse(err, "the element could not be outlined").In("cdp.Outline")
			}
		}
	}
	if err := s.outline(ctx, outlines); err != nil {
		return refuse(err, "the elements could not be outlined").In("cdp.Outline")
	}
	s.outlined = outlines
	return nil
}

// outline draws borders around the elements that are laid out as a box, and a frame
// around the last one that is not: the browser has one frame.
func (s *Surface) outline(ctx context.Context, outlines []contract.Outline) error {
	borders := []*border{}
	var asked [][]any
	var err error
	if len(outlines) > 0 {
		if asked, err = s.spots(ctx, outlines); err != nil {
			return err
		}
		if borders, err = s.borders(ctx, outlines, asked); err != nil {
			return err
		}
	}
	if _, err = typed(ctx, s, overlay.SetShowContainerQueryOverlays, overlay.SetShowContainerQueryOverlaysParams{ContainerQueryHighlightConfigs: borders}); err != nil {
		return err
	}
	if len(outlines) == 0 {
		return s.unframe(ctx)
	}
	return s.frame(ctx, outlines, asked)
}

func (s *Surface) spots(ctx context.Context, outlines []contract.Outline) ([][]any, error) {
	spots := make([]contract.Spot, len(outlines))
	for i, o := range outlines {
		spots[i] = o.Spot
	}
	return s.name(ctx, spots)
}

// frame draws the frame where its element is now. A frame does not move with the
// page, so it is drawn again when that has moved.
func (s *Surface) frame(ctx context.Context, outlines []contract.Outline, asked [][]any) error {
	in, err := s.top()
	if err != nil {
		return err
	}
	var loose *struct {
		At   int        `json:"at"`
		Rect [4]float64 `json:"rect"`
	}
	if err := s.value(ctx, where{world: in}, "loose", &loose, asked); err != nil {
		return err
	}
	if loose == nil {
		return s.unframe(ctx)
	}
	m, err := typed(ctx, s, page.GetLayoutMetrics, protocol.Empty{})
	if err != nil {
		return err
	}
	zoom := 1.0
	if v := m.CSSVisualViewport; v != nil && v.Zoom > 0 {
		zoom = v.Zoom
	}
	r := loose.Rect
	left, top := math.Max(0, math.Round(r[0]*zoom)), math.Max(0, math.Round(r[1]*zoom))
	right, bottom := math.Round((r[0]+r[2])*zoom), math.Round((r[1]+r[3])*zoom)
	s.framing = true
	if right <= left || bottom <= top { // it is out of the view, and may come back
		_, err := typed(ctx, s, overlay.SetShowHinge, overlay.SetShowHingeParams{})
		return err
	}
	_, err = typed(ctx, s, overlay.SetShowHinge, overlay.SetShowHingeParams{HingeConfig: &overlay.HingeConfig{
		Rect:         &dom.Rect{X: left, Y: top, Width: right - left, Height: bottom - top},
		ContentColor: unseen, OutlineColor: lines[outlines[loose.At].Look].Color,
	}})
	return err
}

func (s *Surface) unframe(ctx context.Context) error {
	if !s.framing {
		return nil
	}
	s.framing = false
	_, err := typed(ctx, s, overlay.SetShowHinge, overlay.SetShowHingeParams{})
	return err
}

// reframe draws the frame where its element has moved to.
func (s *Surface) reframe() {
	ctx, done, err := s.reading(s.life, "Outline")
	if err != nil {
		return
	}
	defer done()
	s.redraw(ctx)
}

// redraw draws the frame anew. The browser forgets it, and no border, when it takes
// its highlight away.
func (s *Surface) redraw(ctx context.Context) {
	if !s.framing {
		return
	}
	if asked, err := s.spots(ctx, s.outlined); err == nil {
		_ = s.frame(ctx, s.outlined, asked) // the next movement draws it again
	}
}

// borders gives those of the elements that are on the page.
func (s *Surface) borders(ctx context.Context, outlines []contract.Outline, asked [][]any) ([]*border, error) {
	out := []*border{}
	in, err := s.top()
	if err != nil {
		return nil, err
	}
	if err := s.root(ctx); err != nil {
		return nil, err
	}
	list, err := s.object(ctx, where{world: in}, "boxes", asked)
	if err != nil {
		return nil, err
	}
	defer s.release(ctx, list)
	found, err := typed(ctx, s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list, OwnProperties: ptr(true)})
	if err != nil {
		return nil, err
	}
	for _, p := range found.Result {
		i, err := strconv.Atoi(p.Name)
		if err != nil || i < 0 || i >= len(outlines) || p.Value == nil || p.Value.ObjectID == "" {
			continue // the length, or an element that is not there
		}
		defer s.release(ctx, p.Value.ObjectID)
		n, err := typed(ctx, s, dom.RequestNode, dom.RequestNodeParams{ObjectID: p.Value.ObjectID})
		if err != nil {
			return nil, err
		}
		out = append(out, &border{NodeID: n.NodeID, ContainerQueryContainerHighlightConfig: &overlay.ContainerQueryContainerHighlightConfig{ContainerBorder: lines[outlines[i].Look]}})
	}
	return out, nil
}

func (s *Surface) release(ctx context.Context, id runtime.RemoteObjectID) {
	s.session.send(ctx, runtime.CommandReleaseObject, runtime.ReleaseObjectParams{ObjectID: id}).forget()
}

// bare takes the borders away for as long as something else is done; the function it
// gives draws them again.
func (s *Surface) bare(ctx context.Context) (again func(), err error) {
	if len(s.outlined) == 0 {
		return func() {}, nil
	}
	if err := s.outline(ctx, nil); err != nil {
		return nil, err
	}
	return func() { _ = s.outline(ctx, s.outlined) }, nil // what went away meanwhile has none
}
