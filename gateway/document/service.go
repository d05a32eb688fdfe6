package document

import (
	"context"
	"sync"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/internal/faultpoint"
)

// Options of a Service. The zero value is for production.
type Options struct {
	LeaseTTL time.Duration // of a writer lease; core.WriterLeaseTTL by default

	// LeaseWait is how long the short steps (import of an outside change, revert,
	// restore, undo, redo) wait for a lease someone else holds; 1 s by default, no
	// waiting when negative. Lease itself never waits.
	LeaseWait time.Duration

	step func(name string) // for tests: called between the steps that a crash can separate
}

// Service works on the documents of one store. It may be used by many
// goroutines.
type Service struct {
	st   *store.Store
	o    Options
	self processToken
	maps mapCache
	done sync.Map // holders of leases whose work is over, but that could not be freed
}

// Opened is a document whose file was just read.
type Opened struct {
	Document        core.Document
	Head            core.Revision
	Bytes           []byte // of the head; not to be changed
	OpenedAs        string // the absolute path it was asked for, for messages; Document.Path has links resolved
	Imported        bool   // the file was seen for the first time
	OutsideImported bool   // another program's change was imported as the new head
	Ahead           bool   // the head has not been written into the file yet
}

// New makes a Service on an open store.
func New(st *store.Store, o Options) *Service {
	if o.LeaseTTL == 0 {
		o.LeaseTTL = core.WriterLeaseTTL
	}
	if o.LeaseWait == 0 {
		o.LeaseWait = time.Second
	}
	return &Service{st: st, o: o, self: ownToken()}
}

func (s *Service) step(name string) {
	if faultpoint.Enabled {
		faultpoint.Reach("document: " + name)
	}
	if s.o.step != nil {
		s.o.step(name)
	}
}

// Get gives a document by id, or UnknownDocument.
func (s *Service) Get(ctx context.Context, documentID string) (d core.Document, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, err = tx.Document(documentID)
		return err
	})
	return d, err
}

// Lookup gives the document of a file that was opened before, or
// UnknownDocument. The file is not read, and need not exist any more.
func (s *Service) Lookup(ctx context.Context, path string) (d core.Document, err error) {
	_, canonical, err := resolve(path)
	if core.CodeOf(err) == core.NotFound {
		canonical, err = resolveMissing(path)
	}
	if err != nil {
		return d, err
	}
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, err = tx.DocumentByPath(canonical)
		return err
	})
	return d, err
}

// List gives all documents, the newest first.
func (s *Service) List(ctx context.Context) (out []core.Document, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		out, err = tx.Documents()
		return err
	})
	return out, err
}

// Page gives limit documents at most, the newest first: those behind a document
// in that order, or from the newest on where before is empty.
func (s *Service) Page(ctx context.Context, before string, limit int) (out []core.Document, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		out, err = tx.DocumentsBefore(before, limit)
		return err
	})
	return out, err
}

// Bytes gives the bytes of a revision, checked against its SHA-256. The caller
// must not change them.
func (s *Service) Bytes(ctx context.Context, revisionID string) (b []byte, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		r, err := tx.Revision(revisionID)
		if err != nil {
			return err
		}
		b, err = tx.Blob(r.SHA256)
		return err
	})
	return b, err
}

// Head gives a document, its newest revision and that revision's bytes, all of
// one moment.
func (s *Service) Head(ctx context.Context, documentID string) (d core.Document, r core.Revision, b []byte, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, r, b, err = head(tx, documentID)
		return err
	})
	return d, r, b, err
}

func head(tx *store.Tx, documentID string) (d core.Document, r core.Revision, b []byte, err error) {
	if d, err = tx.Document(documentID); err != nil {
		return d, r, nil, err
	}
	if r, err = tx.Revision(d.HeadID); err != nil {
		return d, r, nil, err
	}
	b, err = tx.Blob(r.SHA256)
	return d, r, b, err
}

// Revision gives the revision of a generation; generation 0 means the head.
func (s *Service) Revision(ctx context.Context, documentID string, generation int64) (r core.Revision, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		d, err := tx.Document(documentID)
		if err != nil {
			return err
		}
		if generation == 0 {
			generation = d.Generation
		}
		r, err = tx.RevisionAt(documentID, generation)
		return err
	})
	return r, err
}

// RevisionByID gives a revision by id, or UnknownRevision.
func (s *Service) RevisionByID(ctx context.Context, id string) (r core.Revision, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		r, err = tx.Revision(id)
		return err
	})
	return r, err
}

// History lists revisions, the newest first: those before the generation
// `before` (0 for all), at most limit (0 for all).
func (s *Service) History(ctx context.Context, documentID string, before int64, limit int) (out []core.Revision, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if _, err := tx.Document(documentID); err != nil {
			return err
		}
		out, err = tx.Revisions(documentID, before, limit)
		return err
	})
	return out, err
}

// Changes lists change sets, the newest first, at most limit (0 for all).
func (s *Service) Changes(ctx context.Context, documentID string, limit int) (out []core.ChangeSet, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		if _, err := tx.Document(documentID); err != nil {
			return err
		}
		out, err = tx.ChangeSets(documentID, 0, limit)
		return err
	})
	return out, err
}

// ChangeSet gives a change set by id, or UnknownChange.
func (s *Service) ChangeSet(ctx context.Context, id string) (c core.ChangeSet, err error) {
	err = s.st.Read(ctx, func(tx *store.Tx) error {
		c, err = tx.ChangeSet(id)
		return err
	})
	return c, err
}
