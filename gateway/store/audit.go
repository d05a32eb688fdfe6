package store

import (
	"time"

	"proofmark/gateway/core"
)

// AuditEvent says what happened to a document in hashes and counts. It has no
// field that could carry source text, an instruction or a token (D-44).
type AuditEvent struct {
	Seq           int64
	At            time.Time
	Kind          string // import, commit, write_back, lease_broken, attempt_failed, attempt_ambiguous
	DocumentID    string
	Actor         string
	Generation    int64
	ChangeSetID   string
	SHABefore     string
	SHAAfter      string
	Edits         int
	BytesRemoved  int
	BytesInserted int
	Notes         int
	Flags         int
	Fence         int64
}

// Count fills in the counts of an edit list.
func (e *AuditEvent) Count(edits []core.Edit) {
	e.Edits = len(edits)
	for _, x := range edits {
		e.BytesRemoved += x.Span.Len()
		e.BytesInserted += len(x.Replacement)
	}
}

// InsertAudit appends an event; its time and number are the transaction's.
func (t *Tx) InsertAudit(e AuditEvent) error {
	_, err := t.exec(`INSERT INTO audit (at, kind, document_id, actor, generation, change_set_id, sha_before, sha_after,
		edits, bytes_removed, bytes_inserted, notes, flags, fence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		millis(t.now), e.Kind, e.DocumentID, e.Actor, e.Generation, null(e.ChangeSetID), null(e.SHABefore), null(e.SHAAfter),
		e.Edits, e.BytesRemoved, e.BytesInserted, e.Notes, e.Flags, e.Fence)
	return err
}

// Audit lists a document's events in the order they happened: those after the
// number `after`, at most limit (0 for all).
func (t *Tx) Audit(documentID string, after int64, limit int) ([]AuditEvent, error) {
	return list(t, func(r scanner) (AuditEvent, error) {
		var e AuditEvent
		var at int64
		err := r.Scan(&e.Seq, &at, &e.Kind, &e.DocumentID, &e.Actor, &e.Generation, &e.ChangeSetID, &e.SHABefore, &e.SHAAfter,
			&e.Edits, &e.BytesRemoved, &e.BytesInserted, &e.Notes, &e.Flags, &e.Fence)
		e.At = fromMillis(at)
		return e, err
	}, `SELECT seq, at, kind, document_id, actor, generation, coalesce(change_set_id, ''), coalesce(sha_before, ''), coalesce(sha_after, ''),
		edits, bytes_removed, bytes_inserted, notes, flags, fence FROM audit WHERE document_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
		documentID, after, page(limit))
}
