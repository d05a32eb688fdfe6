package store

import (
	"database/sql"

	"proofmark/gateway/core"
)

const changeSetColumns = `id, document_id, coalesce(turn_id, ''), base_id, result_id, source, actor, sha_before, sha_after,
	edits, notes, evidence, flags, coalesce(reverts, ''), revert_note, computed, at`

func scanChangeSet(r scanner) (core.ChangeSet, error) {
	var c core.ChangeSet
	var edits, notes, flags string
	var evidence sql.NullString
	var at int64
	if err := r.Scan(&c.ID, &c.DocumentID, &c.TurnID, &c.BaseID, &c.ResultID, &c.Source, &c.Actor, &c.SHABefore, &c.SHAAfter,
		&edits, &notes, &evidence, &flags, &c.Reverts, &c.RevertNote, &c.Computed, &at); err != nil {
		return c, err
	}
	c.At = fromMillis(at)
	if err := column("change set", edits, &c.Edits); err != nil {
		return c, err
	}
	if err := column("change set", notes, &c.Notes); err != nil {
		return c, err
	}
	if err := column("change set", flags, &c.Flags); err != nil {
		return c, err
	}
	if len(c.Notes) == 0 {
		c.Notes = nil
	}
	if len(c.Flags) == 0 {
		c.Flags = nil
	}
	if evidence.Valid {
		c.Evidence = new(core.Verification)
		return c, column("change set", evidence.String, c.Evidence)
	}
	return c, nil
}

// InsertChangeSet stores a change set whose result has the given generation.
// Change sets are immutable; a turn has at most one.
func (t *Tx) InsertChangeSet(c core.ChangeSet, generation int64) error {
	edits, err := jsonText(c.Edits)
	if err != nil {
		return err
	}
	notes, err := jsonText(c.Notes)
	if err != nil {
		return err
	}
	flags, err := jsonText(c.Flags)
	if err != nil {
		return err
	}
	var evidence any
	if c.Evidence != nil {
		if evidence, err = jsonText(c.Evidence); err != nil {
			return err
		}
	}
	_, err = t.exec(`INSERT INTO change_sets (id, document_id, generation, turn_id, base_id, result_id, source, actor, sha_before, sha_after,
		edits, notes, evidence, flags, reverts, revert_note, computed, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.DocumentID, generation, null(c.TurnID), c.BaseID, c.ResultID, c.Source, c.Actor, c.SHABefore, c.SHAAfter,
		edits, notes, evidence, flags, null(c.Reverts), c.RevertNote, c.Computed, millis(c.At))
	return err
}

// ChangeSet gives a change set by id, or UnknownChange.
func (t *Tx) ChangeSet(id string) (core.ChangeSet, error) {
	return get(t, unknownChange(id), scanChangeSet, "SELECT "+changeSetColumns+" FROM change_sets WHERE id = ?", id)
}

// ChangeSetByTurn gives the change set of a turn, or UnknownChange when the
// turn has made none.
func (t *Tx) ChangeSetByTurn(turnID string) (core.ChangeSet, error) {
	return get(t, unknownChange("of turn "+turnID), scanChangeSet, "SELECT "+changeSetColumns+" FROM change_sets WHERE turn_id = ?", turnID)
}

// ChangeSetAt gives the change set whose result has the generation, or
// UnknownChange: generation 1, the import, has none.
func (t *Tx) ChangeSetAt(documentID string, generation int64) (core.ChangeSet, error) {
	return get(t, core.Errorf(core.UnknownChange, "generation %d has no change", generation), scanChangeSet,
		"SELECT "+changeSetColumns+" FROM change_sets WHERE document_id = ? AND generation = ?", documentID, generation)
}

// ChangeSets lists the change sets of a document, the newest first: those
// whose result comes after the generation `after` (0 for all), at most limit
// (0 for all).
func (t *Tx) ChangeSets(documentID string, after int64, limit int) ([]core.ChangeSet, error) {
	return list(t, scanChangeSet, "SELECT "+changeSetColumns+` FROM change_sets
		WHERE document_id = ? AND generation > ? ORDER BY generation DESC LIMIT ?`, documentID, after, page(limit))
}

// ChangeHead is a change set without its edits and notes: what undo and redo
// are worked out from.
type ChangeHead struct {
	ID         string
	Generation int64 // of the result
	Source     core.RevisionSource
	SHABefore  string
	SHAAfter   string
	Reverts    string
	RevertNote int
}

// ChangeHeads lists the heads of a document's change sets, the newest first.
func (t *Tx) ChangeHeads(documentID string) ([]ChangeHead, error) {
	return list(t, func(r scanner) (ChangeHead, error) {
		var c ChangeHead
		err := r.Scan(&c.ID, &c.Generation, &c.Source, &c.SHABefore, &c.SHAAfter, &c.Reverts, &c.RevertNote)
		return c, err
	}, `SELECT id, generation, source, sha_before, sha_after, coalesce(reverts, ''), revert_note FROM change_sets
		WHERE document_id = ? ORDER BY generation DESC`, documentID)
}

func unknownChange(id string) *core.Error {
	return core.Errorf(core.UnknownChange, "there is no change %s", id).
		WithHint("`proofmark changes FILE` lists the changes and their ids")
}
