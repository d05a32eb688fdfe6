package certify

import (
	"context"
	"sync"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// budget meters the physical calls of all models. It stands below whatever
// tries a call again, so that each try counts. It is safe for concurrent use:
// proposers work at the same time.
type budget struct {
	mu      sync.Mutex
	total   int // calls let out
	spent   int // of the case that runs
	most    int // of the case that runs; 0 where none may be made
	refused int // calls not let out in the case that runs
	stopped bool
}

// begin opens a case's reservation; it takes the place of the one before.
func (b *budget) begin(most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent, b.refused, b.most = 0, 0, most
}

// close ends a case's reservation and says what became of it.
func (b *budget) close() (spent int, within bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	spent, within = b.spent, b.refused == 0
	b.most = 0
	return spent, within
}

// calls gives how many calls were let out, and whether the matrix was stopped.
func (b *budget) calls() (total int, stopped bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total, b.stopped
}

// take lets one call out, or refuses it with Budget.
func (b *budget) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.spent >= b.most:
		b.refused++
		return core.Errorf(core.Budget, "the case has made the %d model calls it reserved", b.most).In("certify.Run")
	case b.total+1 >= core.CertCallsStop: // whatever the reservations say
		b.stopped = true
		b.refused++
		return core.Errorf(core.Budget, "the certification has made %d model calls and makes no more", b.total).In("certify.Run")
	}
	b.total++
	b.spent++
	return nil
}

// wrap puts the meter around one provider.
func (b *budget) wrap(m llm.Model) llm.Model { return metered{m, b} }

type metered struct {
	llm.Model
	budget *budget
}

func (m metered) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	if err := m.budget.take(); err != nil {
		return llm.Response{}, err
	}
	return m.Model.Complete(ctx, req, emit)
}
