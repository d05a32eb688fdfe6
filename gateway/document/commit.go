package document

import (
	"bytes"
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// CommitRequest asks for one new revision.
type CommitRequest struct {
	DocumentID       string
	ExpectedHead     string // id of the revision the edits are against
	ExpectedStateRev int64
	Lease            core.WriterLease
	After            []byte
	Edits            []core.Edit // from the expected head's bytes to After
	Computed         bool        // the edits are a difference, see core.ChangeSet
	Source           core.RevisionSource
	Actor            string
	TurnID           string
	Notes            []core.NoteOutcome
	Evidence         *core.Verification
	Flags            []core.PolicyFlag
	Reverts          string
	RevertNote       int

	// Key makes the commit idempotent: the same request with the same key gives
	// the first one's result. It may be empty.
	Key string

	// Also runs inside the transaction of the commit, after everything else; its
	// error undoes the commit. It may be nil.
	Also func(*store.Tx, Result) error
}

// Result is what a commit has made.
type Result struct {
	Document  core.Document // as it was right after the commit
	Revision  core.Revision
	ChangeSet core.ChangeSet
	Replayed  bool // the request was done before; this is what it made then
}

// Commit appends a revision and moves the head to it, in one transaction, and
// only while the lease is held with its fencing token and the head and state
// revision are the expected ones. It checks that the edits make After from the
// expected head's bytes. When it returns without an error the revision is on
// disk. It does not write the file; see WriteBack.
//
// Refusals: LeaseLost, HeadMoved, NoOp, InvalidEdit, NotUTF8, HasNUL, TooLarge,
// TurnEnded when the turn has already made a change, RequestConflict when the
// key was used for something else, AmbiguousOutcome when the outcome of the
// attempt with this key cannot be known.
func (s *Service) Commit(ctx context.Context, q CommitRequest) (Result, error) {
	if q.Key == "" {
		return s.commit(ctx, q)
	}
	return s.commitOnce(ctx, q)
}

// commit does the work, without an attempt.
func (s *Service) commit(ctx context.Context, q CommitRequest) (Result, error) {
	p, err := s.prepare(ctx, q, core.SHA256Hex(q.After))
	if err != nil {
		return Result{}, err
	}
	return s.publish(ctx, p)
}

// prepared is a request that was checked as far as that goes without the
// database's lock.
type prepared struct {
	CommitRequest
	base        core.Revision
	sha         string // of After
	changeSetID string
}

// prepare checks that the edits make After from the expected head's bytes.
func (s *Service) prepare(ctx context.Context, q CommitRequest, sha string) (prepared, error) {
	const op = "document.Commit"
	p := prepared{CommitRequest: q, sha: sha}
	var before []byte
	if err := s.st.Read(ctx, func(tx *store.Tx) (err error) {
		if p.base, err = tx.Revision(q.ExpectedHead); err != nil {
			return err
		}
		before, err = tx.Blob(p.base.SHA256)
		p.changeSetID = tx.NewID("chg")
		return err
	}); err != nil {
		return p, err
	}
	if p.base.DocumentID != q.DocumentID {
		return p, core.Errorf(core.UnknownRevision, "the revision belongs to another document").In(op)
	}
	err := p.makes(before) // before p is given
	return p, err
}

// makes checks that the request's edits make its bytes from those before, and
// puts the edits in order.
func (p *prepared) makes(before []byte) error {
	if p.sha == p.base.SHA256 {
		return core.Errorf(core.NoOp, "the change changes nothing").In("document.Commit")
	}
	if err := htmlsrc.Check(p.After); err != nil {
		return err
	}
	edits, err := textpatch.Normalize(p.Edits, len(before))
	if err != nil {
		return err
	}
	made, err := textpatch.Apply(before, edits)
	if err != nil {
		return err
	}
	if !bytes.Equal(made, p.After) {
		return core.Errorf(core.InvalidEdit, "the edits do not make the bytes they should; nothing was stored").In("document.Commit")
	}
	p.Edits = edits
	return nil
}

// publish is the one transaction in which the head moves.
func (s *Service) publish(ctx context.Context, p prepared) (Result, error) {
	var res Result
	err := s.st.Write(ctx, func(tx *store.Tx) (err error) {
		if p.Key != "" {
			if done, ok, err := replay(tx, p); ok || err != nil {
				res = done
				return err
			}
		}
		res, err = publishTx(tx, p)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

func publishTx(tx *store.Tx, p prepared) (Result, error) {
	d, err := tx.Document(p.DocumentID)
	if err != nil {
		return Result{}, err
	}
	if p.Lease.DocumentID != p.DocumentID {
		return Result{}, core.Errorf(core.LeaseLost, "the lease is for another document").In("document.Commit")
	}
	if err := tx.CheckLease(p.Lease); err != nil {
		return Result{}, err
	}
	if f, ok := featureOf(p.Source); ok { // in this transaction: whoever switched it off is done
		if err := tx.CheckFeature(f); err != nil {
			return Result{}, err
		}
	}
	if p.TurnID != "" {
		if _, err := tx.ChangeSetByTurn(p.TurnID); err == nil {
			return Result{}, core.Errorf(core.TurnEnded, "the turn has already changed the document").In("document.Commit")
		} else if core.CodeOf(err) != core.UnknownChange {
			return Result{}, err
		}
	}
	r, c := p.rows(tx)
	// The head moves first: a lost race ends here, before anything is stored.
	if err := tx.AdvanceHead(p.DocumentID, p.ExpectedHead, p.ExpectedStateRev, r); err != nil {
		return Result{}, err
	}
	e := store.AuditEvent{
		Kind: "commit", DocumentID: d.ID, Actor: p.Actor, Generation: r.Generation, ChangeSetID: c.ID, SHABefore: c.SHABefore, SHAAfter: c.SHAAfter,
		Notes: len(p.Notes), Flags: len(p.Flags), Fence: p.Lease.Fence,
	}
	e.Count(p.Edits)
	for _, put := range []func() error{
		func() error { return tx.PutBlobAs(p.sha, p.After, p.base.SHA256, p.Edits) },
		func() error { return tx.InsertRevision(r) },
		func() error { return tx.InsertChangeSet(c, r.Generation) },
		func() error { return tx.InsertAudit(e) },
	} {
		if err := put(); err != nil {
			return Result{}, err
		}
	}
	res := Result{Revision: r, ChangeSet: c}
	if res.Document, err = tx.Document(d.ID); err != nil {
		return Result{}, err
	}
	if p.Also != nil {
		if err := p.Also(tx, res); err != nil {
			return Result{}, err
		}
		if res.Document, err = tx.Document(d.ID); err != nil {
			return Result{}, err
		}
	}
	return res, p.receipt(tx, res)
}

// featureOf gives what an operator may have switched off. Taking back, restoring
// and importing always work.
func featureOf(source core.RevisionSource) (core.Feature, bool) {
	switch source {
	case core.SourceTurn:
		return core.FeatureAnnotations, true
	case core.SourceManual:
		return core.FeatureWorkbench, true
	}
	return "", false
}

// rows gives the revision and the change set to store.
func (p prepared) rows(tx *store.Tx) (core.Revision, core.ChangeSet) {
	r := core.Revision{
		ID: tx.NewID("rev"), DocumentID: p.DocumentID, Generation: p.base.Generation + 1, ParentID: p.base.ID,
		SHA256: p.sha, Bytes: int64(len(p.After)), Source: p.Source, Actor: p.Actor, ChangeSetID: p.changeSetID, At: tx.Now(),
	}
	c := core.ChangeSet{
		ID: p.changeSetID, DocumentID: p.DocumentID, TurnID: p.TurnID, BaseID: p.base.ID, ResultID: r.ID, Source: p.Source, Actor: p.Actor,
		SHABefore: p.base.SHA256, SHAAfter: p.sha, Edits: p.Edits, Computed: p.Computed, Notes: p.Notes, Evidence: p.Evidence, Flags: p.Flags,
		Reverts: p.Reverts, RevertNote: p.RevertNote, At: tx.Now(),
	}
	return r, c
}
