package cdp

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"

	"proofmark/gateway/core"
)

// wire is a transport in memory: the test plays the browser.
type wire struct {
	in, out chan *cdproto.Message
	gone    chan struct{}
}

func newWire() *wire {
	return &wire{in: make(chan *cdproto.Message), out: make(chan *cdproto.Message, 16), gone: make(chan struct{})}
}

func (w *wire) Read(_ context.Context, m *cdproto.Message) error {
	select {
	case got := <-w.in:
		*m = *got
		return nil
	case <-w.gone:
		return io.EOF
	}
}

func (w *wire) Write(_ context.Context, m *cdproto.Message) error { w.out <- m; return nil }

func (w *wire) Close() error { return nil }

// TestConnDeadline: a browser that does not answer ends the call after the
// bridge's time, and its late answer disturbs nobody.
func TestConnDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		c, root := newConn(w, nil)
		begun := time.Now()
		err := root.Call(context.Background(), "Browser.getVersion", struct{}{}, nil)
		if core.CodeOf(err) != core.Timeout || time.Since(begun) != core.BridgeCommandTimeout {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		late := <-w.out
		w.in <- &cdproto.Message{ID: late.ID, Result: jsonv2.Value(`{}`)}
		done := make(chan error, 1)
		var got struct{ Product string }
		go func() { done <- root.Call(context.Background(), "Browser.getVersion", struct{}{}, &got) }()
		next := <-w.out
		w.in <- &cdproto.Message{ID: next.ID, Result: jsonv2.Value(`{"Product":"x"}`)}
		if err := <-done; err != nil || got.Product != "x" || next.ID == late.ID {
			t.Errorf("%v %+v", err, got)
		}
		close(w.gone)
		<-c.gone
	})
}

// TestConnLost: every call in flight ends with the transport, and later ones
// are refused at once.
func TestConnLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		c, _ := newConn(w, nil)
		page := c.attach("page", nil)
		done := make(chan error, 1)
		go func() { done <- page.Call(context.Background(), "Page.enable", struct{}{}, nil) }()
		<-w.out
		close(w.gone)
		if err := <-done; core.CodeOf(err) != core.SurfaceLost {
			t.Errorf("in flight: %v", err)
		}
		<-c.gone
		if err := page.Call(context.Background(), "Page.enable", struct{}{}, nil); core.CodeOf(err) != core.SurfaceLost {
			t.Errorf("later: %v", err)
		}
		if len(c.pending) != 0 {
			t.Errorf("%d calls are still remembered", len(c.pending))
		}
	})
}

// TestConnRoutes: events and answers go to their own session, errors keep
// their code, and a cancelled call says so.
func TestConnRoutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		got := make(chan string, 8)
		c, root := newConn(w, func(m string, _ jsonv2.Value) { got <- "root " + m })
		page := c.attach("page", func(m string, _ jsonv2.Value) { got <- "page " + m })
		w.in <- &cdproto.Message{Method: "A.a"}
		w.in <- &cdproto.Message{SessionID: "page", Method: "B.b"}
		w.in <- &cdproto.Message{SessionID: "nobody", Method: "C.c"}
		if a, b := <-got, <-got; a != "root A.a" || b != "page B.b" {
			t.Errorf("%q %q", a, b)
		}
		done := make(chan error, 1)
		go func() { done <- root.Call(context.Background(), "X.x", struct{}{}, nil) }()
		m := <-w.out
		w.in <- &cdproto.Message{ID: m.ID, Error: &cdproto.Error{Code: -32601, Message: "no"}}
		var e *cdproto.Error
		if err := <-done; !errors.As(err, &e) || e.Code != -32601 {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go func() { done <- page.Call(ctx, "X.x", struct{}{}, nil) }()
		<-w.out
		cancel()
		if err := <-done; core.CodeOf(err) != core.Cancelled {
			t.Errorf("%v", err)
		}
		page.detach()
		w.in <- &cdproto.Message{SessionID: "page", Method: "D.d"}
		close(w.gone)
		<-c.gone
		if len(got) != 0 {
			t.Errorf("an event after the end: %q", <-got)
		}
	})
}
