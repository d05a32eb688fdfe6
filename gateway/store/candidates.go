package store

import (
	"time"

	"proofmark/gateway/core"
)

// Candidate is the one draft candidate of a turn: the base revision's bytes
// with the edits applied have the hash.
type Candidate struct {
	TurnID     string
	DocumentID string
	BaseID     string
	SHA        string
	Edits      []core.Edit // spans in the base revision's bytes
	Flags      []core.PolicyFlag
	Epoch      int64 // grows with each repair
	UpdatedAt  time.Time
}

const candidateColumns = "turn_id, document_id, base_id, sha256, edits, flags, epoch, updated_at"

func scanCandidate(r scanner) (Candidate, error) {
	var c Candidate
	var edits, flags string
	var updated int64
	if err := r.Scan(&c.TurnID, &c.DocumentID, &c.BaseID, &c.SHA, &edits, &flags, &c.Epoch, &updated); err != nil {
		return c, err
	}
	c.UpdatedAt = fromMillis(updated)
	if err := column("candidate", edits, &c.Edits); err != nil {
		return c, err
	}
	return c, column("candidate", flags, &c.Flags)
}

// PutCandidate stores a turn's candidate in place of the one before.
func (t *Tx) PutCandidate(c Candidate) error {
	edits, err := jsonText(c.Edits)
	if err != nil {
		return err
	}
	flags, err := jsonText(c.Flags)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT OR REPLACE INTO candidates ("+candidateColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		c.TurnID, c.DocumentID, c.BaseID, c.SHA, edits, flags, c.Epoch, millis(t.now))
	return err
}

// Candidate gives a turn's candidate and whether there is one.
func (t *Tx) Candidate(turnID string) (Candidate, bool, error) {
	rows, err := list(t, scanCandidate, "SELECT "+candidateColumns+" FROM candidates WHERE turn_id = ?", turnID)
	if err != nil || len(rows) == 0 {
		return Candidate{}, false, err
	}
	return rows[0], true, nil
}

// DeleteCandidate forgets a turn's candidate, if there is one.
func (t *Tx) DeleteCandidate(turnID string) error {
	_, err := t.exec("DELETE FROM candidates WHERE turn_id = ?", turnID)
	return err
}

// LeftOver tells whether an edit session has expired or a turn that has ended
// left a candidate.
func (t *Tx) LeftOver() (bool, error) {
	found, err := list(t, scanText, `SELECT 'a session' FROM edit_sessions WHERE state = 'open' AND expires_at <= ?
		UNION ALL SELECT 'a draft' FROM (`+orphanCandidates+`) LIMIT 1`, millis(t.now))
	return len(found) > 0, err
}

// DeleteOrphanCandidates forgets the candidates of turns that have ended, at
// most limit of them, and tells how many.
func (t *Tx) DeleteOrphanCandidates(limit int) (int64, error) {
	return t.exec("DELETE FROM candidates WHERE turn_id IN ("+orphanCandidates+" LIMIT ?)", page(limit))
}
