package manual

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
)

// Service works on the edit sessions of one store. It may be used by many
// goroutines.
type Service struct {
	st   *store.Store
	docs *document.Service
	ttl  time.Duration
}

// New makes a Service. A session that is neither saved nor touched for ttl
// expires; 0 is core.EditSessionTTL. What was typed in it is kept.
func New(st *store.Store, docs *document.Service, ttl time.Duration) *Service {
	if ttl == 0 {
		ttl = core.EditSessionTTL
	}
	return &Service{st: st, docs: docs, ttl: ttl}
}

// Session is one editor's work on a document.
type Session struct {
	ID         string
	DocumentID string
	BaselineID string // the revision the editor began with
	// Text is what was saved last, or the baseline's bytes where nothing was.
	// Unsaved tells which. The caller must not change it.
	Text      []byte
	Unsaved   bool // the buffer differs from the baseline and is in no revision
	State     string
	UpdatedAt time.Time // for the next Save
	ExpiresAt time.Time
}

// Open begins an edit session on the document's head.
func (s *Service) Open(ctx context.Context, documentID string) (Session, error) {
	return s.begin(ctx, func(tx *store.Tx) (string, error) {
		d, err := tx.Document(documentID)
		return d.HeadID, err
	}, documentID)
}

// OpenAt begins an edit session on an earlier revision, for text that was made
// from it; a commit merges it into the head.
func (s *Service) OpenAt(ctx context.Context, documentID string, generation int64) (Session, error) {
	return s.begin(ctx, func(tx *store.Tx) (string, error) {
		r, err := tx.RevisionAt(documentID, generation)
		return r.ID, err
	}, documentID)
}

func (s *Service) begin(ctx context.Context, baseline func(*store.Tx) (string, error), documentID string) (Session, error) {
	var out Session
	err := s.st.Write(ctx, func(tx *store.Tx) error {
		id, err := baseline(tx)
		if err != nil {
			return err
		}
		e, err := tx.OpenEditSession(documentID, id, s.ttl)
		if err != nil {
			return err
		}
		out, err = shown(tx, e)
		return err
	})
	return out, err
}

// Get gives a session as it is stored.
func (s *Service) Get(ctx context.Context, id string) (Session, error) {
	var out Session
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		e, err := tx.EditSession(id)
		if err != nil {
			return err
		}
		out, err = shown(tx, e)
		return err
	})
	return out, err
}

// Unsaved lists the document's sessions that hold text no revision has, the
// newest first: those of editors that are open, and those a crash or a closed
// window left behind.
func (s *Service) Unsaved(ctx context.Context, documentID string) ([]Session, error) {
	var out []Session
	err := s.st.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.UnsavedEditSessions(documentID)
		if err != nil {
			return err
		}
		for _, e := range all {
			one, err := shown(tx, e)
			if err != nil {
				return err
			}
			if one.Unsaved {
				out = append(out, one)
			}
		}
		return nil
	})
	return out, err
}

func shown(tx *store.Tx, e store.EditSession) (Session, error) {
	out := Session{
		ID: e.ID, DocumentID: e.DocumentID, BaselineID: e.BaselineID, Text: e.Buffer, State: e.State,
		UpdatedAt: e.UpdatedAt, ExpiresAt: e.ExpiresAt,
	}
	r, err := tx.Revision(e.BaselineID)
	if err != nil {
		return out, err
	}
	if e.Buffer == nil {
		out.Text, err = tx.Blob(r.SHA256)
		return out, err
	}
	out.Unsaved = e.State != "closed" && core.SHA256Hex(e.Buffer) != r.SHA256
	return out, nil
}

// Save keeps what was typed so far: an autosave. It is refused with HeadMoved
// where the session was saved since seen by somebody else, or has ended; the
// caller's text is then still the caller's. Text that can be no page (not
// UTF-8, too large, with NUL) is refused and what was saved before stays.
func (s *Service) Save(ctx context.Context, id string, seen time.Time, text []byte) (Session, error) {
	if err := htmlsrc.Check(text); err != nil {
		return Session{}, err
	}
	var out Session
	err := s.st.Write(ctx, func(tx *store.Tx) error {
		if text == nil {
			text = []byte{}
		}
		if err := tx.SaveEditBuffer(id, seen, text, s.ttl); err != nil {
			return err
		}
		e, err := tx.EditSession(id)
		if err != nil {
			return err
		}
		out, err = shown(tx, e)
		return err
	})
	return out, err
}

// Reopen makes an expired session an open one again, with its text.
func (s *Service) Reopen(ctx context.Context, id string) (Session, error) {
	var out Session
	err := s.st.Write(ctx, func(tx *store.Tx) error {
		if err := tx.ReopenEditSession(id, s.ttl); err != nil {
			return err
		}
		e, err := tx.EditSession(id)
		if err != nil {
			return err
		}
		out, err = shown(tx, e)
		return err
	})
	return out, err
}

// Discard ends a session, an expired one too, and drops its text.
func (s *Service) Discard(ctx context.Context, id string) error {
	return s.st.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.EditSession(id)
		if err != nil {
			return err
		}
		if e.State == "expired" {
			if err := tx.ReopenEditSession(id, s.ttl); err != nil {
				return err
			}
			if e, err = tx.EditSession(id); err != nil {
				return err
			}
		}
		return s.end(tx, e)
	})
}

// end closes an open session without its text.
func (s *Service) end(tx *store.Tx, e store.EditSession) error {
	if err := tx.SaveEditBuffer(e.ID, e.UpdatedAt, nil, s.ttl); err != nil {
		return err
	}
	return tx.CloseEditSession(e.ID)
}
