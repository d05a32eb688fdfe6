package document

import (
	"context"
	"encoding/json"
	"errors"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// receipt is the durable record of a commit, by which it is replayed.
type receipt struct {
	Document    core.Document `json:"document"`
	RevisionID  string        `json:"revision"`
	ChangeSetID string        `json:"changeSet"`
}

func (p prepared) receipt(tx *store.Tx, res Result) error {
	if p.Key == "" {
		return nil
	}
	b, err := json.Marshal(receipt{Document: res.Document, RevisionID: res.Revision.ID, ChangeSetID: res.ChangeSet.ID})
	if err != nil {
		return err
	}
	return tx.ApplyAttempt(p.Key, p.changeSetID, b)
}

// replay gives the result of an attempt that was already applied.
func replay(tx *store.Tx, p prepared) (Result, bool, error) {
	a, ok, err := tx.Attempt(p.Key)
	if err != nil || !ok {
		return Result{}, false, err
	}
	if a.Fingerprint != p.fingerprint() {
		return Result{}, false, core.Errorf(core.RequestConflict, "the key was already used for another change; nothing was stored").
			WithHint("Use a new key for a new change.").In("document.Commit")
	}
	switch a.State {
	case core.AttemptApplied:
		res, err := resultOf(tx, a)
		return res, err == nil, err
	case core.AttemptAmbiguous:
		return Result{}, false, core.Errorf(core.AmbiguousOutcome, "whether this change was stored cannot be known; it is not tried again").
			WithHint("Compare the file with the newest version, and make the change anew if it is missing.").
			With("changeSet", a.ChangeSetID).In("document.Commit")
	}
	return Result{}, false, nil
}

func resultOf(tx *store.Tx, a store.Attempt) (Result, error) {
	var r receipt
	if err := json.Unmarshal(a.Receipt, &r); err != nil {
		return Result{}, core.Wrap(core.StorageDamaged, err, "the receipt of a change cannot be read")
	}
	rev, err := tx.Revision(r.RevisionID)
	if err != nil {
		return Result{}, err
	}
	c, err := tx.ChangeSet(r.ChangeSetID)
	return Result{Document: r.Document, Revision: rev, ChangeSet: c, Replayed: true}, err
}

// fingerprint covers everything the caller asked for.
func (p prepared) fingerprint() string {
	b, err := json.Marshal([]any{
		p.DocumentID, p.ExpectedHead, p.sha, p.Source, p.Actor, p.TurnID, p.Reverts, p.RevertNote, p.Notes, p.Flags,
	})
	if err != nil { // nothing in it can fail to encode
		return ""
	}
	return core.SHA256Hex(b)
}

// commitOnce is commit under an idempotency key. The attempt is on disk before
// the head can move, and becomes applied in the same transaction as the head
// moves: after a crash, Reconcile can tell what happened.
func (s *Service) commitOnce(ctx context.Context, q CommitRequest) (Result, error) {
	var res Result
	var done bool
	p := prepared{CommitRequest: q, sha: core.SHA256Hex(q.After)}
	if err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		res, done, err = replay(tx, p)
		return err
	}); err != nil || done {
		return res, err
	}
	p, err := s.prepare(ctx, q, p.sha)
	if err != nil {
		return Result{}, err
	}
	if err := s.st.Write(ctx, func(tx *store.Tx) error {
		var err error
		if res, done, err = replay(tx, p); err != nil || done {
			return err
		}
		if err := tx.CheckLease(q.Lease); err != nil {
			return err
		}
		return tx.BeginAttempt(store.Attempt{
			Key: q.Key, DocumentID: q.DocumentID, Fingerprint: p.fingerprint(), BaseID: p.base.ID, SHAAfter: p.sha,
			ChangeSetID: p.changeSetID, Fence: q.Lease.Fence,
		})
	}); err != nil || done {
		return res, err
	}
	s.step("attempt stored")
	res, err = s.publish(ctx, p)
	if err != nil {
		return Result{}, errors.Join(err, s.settle(ctx, p, core.CodeOf(err)))
	}
	s.step("commit stored")
	return res, nil
}

// settle records that an attempt failed. What cannot be recorded now is found
// out by Reconcile.
func (s *Service) settle(ctx context.Context, p prepared, code core.Code) error {
	return s.st.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return tx.SettleAttempt(p.Key, p.changeSetID, core.AttemptFailed, code)
	})
}
