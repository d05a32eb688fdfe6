package turn

import (
	"context"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// feed stores the events of one running turn and then delivers them: to whoever
// runs it, and to those who follow it.
type feed struct {
	e    *Engine
	ctx  context.Context // outlives the turn's own, so that its end is stored
	turn core.Turn
	to   func(Event) // may be nil
	seq  int64       // of the last stored event

	unstored []Event // since storing failed
	said     int     // bytes of the text that is being said
}

// emit stores events in one transaction and delivers them.
func (f *feed) emit(events ...Event) { _ = f.record(nil, events...) }

// first is record for the first events of a turn: where nothing can be stored
// the turn does not begin, and nobody is told of it.
func (f *feed) first(also func(*store.Tx) error, events ...Event) error {
	stored, err := f.store(also, events)
	if err == nil {
		f.deliver(stored...)
	}
	return err
}

// record stores events together with what else belongs into their transaction,
// and delivers them. Where they cannot be stored they are delivered all the
// same, that they were not is told once, and they are tried again with the next
// record that has something else to store. The error says that nothing of the
// transaction was stored.
func (f *feed) record(also func(*store.Tx) error, events ...Event) error {
	waiting := len(f.unstored)
	if waiting > 0 && also == nil {
		f.keep(events)
		return nil
	}
	stored, err := f.store(also, append(f.unstored, events...))
	if err == nil {
		f.unstored = nil
		f.deliver(stored[waiting:]...)
		return nil
	}
	if waiting == 0 && core.CodeOf(err) != core.TurnEnded { // which another process has told already
		f.deliver(f.stamp([]Event{{Kind: Unrecorded, Code: core.CodeOf(err)}})...)
	}
	f.keep(events)
	return err
}

// keep delivers events that are not stored, and keeps them for a later try.
func (f *feed) keep(events []Event) {
	f.unstored = append(f.unstored, events...)
	f.deliver(f.stamp(events)...)
}

// store gives the events as they were stored.
func (f *feed) store(also func(*store.Tx) error, events []Event) ([]Event, error) {
	out := make([]Event, len(events))
	err := f.e.Store.Write(f.ctx, func(tx *store.Tx) error {
		if also != nil {
			if err := also(tx); err != nil {
				return err
			}
		}
		for i, e := range events {
			var err error
			if out[i], err = appendEvent(tx, f.turn.ID, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(out) > 0 {
		f.seq = out[len(out)-1].Seq
	}
	return out, err
}

func appendEvent(tx *store.Tx, turnID string, e Event) (Event, error) {
	body, err := e.body()
	if err != nil {
		return e, err
	}
	s, err := tx.AppendTurnEvent(turnID, string(e.Kind), body)
	e.Seq, e.TurnID, e.At = s.Seq, turnID, s.At
	return e, err
}

// stamp gives events that are not stored what a stored one has.
func (f *feed) stamp(events []Event) []Event {
	for i := range events {
		events[i].Seq, events[i].TurnID, events[i].At = f.seq, f.turn.ID, f.e.Now().UTC().Truncate(time.Millisecond)
	}
	return events
}

func (f *feed) deliver(events ...Event) {
	for _, e := range events {
		f.e.followers.tell(f.turn, e)
		if f.to != nil {
			f.to(e)
		}
	}
}

// delta passes on a piece of the text that is being said, as long as the whole
// is within what is kept of one.
func (f *feed) delta(text string) {
	if text == "" || f.said > maxReplyBytes {
		return
	}
	f.said += len(text)
	text = clip(text, min(len(text), len(text)+maxReplyBytes-f.said))
	f.deliver(f.stamp([]Event{{Kind: TextDelta, Text: text}})...)
}

// cut stands at the end of a text that was longer.
const cut = "…"

// clip cuts text to at most most bytes and makes it valid UTF-8.
func clip(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:most], "") + cut
}
