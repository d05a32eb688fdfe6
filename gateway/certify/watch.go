package certify

import (
	"context"
	"slices"
	"strings"
	"sync"

	"proofmark/gateway/llm"
	"proofmark/gateway/router"
)

// watch keeps what was asked of the models of one case: names and counts only.
type watch struct {
	mu        sync.Mutex
	worker    []asked // guarded by mu
	proposers []asked // guarded by mu
}

// asked is one request and what came back.
type asked struct {
	tools  []string // sorted
	calls  int      // tools the answer called
	said   bool
	failed bool
}

// over gives the choice with every model watched.
func (w *watch) over(c router.Choice) router.Choice {
	c.Model = watched{c.Model, w, &w.worker}
	c.Proposers = slices.Clone(c.Proposers)
	for i, p := range c.Proposers {
		c.Proposers[i] = watched{p, w, &w.proposers}
	}
	return c
}

type watched struct {
	llm.Model
	watch *watch
	to    *[]asked
}

func (m watched) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	got, err := m.Model.Complete(ctx, req, emit)
	a := asked{calls: len(got.ToolCalls), said: strings.TrimSpace(got.Text) != "", failed: err != nil}
	for _, t := range req.Tools {
		a.tools = append(a.tools, t.Name)
	}
	slices.Sort(a.tools)
	m.watch.mu.Lock()
	defer m.watch.mu.Unlock()
	*m.to = append(*m.to, a)
	return got, err
}

// loopTools tells whether every request of the loop had exactly the ten tools,
// and whether the one behind it, the finaliser's, is there and had none.
func (w *watch) loopTools() (ten, finaliser bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.worker) < 2 {
		return false, false
	}
	loop, last := w.worker[:len(w.worker)-1], w.worker[len(w.worker)-1]
	want := slices.Sorted(slices.Values(tenTools))
	ten = !slices.ContainsFunc(loop, func(a asked) bool { return !slices.Equal(a.tools, want) })
	return ten, len(last.tools) == 0 && last.calls == 0 && !last.failed
}

// calls counts the tools the worker called.
func (w *watch) calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, a := range w.worker {
		n += a.calls
	}
	return n
}

// advice tells whether each of n proposers was asked and answered, and whether
// none of them had a tool.
func (w *watch) advice(n int) (full, toolless bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	full, toolless = n > 0 && len(w.proposers) == n, true
	for _, a := range w.proposers {
		full = full && a.said && !a.failed
		toolless = toolless && len(a.tools) == 0 && a.calls == 0
	}
	return full, toolless
}
