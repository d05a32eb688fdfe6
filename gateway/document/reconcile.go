package document

import (
	"context"
	"encoding/json"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// orphanPage bounds how many left-over candidates one Reconcile removes.
const orphanPage = 1000

// Reconciled says what Reconcile found.
type Reconciled struct {
	Applied      []string // keys of attempts whose commit had happened
	Failed       []string // keys of attempts whose commit had not
	Ambiguous    []string // keys of attempts of which that cannot be known
	EditSessions int64    // expired
	Candidates   int64    // of turns that have ended, removed
}

// Reconcile settles what a crash left unfinished. It is called at start, and
// leaves alone what another running process is doing.
//
// A pending attempt whose change set exists is applied. One whose change set
// does not exist has failed, because the head and the attempt move in one
// transaction. But when the file holds the very bytes the attempt would have
// made, although no version of the document has them, the database is older
// than the file (a backup was put back, a disk lost what it had acknowledged):
// then the outcome cannot be known and stays ambiguous. Nothing is ever tried
// again from here.
func (s *Service) Reconcile(ctx context.Context) (Reconciled, error) {
	var out Reconciled
	var pending []store.Attempt
	var left bool
	if err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		if pending, err = tx.AttemptsIn(core.AttemptPending, 0); err != nil {
			return err
		}
		left, err = tx.LeftOver()
		return err
	}); err != nil {
		return out, err
	}
	for _, a := range pending {
		fileSHA := s.fileSHA(ctx, a.DocumentID)
		if err := s.st.Write(ctx, func(tx *store.Tx) error { return s.reconcile(tx, a, fileSHA, &out) }); err != nil {
			return out, err
		}
	}
	if !left { // and so nobody has to wait for whoever writes just now
		return out, nil
	}
	err := s.st.Write(ctx, func(tx *store.Tx) (err error) {
		if out.EditSessions, err = tx.ExpireEditSessions(); err != nil {
			return err
		}
		out.Candidates, err = tx.DeleteOrphanCandidates(orphanPage)
		return err
	})
	return out, err
}

// fileSHA gives the hash of what a document's file holds now, or nothing when
// it cannot be read.
func (s *Service) fileSHA(ctx context.Context, documentID string) string {
	d, err := s.Get(ctx, documentID)
	if err != nil {
		return ""
	}
	w, err := openTarget(d.Path)
	if err != nil {
		return ""
	}
	defer w.close()
	src, err := w.read()
	if err != nil {
		return ""
	}
	return src.sha
}

func (s *Service) reconcile(tx *store.Tx, seen store.Attempt, fileSHA string, out *Reconciled) error {
	a, ok, err := tx.Attempt(seen.Key)
	if err != nil || !ok || a.State != core.AttemptPending || a.ChangeSetID != seen.ChangeSetID {
		return err // settled or taken over meanwhile
	}
	l, err := tx.LeaseOf(a.DocumentID)
	if err != nil {
		return err
	}
	if l.Fence == a.Fence && l.ExpiresAt.After(tx.Now()) && !s.self.gone(l.Holder) {
		return nil // its process is at work
	}
	c, err := tx.ChangeSet(a.ChangeSetID)
	switch {
	case err == nil:
		out.Applied = append(out.Applied, a.Key)
		return settleApplied(tx, a, c)
	case core.CodeOf(err) != core.UnknownChange:
		return err
	}
	state, code, kind := core.AttemptFailed, core.Cancelled, "attempt_failed"
	if fileSHA == a.SHAAfter {
		known, err := tx.HasRevisionSHA(a.DocumentID, a.SHAAfter)
		if err != nil {
			return err
		}
		if !known {
			state, code, kind = core.AttemptAmbiguous, core.AmbiguousOutcome, "attempt_ambiguous"
		}
	}
	if state == core.AttemptFailed {
		out.Failed = append(out.Failed, a.Key)
	} else {
		out.Ambiguous = append(out.Ambiguous, a.Key)
	}
	if err := tx.SettleAttempt(a.Key, a.ChangeSetID, state, code); err != nil {
		return err
	}
	d, err := tx.Document(a.DocumentID)
	if err != nil {
		return err
	}
	return tx.InsertAudit(store.AuditEvent{
		Kind: kind, DocumentID: d.ID, Actor: "proofmark", Generation: d.Generation, SHAAfter: a.SHAAfter, Fence: a.Fence,
	})
}

func settleApplied(tx *store.Tx, a store.Attempt, c core.ChangeSet) error {
	d, err := tx.Document(a.DocumentID)
	if err != nil {
		return err
	}
	b, err := json.Marshal(receipt{Document: d, RevisionID: c.ResultID, ChangeSetID: c.ID})
	if err != nil {
		return err
	}
	return tx.ApplyAttempt(a.Key, a.ChangeSetID, b)
}

// Attempts lists the commit attempts in a state, the oldest first.
func (s *Service) Attempts(ctx context.Context, state core.AttemptState) (out []store.Attempt, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		out, err = tx.AttemptsIn(state, 0)
		return err
	})
	return out, err
}
