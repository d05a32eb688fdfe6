package cdp

import (
	"context"
	"sync"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// LateWindow stands for a window that is about to open. The workbench has to know
// where its previews come from before it is shown; it may ask for one at once.
type LateWindow struct {
	once   sync.Once
	there  chan struct{} // closed when window is set
	window *Window
}

var _ contract.Host = (*LateWindow)(nil)

// NewLateWindow makes one.
func NewLateWindow() *LateWindow { return &LateWindow{there: make(chan struct{})} }

// Set says which window it is, once.
func (l *LateWindow) Set(w *Window) { l.once.Do(func() { l.window = w; close(l.there) }) }

// Open opens a surface in the window as soon as that is there.
func (l *LateWindow) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	select {
	case <-l.there:
		return l.window.Open(ctx, o)
	case <-ctx.Done():
		return nil, core.Wrap(core.Cancelled, ctx.Err(), "nobody waits for the window any more").In("cdp.Open")
	}
}

// Info says what drives the pages.
func (l *LateWindow) Info() contract.HostInfo {
	select {
	case <-l.there:
		return l.window.Info()
	default:
		return contract.HostInfo{Kind: "chromium", Protocol: contract.Version}
	}
}

// Close is for the window's owner to do.
func (l *LateWindow) Close() error { return nil }
