package turn

import (
	"context"

	"proofmark/gateway/core"
)

// Preview is what a message and its notes would be if they were sent now.
type Preview struct {
	Head         core.Revision   // they would be bound to
	Notes        []core.SentNote // in order, each target as it is found in the head
	ContextBytes int             // of the message and the notes as a model reads them
}

// Preview resolves annotations against the document's head and counts what a
// model would read of them. It stores nothing, and does not look at whose the
// annotations are or in which state: Send does.
func (e *Engine) Preview(ctx context.Context, documentID, message string, anns []core.Annotation) (Preview, error) {
	head, tree, err := e.head(ctx, documentID)
	if err != nil {
		return Preview{}, err
	}
	notes, err := e.Annotations.Resolve(ctx, anns, head, tree)
	if err != nil {
		return Preview{}, err
	}
	return Preview{Head: head, Notes: notes, ContextBytes: len(render(message, notes))}, nil
}

// Refusal says which limit of one sending is exceeded, TooMany or
// ContextTooLarge; nil where none is.
func (p Preview) Refusal() error {
	switch {
	case len(p.Notes) > core.MaxAnnotationsPerSend:
		return tooManyNotes(len(p.Notes))
	case p.ContextBytes > core.MaxTurnContextBytes:
		return tooMuchContext(p.ContextBytes)
	}
	return nil
}
