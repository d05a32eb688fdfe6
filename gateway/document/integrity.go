package document

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Report is what Integrity found.
type Report struct {
	Usage    store.Usage
	Problems []string // sentences; none for a sound database
}

// Integrity runs SQLite's checks, reads every stored blob from disk and compares
// it with its SHA-256, and makes every change set's bytes anew from its edits.
// It writes nothing. An error means that it could not finish; damage is a
// problem in the report.
func (s *Service) Integrity(ctx context.Context) (Report, error) {
	var r Report
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		problems, err := tx.CheckTables()
		if err != nil {
			return err
		}
		r.Problems = problems
		if r.Usage, err = tx.Usage(); err != nil {
			return err
		}
		blobs, err := tx.BlobList("", 0)
		if err != nil {
			return err
		}
		for _, sha := range blobs {
			if err := r.note(tx.CheckBlob(sha)); err != nil {
				return err
			}
		}
		docs, err := tx.Documents()
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := r.checkLine(tx, d); err != nil {
				return err
			}
		}
		return nil
	})
	return r, r.note(err)
}

// checkLine checks that each revision follows from the one before by its change
// set.
func (r *Report) checkLine(tx *store.Tx, d core.Document) error {
	before, err := tx.RevisionAt(d.ID, 1)
	for g := int64(2); err == nil && g <= d.Generation; g++ {
		var next core.Revision
		var c core.ChangeSet
		if next, err = tx.RevisionAt(d.ID, g); err != nil {
			break
		}
		if c, err = tx.ChangeSetAt(d.ID, g); err != nil {
			break
		}
		if c.BaseID != before.ID || c.ResultID != next.ID || next.ParentID != before.ID || next.ChangeSetID != c.ID ||
			c.SHABefore != before.SHA256 || c.SHAAfter != next.SHA256 {
			err = core.Errorf(core.StorageDamaged, "generation %d of %s does not follow from the one before", g, d.Path)
			break
		}
		_, _, e := checkChange(tx, c)
		if err = r.note(e); err != nil {
			return err
		}
		before = next
	}
	return r.note(err)
}

// note takes damage into the report and gives any other error back.
func (r *Report) note(err error) error {
	switch core.CodeOf(err) {
	case "":
		return nil
	case core.StorageDamaged, core.UnknownRevision, core.UnknownChange:
		e := core.AsError(err)
		text := e.Message
		if sha, ok := e.Detail["sha256"].(string); ok {
			text += " (" + sha + ")"
		}
		r.Problems = append(r.Problems, text)
		return nil
	}
	return err
}
