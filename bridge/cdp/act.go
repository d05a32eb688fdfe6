package cdp

import (
	"context"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

const (
	maxTyped   = 16_384 // runes of one type action
	maxScroll  = 20_000 // CSS pixels of one scroll action
	actSettle  = time.Second
	actionTime = 2 * core.BridgeCommandTimeout

	// Keys are pressed for the first runes of a text; a page lays itself out for
	// each. The rest is put in as an input method does, in pieces.
	maxKeyed = 200
	pieceLen = 1000
)

// key is one of the keys that can be pressed.
type key struct {
	code string
	vk   int64
	text string
}

// keys is the closed list of names an Action's Key may have.
var keys = map[string]key{
	"Enter": {"Enter", 13, "\r"}, "Tab": {"Tab", 9, ""}, "Escape": {"Escape", 27, ""}, "Space": {"Space", 32, " "},
	"Backspace": {"Backspace", 8, ""}, "Delete": {"Delete", 46, ""}, "Home": {"Home", 36, ""}, "End": {"End", 35, ""},
	"PageUp": {"PageUp", 33, ""}, "PageDown": {"PageDown", 34, ""}, "ArrowUp": {"ArrowUp", 38, ""},
	"ArrowDown": {"ArrowDown", 40, ""}, "ArrowLeft": {"ArrowLeft", 37, ""}, "ArrowRight": {"ArrowRight", 39, ""},
}

// Act performs one real input and lets the page settle.
func (s *Surface) Act(ctx context.Context, a contract.Action) error {
	ctx, cancel := context.WithTimeout(ctx, actionTime)
	ctx, done, err := s.takeFor(ctx, cancel, "Act")
	if err != nil {
		return err
	}
	defer done()
	if e := s.usable(); e != nil {
		return e.In("cdp.Act")
	}
	if err := s.act(ctx, a); err != nil {
		return refuse(err, "the action did not succeed").In("cdp.Act")
	}
	rest, stop := context.WithTimeout(ctx, actSettle)
	defer stop()
	s.traffic.quiet(rest, quietTime)
	s.settleFrames(rest)
	return nil
}

func (s *Surface) act(ctx context.Context, a contract.Action) error {
	switch a.Kind {
	case "click":
		return s.click(ctx, a.Handle)
	case "focus":
		return s.focus(ctx, a.Handle)
	case "type":
		return s.typeText(ctx, a.Handle, a.Text)
	case "press":
		k, ok := keys[a.Key]
		if !ok {
			return core.Errorf(core.ToolArguments, "%q is not a key that can be pressed", a.Key)
		}
		name := a.Key
		if name == "Space" {
			name = " "
		}
		return s.stroke(ctx, name, k)
	case "scroll":
		return s.scroll(ctx, a.DX, a.DY)
	}
	return core.Errorf(core.ToolArguments, "%q is not an action", a.Kind)
}

func (s *Surface) click(ctx context.Context, handle string) error {
	id, err := s.handles.find(handle)
	if err != nil {
		return err
	}
	if _, err := typed(ctx, s, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{ObjectID: id}); err != nil {
		return err
	}
	x, y, err := s.middle(ctx, id)
	if err != nil {
		return err
	}
	return s.mouse(ctx,
		input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Button: input.MouseButtonNone},
		input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
		input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
}

// middle gives the middle of the element's first box that is in the view.
func (s *Surface) middle(ctx context.Context, id runtime.RemoteObjectID) (x, y float64, err error) {
	r, err := typed(ctx, s, dom.GetContentQuads, dom.GetContentQuadsParams{ObjectID: id})
	if err != nil {
		return 0, 0, core.Wrap(core.Unsupported, err, "the element has no box that could be clicked")
	}
	for _, q := range r.Quads {
		if len(q) != 8 {
			continue
		}
		x, y = (q[0]+q[2]+q[4]+q[6])/4, (q[1]+q[3]+q[5]+q[7])/4
		if x >= 0 && y >= 0 && x < float64(s.o.Width) && y < float64(s.o.Height) {
			return x, y, nil
		}
	}
	return 0, 0, core.Errorf(core.Unsupported, "the element has no box in the view that could be clicked")
}

func (s *Surface) mouse(ctx context.Context, events ...input.DispatchMouseEventParams) error {
	calls := make([]*sent, len(events))
	for i, e := range events {
		calls[i] = s.session.send(ctx, input.CommandDispatchMouseEvent, e)
	}
	return s.all(ctx, calls)
}

func (s *Surface) all(ctx context.Context, calls []*sent) error {
	for _, c := range calls {
		if err := c.wait(ctx, nil); err != nil {
			return s.explain(err)
		}
	}
	return nil
}

func (s *Surface) focus(ctx context.Context, handle string) error {
	id, err := s.handles.find(handle)
	if err != nil {
		return err
	}
	_, err = typed(ctx, s, dom.Focus, dom.FocusParams{ObjectID: id})
	return err
}

// typeText types into the element, or into what has the focus.
func (s *Surface) typeText(ctx context.Context, handle, text string) error {
	if n := utf8.RuneCountInString(text); n > maxTyped || !utf8.ValidString(text) {
		return core.Errorf(core.ToolArguments, "a text to type has at most %d characters", maxTyped)
	}
	if handle != "" {
		if err := s.focus(ctx, handle); err != nil {
			return err
		}
	}
	runes := []rune(text)
	var calls []*sent
	for _, r := range runes[:min(len(runes), maxKeyed)] {
		t := string(r)
		if r == '\n' {
			t = "\r"
		}
		calls = append(calls,
			s.session.send(ctx, input.CommandDispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: t, UnmodifiedText: t}),
			s.session.send(ctx, input.CommandDispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: string(r)}))
	}
	for piece := range slices.Chunk(runes[min(len(runes), maxKeyed):], pieceLen) {
		calls = append(calls, s.session.send(ctx, input.CommandInsertText, input.InsertTextParams{Text: string(piece)}))
	}
	return s.all(ctx, calls)
}

func (s *Surface) stroke(ctx context.Context, name string, k key) error {
	down := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Key: name, Code: k.code, WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk,
	}
	if k.text != "" {
		down.Type, down.Text, down.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.text, k.text
	}
	up := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Key: name, Code: k.code, WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk,
	}
	return s.all(ctx, []*sent{
		s.session.send(ctx, input.CommandDispatchKeyEvent, down),
		s.session.send(ctx, input.CommandDispatchKeyEvent, up),
	})
}

// wheel is a mouse event whose two deltas are both sent, zero or not: the
// browser insists.
type wheel struct {
	Type   string  `json:"type"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	DeltaX float64 `json:"deltaX"`
	DeltaY float64 `json:"deltaY"`
}

func (s *Surface) scroll(ctx context.Context, dx, dy float64) error {
	if math.IsNaN(dx) || math.IsNaN(dy) || math.Abs(dx) > maxScroll || math.Abs(dy) > maxScroll {
		return core.Errorf(core.ToolArguments, "one scroll moves at most %d pixels either way", maxScroll)
	}
	w := wheel{Type: "mouseWheel", X: float64(s.o.Width) / 2, Y: float64(s.o.Height) / 2, DeltaX: dx, DeltaY: dy}
	return s.all(ctx, []*sent{s.session.send(ctx, input.CommandDispatchMouseEvent, w)})
}
