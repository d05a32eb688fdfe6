package store

import (
	"time"

	"proofmark/gateway/core"
)

// EditSession is what an editor works from: a baseline revision and the text
// typed so far. It carries no right to write.
type EditSession struct {
	ID         string
	DocumentID string
	BaselineID string
	Buffer     []byte // nil while nothing was typed
	State      string // open, closed, expired
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ExpiresAt  time.Time
}

const editSessionColumns = "id, document_id, baseline_id, buffer, state, created_at, updated_at, expires_at"

func scanEditSession(r scanner) (EditSession, error) {
	var e EditSession
	var created, updated, expires int64
	var typed bool
	err := r.Scan(&e.ID, &e.DocumentID, &e.BaselineID, &e.Buffer, &e.State, &created, &updated, &expires, &typed)
	if typed && e.Buffer == nil { // the driver gives nil for no bytes, too
		e.Buffer = []byte{}
	}
	e.CreatedAt, e.UpdatedAt, e.ExpiresAt = fromMillis(created), fromMillis(updated), fromMillis(expires)
	return e, err
}

// OpenEditSession starts an edit session on a revision.
func (t *Tx) OpenEditSession(documentID, baselineID string, ttl time.Duration) (EditSession, error) {
	e := EditSession{
		ID: t.NewID("eds"), DocumentID: documentID, BaselineID: baselineID, State: "open",
		CreatedAt: t.now, UpdatedAt: t.now, ExpiresAt: t.now.Add(ttl),
	}
	_, err := t.exec("INSERT INTO edit_sessions ("+editSessionColumns+") VALUES (?, ?, ?, NULL, 'open', ?, ?, ?)",
		e.ID, documentID, baselineID, millis(e.CreatedAt), millis(e.UpdatedAt), millis(e.ExpiresAt))
	return e, err
}

// EditSession gives an edit session by id.
func (t *Tx) EditSession(id string) (EditSession, error) {
	return get(t, core.Errorf(core.NotFound, "there is no edit session %s", id), scanEditSession,
		"SELECT "+editSessionColumns+", buffer IS NOT NULL FROM edit_sessions WHERE id = ?", id)
}

// SaveEditBuffer keeps what was typed and moves the expiry of an open session:
// a compare-and-swap on its last change.
func (t *Tx) SaveEditBuffer(id string, expectedUpdatedAt time.Time, buffer []byte, ttl time.Duration) error {
	return t.one(core.Errorf(core.HeadMoved, "the edit session was changed elsewhere or has ended"),
		`UPDATE edit_sessions SET buffer = ?, updated_at = max(?, updated_at + 1), expires_at = ?
		WHERE id = ? AND state = 'open' AND updated_at = ?`,
		buffer, millis(t.now), millis(t.now.Add(ttl)), id, millis(expectedUpdatedAt))
}

// CloseEditSession ends an open session.
func (t *Tx) CloseEditSession(id string) error {
	return t.one(core.Errorf(core.NotFound, "there is no open edit session %s", id),
		"UPDATE edit_sessions SET state = 'closed', updated_at = ? WHERE id = ? AND state = 'open'", millis(t.now), id)
}

// ExpireEditSessions ends the open sessions whose time has passed, their text
// kept, and tells how many.
func (t *Tx) ExpireEditSessions() (int64, error) {
	return t.exec("UPDATE edit_sessions SET state = 'expired' WHERE state = 'open' AND expires_at <= ?", millis(t.now))
}

// UnsavedEditSessions lists the document's sessions in which something was
// typed and which were not closed, the newest first.
func (t *Tx) UnsavedEditSessions(documentID string) ([]EditSession, error) {
	return list(t, scanEditSession, "SELECT "+editSessionColumns+`, buffer IS NOT NULL FROM edit_sessions
		WHERE document_id = ? AND state <> 'closed' AND buffer IS NOT NULL ORDER BY updated_at DESC, rowid DESC`, documentID)
}

// ReopenEditSession makes an expired session an open one.
func (t *Tx) ReopenEditSession(id string, ttl time.Duration) error {
	return t.one(core.Errorf(core.NotFound, "there is no expired edit session %s", id),
		`UPDATE edit_sessions SET state = 'open', updated_at = max(?, updated_at + 1), expires_at = ? WHERE id = ? AND state = 'expired'`,
		millis(t.now), millis(t.now.Add(ttl)), id)
}
