package store

import (
	"proofmark/gateway/core"
)

const turnColumns = "id, session_id, request_id, fingerprint, document_id, revision_id, message, notes, state, model, at"

func scanTurn(r scanner) (core.Turn, error) {
	var v core.Turn
	var notes string
	var at int64
	if err := r.Scan(&v.ID, &v.SessionID, &v.RequestID, &v.Fingerprint, &v.DocumentID, &v.RevisionID, &v.Message, &notes, &v.State, &v.Model, &at); err != nil {
		return v, err
	}
	v.At = fromMillis(at)
	return v, column("turn", notes, &v.Notes)
}

// InsertTurn stores an accepted turn with its snapshot of the notes. The
// snapshot is immutable.
func (t *Tx) InsertTurn(v core.Turn) error {
	notes, err := jsonText(v.Notes)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO turns ("+turnColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		v.ID, v.SessionID, v.RequestID, v.Fingerprint, v.DocumentID, v.RevisionID, v.Message, notes, v.State, v.Model, millis(v.At))
	return err
}

// Turn gives a turn by id, or NotFound.
func (t *Tx) Turn(id string) (core.Turn, error) {
	return get(t, core.Errorf(core.NotFound, "there is no turn %s", id), scanTurn, "SELECT "+turnColumns+" FROM turns WHERE id = ?", id)
}

// TurnByRequest gives the turn a client's request made and whether there is
// one.
func (t *Tx) TurnByRequest(sessionID, requestID string) (core.Turn, bool, error) {
	rows, err := list(t, scanTurn, "SELECT "+turnColumns+" FROM turns WHERE session_id = ? AND request_id = ?", sessionID, requestID)
	if err != nil || len(rows) == 0 {
		return core.Turn{}, false, err
	}
	return rows[0], true, nil
}

// Turns lists a document's turns, the newest first, at most limit (0 for all).
func (t *Tx) Turns(documentID string, limit int) ([]core.Turn, error) {
	return list(t, scanTurn, "SELECT "+turnColumns+" FROM turns WHERE document_id = ? ORDER BY at DESC, rowid DESC LIMIT ?", documentID, page(limit))
}

// UnfinishedTurns lists the turns that were accepted or running when the
// program last stopped, the oldest first.
func (t *Tx) UnfinishedTurns() ([]core.Turn, error) {
	return list(t, scanTurn, "SELECT "+turnColumns+" FROM turns WHERE state IN ('accepted', 'running') ORDER BY at, rowid")
}

// SetTurnState moves a turn from one state to another. It gives TurnEnded when
// the turn is not in the state it should leave.
func (t *Tx) SetTurnState(id string, from, to core.TurnState) error {
	if !from.CanBecome(to) {
		return core.Errorf(core.Internal, "a turn cannot go from %s to %s", from, to)
	}
	return t.one(core.Errorf(core.TurnEnded, "the turn is no longer %s", from).With("turn", id),
		"UPDATE turns SET state = ? WHERE id = ? AND state = ?", to, id, from)
}
