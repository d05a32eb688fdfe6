package candidate

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Live gives the live element of an element of the current bytes, in the view
// that Surface gives. It is never guessed: one that cannot be told for certain
// among what scripts made is refused with Changed.
func (s *Session) Live(ctx context.Context, id htmlsrc.ID) (contract.Pick, error) {
	const op = "candidate.Live"
	if _, err := s.Surface(ctx); err != nil {
		return contract.Pick{}, err
	}
	p, ok, err := s.view().locate(ctx, id, false)
	if err == nil && !ok {
		err = core.Errorf(core.Changed, "a script has moved or replaced the target on the live page").
			WithHint("nothing was done; look at the document or the viewport instead").In(op)
	}
	return p, err
}
