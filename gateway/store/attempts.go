package store

import (
	"database/sql"
	"encoding/json"
	"time"

	"proofmark/gateway/core"
)

// Attempt is one commit attempt, known by the idempotency key of whoever asked
// for it.
type Attempt struct {
	Key         string
	DocumentID  string
	Fingerprint string // of the whole request: the same key with another one is a conflict
	BaseID      string
	SHAAfter    string
	ChangeSetID string // the change set the commit will make, if it happens
	Fence       int64
	State       core.AttemptState
	Receipt     json.RawMessage // nil unless applied
	Code        core.Code       // why it failed, or is ambiguous
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

const attemptColumns = "key, document_id, fingerprint, base_id, sha_after, change_set_id, fence, state, receipt, code, created_at, updated_at"

func scanAttempt(r scanner) (Attempt, error) {
	var a Attempt
	var receipt sql.NullString
	var created, updated int64
	err := r.Scan(&a.Key, &a.DocumentID, &a.Fingerprint, &a.BaseID, &a.SHAAfter, &a.ChangeSetID, &a.Fence, &a.State, &receipt, &a.Code, &created, &updated)
	if receipt.Valid {
		a.Receipt = json.RawMessage(receipt.String)
	}
	a.CreatedAt, a.UpdatedAt = fromMillis(created), fromMillis(updated)
	return a, err
}

// Attempt gives the attempt with the key and whether there is one.
func (t *Tx) Attempt(key string) (Attempt, bool, error) {
	rows, err := list(t, scanAttempt, "SELECT "+attemptColumns+" FROM attempts WHERE key = ?", key)
	if err != nil || len(rows) == 0 {
		return Attempt{}, false, err
	}
	return rows[0], true, nil
}

// BeginAttempt writes a pending attempt, or makes a failed or pending one
// pending again for its caller, who asked again. An applied or ambiguous one
// is refused with AmbiguousOutcome.
func (t *Tx) BeginAttempt(a Attempt) error {
	return t.one(core.Errorf(core.AmbiguousOutcome, "this change was already tried and its outcome stands"),
		`INSERT INTO attempts (`+attemptColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', NULL, '', ?, ?)
		ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, base_id = excluded.base_id, sha_after = excluded.sha_after,
			change_set_id = excluded.change_set_id, fence = excluded.fence, state = 'pending', code = '', updated_at = excluded.updated_at
		WHERE document_id = excluded.document_id AND state IN ('failed', 'pending')`,
		a.Key, a.DocumentID, a.Fingerprint, a.BaseID, a.SHAAfter, a.ChangeSetID, a.Fence, millis(t.now), millis(t.now))
}

// ApplyAttempt makes a pending attempt applied and keeps its receipt. It
// belongs into the transaction of the commit.
func (t *Tx) ApplyAttempt(key, changeSetID string, receipt json.RawMessage) error {
	return t.one(core.Errorf(core.LeaseLost, "the attempt was settled by someone else; nothing was stored"),
		`UPDATE attempts SET state = 'applied', receipt = ?, code = '', updated_at = ? WHERE key = ? AND change_set_id = ? AND state = 'pending'`,
		string(receipt), millis(t.now), key, changeSetID)
}

// SettleAttempt makes a pending attempt failed or ambiguous and says why. An
// attempt that someone else has settled or taken over is left alone.
func (t *Tx) SettleAttempt(key, changeSetID string, to core.AttemptState, code core.Code) error {
	if to != core.AttemptFailed && to != core.AttemptAmbiguous {
		return core.Errorf(core.Internal, "an attempt cannot be settled as %s", to)
	}
	_, err := t.exec(`UPDATE attempts SET state = ?, code = ?, updated_at = ? WHERE key = ? AND change_set_id = ? AND state = 'pending'`,
		to, code, millis(t.now), key, changeSetID)
	return err
}

// AttemptsIn lists the attempts in a state, the oldest first, at most limit
// (0 for all).
func (t *Tx) AttemptsIn(state core.AttemptState, limit int) ([]Attempt, error) {
	return list(t, scanAttempt, "SELECT "+attemptColumns+" FROM attempts WHERE state = ? ORDER BY created_at, key LIMIT ?", state, page(limit))
}
