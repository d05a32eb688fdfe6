package cdp

import (
	"context"
	"errors"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/overlay"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// maxWaitingPicks bounds the picks that wait for somebody to ask. A person makes
// a few a second at most.
const maxWaitingPicks = 64

// points is what was pointed at and not yet asked for: the last hover, all picks,
// and whether the page has moved.
type points struct {
	signal chan struct{} // has room for one

	mu    sync.Mutex      // guards the following
	over  protocol.NodeID // to be told
	last  protocol.NodeID // told last
	picks []protocol.BackendNodeID
	moved bool
	left  bool
}

func (p *points) init() { p.signal = make(chan struct{}, 1) }

func (p *points) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over, p.last, p.picks, p.moved, p.left = 0, 0, nil, false, false
}

func (p *points) note(f func()) {
	p.mu.Lock()
	f()
	p.mu.Unlock()
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

func (p *points) hover(id protocol.NodeID) {
	p.note(func() {
		if p.over = id; id == p.last {
			p.over = 0
		}
	})
}
func (p *points) move()  { p.note(func() { p.moved = true }) }
func (p *points) leave() { p.note(func() { p.left = true }) }

func (p *points) pick(id protocol.BackendNodeID) {
	p.note(func() {
		if len(p.picks) < maxWaitingPicks {
			p.picks = append(p.picks, id)
		}
	})
}

// next takes the next thing out: picks first, in their order.
func (p *points) next() (kind contract.PointedKind, picked protocol.BackendNodeID, over protocol.NodeID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.picks) > 0:
		picked, p.picks = p.picks[0], p.picks[1:]
		return contract.Picked, picked, 0
	case p.over != 0:
		over, p.last, p.over = p.over, p.over, 0
		return contract.Hovered, 0, over
	case p.moved:
		p.moved = false
		return contract.Moved, 0, 0
	case p.left:
		p.left = false
		return contract.Left, 0, 0
	}
	return "", 0, 0
}

// Inspect switches inspect mode.
func (s *Surface) Inspect(ctx context.Context, on bool) error {
	ctx, done, err := s.reading(ctx, "Inspect")
	if err != nil {
		return err
	}
	defer done()
	s.mu.Lock()
	s.armed = on
	s.mu.Unlock()
	s.points.reset()
	if on {
		if err = s.resume(ctx); err == nil {
			err = s.nudge(ctx)
		}
	} else {
		_, err = typed(ctx, s, overlay.SetInspectMode, overlay.SetInspectModeParams{Mode: overlay.InspectModeNone, HighlightConfig: look})
		if err == nil {
			_, err = typed(ctx, s, overlay.HideHighlight, protocol.Empty{})
		}
	}
	if err != nil {
		return refuse(err, "inspect mode could not be switched").In("cdp.Inspect")
	}
	s.redraw(ctx)
	return nil
}

// nudge moves the pointer to where it is: the browser names what it is over, and
// takes a press, only once it has moved in inspect mode.
func (s *Surface) nudge(ctx context.Context) error {
	in, err := s.top()
	if err != nil || !s.shown {
		return err
	}
	var at *[2]float64
	if err := s.value(ctx, where{world: in}, "pointer", &at); err != nil || at == nil {
		return err
	}
	return s.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1], Button: input.MouseButtonNone})
}

// arm switches inspect mode on for the loaded document. The browser names what
// is hovered by numbers that it gives only once the document was asked for.
func (s *Surface) arm(ctx context.Context) error {
	if err := s.root(ctx); err != nil {
		return err
	}
	_, err := typed(ctx, s, overlay.SetInspectMode, overlay.SetInspectModeParams{Mode: overlay.InspectModeSearchForNode, HighlightConfig: look})
	return err
}

// resume makes what goes on over loads go on in the loaded document.
func (s *Surface) resume(ctx context.Context) error {
	s.mu.Lock()
	armed := s.armed
	in, ok := s.worlds[s.mainFrame]
	s.mu.Unlock()
	if ok && (s.shown || armed) && !s.watching {
		s.watching = true
		go s.watchMoves(in.id)
	}
	if err := s.measure(ctx); err != nil {
		return err
	}
	if !armed {
		return nil
	}
	return s.arm(ctx)
}

