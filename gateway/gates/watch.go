package gates

import (
	"context"
	"time"
)

// Watch tells what each feature is, and then of each that changes, until ctx is
// done. It looks every so often; whoever must not miss a moment asks Check. tell
// is called from this goroutine.
func (g *Gates) Watch(ctx context.Context, every time.Duration, tell func(State)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := map[string]State{}
	for {
		if states, err := g.States(ctx); err == nil { // where it cannot be found out, it is tried again
			for _, s := range states {
				key := string(s.Feature)
				if was, known := last[key]; !known || was.On != s.On || was.By != s.By {
					tell(s)
				}
				last[key] = s
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
