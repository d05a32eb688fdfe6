package turn

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// switchPoll is how often a running turn looks whether an operator has switched
// its feature off, or another process has ended it. The commit looks again, in
// its own transaction; this only ends sooner what can publish nothing any more.
const switchPoll = 250 * time.Millisecond

// Fence ends, in the transaction of whoever switches annotations off, every
// turn with notes that has not ended, and gives them. None of them can publish
// anything any more, whatever becomes of the switch later: a commit moves its
// turn from running to applied, and they are not running.
func Fence(tx *store.Tx) ([]core.Turn, error) {
	unfinished, err := tx.UnfinishedTurns()
	if err != nil {
		return nil, err
	}
	var ended []core.Turn
	for _, t := range unfinished {
		if len(t.Notes) == 0 { // it changes nothing
			continue
		}
		if err := abandon(tx, t, core.FeatureOff); err != nil {
			return nil, err
		}
		ended = append(ended, t)
	}
	return ended, nil
}

// untilFenced gives a context that ends when an operator switches annotations
// off, with FeatureOff as its cause, or another process ends the turn, with
// TurnEnded. stop ends the looking and waits for it.
func (e *Engine) untilFenced(ctx context.Context, turnID string) (watched context.Context, stop func()) {
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
			if err := e.checkFence(watched, turnID); fenced(err) {
				cancel(err)
				return
			}
		}
	}()
	return watched, func() { cancel(nil); <-done }
}

func fenced(err error) bool {
	code := core.CodeOf(err)
	return code == core.FeatureOff || code == core.TurnEnded
}

func (e *Engine) checkFence(ctx context.Context, turnID string) error {
	return e.Store.Read(ctx, func(tx *store.Tx) error {
		if err := tx.CheckFeature(core.FeatureAnnotations); err != nil {
			return err
		}
		t, err := tx.Turn(turnID)
		if err == nil && t.State == core.TurnFailed {
			return core.Errorf(core.TurnEnded, "the turn was ended from outside; nothing was changed").In("turn.Run")
		}
		return err
	})
}
