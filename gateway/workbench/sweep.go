package workbench

import (
	"context"
	"time"

	"proofmark/gateway/core"
)

// sweepEvery is how often open previews are looked at.
const sweepEvery = time.Second

// keepPreview makes a preview known, and the first one starts the looking after
// them; false where the workbench has closed.
func (w *Workbench) keepPreview(p *Preview) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.previews[p.ID] = p
	if !w.sweeping {
		w.sweeping = true
		w.work.Add(1)
		go w.sweepOn()
	}
	return true
}

// dropPreview takes a preview out of what is open; nil where it is not.
func (w *Workbench) dropPreview(id string) *Preview {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.previews[id]
	delete(w.previews, id)
	return p
}

// sweepOn sweeps as long as previews are open.
func (w *Workbench) sweepOn() {
	defer w.work.Done()
	tick := time.NewTicker(w.c.SweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
		w.sweep(w.ctx)
		w.mu.Lock()
		none := len(w.previews) == 0
		if none {
			w.sweeping = false
		}
		w.mu.Unlock()
		if none {
			return
		}
	}
}

// sweep closes the previews that are over: whose lease has expired, whose
// browser has died, and all of them where an operator has switched the workbench
// off. Where that cannot be found out they stay: no new one is opened then.
func (w *Workbench) sweep(ctx context.Context) {
	off := core.CodeOf(w.c.Check(ctx, core.FeatureWorkbench)) == core.FeatureOff
	w.mu.Lock()
	var over []*Preview
	for id, p := range w.previews {
		if off || p.over(w.now()) {
			delete(w.previews, id)
			over = append(over, p)
		}
	}
	w.mu.Unlock()
	for _, p := range over {
		_ = p.end() // its view is gone, or goes with the browser
	}
}

// over tells whether nothing can be done with the preview any more.
func (p *Preview) over(now time.Time) bool {
	return gone(p.view.Surface().Lost()) || !now.Before(p.view.Lease().ExpiresAt)
}

// end closes the view, and tells that the preview is no more.
func (p *Preview) end() error {
	if p.w.c.Closed != nil {
		p.w.c.Closed(p.ID)
	}
	return p.view.Close()
}
