package workbench

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/surface"
)

// PlaceWindow is the place of a preview in a frame of the workbench's window.
const PlaceWindow = "window"

// SetWindow says in which window the workbench itself is shown. It is closed by
// whoever opened it, before the workbench.
func (w *Workbench) SetWindow(b *Browser) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.window = b
}

// openInWindow opens a view in a frame that the workbench is to make.
func (w *Workbench) openInWindow(ctx context.Context, s surface.Spec) (*surface.Preview, error) {
	w.mu.Lock()
	b := w.window
	w.mu.Unlock()
	if b == nil || gone(b.Lost) {
		return nil, core.Errorf(core.Unsupported, "there is no window of Proofmark's to show the page in").
			WithHint("Desktop required: start Proofmark with `proofmark open`.")
	}
	return b.Previews.Open(ctx, s)
}
