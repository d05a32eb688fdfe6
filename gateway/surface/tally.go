package surface

import (
	"maps"
	"slices"
	"sync"
)

// tally counts keys, at most limit different ones; what comes after that is
// counted together.
type tally struct {
	limit int

	mu     sync.Mutex
	counts map[string]int // guarded by mu
	beyond int            // guarded by mu
}

func newTally(limit int) *tally { return &tally{limit: limit, counts: map[string]int{}} }

func (t *tally) add(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.counts[key]; !known && len(t.counts) >= t.limit {
		t.beyond++
		return
	}
	t.counts[key]++
}

// keys gives what was counted, sorted.
func (t *tally) keys() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.counts))
}

// snapshot gives the counts and how many calls did not fit.
func (t *tally) snapshot() (map[string]int, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts), t.beyond
}

func (t *tally) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.counts)
	t.beyond = 0
}
