package store

import (
	"proofmark/gateway/core"
)

func scanAnchor(r scanner) (core.Anchor, error) {
	var a core.Anchor
	var body string
	if err := r.Scan(&body); err != nil {
		return a, err
	}
	return a, column("anchor", body, &a)
}

// InsertAnchor stores an anchor; anchors are immutable.
func (t *Tx) InsertAnchor(a core.Anchor) error {
	body, err := jsonText(a)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO anchors (id, document_id, revision_id, source_sha, body) VALUES (?, ?, ?, ?, ?)",
		a.ID, a.DocumentID, a.RevisionID, a.SourceSHA, body)
	return err
}

// Anchor gives an anchor by id, or NotFound.
func (t *Tx) Anchor(id string) (core.Anchor, error) {
	return get(t, core.Errorf(core.NotFound, "there is no anchor %s", id), scanAnchor, "SELECT body FROM anchors WHERE id = ?", id)
}

func (t *Tx) anchorsOf(annotationID string) ([]core.Anchor, error) {
	return list(t, scanAnchor, `SELECT a.body FROM annotation_targets t JOIN anchors a ON a.id = t.anchor_id
		WHERE t.annotation_id = ? ORDER BY t.position`, annotationID)
}

// Anchors lists a document's anchors.
func (t *Tx) Anchors(documentID string) ([]core.Anchor, error) {
	return list(t, scanAnchor, "SELECT body FROM anchors WHERE document_id = ? ORDER BY id", documentID)
}
