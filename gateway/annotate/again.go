package annotate

import (
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Redraft stores drafts for notes that Resolve carried to the head, behind the
// session's other drafts, and gives them in the order of the notes. there are the
// session's drafts as the transaction sees them, carried to the same head: one of them that says the same
// about the same elements is given in place of a new one, so that asking twice
// does not make a note twice. A target that was not found for certain keeps the
// anchor it had, and is looked for again when the draft is sent.
func (s *Service) Redraft(tx *store.Tx, sessionID string, head core.Revision, notes, there []core.SentNote) ([]core.Annotation, error) {
	order, err := tx.NextAnnotationOrder(head.DocumentID, sessionID)
	if err != nil {
		return nil, err
	}
	there = slices.Clone(there)
	out := make([]core.Annotation, 0, len(notes))
	for _, n := range notes {
		if i := slices.IndexFunc(there, func(o core.SentNote) bool { return sameNote(n, o) }); i >= 0 {
			a, err := tx.Annotation(there[i].AnnotationID)
			if err != nil {
				return nil, err
			}
			there = slices.Delete(there, i, i+1)
			out = append(out, a)
			continue
		}
		a := core.Annotation{
			ID: tx.NewID("ann"), SessionID: sessionID, DocumentID: head.DocumentID, RevisionID: head.ID, Order: order,
			Instruction: n.Instruction, State: core.AnnotationDraft, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		for _, t := range n.Targets {
			t.Anchor.ID = tx.NewID("anc")
			a.Anchors = append(a.Anchors, t.Anchor)
		}
		if err := tx.InsertAnnotation(a); err != nil {
			return nil, err
		}
		out = append(out, a)
		order++
	}
	return out, nil
}

// sameNote tells whether two notes say the same about the same elements. Targets
// that are tied to no element, which have no namespace, are told apart by what
// they are called.
func sameNote(a, b core.SentNote) bool {
	return a.Instruction == b.Instruction && slices.EqualFunc(a.Targets, b.Targets, func(x, y core.SentTarget) bool {
		return x.Anchor.SourceSHA == y.Anchor.SourceSHA && x.Anchor.StartTag == y.Anchor.StartTag && slices.Equal(x.Anchor.Path, y.Anchor.Path) &&
			x.Anchor.NS == y.Anchor.NS && (x.Anchor.NS != "" || x.Anchor.Name == y.Anchor.Name && x.Anchor.Quote == y.Anchor.Quote)
	})
}
