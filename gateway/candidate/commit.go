package candidate

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/store"
)

// commitTimeout bounds a commit that has begun; it goes on when the turn is
// cancelled meanwhile, so that its outcome is known.
const commitTimeout = 30 * time.Second

// CommitOptions name what is to be committed.
type CommitOptions struct {
	SHA     string // of the draft
	Receipt string // of the newest Look at it
	Summary string // what the model says it did
	// Notes may give a reason for each note's outcome; what was applied is
	// counted from the edits, whatever stands here.
	Notes    []core.NoteOutcome
	Approved []string // kinds of policy flags, beside BeginOptions.Approved
}

// Commit publishes the draft as one revision and one change set. It refuses
// with StaleReceipt where the receipt is not the newest for exactly these
// bytes, NewFault where the look saw something break, NeedsApproval where the
// draft adds something nobody approved, Denied where the review said no, and
// HeadMoved or StaleSource where the document moved; the head is then as it
// was. A session commits at most once.
func (s *Session) Commit(ctx context.Context, o CommitOptions) (document.Result, error) {
	if s.over {
		return document.Result{}, turnEnded("candidate.Commit")
	}
	res, err := s.commit(ctx, o)
	s.commitErr = err
	if err != nil {
		return document.Result{}, err
	}
	s.result, s.over = &res, true
	return res, nil
}

