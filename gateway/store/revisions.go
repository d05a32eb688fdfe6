package store

import (
	"math"

	"proofmark/gateway/core"
)

const revisionColumns = "id, document_id, generation, coalesce(parent_id, ''), sha256, bytes, source, actor, coalesce(change_set_id, ''), at"

func scanRevision(r scanner) (core.Revision, error) {
	var v core.Revision
	var source string // a named string type would go through reflection, 10,000 times
	var at int64
	err := r.Scan(&v.ID, &v.DocumentID, &v.Generation, &v.ParentID, &v.SHA256, &v.Bytes, &source, &v.Actor, &v.ChangeSetID, &at)
	v.Source, v.At = core.RevisionSource(source), fromMillis(at)
	return v, err
}

// InsertRevision stores a revision; its bytes must be stored before, with
// PutBlob. Revisions are immutable.
func (t *Tx) InsertRevision(r core.Revision) error {
	_, err := t.exec(`INSERT INTO revisions (id, document_id, generation, parent_id, sha256, bytes, source, actor, change_set_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.DocumentID, r.Generation, null(r.ParentID), r.SHA256, r.Bytes, r.Source, r.Actor, null(r.ChangeSetID), millis(r.At))
	return err
}

// Revision gives a revision by id, or UnknownRevision.
func (t *Tx) Revision(id string) (core.Revision, error) {
	return get(t, core.Errorf(core.UnknownRevision, "there is no revision %s", id), scanRevision,
		"SELECT "+revisionColumns+" FROM revisions WHERE id = ?", id)
}

// RevisionAt gives the revision of a generation, or UnknownRevision.
func (t *Tx) RevisionAt(documentID string, generation int64) (core.Revision, error) {
	return get(t, core.Errorf(core.UnknownRevision, "the document has no generation %d", generation), scanRevision,
		"SELECT "+revisionColumns+" FROM revisions WHERE document_id = ? AND generation = ?", documentID, generation)
}

// Revisions lists revisions, the newest first: those before the generation
// `before` (0 for all), at most limit (0 for all).
func (t *Tx) Revisions(documentID string, before int64, limit int) ([]core.Revision, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return list(t, scanRevision, "SELECT "+revisionColumns+` FROM revisions
		WHERE document_id = ? AND generation < ? ORDER BY generation DESC LIMIT ?`, documentID, before, page(limit))
}

// page gives SQLite's LIMIT for a limit where 0 means all.
func page(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}

// HasRevisionSHA tells whether a version of the document has bytes with the
// SHA-256.
func (t *Tx) HasRevisionSHA(documentID, sha string) (bool, error) {
	rows, err := list(t, scanText, "SELECT id FROM revisions WHERE sha256 = ? AND document_id = ? LIMIT 1", sha, documentID)
	return len(rows) > 0, err
}

// RevisionWithSHA gives the newest version of the document behind a generation
// that has bytes with the SHA-256; ok tells whether there is one.
func (t *Tx) RevisionWithSHA(documentID, sha string, after int64) (r core.Revision, ok bool, err error) {
	rows, err := list(t, scanRevision, "SELECT "+revisionColumns+` FROM revisions
		WHERE sha256 = ? AND document_id = ? AND generation > ? ORDER BY generation DESC LIMIT 1`, sha, documentID, after)
	if err != nil || len(rows) == 0 {
		return core.Revision{}, false, err
	}
	return rows[0], true, nil
}
