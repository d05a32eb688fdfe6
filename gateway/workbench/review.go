package workbench

import (
	"context"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/candidate"
	"proofmark/gateway/core"
)

const (
	// reviewPatience is how long a proposal waits for a person's decision. After
	// that it is dropped, as one that was rejected.
	reviewPatience = core.DiffReviewTimeout
	// readingLasts is how long one sign that somebody is reading holds the clock.
	readingLasts = 10 * time.Second
)

// waiting is a proposal that waits for a person's decision, which is about it and
// no later one.
type waiting struct {
	proposal candidate.Proposal
	sha      string    // of what the page would be
	decision chan bool // holds the decision, once there is one
	until    time.Time // when it is dropped
	held     time.Time // until then somebody is reading, and until has moved for it
}

// review holds the commit until a person has decided, nobody has for
// reviewPatience, or the turn ends.
func (r *Running) review(ctx context.Context, p candidate.Proposal) bool {
	w := &waiting{proposal: p, sha: core.SHA256Hex(p.After), decision: make(chan bool, 1), until: time.Now().Add(reviewPatience)}
	r.mu.Lock()
	r.waiting = w
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.waiting = nil
		r.mu.Unlock()
	}()
	clock := time.NewTimer(reviewPatience)
	defer clock.Stop()
	for {
		select {
		case yes := <-w.decision:
			return yes
		case <-ctx.Done():
			return false
		case <-clock.C:
		}
		left, over := r.expire(w)
		if over {
			return false
		}
		clock.Reset(left)
	}
}

// expire drops a proposal whose time is over; else it tells how much is left. One
// that was decided on meanwhile is not dropped.
func (r *Running) expire(w *waiting) (left time.Duration, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting != w { // the decision is there
		return readingLasts, false
	}
	if left = time.Until(w.until); left > 0 {
		return left, false
	}
	r.waiting, r.expired = nil, true
	return 0, true
}

// looked keeps the pictures of a look for whoever watches the turn.
func (r *Running) looked(l candidate.Look) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = &[2]contract.Shot{l.Before, l.After}
}

// Seen gives the pictures of the turn's last look, before and after, while it
// runs; nil where there are none.
func (r *Running) Seen() *[2]contract.Shot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// Proposal gives what waits for a person's decision and when it is dropped; nil
// where nothing waits.
func (r *Running) Proposal() (*candidate.Proposal, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		return nil, time.Time{}
	}
	return &r.waiting.proposal, r.waiting.until
}

// Expired tells that nobody decided on the turn's proposal in time.
func (r *Running) Expired() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.expired
}

// Reading says that a person is reading the proposal: its time stands still for
// readingLasts. It gives when the proposal is dropped now. Refusals: TurnEnded,
// StaleReceipt, as Decide.
func (r *Running) Reading(sha string) (until time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.awaits(sha); err != nil {
		return until, err
	}
	w, now := r.waiting, time.Now()
	to := now.Add(readingLasts)
	from := now
	if w.held.After(now) {
		from = w.held
	}
	w.until, w.held = w.until.Add(to.Sub(from)), to
	return w.until, nil
}

// Decide commits the proposal that waits, or drops it. sha is the SHA-256 of
// the bytes the person saw, so that nobody decides on what they did not see.
// Refusals: TurnEnded where nothing waits any more, StaleReceipt.
func (r *Running) Decide(sha string, commit bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.awaits(sha); err != nil {
		return err
	}
	r.waiting.decision <- commit
	r.waiting = nil // the decision is made
	return nil
}

// awaits refuses what is not about the proposal that waits. mu is held.
func (r *Running) awaits(sha string) error {
	if r.waiting == nil {
		return core.Errorf(core.TurnEnded, "nothing of this turn waits for a decision")
	}
	if r.waiting.sha != sha {
		return core.Errorf(core.StaleReceipt, "another proposal waits for a decision than the one that was shown").WithHint("Look at it again.")
	}
	return nil
}
