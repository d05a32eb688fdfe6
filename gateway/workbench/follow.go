package workbench

import (
	"context"
	"reflect"
	"sync"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

const (
	healthEvery     = 500 * time.Millisecond // how often a followed page is asked how it is
	movedEvery      = 100 * time.Millisecond // between two events that say that it moved
	maxFollowers    = 16                     // of one preview
	maxWaitingPicks = 64                     // of a follower who does not listen
	afterFault      = 50 * time.Millisecond  // before the page is listened to again
)

// PreviewEvent is one thing that happens on a page that is shown.
type PreviewEvent struct {
	Kind string // state, hover, picked, moved, left, health, loaded, gone
	Data any
}

// LoadedEvent says that a version was loaded.
type LoadedEvent struct {
	Epoch      int64 `json:"epoch"`
	Generation int64 `json:"generation"`
}

// HealthEvent counts what a page complains about.
type HealthEvent struct {
	Errors  int      `json:"errors"`
	Console int      `json:"console"`
	Missing int      `json:"missing"`
	Offline []string `json:"offline"` // origins it asked for and did not get
}

// HealthTexts is what a page complains about. The texts are the page's.
type HealthTexts struct {
	Errors  []string `json:"errors"`
	Console []string `json:"console"`
	Missing []string `json:"missing"`
	Dropped int      `json:"dropped"`
}

// hub hands what happens on a page to those who follow it.
type hub struct {
	mu        sync.Mutex
	followers map[*follower]bool // guarded by mu
	stop      func()             // ends the listening, nil while nobody does; guarded by mu
	ended     chan struct{}      // closed when the one that listened last has ended; nil before any; guarded by mu
}

// follower is what waits for one of them. Of what is not taken in time the latest
// hover stays, and the picks.
type follower struct {
	signal chan struct{} // has room for one

	mu     sync.Mutex // guards the following
	hover  *Picked
	clear  bool // nothing is hovered any more
	picks  []Picked
	moved  bool
	left   bool
	loaded *LoadedEvent
}

func (h *hub) tell(what func(*follower)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.followers {
		f.mu.Lock()
		what(f)
		f.mu.Unlock()
		select {
		case f.signal <- struct{}{}:
		default:
		}
	}
}

// take takes what waits, in the order it is to be told.
func (f *follower) take() (out []PreviewEvent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.loaded != nil {
		out = append(out, PreviewEvent{"loaded", *f.loaded})
	}
	for _, p := range f.picks {
		out = append(out, PreviewEvent{"picked", p})
	}
	switch {
	case f.hover != nil:
		out = append(out, PreviewEvent{"hover", *f.hover})
	case f.clear:
		out = append(out, PreviewEvent{"hover", nil})
	}
	if f.left {
		out = append(out, PreviewEvent{"left", struct{}{}})
	}
	f.loaded, f.picks, f.hover, f.clear, f.left = nil, nil, nil, false, false
	return out
}

func (f *follower) hasMoved() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.moved
	f.moved = false
	return was
}

// Follow tells what happens on the page, first how it is now, until ctx is done or
// the preview is over: that is the last event. Refusals: TooMany.
func (p *Preview) Follow(ctx context.Context, tell func(PreviewEvent) error) error {
	f := &follower{signal: make(chan struct{}, 1)}
	if err := p.join(f); err != nil {
		return err
	}
	defer p.leave(f)
	if err := tell(PreviewEvent{"state", p.State()}); err != nil {
		return err
	}
	var last HealthEvent
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	var rest <-chan time.Time // runs while movements are not told
	for {
		select {
		case <-ctx.Done():
			return core.Wrap(core.Cancelled, ctx.Err(), "nobody follows the preview any more")
		case <-p.view.Surface().Lost():
			return tell(PreviewEvent{"gone", struct{}{}})
		case <-f.signal:
		case <-rest:
			rest = nil
		case <-tick.C:
			if now, ok := p.complaints(ctx); ok && !reflect.DeepEqual(now, last) {
				last = now
				if err := tell(PreviewEvent{"health", now}); err != nil {
					return err
				}
			}
		}
		for _, e := range f.take() {
			if err := tell(e); err != nil {
				return err
			}
		}
		if rest == nil && f.hasMoved() {
			rest = time.After(movedEvery)
			if err := tell(PreviewEvent{"moved", struct{}{}}); err != nil {
				return err
			}
		}
	}
}