// longAsk bounds one wait for the page to move.
const longAsk = time.Hour

// watchMoves notes each movement of a document, until that is gone.
func (s *Surface) watchMoves(in runtime.ExecutionContextID) {
	for {
		ctx, cancel := context.WithTimeout(s.life, longAsk)
		err := s.value(ctx, where{world: in, await: true}, "moves", nil)
		cancel()
		if err != nil && core.CodeOf(err) != core.Timeout {
			return
		}
		if err == nil {
			s.points.move()
			s.reframe()
		}
	}
}

// Pointed waits for the next thing somebody does with the pointer, or for the
// page to move.
func (s *Surface) Pointed(ctx context.Context) (contract.Pointed, error) {
	for {
		if s.life.Err() != nil {
			return contract.Pointed{}, lost().In("cdp.Pointed")
		}
		select {
		case <-s.points.signal:
		case <-s.life.Done():
			return contract.Pointed{}, lost().In("cdp.Pointed")
		case <-ctx.Done():
			return contract.Pointed{}, ended(ctx, "Pointed").In("cdp.Pointed")
		}
		if ctx.Err() != nil { // it is for whoever asks next
			s.points.note(func() {})
			return contract.Pointed{}, ended(ctx, "Pointed").In("cdp.Pointed")
		}
		p, err := s.pointed(ctx)
		switch code := core.CodeOf(err); {
		case err != nil && (ctx.Err() != nil || code == core.SurfaceLost):
			return contract.Pointed{}, refuse(err, "the page could not be read").In("cdp.Pointed")
		case err != nil || p.Kind == "":
			// The element went away while it was read, or the page did.
		default:
			return p, nil
		}
	}
}

// pointed reads what comes next, and sees to it that what is left is not waited for.
func (s *Surface) pointed(ctx context.Context) (contract.Pointed, error) {
	kind, picked, over := s.points.next()
	if kind == "" {
		return contract.Pointed{}, nil
	}
	defer s.points.note(func() {})
	if kind == contract.Moved || kind == contract.Left {
		return contract.Pointed{Kind: kind}, nil
	}
	ctx, done, err := s.reading(ctx, "Pointed")
	if err != nil {
		return contract.Pointed{}, err
	}
	defer done()
	var p contract.Pick
	if kind == contract.Picked {
		p, err = s.locate(ctx, picked)
	} else {
		p, err = s.glance(ctx, over)
	}
	return contract.Pointed{Kind: kind, Pick: p}, err
}

// glanceGroup holds what is hovered while it is read.
const glanceGroup = "glance"

// glance describes a hovered element; nothing of it is kept.
func (s *Surface) glance(ctx context.Context, node protocol.NodeID) (contract.Pick, error) {
	in, err := s.top()
	if err != nil {
		return contract.Pick{}, err
	}
	defer func() {
		s.session.send(ctx, runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: glanceGroup}).forget()
	}()
	object, err := s.inWorld(ctx, dom.ResolveNodeParams{NodeID: node, ExecutionContextID: in, ObjectGroup: glanceGroup})
	if err != nil {
		return contract.Pick{}, err
	}
	var at struct {
		Refusal string `json:"refusal"`
		Chain   *chain `json:"chain"`
	}
	if object != "" {
		if err := s.value(ctx, where{object: object}, "point", &at, core.QuoteRunes); err != nil {
			return contract.Pick{}, err
		}
	}
	if at.Chain != nil {
		return s.seen(ctx, object, at.Chain, core.Code(at.Refusal))
	}
	d, err := typed(ctx, s, dom.DescribeNode, dom.DescribeNodeParams{NodeID: node})
	if err != nil {
		return contract.Pick{}, err
	}
	if d.Node == nil {
		return contract.Pick{}, errors.New("the hovered node is gone")
	}
	p, err := s.locate(ctx, d.Node.BackendNodeID) // in a frame of the page
	s.handles.forget(p.Handle)
	p.Handle = ""
	return p, err
}