func (s *Session) commit(ctx context.Context, o CommitOptions) (document.Result, error) {
	if err := s.mayCommit(o); err != nil {
		return document.Result{}, err
	}
	if s.opt.Review != nil && !s.opt.Review(ctx, s.proposal(o.Summary)) {
		return document.Result{}, core.Errorf(core.Denied, "the change was looked at and not wanted; nothing was changed").In("candidate.Commit")
	}
	if err := ctx.Err(); err != nil {
		return document.Result{}, core.Wrap(core.Cancelled, err, "the turn was stopped before the change was committed").In("candidate.Commit")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	lease, err := s.svc.Documents.Lease(ctx, s.doc.ID)
	if err != nil {
		return document.Result{}, err
	}
	defer func() { _ = s.svc.Documents.Release(ctx, lease) }()
	q := s.request(lease, o.Notes)
	if s.direct == nil {
		q.Also = func(tx *store.Tx, _ document.Result) error { return s.settle(tx) }
	}
	return s.svc.Documents.Commit(ctx, q)
}

// settle ends the turn as applied in the commit's own transaction. A turn that
// is not running any more, because another process found it abandoned, thereby
// undoes the commit.
func (s *Session) settle(tx *store.Tx) error {
	if err := tx.SetTurnState(s.turn.ID, core.TurnRunning, core.TurnApplied); err != nil {
		return err
	}
	return tx.DeleteCandidate(s.turn.ID)
}

// mayCommit checks draft, receipt, faults and approval.
func (s *Session) mayCommit(o CommitOptions) error {
	switch {
	case s.draft == nil:
		return core.Errorf(core.Unbound, "nothing is staged, so there is nothing to commit").
			WithHint("Stage a change first, or finish with discard.").In("candidate.Commit")
	case o.SHA != s.draft.sha:
		return staleReceipt("the SHA-256 is not that of the staged draft")
	case s.receipt == nil:
		return staleReceipt("this draft has not been looked at since it was staged")
	case s.receipt.sha != s.draft.sha || !equal(s.receipt.token, o.Receipt):
		return staleReceipt("the receipt is not the newest one for this draft")
	}
	if err := s.mayBreak(o.Approved); err != nil {
		return err
	}
	if open := s.unapproved(o.Approved); len(open) > 0 && !(s.opt.Review != nil && s.opt.ReviewApproves) {
		kinds := make([]string, 0, len(open))
		for _, f := range open {
			if !slices.Contains(kinds, f.Kind) {
				kinds = append(kinds, f.Kind)
			}
		}
		return core.Errorf(core.NeedsApproval, "the change adds what a person has to approve: %s", strings.Join(kinds, ", ")).
			WithHint("Approve it with --approve %s, or ask for a change without it.", strings.Join(kinds, ",")).
			With("flags", open).In("candidate.Commit")
	}
	return nil
}

// mayBreak refuses a draft that stands worse than its base, but for what a
// person approved.
func (s *Session) mayBreak(more []string) error {
	v := s.receipt.look.Verification
	f := reasons(v, slices.Concat(s.opt.Approved, more))
	if len(f) == 0 {
		return nil
	}
	hint := "Repair the draft so that it does not, or finish with discard."
	if len(reasons(v, []string{LayoutKind})) == 0 {
		hint += " A person who wants it so can approve it with --approve " + LayoutKind + "."
	}
	return core.Errorf(core.NewFault, "the draft breaks something the page did not have broken: %s", strings.Join(f, "; ")).
		WithHint("%s", hint).With("faults", f).In("candidate.Commit")
}

func (s *Session) unapproved(more []string) []core.PolicyFlag {
	var out []core.PolicyFlag
	for _, f := range s.draft.flags {
		if !slices.Contains(s.opt.Approved, f.Kind) && !slices.Contains(more, f.Kind) {
			out = append(out, f)
		}
	}
	return out
}

func (s *Session) proposal(summary string) Proposal {
	l := s.receipt.look
	return Proposal{
		Before: s.base.Source(), After: s.draft.tree.Source(), Edits: s.Edits(), Flags: s.Flags(),
		Verification: l.Verification, Summary: summary, Pictures: [2]contract.Shot{l.Before, l.After},
	}
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func staleReceipt(why string) *core.Error {
	return core.Errorf(core.StaleReceipt, "%s", why).
		WithHint("Look at the draft with document_browser_inspect and finish with the SHA-256 and the receipt it gives.").In("candidate.Commit")
}

// Outcomes says what the draft does for each note, in order: applied where it
// has an edit of the note, else unchanged. A given outcome adds its reason.
func (s *Session) Outcomes(given []core.NoteOutcome) []core.NoteOutcome {
	out := make([]core.NoteOutcome, 0, len(s.turn.Notes))
	for _, n := range s.turn.Notes {
		o := core.NoteOutcome{Order: n.Order, Instruction: n.Instruction, Outcome: "unchanged", Targets: Targets(n)}
		if s.draft != nil && slices.ContainsFunc(s.draft.edits, func(e core.Edit) bool {
			return e.For(n.Order) || e.Note == 0 && len(s.turn.Notes) == 1
		}) {
			o.Outcome = "applied"
		}
		for _, g := range given {
			if g.Order == n.Order {
				o.Reason = g.Reason
			}
		}
		out = append(out, o)
	}
	return out
}

// Targets says how a note's targets were resolved.
func Targets(n core.SentNote) []core.TargetOutcome {
	out := make([]core.TargetOutcome, 0, len(n.Targets))
	for _, t := range n.Targets {
		o := core.TargetOutcome{Resolution: t.Resolution, Reason: t.Reason, Name: t.Anchor.Name, SharedBy: t.Anchor.SharedBy}
		if t.Resolution == core.Exact {
			tag := t.Anchor.StartTag
			o.Start = &tag
		}
		out = append(out, o)
	}
	return out
}

// Discard drops the draft and ends the session; the head is as it was. It may
// be called again, and after Commit it does nothing.
func (s *Session) Discard(ctx context.Context) error {
	if s.over {
		return nil
	}
	s.over = true
	s.draft, s.receipt = nil, nil
	if s.direct != nil {
		return nil
	}
	return s.svc.dropDraft(context.WithoutCancel(ctx), s.turn.ID)
}

// Close closes the session's views, and drops a draft that was not committed.
// It may be called again.
func (s *Session) Close() {
	if s.closed {
		return
	}
	s.closed = true
	_ = s.Discard(context.Background())
	s.cancel()
	s.after.close()
	s.before.close()
}
