package annotate

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/proof"
	"proofmark/gateway/store"
)

// Service keeps annotations.
type Service struct {
	store *store.Store
	docs  *document.Service
	now   func() time.Time
}

// New makes a Service; now may be nil.
func New(st *store.Store, docs *document.Service, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store: st, docs: docs, now: now}
}

// Draft is what a new annotation is made from.
type Draft struct {
	SessionID   string
	DocumentID  string
	Verified    []proof.Verified // the targets, in the order they were picked
	Instruction string
}

// Create stores a draft behind the session's other drafts. It refuses
// InstructionTooLong, TooMany targets, and Changed where a target was proved
// against another version than the document's head.
func (s *Service) Create(ctx context.Context, d Draft) (core.Annotation, error) {
	const op = "annotate.Create"
	if err := checkInstruction(op, d.Instruction); err != nil {
		return core.Annotation{}, err
	}
	if len(d.Verified) == 0 {
		return core.Annotation{}, core.Errorf(core.Usage, "a note needs an element it is about").In(op)
	}
	if len(d.Verified) > core.MaxTargetsPerNote {
		return core.Annotation{}, core.Errorf(core.TooMany, "a note can be about %d elements at most, not %d", core.MaxTargetsPerNote, len(d.Verified)).In(op)
	}
	if d.SessionID == "" {
		return core.Annotation{}, core.Errorf(core.WrongSession, "a note belongs to a session").In(op)
	}
	var out core.Annotation
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		doc, err := tx.Document(d.DocumentID)
		if err != nil {
			return err
		}
		head, err := tx.Revision(doc.HeadID)
		if err != nil {
			return err
		}
		anchors, err := anchorsOf(op, d.Verified, head)
		if err != nil {
			return err
		}
		order, err := tx.NextAnnotationOrder(d.DocumentID, d.SessionID)
		if err != nil {
			return err
		}
		out = core.Annotation{
			ID: tx.NewID("ann"), SessionID: d.SessionID, DocumentID: d.DocumentID, RevisionID: head.ID,
			Order: order, Instruction: d.Instruction, Anchors: anchors, State: core.AnnotationDraft,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		for i := range out.Anchors {
			out.Anchors[i].ID = tx.NewID("anc")
		}
		return tx.InsertAnnotation(out)
	})
	if err != nil {
		return core.Annotation{}, err
	}
	return out, nil
}

// anchorsOf gives the anchors of proved targets, each once, if they were proved
// against the head's bytes of the document.
func anchorsOf(op string, list []proof.Verified, head core.Revision) ([]core.Anchor, error) {
	out := make([]core.Anchor, 0, len(list))
	for _, v := range list {
		switch {
		case v.Node() == 0:
			return nil, core.Errorf(core.NoSource, "the element was not proved to be in the source").In(op)
		case v.DocumentID() != head.DocumentID:
			return nil, core.Errorf(core.LeaseMismatch, "the element was picked on another document's page").In(op)
		case v.SourceSHA() != head.SHA256:
			return nil, core.Errorf(core.Changed, "the page has a newer version than the one the element was picked on").
				WithHint("Reload the page and pick the element again.").In(op)
		}
		a := v.Anchor(head.DocumentID, head.ID)
		if !slices.ContainsFunc(out, func(o core.Anchor) bool { return o.StartTag == a.StartTag && slices.Equal(o.Path, a.Path) }) {
			out = append(out, a)
		}
	}
	return out, nil
}

func checkInstruction(op, s string) error {
	switch {
	case len(s) > core.MaxInstructionBytes:
		return core.Errorf(core.InstructionTooLong, "the instruction has %d bytes, the limit is %d", len(s), core.MaxInstructionBytes).In(op)
	case !utf8.ValidString(s):
		return core.Errorf(core.NotUTF8, "the instruction is not valid UTF-8").In(op)
	case strings.TrimSpace(s) == "":
		return core.Errorf(core.Usage, "the instruction is empty").In(op)
	}
	return nil
}

// List gives a session's annotations of a document in one state, in order.
func (s *Service) List(ctx context.Context, sessionID, documentID string, state core.AnnotationState) ([]core.Annotation, error) {
	var out []core.Annotation
	err := s.store.Read(ctx, func(tx *store.Tx) error {
		var err error
		out, err = tx.Annotations(documentID, sessionID, state)
		return err
	})
	return out, err
}
