package turn

import (
	"context"
	"slices"
	"strings"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// outcome says what became of the turn. Only a published result makes it
// applied; err is why the loop ended, nil where the model finished or answered.
func (r *run) outcome(err error) Outcome {
	out := Outcome{Text: r.text}
	s := r.session
	if s != nil {
		if p := s.Result(); p != nil {
			out.Status, out.Result = Applied, p
			out.Notes, out.Edits, out.Flags = p.ChangeSet.Notes, p.ChangeSet.Edits, p.ChangeSet.Flags
			out.Verification = p.ChangeSet.Evidence
			return out
		}
	}
	if err == nil && len(r.faults) > 0 {
		err = core.Errorf(core.NewFault, "the change would break the page, so it was dropped: %s", r.faults[0]).
			WithHint("%s", faultHint(r.faults)).With("faults", r.faults).In("turn.Run")
	}
	out.Err = core.AsError(err)
	out.Status = r.status(out.Err)
	if s != nil && out.Status == NeedsApproval {
		out.Edits, out.Flags, out.Verification = s.Edits(), s.Flags(), s.Verification()
	}
	out.Notes = untouched(r.turn, out)
	r.tellDiscarded(out)
	return out
}

// faultHint says what a person can do about what a draft would break.
func faultHint(faults []string) string {
	for _, f := range faults {
		if !strings.Contains(f, "layout: ") {
			return "ask for a smaller change, or mend the page's script first"
		}
	}
	return "ask for a smaller change, or approve it with --approve " + candidate.LayoutKind
}

// tellDiscarded reports that nothing comes of the turn, unless document_finish
// already did, or there was nothing but an answer.
func (r *run) tellDiscarded(out Outcome) {
	switch {
	case r.session == nil || out.Status == Answered:
	case out.Err != nil:
		r.feed.emit(Event{Kind: Discarded, Code: out.Err.Code})
	case r.session.Open():
		r.feed.emit(Event{Kind: Discarded})
	}
}

// status maps why the loop ended to what is reported.
func (r *run) status(err *core.Error) Status {
	if err == nil {
		if r.session != nil && !r.session.Open() || r.session != nil && r.session.Staged() {
			return Dropped
		}
		return Answered
	}
	switch err.Code {
	case core.HeadMoved, core.StaleSource, core.OutsideChange, core.LeaseHeld, core.LeaseLost, core.AmbiguousOutcome, core.StorageBusy:
		return Conflict
	case core.NeedsApproval:
		return NeedsApproval
	case core.Cancelled, core.Timeout, core.Denied:
		return Dropped
	}
	return Refused
}

// untouched says of each note of a turn that nothing was changed for it, and why.
func untouched(t core.Turn, out Outcome) []core.NoteOutcome {
	what, why := "unchanged", ""
	switch {
	case out.Status == Answered:
		what = "answered"
	case out.Err != nil:
		what, why = "refused", out.Err.Message
	}
	notes := make([]core.NoteOutcome, 0, len(t.Notes))
	for _, n := range t.Notes {
		notes = append(notes, core.NoteOutcome{
			Order: n.Order, Instruction: n.Instruction, Outcome: what, Reason: why, Targets: candidate.Targets(n),
		})
	}
	return notes
}

// endState gives the state a turn ends in.
func endState(s Status) core.TurnState {
	switch s {
	case Applied:
		return core.TurnApplied
	case Answered:
		return core.TurnAnswered
	case Dropped:
		return core.TurnDiscarded
	}
	return core.TurnFailed
}

// past gives the session's earlier turns among a document's, oldest first.
func past(all []core.Turn, t core.Turn, limit int) []core.Turn {
	var out []core.Turn
	for _, o := range all { // newest first
		if o.SessionID == t.SessionID && o.ID != t.ID && !o.At.After(t.At) && len(out) < limit {
			out = append(out, o)
		}
	}
	slices.Reverse(out)
	return out
}

// Markers gives the inert lines that stand for the earlier turns of a turn's
// session and document, oldest first, at most limit.
func (e *Engine) Markers(ctx context.Context, t core.Turn, limit int) ([]string, error) {
	all, err := e.turns(ctx, t.DocumentID)
	if err != nil {
		return nil, err
	}
	return Markers(past(all, t, limit)), nil
}