// join makes somebody a follower; the first one starts the listening.
func (p *Preview) join(f *follower) error {
	h := &p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.followers) >= maxFollowers {
		return core.Errorf(core.TooMany, "%d follow this preview already", maxFollowers)
	}
	if h.followers == nil {
		h.followers = map[*follower]bool{}
	}
	if h.stop == nil {
		p.w.mu.Lock()
		closed := p.w.closed
		if !closed {
			p.w.work.Add(1)
		}
		p.w.mu.Unlock()
		if closed {
			return core.Errorf(core.ShuttingDown, "the gateway is ending")
		}
		ctx, stop := context.WithCancel(p.w.ctx)
		before, ended := h.ended, make(chan struct{})
		h.stop, h.ended = stop, ended
		go func() {
			defer p.w.work.Done()
			defer close(ended)
			if before != nil {
				<-before // one at a time
			}
			p.listen(ctx)
		}()
	}
	h.followers[f] = true
	return nil
}

func (p *Preview) leave(f *follower) {
	h := &p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.followers, f)
	if len(h.followers) == 0 {
		h.stop()
		h.stop = nil
	}
}

// listen takes what is pointed at, proves it and hands it on, as long as somebody
// follows.
func (p *Preview) listen(ctx context.Context) {
	for ctx.Err() == nil {
		e, err := p.view.Surface().Pointed(ctx)
		if err == nil {
			err = p.handOn(ctx, e)
		}
		switch {
		case err == nil:
		case gone(p.view.Surface().Lost()):
			return
		default: // the page went on while it was read
			select {
			case <-ctx.Done():
			case <-time.After(afterFault):
			}
		}
	}
}

func (p *Preview) handOn(ctx context.Context, e contract.Pointed) error {
	switch e.Kind {
	case contract.Moved:
		p.hub.tell(func(f *follower) { f.moved = true })
	case contract.Left:
		p.hub.tell(func(f *follower) { f.left, f.hover, f.clear = true, nil, true })
	case contract.Hovered:
		k, err := p.prove(ctx, e.Pick)
		if err != nil {
			return err
		}
		out := k.out("")
		p.hub.tell(func(f *follower) { f.hover, f.clear = &out, false })
	case contract.Picked:
		out, err := p.keep(ctx, e.Pick)
		if err != nil {
			return err
		}
		p.hub.tell(func(f *follower) {
			if len(f.picks) < maxWaitingPicks {
				f.picks = append(f.picks, out)
			}
		})
	}
	return nil
}

// complaints counts what the page complains about; ok is false where it cannot be
// asked now.
func (p *Preview) complaints(ctx context.Context) (HealthEvent, bool) {
	t, err := p.Health(ctx)
	if err != nil {
		return HealthEvent{}, false
	}
	return HealthEvent{Errors: len(t.Errors), Console: len(t.Console), Missing: len(t.Missing), Offline: orEmpty(p.view.Asked())}, true
}

// Health gives what the page complains about.
func (p *Preview) Health(ctx context.Context) (HealthTexts, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h, err := p.view.Surface().Health(ctx)
	return HealthTexts{Errors: orEmpty(h.Errors), Console: orEmpty(h.ConsoleErr), Missing: orEmpty(h.Missing), Dropped: h.Dropped}, err
}

// Inspect switches inspect mode.
func (p *Preview) Inspect(ctx context.Context, on bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := p.view.Surface().Inspect(ctx, on)
	if err == nil && !on {
		p.hub.tell(func(f *follower) { f.hover, f.clear = nil, true })
	}
	return err
}
