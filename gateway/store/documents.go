package store

import (
	"time"

	"proofmark/gateway/core"
)

const documentColumns = "id, path, head_id, generation, state_rev, synced_id, synced_sha, created_at"

func scanDocument(r scanner) (core.Document, error) {
	var d core.Document
	var created int64
	err := r.Scan(&d.ID, &d.Path, &d.HeadID, &d.Generation, &d.StateRev, &d.SyncedID, &d.SyncedSHA, &created)
	d.CreatedAt = fromMillis(created)
	return d, err
}

// InsertDocument stores a new document. Its first revision must be stored in
// the same transaction.
func (t *Tx) InsertDocument(d core.Document) error {
	_, err := t.exec("INSERT INTO documents ("+documentColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		d.ID, d.Path, d.HeadID, d.Generation, d.StateRev, d.SyncedID, d.SyncedSHA, millis(d.CreatedAt))
	return err
}

// Document gives a document by id, or UnknownDocument.
func (t *Tx) Document(id string) (core.Document, error) {
	return get(t, core.Errorf(core.UnknownDocument, "there is no document %s", id), scanDocument,
		"SELECT "+documentColumns+" FROM documents WHERE id = ?", id)
}

// DocumentByPath gives the document of a canonical path, or UnknownDocument.
func (t *Tx) DocumentByPath(path string) (core.Document, error) {
	return get(t, core.Errorf(core.UnknownDocument, "%s was never opened with Proofmark", path).
		WithHint("its history begins with the first `proofmark edit` or `proofmark annotate`; where it was moved here: `proofmark sync FILE --moved-from OLD`"), scanDocument,
		"SELECT "+documentColumns+" FROM documents WHERE path = ?", path)
}

// Documents lists all documents, the newest first.
func (t *Tx) Documents() ([]core.Document, error) {
	return list(t, scanDocument, "SELECT "+documentColumns+" FROM documents ORDER BY created_at DESC, id")
}

// DocumentsBefore lists documents, the newest first, those behind one in that
// order, or from the newest on where before is empty; limit at most.
func (t *Tx) DocumentsBefore(before string, limit int) ([]core.Document, error) {
	if before == "" {
		return list(t, scanDocument, "SELECT "+documentColumns+" FROM documents ORDER BY created_at DESC, id LIMIT ?", limit)
	}
	d, err := t.Document(before)
	if err != nil {
		return nil, err
	}
	at := millis(d.CreatedAt)
	return list(t, scanDocument, "SELECT "+documentColumns+` FROM documents WHERE created_at < ? OR created_at = ? AND id > ?
		ORDER BY created_at DESC, id LIMIT ?`, at, at, d.ID, limit)
}

// AdvanceHead moves a document's head to its next revision: a compare-and-swap
// on the head and the state revision. It gives HeadMoved when either is not as
// expected.
func (t *Tx) AdvanceHead(documentID, expectedHead string, expectedStateRev int64, next core.Revision) error {
	return t.one(headMoved(documentID), `UPDATE documents SET head_id = ?, generation = generation + 1, state_rev = state_rev + 1
		WHERE id = ? AND head_id = ? AND state_rev = ? AND generation + 1 = ?`,
		next.ID, documentID, expectedHead, expectedStateRev, next.Generation)
}

// MarkSynced records which revision's bytes the file holds now: a
// compare-and-swap on the state revision.
func (t *Tx) MarkSynced(documentID string, expectedStateRev int64, r core.Revision) error {
	return t.one(headMoved(documentID), `UPDATE documents SET synced_id = ?, synced_sha = ?, state_rev = state_rev + 1
		WHERE id = ? AND state_rev = ?`, r.ID, r.SHA256, documentID, expectedStateRev)
}

func headMoved(documentID string) *core.Error {
	return core.Errorf(core.HeadMoved, "the document changed in the meantime; nothing was stored").
		WithHint("Look at the newest version and do it again.").With("document", documentID)
}

// Setting gives a stored setting and whether it was ever stored.
func (t *Tx) Setting(name string) (string, bool, error) {
	rows, err := list(t, scanText, "SELECT value FROM settings WHERE name = ?", name)
	if err != nil || len(rows) == 0 {
		return "", false, err
	}
	return rows[0], true, nil
}

// SetSetting stores a setting.
func (t *Tx) SetSetting(name, value string) error {
	_, err := t.exec("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return err
}

func scanText(r scanner) (string, error) {
	var s string
	err := r.Scan(&s)
	return s, err
}

// expired tells whether a stored time lies in the past, or is now.
func (t *Tx) expired(at time.Time) bool { return !at.After(t.now) }
