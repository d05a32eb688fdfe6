package store

import (
	"time"

	"proofmark/gateway/core"
)

const annotationColumns = "id, session_id, document_id, revision_id, ord, instruction, state, coalesce(turn_id, ''), created_at, updated_at"

func scanAnnotation(r scanner) (core.Annotation, error) {
	var a core.Annotation
	var created, updated int64
	err := r.Scan(&a.ID, &a.SessionID, &a.DocumentID, &a.RevisionID, &a.Order, &a.Instruction, &a.State, &a.TurnID, &created, &updated)
	a.CreatedAt, a.UpdatedAt = fromMillis(created), fromMillis(updated)
	return a, err
}

// InsertAnnotation stores an annotation and its anchors.
func (t *Tx) InsertAnnotation(a core.Annotation) error {
	if _, err := t.exec(`INSERT INTO annotations (id, session_id, document_id, revision_id, ord, instruction, state, turn_id, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, a.ID, a.SessionID, a.DocumentID, a.RevisionID, a.Order, a.Instruction, a.State, null(a.TurnID),
		millis(a.CreatedAt), millis(a.UpdatedAt)); err != nil {
		return err
	}
	for i, anchor := range a.Anchors {
		if err := t.InsertAnchor(anchor); err != nil {
			return err
		}
		if _, err := t.exec("INSERT INTO annotation_targets (annotation_id, position, anchor_id) VALUES (?, ?, ?)", a.ID, i+1, anchor.ID); err != nil {
			return err
		}
	}
	return nil
}

// Annotation gives an annotation with its anchors, or NotFound.
func (t *Tx) Annotation(id string) (core.Annotation, error) {
	a, err := get(t, core.Errorf(core.NotFound, "there is no annotation %s", id).
		WithHint("`proofmark annotate FILE` lists the notes and their ids"), scanAnnotation,
		"SELECT "+annotationColumns+" FROM annotations WHERE id = ?", id)
	if err != nil {
		return a, err
	}
	a.Anchors, err = t.anchorsOf(id)
	return a, err
}

// Annotations lists the annotations of a document with their anchors, in
// order. An empty session or state means any.
func (t *Tx) Annotations(documentID, sessionID string, state core.AnnotationState) ([]core.Annotation, error) {
	out, err := list(t, scanAnnotation, "SELECT "+annotationColumns+` FROM annotations
		WHERE document_id = ? AND (? = '' OR session_id = ?) AND (? = '' OR state = ?) ORDER BY ord, created_at, id`,
		documentID, sessionID, sessionID, state, state)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Anchors, err = t.anchorsOf(out[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// NextAnnotationOrder gives the order a new draft of the session gets.
func (t *Tx) NextAnnotationOrder(documentID, sessionID string) (int, error) {
	var n int
	err := t.tx.QueryRowContext(t.ctx, `SELECT coalesce(max(ord), 0) + 1 FROM annotations
		WHERE document_id = ? AND session_id = ? AND state = 'draft'`, documentID, sessionID).Scan(&n)
	return n, err
}

// UpdateDraft changes the instruction and order of a draft: a compare-and-swap
// on its last change. It gives the new time of change, which is later than the
// one before even when the clock stands still.
func (t *Tx) UpdateDraft(id string, expectedUpdatedAt time.Time, instruction string, order int) (time.Time, error) {
	updated := t.now
	if !updated.After(expectedUpdatedAt) {
		updated = expectedUpdatedAt.Add(time.Millisecond)
	}
	err := t.one(draftMoved(id), `UPDATE annotations SET instruction = ?, ord = ?, updated_at = ?
		WHERE id = ? AND state = 'draft' AND updated_at = ?`, instruction, order, millis(updated), id, millis(expectedUpdatedAt))
	return updated, err
}

// SetDraftOrder gives a draft another place among the others. It is not a change
// of the draft itself: whoever is writing its text goes on undisturbed.
func (t *Tx) SetDraftOrder(id string, order int) error {
	return t.one(draftMoved(id), "UPDATE annotations SET ord = ? WHERE id = ? AND state = 'draft'", order, id)
}

// SetAnnotationState moves an annotation from one state to another; sent needs
// the turn it went out with. It gives RequestConflict when the annotation is
// not in the state it should leave.
func (t *Tx) SetAnnotationState(id string, from, to core.AnnotationState, turnID string) error {
	if !from.CanBecome(to) {
		return core.Errorf(core.Internal, "an annotation cannot go from %s to %s", from, to)
	}
	return t.one(draftMoved(id), "UPDATE annotations SET state = ?, turn_id = ?, updated_at = max(?, updated_at + 1) WHERE id = ? AND state = ?",
		to, null(turnID), millis(t.now), id, from)
}

func draftMoved(id string) *core.Error {
	return core.Errorf(core.RequestConflict, "the note was changed, sent or discarded elsewhere; nothing was stored").
		WithHint("Look at the list of notes and do it again.").With("annotation", id)
}
