package surface

import (
	"context"
	"sync"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// Preview is one surface under one lease.
type Preview struct {
	manager       *Manager
	lease         *lease
	surface       contract.Surface
	width, height int

	closeOnce sync.Once
	closed    chan struct{} // closed by Close
	watched   chan struct{} // closed when watch has ended

	mu        sync.Mutex // held over Load, Rebind and Claim, so that each sees one page
	loaded    *loaded    // nil while nothing, or something else than the lease's bytes, is loaded
	recordMu  sync.Mutex
	record    *Recording // guarded by recordMu
	ownRecord bool       // guarded by recordMu; the recording is the preview's alone
}

// loaded is what the surface shows: which load of it, which bytes of the lease.
type loaded struct {
	epoch     int64
	bound     *binding
	delivered int64 // how often the document had gone out when the load was over
}

// Surface gives the view itself.
func (p *Preview) Surface() contract.Surface { return p.surface }

// Lease says what the preview's origin stands for now.
func (p *Preview) Lease() Lease { return p.lease.snapshot() }

// FrameURL is what the workbench's frame for the preview begins with; "" for a
// preview in a page of its own.
func (p *Preview) FrameURL() string {
	if p.lease.ancestor == "" {
		return ""
	}
	return p.lease.origin + BlankPath
}

// Missing lists the files the page asked for beside itself and did not get,
// sorted, at most 64.
func (p *Preview) Missing() []string { return p.lease.missing.keys() }

// Asked lists the origins the page asked for and was not allowed, sorted, at
// most 64.
func (p *Preview) Asked() []string { return p.lease.asked.keys() }

// Load loads the document of the lease. Refusals: SurfaceLost, LeaseMismatch
// (the lease is over, or something else than its bytes was loaded), the host's.
func (p *Preview) Load(ctx context.Context) (contract.Loaded, error) {
	const op = "surface.Load"
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loaded = nil
	if err := p.alive(); err != nil {
		return contract.Loaded{}, err.In(op)
	}
	b := p.lease.current()
	if b == nil || !p.lease.touch() {
		return contract.Loaded{}, leaseOver().In(op)
	}
	p.lease.missing.reset()
	p.lease.asked.reset()
	p.renewRecord()
	before, _ := p.lease.deliveries()
	got, err := p.surface.Load(ctx, documentPath(b.fileName))
	if err != nil {
		return contract.Loaded{}, err
	}
	count, number := p.lease.deliveries()
	if count == before || number != b.number {
		return contract.Loaded{}, core.Errorf(core.LeaseMismatch, "the view did not load the page of its lease").In(op)
	}
	p.loaded = &loaded{epoch: got.Epoch, bound: b, delivered: count}
	return got, nil
}

// Rebind serves other bytes on the same origin, of the same or a later revision
// or a candidate. What is loaded stays on the screen until the next Load, but
// nothing picked on it can be claimed any more. Size and visibility stay.
func (p *Preview) Rebind(_ context.Context, s Spec) error {
	const op = "surface.Rebind"
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(); err != nil {
		return err.In(op)
	}
	s.Width, s.Height = p.width, p.height
	b, err := newBinding(s)
	if err != nil {
		return core.AsError(err).In(op)
	}
	b.policy = documentPolicy(p.lease.origin, b.allowed, p.lease.ancestor)
	p.loaded = nil
	if !p.lease.bind(b) {
		closeRoot(b.root)
		return leaseOver().In(op)
	}
	p.lease.touch()
	p.recordMu.Lock()
	defer p.recordMu.Unlock()
	if p.ownRecord = s.Record == nil; !p.ownRecord {
		p.record = s.Record
	}
	return nil
}

// Close ends the lease and closes the surface; it can be called again.
func (p *Preview) Close() error {
	var err error
	p.closeOnce.Do(func() {
		close(p.closed)
		p.manager.listener.drop(p.lease)
		err = p.surface.Close()
		<-p.watched
		p.manager.forget(p)
	})
	return err
}

// watch ends the lease when the surface is lost, so that a crashed view leaves
// no origin behind.
func (p *Preview) watch() {
	defer close(p.watched)
	select {
	case <-p.surface.Lost():
		p.manager.listener.drop(p.lease)
		p.manager.forget(p)
	case <-p.closed:
	}
}

func (p *Preview) alive() *core.Error {
	select {
	case <-p.closed:
		return core.Errorf(core.SurfaceLost, "the preview is closed")
	default:
	}
	select {
	case <-p.surface.Lost():
		return core.Errorf(core.SurfaceLost, "the view of the page is gone").WithHint("open the page again")
	default:
		return nil
	}
}

func leaseOver() *core.Error {
	return core.Errorf(core.LeaseMismatch, "the preview's lease is over").WithHint("open the page again")
}

func (p *Preview) renewRecord() {
	p.recordMu.Lock()
	defer p.recordMu.Unlock()
	if p.ownRecord {
		p.record = NewRecording()
	}
}

// fetch is the host's hook for what the page asks for outside its lease.
func (p *Preview) fetch(ctx context.Context, ask contract.FetchRequest) (contract.FetchResponse, bool) {
	b := p.lease.current()
	if b == nil {
		return contract.FetchResponse{}, false
	}
	blocked := func(origin string) {
		if origin != p.lease.origin {
			p.lease.asked.add(origin)
		}
	}
	u, err := permitted(ask.URL, b.allowed, blocked)
	if err != nil || ask.Method != "GET" || !allowedType(ask.ResourceType) {
		return contract.FetchResponse{}, false
	}
	p.recordMu.Lock()
	record := p.record
	p.recordMu.Unlock()
	return record.answer(ctx, u.String(), func(ctx context.Context) (contract.FetchResponse, error) {
		return p.manager.fetcher.get(ctx, record, b.allowed, ask, blocked)
	})
}

// allowedType tells whether a kind of request, as Chromium names it, may go to
// an allowed origin: what a page is made of, never a page.
func allowedType(kind string) bool {
	switch kind {
	case "Stylesheet", "Script", "Font", "Image", "Media", "TextTrack", "XHR", "Fetch":
		return true
	}
	return false
}
