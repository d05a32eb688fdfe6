package manual

import (
	"context"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

// DirectRequest asks for direct edits of a document's head.
type DirectRequest struct {
	DocumentID string
	RevisionID string // the head the targets were found in
	Tasks      []Task
	Actor      string
	// RequestID names the attempt in the record of commits; one is made where it
	// is empty.
	RequestID string
}

// Directed is what direct edits came to. It is as far as they came, where they
// were refused on the way.
type Directed struct {
	Result       *document.Result // nil where nothing was committed
	Notes        []core.NoteOutcome
	Flags        []core.PolicyFlag
	Verification *core.Verification
	Remarks      []string // by task, from 0
}

// Direct carries a person's own edits out without a model, and under all that
// holds for a turn: only the bytes of the edits change, the changed page is
// looked at beside the unchanged one in hidden views, what the policy is about
// needs o.Approved, and one revision is published, which can be taken back whole
// or task by task.
//
// Refusals: those of htmledit, with Detail "task" (from 1); NeedsApproval,
// NewFault, Denied and HeadMoved as candidate.Commit has them; NoBrowser where
// there is nothing to look at the page in.
func Direct(ctx context.Context, c *candidate.Service, r DirectRequest, o candidate.BeginOptions) (Directed, error) {
	if r.RequestID == "" {
		r.RequestID = core.NewID("req")
	}
	s, err := c.BeginDirect(ctx, candidate.Direct{
		DocumentID: r.DocumentID, RevisionID: r.RevisionID, Notes: notesOf(r.Tasks), Actor: r.Actor, Key: r.RequestID,
	}, o)
	if err != nil {
		return Directed{}, err
	}
	defer s.Close()
	out, err := direct(ctx, s, r.Tasks)
	if err != nil {
		return refused(out, err)
	}
	return out, nil
}

func direct(ctx context.Context, s *candidate.Session, tasks []Task) (Directed, error) {
	p, err := planTasks(s.Base(), tasks)
	if err != nil {
		return Directed{}, err
	}
	out := Directed{Remarks: p.Remarks}
	staged, err := s.Stage(ctx, p.Edits)
	if err != nil {
		return out, err
	}
	out.Flags = staged.Flags
	said := make([]core.NoteOutcome, len(tasks))
	for i, why := range p.Remarks {
		said[i] = core.NoteOutcome{Order: i + 1, Reason: why}
	}
	out.Notes = s.Outcomes(said)
	look, err := s.Look(ctx)
	if err != nil {
		return out, err
	}
	out.Verification = &look.Verification
	res, err := s.Commit(ctx, candidate.CommitOptions{SHA: staged.SHA, Receipt: look.Receipt, Notes: said})
	if err != nil {
		return out, err
	}
	out.Result, out.Notes = &res, res.ChangeSet.Notes
	return out, nil
}

// refused says of each task that it was not done, and to a person what a model
// would be told to do next.
func refused(out Directed, err error) (Directed, error) {
	e := core.AsError(err)
	if e.Code == core.NewFault {
		e = e.WithHint("Mend first what would break. That something stands worse elsewhere on the page can be approved with --approve %s.", candidate.LayoutKind)
	}
	for i := range out.Notes {
		out.Notes[i].Outcome, out.Notes[i].Reason = "refused", e.Message
	}
	return out, e
}

// notesOf writes tasks down as the notes of a change.
func notesOf(tasks []Task) []core.SentNote {
	out := make([]core.SentNote, len(tasks))
	for i, t := range tasks {
		n := core.SentNote{Order: i + 1, Instruction: t.Say}
		for _, v := range t.Targets {
			n.Targets = append(n.Targets, core.SentTarget{Anchor: v.Anchor("", ""), Resolution: core.Exact})
		}
		out[i] = n
	}
	return out
}
