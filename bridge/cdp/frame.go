package cdp

import (
	"context"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// BlankPath is the page that a frame shows until the leased document is loaded in
// it. The workbench puts it there; which frame is whose is known by its origin.
const BlankPath = "/.proofmark/blank"

// frameWait is how long a load waits for the workbench to make its frame.
const frameWait = 10 * time.Second

// frame is the place of a surface in the workbench's window.
type frame struct {
	window *Window
	ready  chan struct{} // closed when the surface can be used

	once    sync.Once
	arrived chan struct{} // closed when the blank page is there
}

func newFrame(w *Window) *frame {
	return &frame{window: w, ready: make(chan struct{}), arrived: make(chan struct{})}
}

func (f *frame) arrive() { f.once.Do(func() { close(f.arrived) }) }

// attached waits, before a load, for the frame of a framed surface. Everything
// else needs a page that was loaded, and so a frame.
func (s *Surface) attached(ctx context.Context, op string) *core.Error {
	if s.framed == nil {
		return nil
	}
	select {
	case <-s.framed.ready:
		return nil
	default:
	}
	if op != "Load" {
		return core.Errorf(core.SurfaceChanged, "no page has been loaded yet")
	}
	select {
	case <-s.framed.ready:
		return nil
	case <-s.life.Done():
		return lost()
	case <-ctx.Done():
		return ended(ctx, op)
	case <-time.After(frameWait):
		return core.Errorf(core.Timeout, "the workbench has not made a place for the page").WithHint("Open the page again.")
	}
}

// adopt takes over the frame that was made for the surface. It runs on the reading
// goroutine, before the frame's first event; the frame waits.
func (s *Surface) adopt(id target.SessionID, at target.ID) {
	w := s.framed.window
	s.target, s.mainFrame = at, protocol.FrameID(at)
	session := w.host.conn.attach(id, s.event)
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	w.host.pol.Bind(id, s.o.Origin)
	go s.watch()
	go s.begun()
}

// begun locks the frame in before its first page, lets it go on, and waits for
// that page: what is loaded later must not meet it halfway.
func (s *Surface) begun() {
	ctx, cancel := context.WithTimeout(s.life, 2*core.BridgeCommandTimeout)
	defer cancel()
	if err := s.prepare(ctx); err != nil {
		s.lose()
		return
	}
	select {
	case <-s.framed.arrived:
		close(s.framed.ready)
	case <-ctx.Done():
		s.lose()
	}
}

// measure notes how large a view that a person sizes is now.
func (s *Surface) measure(ctx context.Context) error {
	if !s.shown {
		return nil
	}
	m, err := typed(ctx, s, page.GetLayoutMetrics, protocol.Empty{})
	if err == nil && m.CSSLayoutViewport != nil {
		s.o.Width, s.o.Height = int(m.CSSLayoutViewport.ClientWidth), int(m.CSSLayoutViewport.ClientHeight)
	}
	return err
}

// scrolled gives where a person has scrolled the page to, so that the next version
// is shown there; nil for a page that nobody looks at, and at the top.
func (s *Surface) scrolled(ctx context.Context) *[2]float64 {
	if !s.shown || s.usable() != nil {
		return nil
	}
	in, err := s.top()
	if err != nil {
		return nil
	}
	var at [2]float64
	if s.value(ctx, where{world: in}, "scrolled", &at) != nil || at == [2]float64{} {
		return nil // it is of no importance
	}
	return &at
}

// scrollBack scrolls the page that is loaded to where the one before it was.
func (s *Surface) scrollBack(l *load) {
	in, err := s.top()
	if l.back == nil || err != nil {
		return
	}
	_ = s.value(s.life, where{world: in}, "scrollBack", nil, l.back[0], l.back[1]) // it is of no importance
}

// leave takes the page out of the frame; the frame itself is the workbench's.
func (w *Window) leave(s *Surface) error {
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	if session != nil {
		ctx, cancel := context.WithTimeout(s.life, time.Second)
		_, _ = protocol.Call(ctx, session, page.Navigate, page.NavigateParams{URL: "about:blank"}) // it may be gone
		cancel()
	}
	s.lose()
	w.forget(s)
	return nil
}

// inWorkbench refuses what only a view of its own has.
func inWorkbench(what string) *core.Error {
	return core.Errorf(core.Unsupported, "a page in the workbench has not %s", what).WithHint("Open it in a view of its own.")
}

var _ contract.Surface = (*Surface)(nil)
