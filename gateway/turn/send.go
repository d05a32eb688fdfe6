package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
	"proofmark/internal/faultpoint"
)

// maxSendTries bounds how often a send starts over because the head or a draft
// moved between resolving and accepting.
const maxSendTries = 4

// SendRequest is one message with its annotations, in order.
type SendRequest struct {
	SessionID     string
	RequestID     string // the client's; sending the same again gives the same turn
	DocumentID    string
	Message       string
	AnnotationIDs []string
	// Seen is each annotation's UpdatedAt as whoever sends saw it, so that no text
	// goes out that they never read. Without it, or where a time is zero, a draft
	// goes out as it is. It is no part of what makes a request the same.
	Seen  []time.Time
	Model string

	// Admit is asked, where it is set, with the turn as it would be accepted. Its
	// refusal is given back, and nothing is sent.
	Admit func(core.Turn) error
}

// Send accepts a message and its ordered annotations in one transaction, or
// neither. The annotations are resolved against the head; the head must still
// be the same when they are accepted. The same request sent again gives the
// turn it made the first time. Refusals: RequestConflict (the same id with
// other content, or a draft that was sent or changed meanwhile), WrongSession,
// TooMany, ContextTooLarge, HeadMoved.
func (e *Engine) Send(ctx context.Context, r SendRequest) (core.Turn, error) {
	if err := checkRequest(r); err != nil {
		return core.Turn{}, err
	}
	var err error
	for range maxSendTries {
		var t core.Turn
		if t, err = e.send(ctx, r); err == nil {
			return t, nil
		}
		if core.CodeOf(err) != core.HeadMoved {
			return core.Turn{}, err
		}
	}
	return core.Turn{}, err
}

func checkRequest(r SendRequest) error {
	const op = "turn.Send"
	switch {
	case r.SessionID == "" || r.RequestID == "":
		return core.Errorf(core.Usage, "sending needs a session and a request id").In(op)
	case len(r.RequestID) > maxRequestID || len(r.SessionID) > maxRequestID:
		return core.Errorf(core.Usage, "the request id has more than %d bytes", maxRequestID).In(op)
	case len(r.AnnotationIDs) > core.MaxAnnotationsPerSend:
		return tooManyNotes(len(r.AnnotationIDs))
	case len(r.Seen) != 0 && len(r.Seen) != len(r.AnnotationIDs):
		return core.Errorf(core.Usage, "there are %d notes, and %d times at which they were seen", len(r.AnnotationIDs), len(r.Seen)).In(op)
	case len(r.AnnotationIDs) == 0 && strings.TrimSpace(r.Message) == "":
		return core.Errorf(core.Usage, "there is nothing to send: no message and no notes").In(op)
	case !utf8.ValidString(r.Message):
		return core.Errorf(core.NotUTF8, "the message is not valid UTF-8").In(op)
	case len(r.Message) > core.MaxTurnContextBytes:
		return tooMuchContext(len(r.Message))
	}
	for i, id := range r.AnnotationIDs {
		if slices.Contains(r.AnnotationIDs[:i], id) {
			return core.Errorf(core.Usage, "the same note is in the batch twice").In(op)
		}
	}
	return nil
}

// maxRequestID bounds the ids a client makes up, in bytes.
const maxRequestID = 128

func tooManyNotes(n int) *core.Error {
	return core.Errorf(core.TooMany, "%d notes can go out together, not %d", core.MaxAnnotationsPerSend, n).
		WithHint("Send them in batches: some of them now, the others then.").In("turn.Send")
}

func tooMuchContext(n int) *core.Error {
	return core.Errorf(core.ContextTooLarge, "the message and the notes make %d bytes together, the limit is %d", n, core.MaxTurnContextBytes).
		WithHint("Send fewer notes at once, or shorten them.").In("turn.Send")
}

// send is one try.
func (e *Engine) send(ctx context.Context, r SendRequest) (core.Turn, error) {
	anns, earlier, err := e.readBatch(ctx, r)
	if err != nil {
		return core.Turn{}, err
	}
	print := fingerprint(r, anns)
	if earlier != nil {
		return replay(*earlier, print)
	}
	p, err := e.Preview(ctx, r.DocumentID, r.Message, anns)
	if err != nil {
		return core.Turn{}, err
	}
	if err := p.Refusal(); err != nil {
		return core.Turn{}, err
	}
	t := core.Turn{
		SessionID: r.SessionID, RequestID: r.RequestID, Fingerprint: print, DocumentID: r.DocumentID, RevisionID: p.Head.ID,
		Message: r.Message, Notes: p.Notes, State: core.TurnAccepted, Model: r.Model,
	}
	if r.Admit != nil {
		if err := r.Admit(t); err != nil {
			return core.Turn{}, err
		}
	}
	return e.accept(ctx, t, anns)
}

