package transport

import (
	"context"
	"errors"
	"io"
	"time"

	"proofmark/gateway/core"
)

// errIdle is the cause of a context that was cancelled because nothing came.
var errIdle = errors.New("idle")

// watch is one request under way: its contexts, its clock, and what must not be
// told about it.
type watch struct {
	outer   context.Context // the caller's
	ctx     context.Context // ends also where nothing comes
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	idle    time.Duration
	host    string
	secrets []string
}

func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// explain says what an error of the network was.
func (w *watch) explain(err error) *core.Error {
	if errors.Is(context.Cause(w.ctx), errIdle) && w.outer.Err() == nil {
		return core.Errorf(core.Timeout, "nothing came from %s for %s", w.host, w.idle).In("transport").
			WithHint("try again, or use a faster model")
	}
	if outer := w.outer.Err(); outer != nil {
		return ended(outer)
	}
	var known *core.Error
	if errors.As(err, &known) {
		return known
	}
	// Not ended: a connection that takes too long says that a deadline passed,
	// too, and it is not the caller's.
	return network(err, w.host, w.secrets)
}

// body is a response on its way in, bounded in length, in the length of its
// lines and in time, and checked to be UTF-8. What came before a fault is
// delivered; the fault stays.
type body struct {
	in   io.ReadCloser
	w    *watch
	read int // bytes
	line int // bytes since the last line end
	text utf8Check
	err  error
}

func newBody(in io.ReadCloser, w *watch) *body { return &body{in: in, w: w} }

// Read reads as the wire delivers. The clock runs only while it waits.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	b.w.timer.Reset(b.w.idle)
	n, err := b.in.Read(p)
	b.w.timer.Stop()
	n, fault := b.check(p[:n])
	switch {
	case fault != nil:
		b.err = fault.In("transport")
	case errors.Is(err, io.EOF):
		b.err = io.EOF
		if !b.text.whole() {
			b.err = core.Errorf(core.ModelBroken, "the answer of %s ends inside a character", b.w.host).In("transport")
		}
	case err != nil:
		b.err = b.w.explain(err)
	}
	return n, b.err
}

// check gives how many of the bytes may pass, and what is wrong behind them.
func (b *body) check(p []byte) (int, *core.Error) {
	for i, c := range p {
		if b.read == core.MaxModelStreamBytes {
			return i, core.Errorf(core.ModelBroken, "the answer of %s is longer than %d MiB and was stopped", b.w.host, core.MaxModelStreamBytes>>20)
		}
		b.read++
		b.line++
		if c == '\n' || c == '\r' {
			b.line = 0
		}
		if b.line > core.MaxModelLineBytes {
			return i, core.Errorf(core.ModelBroken, "a line in the answer of %s is longer than %d MiB and was stopped", b.w.host, core.MaxModelLineBytes>>20)
		}
		if !b.text.next(c) {
			return i, core.Errorf(core.ModelBroken, "the answer of %s is not UTF-8 at byte %d", b.w.host, b.read-1)
		}
	}
	return len(p), nil
}

// Close ends the request.
func (b *body) Close() error {
	b.w.end()
	return b.in.Close()
}
