package turn

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// switchPoll is how often a running turn looks whether an operator has switched
// its feature off. The commit looks again, in its own transaction; this only ends
// sooner what can publish nothing any more.
const switchPoll = 250 * time.Millisecond

// untilSwitchedOff gives a context that ends, with FeatureOff as its cause, when
// an operator switches annotations off. stop ends the looking and waits for it.
func (e *Engine) untilSwitchedOff(ctx context.Context) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(switchPoll)
		defer tick.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-tick.C:
			}
			// A store that cannot be read ends nothing: the commit will find out.
			if err := e.checkSwitch(watched); core.CodeOf(err) == core.FeatureOff {
				cancel(err)
				return
			}
		}
	}()
	return watched, func() { cancel(nil); <-done }
}

func (e *Engine) checkSwitch(ctx context.Context) error {
	return e.Store.Read(ctx, func(tx *store.Tx) error { return tx.CheckFeature(core.FeatureAnnotations) })
}