// readBatch reads the annotations in the order asked for, and the turn that an
// earlier sending of the same request made.
func (e *Engine) readBatch(ctx context.Context, r SendRequest) (anns []core.Annotation, earlier *core.Turn, err error) {
	err = e.Store.Read(ctx, func(tx *store.Tx) error {
		t, found, err := tx.TurnByRequest(r.SessionID, r.RequestID)
		if err != nil {
			return err
		}
		if found {
			earlier = &t
		}
		for i, id := range r.AnnotationIDs {
			a, err := tx.Annotation(id)
			if err != nil {
				return err
			}
			if err := belongs(a, r); err != nil {
				return err
			}
			switch {
			case found:
			case a.State != core.AnnotationDraft:
				return core.Errorf(core.RequestConflict, "note %d was already %s; nothing was sent", i+1, a.State).
					With("annotation", a.ID).In("turn.Send")
			case len(r.Seen) > 0 && !r.Seen[i].IsZero() && !r.Seen[i].Equal(a.UpdatedAt):
				return changedElsewhere(i, a)
			}
			anns = append(anns, a)
		}
		return nil
	})
	return anns, earlier, err
}

// belongs refuses an annotation of another session or document.
func belongs(a core.Annotation, r SendRequest) error {
	if a.SessionID != r.SessionID || a.DocumentID != r.DocumentID {
		return core.Errorf(core.WrongSession, "a note belongs to another session or document; nothing was sent").In("turn.Send")
	}
	return nil
}

// changedElsewhere refuses note i, counted from 0, that says something else now.
func changedElsewhere(i int, now core.Annotation) *core.Error {
	return core.Errorf(core.RequestConflict, "note %d was changed elsewhere while it was being sent; nothing was sent", i+1).
		WithHint("Look at the notes and send them again.").With("annotation", now.ID).With("now", now).In("turn.Send")
}

func replay(t core.Turn, fingerprint string) (core.Turn, error) {
	if t.Fingerprint != fingerprint {
		return core.Turn{}, core.Errorf(core.RequestConflict, "this request id was already used for another message").
			WithHint("Send it under a new request id.").In("turn.Send")
	}
	return t, nil
}

// head gives the document's newest revision and its map.
func (e *Engine) head(ctx context.Context, documentID string) (core.Revision, *htmlsrc.Tree, error) {
	_, head, src, err := e.Documents.Head(ctx, documentID)
	if err != nil {
		return head, nil, err
	}
	tree, err := e.Documents.Map(head.SHA256, src)
	return head, tree, err
}

// accept stores the turn and takes its drafts, if the head and every draft are
// as they were resolved.
func (e *Engine) accept(ctx context.Context, t core.Turn, anns []core.Annotation) (core.Turn, error) {
	const op = "turn.Send"
	faultpoint.Reach("send: the notes are resolved")
	err := e.Store.Write(ctx, func(tx *store.Tx) error {
		earlier, found, err := tx.TurnByRequest(t.SessionID, t.RequestID)
		if err != nil {
			return err
		}
		if found {
			t, err = replay(earlier, t.Fingerprint)
			return err
		}
		if len(t.Notes) > 0 {
			if err := tx.CheckFeature(core.FeatureAnnotations); err != nil {
				return err
			}
		}
		doc, err := tx.Document(t.DocumentID)
		if err != nil {
			return err
		}
		if doc.HeadID != t.RevisionID {
			return core.Errorf(core.HeadMoved, "the document got a newer version while the notes were being sent; nothing was sent").In(op)
		}
		t.ID, t.At = tx.NewID("turn"), tx.Now()
		if err := tx.InsertTurn(t); err != nil {
			return err
		}
		faultpoint.Reach("send: the turn is stored, its drafts are not taken")
		for i, a := range anns {
			now, err := tx.Annotation(a.ID)
			if err != nil {
				return err
			}
			if !now.UpdatedAt.Equal(a.UpdatedAt) {
				return changedElsewhere(i, now)
			}
			if err := tx.SetAnnotationState(a.ID, core.AnnotationDraft, core.AnnotationSent, t.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return core.Turn{}, err
	}
	return t, nil
}

// fingerprint is a hash over everything that makes a request what it is.
func fingerprint(r SendRequest, anns []core.Annotation) string {
	type note struct {
		ID          string
		Instruction string
		Anchors     []string
	}
	v := struct {
		Document, Message, Model string
		Notes                    []note
	}{Document: r.DocumentID, Message: r.Message, Model: r.Model}
	for _, a := range anns {
		n := note{ID: a.ID, Instruction: a.Instruction}
		for _, an := range a.Anchors {
			n.Anchors = append(n.Anchors, an.ID)
		}
		v.Notes = append(v.Notes, n)
	}
	b, err := json.Marshal(v)
	if err != nil { // strings only
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
