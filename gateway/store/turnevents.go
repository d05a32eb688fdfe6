package store

import (
	"encoding/json"
	"time"

	"proofmark/gateway/core"
)

// LastTurnEvent is the kind of a turn's last event. Nothing follows it.
const LastTurnEvent = "ended"

// TurnEvent is one event of a turn.
type TurnEvent struct {
	Seq       int64 // grows in the order events were stored, over all turns
	SessionID string
	TurnID    string
	Kind      string
	Body      json.RawMessage
	At        time.Time
}

const turnEventColumns = "seq, session_id, turn_id, kind, body, at"

func scanTurnEvent(r scanner) (TurnEvent, error) {
	var e TurnEvent
	var body string
	var at int64
	err := r.Scan(&e.Seq, &e.SessionID, &e.TurnID, &e.Kind, &body, &at)
	e.Body, e.At = json.RawMessage(body), fromMillis(at)
	return e, err
}

// TurnEventScope says whose events are meant. One of its fields is set.
type TurnEventScope struct {
	Turn     string
	Session  string
	Document string
}

// AppendTurnEvent stores the next event of a turn and returns it with its
// number and the transaction's time. It gives TurnEnded where the turn's last
// event is stored already, or there is no such turn.
func (t *Tx) AppendTurnEvent(turnID, kind string, body json.RawMessage) (TurnEvent, error) {
	return get(t, core.Errorf(core.TurnEnded, "the turn has told its end already").With("turn", turnID), func(r scanner) (TurnEvent, error) {
		e := TurnEvent{TurnID: turnID, Kind: kind, Body: body, At: t.now}
		err := r.Scan(&e.Seq, &e.SessionID)
		return e, err
	}, `INSERT INTO turn_events (session_id, turn_id, kind, body, at)
		SELECT session_id, id, ?, ?, ? FROM turns
		WHERE id = ? AND NOT EXISTS (SELECT 1 FROM turn_events WHERE turn_id = turns.id AND kind = ?)
		RETURNING seq, session_id`, kind, string(body), millis(t.now), turnID, LastTurnEvent)
}

// TurnEvents lists the events of a scope in their order: those after the number
// `after`, at most limit (0 for all).
func (t *Tx) TurnEvents(s TurnEventScope, after int64, limit int) ([]TurnEvent, error) {
	where, key := "turn_id = ?", s.Turn
	switch {
	case s.Session != "":
		where, key = "session_id = ?", s.Session
	case s.Document != "":
		where, key = "turn_id IN (SELECT id FROM turns WHERE document_id = ?)", s.Document
	}
	return list(t, scanTurnEvent, "SELECT "+turnEventColumns+" FROM turn_events WHERE "+where+" AND seq > ? ORDER BY seq LIMIT ?", key, after, page(limit))
}

// NewestTurnEvent gives the latest event of a turn and whether there is one.
func (t *Tx) NewestTurnEvent(turnID string) (TurnEvent, bool, error) {
	rows, err := list(t, scanTurnEvent, "SELECT "+turnEventColumns+" FROM turn_events WHERE turn_id = ? ORDER BY seq DESC LIMIT 1", turnID)
	if err != nil || len(rows) == 0 {
		return TurnEvent{}, false, err
	}
	return rows[0], true, nil
}
