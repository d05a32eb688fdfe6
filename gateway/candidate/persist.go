package candidate

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/internal/faultpoint"
)

// orphanPage is how many left-over drafts one transaction removes.
const orphanPage = 256

// keepDraft stores the draft in place of the turn's earlier one. A turn that is
// not running any more gives TurnEnded.
func (s *Service) keepDraft(ctx context.Context, turn core.Turn, d *draft, epoch int64) error {
	faultpoint.Reach("stage: the draft is checked")
	return s.Store.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.Turn(turn.ID)
		if err != nil {
			return err
		}
		if now.State != core.TurnAccepted && now.State != core.TurnRunning {
			return turnEnded("candidate.Stage")
		}
		return tx.PutCandidate(store.Candidate{
			TurnID: turn.ID, DocumentID: turn.DocumentID, BaseID: turn.RevisionID,
			SHA: d.sha, Edits: d.edits, Flags: d.flags, Epoch: epoch,
		})
	})
}

func (s *Service) dropDraft(ctx context.Context, turnID string) error {
	return s.Store.Write(ctx, func(tx *store.Tx) error { return tx.DeleteCandidate(turnID) })
}

// Reconcile removes the drafts that turns of an earlier process left behind,
// page by page, and tells how many there were. Turns have to be reconciled
// first: only drafts of turns that have ended are left over.
func (s *Service) Reconcile(ctx context.Context) (int64, error) {
	var all int64
	for {
		var n int64
		err := s.Store.Write(ctx, func(tx *store.Tx) error {
			var err error
			n, err = tx.DeleteOrphanCandidates(orphanPage)
			return err
		})
		all += n
		if err != nil || n < orphanPage {
			return all, err
		}
	}
}
