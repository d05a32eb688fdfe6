package surface

import (
	"context"
	"errors"
	"net/netip"
	"sync"

	"proofmark/bridge/contract"
)

// Recording holds what allowed origins answered, failures included: the first
// answer to a URL is the answer. Surfaces that share one see the same world, in
// whatever order they ask. It also pins the address every host resolved to.
type Recording struct {
	mu      sync.Mutex
	entries map[string]*recorded // by URL, guarded by mu
	pins    map[string]*pin      // by host, guarded by mu
	bytes   int64                // of all bodies, guarded by mu
}

// NewRecording makes an empty recording.
func NewRecording() *Recording {
	return &Recording{entries: map[string]*recorded{}, pins: map[string]*pin{}}
}

// recorded is one answer; its other fields are constant once done is closed.
type recorded struct {
	done   chan struct{}
	answer contract.FetchResponse
	ok     bool
	gone   bool // the asking surface went away first; nothing was learned
}

// pin is the one resolution of a host; constant once done is closed.
type pin struct {
	done  chan struct{}
	addrs []netip.Addr
	err   error
}

var (
	errFull   = errors.New("the page has asked for more than is fetched for one page")
	errClosed = errors.New("the surface is gone")
)

// answer gives what is recorded for key, or asks once and records it.
func (r *Recording) answer(ctx context.Context, key string, ask func(context.Context) (contract.FetchResponse, error)) (contract.FetchResponse, bool) {
	for {
		r.mu.Lock()
		e, known := r.entries[key]
		if !known {
			if len(r.entries) >= maxFetchEntries {
				r.mu.Unlock()
				return contract.FetchResponse{}, false
			}
			e = &recorded{done: make(chan struct{})}
			r.entries[key] = e
			r.mu.Unlock()
			r.fill(ctx, key, e, ask)
			return e.answer, e.ok
		}
		r.mu.Unlock()
		select {
		case <-e.done:
		case <-ctx.Done():
			return contract.FetchResponse{}, false
		}
		if !e.gone {
			return e.answer, e.ok
		}
	}
}

func (r *Recording) fill(ctx context.Context, key string, e *recorded, ask func(context.Context) (contract.FetchResponse, error)) {
	answer, err := ask(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(e.done)
	switch {
	case err == nil && r.bytes+int64(len(answer.Body)) <= maxFetchPageBytes:
		r.bytes += int64(len(answer.Body))
		e.answer, e.ok = answer, true
	case ctx.Err() != nil:
		e.gone = true
		delete(r.entries, key)
	}
}

// room tells how many bytes of the recording's budget are left.
func (r *Recording) room() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maxFetchPageBytes - r.bytes
}

// addresses resolves host once for the life of the recording; the answer stands
// whatever the name server says later.
func (r *Recording) addresses(ctx context.Context, host string, resolve func(context.Context, string) ([]netip.Addr, error)) ([]netip.Addr, error) {
	for {
		r.mu.Lock()
		p, known := r.pins[host]
		if !known {
			p = &pin{done: make(chan struct{})}
			r.pins[host] = p
			r.mu.Unlock()
			p.addrs, p.err = resolve(ctx, host)
			if p.err != nil && ctx.Err() != nil {
				p.err = errClosed
				r.mu.Lock()
				delete(r.pins, host)
				r.mu.Unlock()
			}
			close(p.done)
			return p.addrs, p.err
		}
		r.mu.Unlock()
		select {
		case <-p.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(p.err, errClosed) {
			return p.addrs, p.err
		}
	}
}
