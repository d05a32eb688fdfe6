package turn

import (
	"context"
	"sync"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

const (
	// pollEvery is how often a follower looks for events of other processes.
	pollEvery = 250 * time.Millisecond
	// eventPage bounds how many events are read at once.
	eventPage = 256
	// maxPieces bounds the pieces of text that wait for a slow follower; what is
	// beyond is left out, for the whole text follows.
	maxPieces = 256
	// silence is after how long without an event a turn that has its last state
	// is over, though its end was never told: the process that ran it died.
	silence = 2 * core.FinaliserTimeout
)

// Scope says whose events are meant. One of its fields is set.
type Scope struct {
	Turn     string
	Session  string
	Document string
}

func (s Scope) has(t core.Turn) bool {
	return s.Turn == t.ID || s.Session == t.SessionID || s.Document == t.DocumentID
}

// Events gives the stored events of a scope that follow the number after, in
// order, at most limit (0 for all).
func (e *Engine) Events(ctx context.Context, s Scope, after int64, limit int) ([]Event, error) {
	var out []Event
	err := e.Store.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.TurnEvents(store.TurnEventScope(s), after, limit)
		if err != nil {
			return err
		}
		for _, row := range list {
			ev, err := event(row)
			if err != nil {
				return err
			}
			out = append(out, ev)
		}
		return nil
	})
	return out, err
}

// Follow gives f the stored events of a scope that follow the number after, and
// then each new one as it comes, from this goroutine: none twice, none left out,
// also those of turns that other processes run. Pieces of text come only from
// this Engine's turns and only while they are being said. It ends with nil after
// the last event of the turn where the scope is a turn, and else when ctx does,
// with its error; an error of f ends it too. f may take its time: nobody waits.
func (e *Engine) Follow(ctx context.Context, s Scope, after int64, f func(Event) error) error {
	w := &follower{e: e, scope: s, f: f, start: after, seen: after, last: map[string]int64{}}
	pieces, wake, leave := e.followers.join(s)
	defer leave()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		over, err := w.catchUp(ctx)
		if over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		case <-poll.C:
		case p := <-pieces:
			over, err := w.piece(ctx, p)
			if over || err != nil {
				return err
			}
		}
	}
}

// follower is one caller of Follow.
type follower struct {
	e     *Engine
	scope Scope
	f     func(Event) error
	start int64            // what the caller had before
	seen  int64            // the last number that was read
	last  map[string]int64 // by turn: the last number that was given
}

// catchUp gives what was stored since; over tells that nothing will follow.
func (w *follower) catchUp(ctx context.Context) (over bool, err error) {
	for {
		list, err := w.e.Events(ctx, w.scope, w.seen, eventPage)
		if err != nil {
			return false, err
		}
		for _, ev := range list {
			if err := w.f(ev); err != nil {
				return false, err
			}
			w.seen, w.last[ev.TurnID] = ev.Seq, ev.Seq
			if ev.Kind == Ended && w.scope.Turn != "" {
				return true, nil
			}
		}
		if len(list) < eventPage {
			break
		}
	}
	if w.scope.Turn == "" {
		return false, nil
	}
	return w.silent(ctx)
}

// piece gives a piece of text where it belongs right behind the turn's last
// stored event. Where that is not read yet it is read first; where a later one
// was given, the text is whole already.
func (w *follower) piece(ctx context.Context, p Event) (over bool, err error) {
	if p.Seq > w.seen {
		if over, err := w.catchUp(ctx); over || err != nil {
			return over, err
		}
	}
	if last, known := w.last[p.TurnID]; known && last != p.Seq || !known && p.Seq > w.start {
		return false, nil
	}
	return false, w.f(p)
}

// silent tells whether the turn that is followed will tell nothing more: its
// last event was before the number the caller began with, or the process that
// ran it died without a word.
func (w *follower) silent(ctx context.Context) (over bool, err error) {
	now := w.e.Now()
	err = w.e.Store.Read(ctx, func(tx *store.Tx) error {
		t, err := tx.Turn(w.scope.Turn)
		if err != nil {
			return err
		}
		last, found, err := tx.NewestTurnEvent(t.ID)
		if err != nil {
			return err
		}
		if !found {
			last.At = t.At
		}
		switch {
		case last.Seq > w.seen: // stored since we looked
		case last.Kind == store.LastTurnEvent:
			over = true
		case t.State == core.TurnAccepted || t.State == core.TurnRunning:
			over = now.Sub(t.At) > patience(t.State)+silence
		default:
			over = now.Sub(last.At) > silence
		}
		return nil
	})
	return over, err
}

// followers are those who follow turns of this process.
type followers struct {
	mu   sync.Mutex
	subs map[*subscriber]bool
}

type subscriber struct {
	scope  Scope
	pieces chan Event
	wake   chan struct{}
}

func (l *followers) join(s Scope) (pieces <-chan Event, wake <-chan struct{}, leave func()) {
	sub := &subscriber{scope: s, pieces: make(chan Event, maxPieces), wake: make(chan struct{}, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subs == nil {
		l.subs = map[*subscriber]bool{}
	}
	l.subs[sub] = true
	return sub.pieces, sub.wake, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.subs, sub)
	}
}

// tell passes a piece of text on, and wakes up whoever is to read a stored
// event. It waits for nobody.
func (l *followers) tell(t core.Turn, e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for sub := range l.subs {
		if !sub.scope.has(t) {
			continue
		}
		if e.Kind == TextDelta {
			select {
			case sub.pieces <- e:
			default:
			}
			continue
		}
		select {
		case sub.wake <- struct{}{}:
		default:
		}
	}
}
