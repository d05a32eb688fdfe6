package manual

import (
	"context"
	"errors"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
	"proofmark/gateway/textpatch"
)

// Committed is what a commit made.
type Committed struct {
	document.Result
	// Merged tells that the head had moved on since the session began and that
	// both sides' changes are in the revision.
	Merged bool
}

// maxCommitTries bounds how often a commit starts over because the head moved
// between merging and committing.
const maxCommitTries = 4

// Commit makes the session's text the document's newest revision and ends the
// session, both in one transaction. A head that has moved on is merged with.
//
// Refusals: HeadMoved with Detail "conflicts" ([]textpatch.Conflict) where both
// sides changed one place; NoOp where there is nothing to commit; LeaseHeld;
// those of document.Commit. The session and its text then stay as they are.
func (s *Service) Commit(ctx context.Context, id, actor string) (Committed, error) {
	return s.tries(ctx, id, who{actor, true})
}

// CommitPlain is Commit for somebody who may not approve anything: it is refused
// with NeedsApproval, and Detail "flags", where the text adds what the policy is
// about. A person can commit the text then; it stays as it is.
func (s *Service) CommitPlain(ctx context.Context, id, actor string) (Committed, error) {
	return s.tries(ctx, id, who{actor, false})
}

// who commits.
type who struct {
	actor    string
	approves bool // what the text adds, by committing it
}

func (s *Service) tries(ctx context.Context, id string, by who) (Committed, error) {
	var err error
	for range maxCommitTries {
		var out Committed
		out, err = s.commit(ctx, id, by)
		if err == nil || !errors.Is(err, errMoved) {
			return out, err
		}
	}
	return Committed{}, err
}

// errMoved marks that the head moved while a merge was being made.
var errMoved = errors.New("the head moved")

func (s *Service) commit(ctx context.Context, id string, by who) (Committed, error) {
	w, err := s.read(ctx, id)
	if err != nil {
		return Committed{}, err
	}
	return s.publish(ctx, w, by)
}

// publish commits what was read, if it is still what there is.
func (s *Service) publish(ctx context.Context, w work, by who) (Committed, error) {
	after, edits, err := w.join()
	if err != nil {
		return Committed{}, err
	}
	flags, err := s.flags(w.head, after)
	if err != nil {
		return Committed{}, err
	}
	if len(flags) > 0 && !by.approves {
		return Committed{}, core.Errorf(core.NeedsApproval, "the text adds what a person has to approve; nothing was committed, the text is kept").
			WithHint("Leave it out, or let a person commit the text.").With("flags", flags).In("manual.Commit")
	}
	out := Committed{Merged: w.head.id != w.session.BaselineID}
	err = s.docs.WithLease(ctx, w.doc.ID, func(l core.WriterLease) error {
		out.Result, err = s.docs.Commit(ctx, document.CommitRequest{
			DocumentID: w.doc.ID, ExpectedHead: w.head.id, ExpectedStateRev: w.doc.StateRev, Lease: l,
			After: after, Edits: edits, Computed: true, Flags: flags, Source: core.SourceManual, Actor: by.actor,
			Also: func(tx *store.Tx, _ document.Result) error { return s.closeSeen(tx, w.session) },
		})
		return err
	})
	if core.CodeOf(err) == core.HeadMoved {
		err = core.Wrap(core.HeadMoved, errMoved, "the document moved on while the text was being committed; the text is kept").
			WithHint("Commit it again.").In("manual.Commit")
	}
	return out, err
}

// closeSeen ends the session if its text is still the one that was committed,
// which is in a revision from then on.
func (s *Service) closeSeen(tx *store.Tx, seen store.EditSession) error {
	now, err := tx.EditSession(seen.ID)
	if err != nil {
		return err
	}
	if !now.UpdatedAt.Equal(seen.UpdatedAt) {
		return core.Errorf(core.RequestConflict, "the text was changed while it was being committed; nothing was committed").
			WithHint("Commit it again.").In("manual.Commit")
	}
	return s.end(tx, now)
}

// work is all a commit needs, of one moment.
type work struct {
	session    store.EditSession
	doc        core.Document
	base, head version
}

type version struct {
	id, sha string
	bytes   []byte
}

func (s *Service) read(ctx context.Context, id string) (w work, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if w.session, err = tx.EditSession(id); err != nil {
			return err
		}
		if w.session.State != "open" {
			return core.Errorf(core.TurnEnded, "the edit session is %s", w.session.State).
				WithHint("Open it again to commit its text.").In("manual.Commit")
		}
		if w.doc, err = tx.Document(w.session.DocumentID); err != nil {
			return err
		}
		if w.base, err = versionOf(tx, w.session.BaselineID); err != nil {
			return err
		}
		w.head, err = versionOf(tx, w.doc.HeadID)
		return err
	})
	return w, err
}

func versionOf(tx *store.Tx, revisionID string) (version, error) {
	r, err := tx.Revision(revisionID)
	if err != nil {
		return version{}, err
	}
	b, err := tx.Blob(r.SHA256)
	return version{id: r.ID, sha: r.SHA256, bytes: b}, err
}

// join gives the bytes to commit and the edits that make them from the head's.
func (w work) join() ([]byte, []core.Edit, error) {
	mine := w.session.Buffer
	if mine == nil || core.SHA256Hex(mine) == w.base.sha {
		return nil, nil, nothing()
	}
	m, err := textpatch.Merge(w.base.bytes, w.head.bytes, mine)
	if err != nil {
		return nil, nil, err
	}
	if n := len(m.Conflicts); n > 0 {
		return nil, nil, core.Errorf(core.HeadMoved, "the document has a newer version, and %s changed in both; nothing was committed, your text is kept", places(n)).
			WithHint("Look at both texts of each place, put what you want into the newest version's text, and commit that.").
			With("conflicts", m.Conflicts).With("generation", w.doc.Generation).In("manual.Commit")
	}
	if len(m.Edits) == 0 {
		return nil, nil, nothing()
	}
	return m.Bytes, m.Edits, nil
}

func nothing() *core.Error {
	return core.Errorf(core.NoOp, "the text is that of the newest version; there is nothing to commit").In("manual.Commit")
}

func places(n int) string {
	if n == 1 {
		return "one place was"
	}
	return "some places were"
}

// flags lists what the text adds that the policy is about. A person who wrote it
// needs nobody's approval; the change set says it all the same.
func (s *Service) flags(head version, after []byte) ([]core.PolicyFlag, error) {
	before, err := s.docs.Map(head.sha, head.bytes)
	if err != nil {
		return nil, err
	}
	now, err := htmlsrc.Parse(after, htmlsrc.Options{Scripting: true})
	if err != nil {
		return nil, err
	}
	return htmledit.Added(before, now), nil
}
