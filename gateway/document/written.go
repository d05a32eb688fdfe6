package document

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// noticeWritten records what a process did that was killed after it had written
// a version into the file and before it could say so: the file then holds a
// version newer than the one it is known to have had. That need not be the
// newest one, as others may have gone on meanwhile. It gives the document as it
// is then. Call it under the file's lock, with the SHA-256 of what the file holds.
func (s *Service) noticeWritten(ctx context.Context, documentID, sha string) (d core.Document, err error) {
	var r core.Revision
	var ours bool
	if err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		if d, err = tx.Document(documentID); err != nil || d.SyncedSHA == sha {
			return err
		}
		was, err := tx.Revision(d.SyncedID)
		if err != nil {
			return err
		}
		r, ours, err = tx.RevisionWithSHA(documentID, sha, was.Generation)
		return err
	}); err != nil || !ours {
		return d, err
	}
	return s.synced(ctx, d, r, d.SyncedSHA)
}

// synced records that the file holds the revision, and gives the document as it
// is then. The head may have moved on meanwhile; what the file holds stays true.
func (s *Service) synced(ctx context.Context, d core.Document, r core.Revision, shaBefore string) (core.Document, error) {
	if d.SyncedID == r.ID {
		return d, nil
	}
	err := s.st.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		now, err := tx.Document(d.ID)
		if err != nil {
			return err
		}
		if err := tx.MarkSynced(d.ID, now.StateRev, r); err != nil {
			return err
		}
		if err := tx.InsertAudit(store.AuditEvent{
			Kind: "write_back", DocumentID: d.ID, Actor: "proofmark", Generation: r.Generation, SHABefore: shaBefore, SHAAfter: r.SHA256,
		}); err != nil {
			return err
		}
		d, err = tx.Document(d.ID)
		return err
	})
	return d, err
}
