package cdp

import (
	"context"
	"errors"
	"maps"

	"github.com/chromedp/cdproto"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/overlay"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// maxFrameHops bounds the frames around a pick.
const maxFrameHops = 16

// look is how the browser draws a highlight.
var look = &overlay.HighlightConfig{
	ShowInfo:     true,
	ContentColor: &protocol.RGBA{R: 38, G: 110, B: 255, A: 0.28},
	PaddingColor: &protocol.RGBA{R: 38, G: 110, B: 255, A: 0.14},
	BorderColor:  &protocol.RGBA{R: 38, G: 110, B: 255, A: 0.60},
	MarginColor:  &protocol.RGBA{R: 255, G: 155, B: 40, A: 0.20},
}

// PickAt picks what is at a point of the viewport through the browser's own
// inspect mode. The page gets no event, its tree is not touched.
func (s *Surface) PickAt(ctx context.Context, x, y float64) (contract.Pick, error) {
	ctx, done, err := s.reading(ctx, "PickAt")
	if err != nil {
		return contract.Pick{}, err
	}
	defer done()
	if err := s.measure(ctx); err != nil {
		return contract.Pick{}, refuse(err, "the view could not be measured").In("cdp.PickAt")
	}
	if x < 0 || y < 0 || x >= float64(s.o.Width) || y >= float64(s.o.Height) {
		return contract.Pick{}, core.Errorf(core.SelectorNoMatch, "the point (%g, %g) is outside the view", x, y).In("cdp.PickAt")
	}
	node, err := s.press(ctx, x, y)
	if err != nil {
		return contract.Pick{}, refuse(err, "the pick did not succeed").In("cdp.PickAt")
	}
	p, err := s.locate(ctx, node)
	if err != nil {
		return contract.Pick{}, refuse(err, "the picked element could not be read").In("cdp.PickAt")
	}
	return p, nil
}

// press arms inspect mode, clicks, and gives the node the browser names.
func (s *Surface) press(ctx context.Context, x, y float64) (protocol.BackendNodeID, error) {
	picked := make(chan protocol.BackendNodeID, 1)
	s.mu.Lock()
	s.inspect = picked
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, s.stretch(core.BridgeCommandTimeout))
	defer cancel()
	defer s.disarm()
	if _, err := typed(ctx, s, overlay.SetInspectMode, overlay.SetInspectModeParams{Mode: overlay.InspectModeSearchForNode, HighlightConfig: look}); err != nil {
		return 0, err
	}
	var calls []*sent
	for _, p := range []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Button: input.MouseButtonNone},
		{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1},
		{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1},
	} {
		calls = append(calls, s.session.send(ctx, input.CommandDispatchMouseEvent, p))
	}
	for _, c := range calls {
		if err := c.wait(ctx, nil); err != nil {
			return 0, s.explain(err)
		}
	}
	select {
	case id := <-picked:
		return id, nil
	case <-s.life.Done():
		return 0, lost()
	case <-ctx.Done():
		return 0, core.Wrap(core.Timeout, ctx.Err(), "the browser named no element at this point")
	}
}

// disarm ends inspect mode; it stays on by itself after a pick, and where Inspect
// has switched it on. It runs also when the caller has given up.
func (s *Surface) disarm() {
	s.mu.Lock()
	s.inspect = nil
	armed := s.armed
	s.mu.Unlock()
	if armed {
		return
	}
	_, _ = typed(s.life, s, overlay.SetInspectMode, overlay.SetInspectModeParams{Mode: overlay.InspectModeNone, HighlightConfig: look})
	_, _ = typed(s.life, s, overlay.HideHighlight, protocol.Empty{})
	s.redraw(s.life)
}

// locate describes the picked node, or the nearest element outside the frame,
// shadow root or pseudo-element it is in.
func (s *Surface) locate(ctx context.Context, node protocol.BackendNodeID) (contract.Pick, error) {
	in, err := s.top()
	if err != nil {
		return contract.Pick{}, err
	}
	framed := false
	for range maxFrameHops {
		object, refusal, err := s.resolve(ctx, node, in)
		if err != nil {
			return contract.Pick{}, err
		}
		if object != "" && refusal != "foreign" {
			return s.outside(ctx, object, core.Code(refusal), framed)
		}
		if node, err = s.owner(ctx, node); err != nil {
			return contract.Pick{}, err
		}
		framed = true
	}
	return contract.Pick{}, core.Errorf(core.InFrame, "the element is inside more than %d frames", maxFrameHops)
}

// resolve gives the node in a world, "" where it belongs to another frame's.
func (s *Surface) resolve(ctx context.Context, node protocol.BackendNodeID, in runtime.ExecutionContextID) (runtime.RemoteObjectID, string, error) {
	object, err := s.inWorld(ctx, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: in})
	if err != nil || object == "" {
		return "", "", err
	}
	var refusal string
	if err := s.value(ctx, where{object: object}, "settle", &refusal); err != nil {
		return "", "", err
	}
	return object, refusal, nil
}

// inWorld gives a reference to a node in a world, "" where the node is none of
// that world's.
func (s *Surface) inWorld(ctx context.Context, p dom.ResolveNodeParams) (runtime.RemoteObjectID, error) {
	r, err := protocol.Call(ctx, s.session, dom.ResolveNode, p)
	var denied *cdproto.Error
	if errors.As(err, &denied) || (err == nil && (r.Object == nil || r.Object.ObjectID == "")) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.Object.ObjectID, nil
}

// owner gives the frame element around the frame that a node is in.
func (s *Surface) owner(ctx context.Context, node protocol.BackendNodeID) (protocol.BackendNodeID, error) {
	s.mu.Lock()
	worlds := maps.Clone(s.worlds)
	s.mu.Unlock()
	for frame, w := range worlds {
		if frame == s.mainFrame {
			continue
		}
		object, refusal, err := s.resolve(ctx, node, w.id)
		if err != nil {
			return 0, err
		}
		if object == "" || refusal == "foreign" {
			continue
		}
		o, err := typed(ctx, s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame})
		return o.BackendNodeID, err
	}
	return 0, core.Errorf(core.InFrame, "the element is in a frame that cannot be read").WithHint("Pick the frame's surroundings instead.")
}

func (s *Surface) outside(ctx context.Context, object runtime.RemoteObjectID, refusal core.Code, framed bool) (contract.Pick, error) {
	if framed {
		refusal = core.InFrame
	}
	out, err := s.object(ctx, where{object: object}, "outside")
	if err != nil {
		return contract.Pick{}, err
	}
	if out == "" {
		return contract.Pick{}, core.Errorf(core.Detached, "what is there is not part of the page").WithHint("Pick something else.")
	}
	return s.describe(ctx, out, refusal)
}
