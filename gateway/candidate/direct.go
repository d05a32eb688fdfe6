package candidate

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

// Direct is a person's own change of a document's head, for which no turn is
// stored: what is to be done, and where.
type Direct struct {
	DocumentID string
	RevisionID string // the head it was pointed at in
	Notes      []core.SentNote
	Actor      string
	Key        string // makes its commit one attempt, see document.CommitRequest
}

// BeginDirect opens a session for a person's own change. It stages, looks and
// commits as a turn's does, by the same rules; its draft is not stored, since
// nobody resumes it, and its revision is a manual one. It refuses with HeadMoved
// where the head is no longer the revision that was pointed at.
func (s *Service) BeginDirect(ctx context.Context, d Direct, o BeginOptions) (*Session, error) {
	se, err := s.Begin(ctx, core.Turn{DocumentID: d.DocumentID, RevisionID: d.RevisionID, Notes: d.Notes}, o)
	if err != nil {
		return nil, err
	}
	se.direct = &d
	return se, nil
}

// request gives what to commit, but for what differs between a turn and a
// person's own change.
func (s *Session) request(lease core.WriterLease, given []core.NoteOutcome) document.CommitRequest {
	evidence := s.receipt.look.Verification
	q := document.CommitRequest{
		DocumentID: s.doc.ID, ExpectedHead: s.doc.HeadID, ExpectedStateRev: s.doc.StateRev, Lease: lease,
		After: s.draft.tree.Source(), Edits: s.draft.edits, Notes: s.Outcomes(given), Evidence: &evidence, Flags: s.draft.flags,
	}
	if s.direct != nil {
		q.Source, q.Actor, q.Key = core.SourceManual, s.direct.Actor, s.direct.Key
		return q
	}
	q.Source, q.Actor, q.TurnID, q.Key = core.SourceTurn, "agent:"+s.turn.Model, s.turn.ID, s.turn.ID
	return q
}
