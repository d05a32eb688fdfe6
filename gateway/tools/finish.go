package tools

import (
	"context"

	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

// finishResult is document_finish's answer.
type finishResult struct {
	OK         bool   `json:"ok"`
	Status     string `json:"status"` // applied, discarded
	Generation int64  `json:"version,omitempty"`
	Next       string `json:"next"`
	status
	Correctable bool `json:"correctable"`
}

// finish ends the turn. A refused commit does not: the model may repair.
func (s *Set) finish(ctx context.Context, a finishArgs) (Result, error) {
	if a.Action == Discard {
		return s.finishDiscard(ctx, a)
	}
	if !s.draft.Staged() {
		return Result{}, core.Errorf(core.Unbound, "nothing is staged, so there is nothing to commit").
			WithHint("stage a change first; if nothing has to change, finish with action discard or just answer")
	}
	if a.Receipt == "" || a.SHA == "" {
		return Result{}, core.Errorf(core.StaleReceipt, "a commit needs the receipt and the candidateSha of a look at the draft").
			WithHint("look at the draft with document_browser_inspect and finish with what it gives")
	}
	var notes []core.NoteOutcome
	if s.cfg.Outcomes != nil {
		notes = s.cfg.Outcomes()
	}
	pub, err := s.draft.Publish(ctx, candidate.CommitOptions{SHA: a.SHA, Receipt: a.Receipt, Summary: a.Summary, Notes: notes})
	if err != nil {
		return Result{}, err
	}
	return s.over(Finish{Action: Commit, Published: &pub, Summary: a.Summary}, finishResult{
		OK: true, Status: "applied", Generation: pub.Generation, Next: "the page is changed; tell the person what was done",
		status: status{State: state{Draft: "published", SHA: pub.SHA}},
	}), nil
}

func (s *Set) finishDiscard(ctx context.Context, a finishArgs) (Result, error) {
	if err := s.draft.Discard(ctx); err != nil {
		return Result{}, err
	}
	return s.over(Finish{Action: Discard, Summary: a.Summary}, finishResult{
		OK: true, Status: "discarded", Next: "the page is as it was; tell the person why",
		status: status{State: state{Draft: "dropped", SHA: s.draft.SHA()}},
	}), nil
}

// over closes the set: nothing can be called any more, and the turn's grants
// are gone.
func (s *Set) over(f Finish, r finishResult) Result {
	s.ended = core.Errorf(core.TurnEnded, "this turn is finished").WithHint("answer the person; there is nothing more to call")
	s.Close()
	res := good(r)
	res.Finished = &f
	return res
}
