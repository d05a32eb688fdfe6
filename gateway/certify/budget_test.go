package certify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/router"
)

// TestReservationsAddUp: D-109. The nine cases reserve 42 calls for a good run
// and 63 at worst, below the 64th, which is never made.
func TestReservationsAddUp(t *testing.T) {
	want := Reservation{Baseline: core.CertCallsBaseline, Worst: core.CertCallsWorst, Stop: core.CertCallsStop}
	if got := Reserved(); got != want || got != (Reservation{42, 63, 64}) {
		t.Errorf("reserved %+v", got)
	}
	if n := len(edits) + len(refusals); n != 9 {
		t.Errorf("%d cases", n)
	}
	for _, e := range edits {
		least := len(e.order) + 1 // the finaliser
		if e.mode == router.ModeEnsemble {
			least += core.MaxProposers
		}
		if e.baseline < least || e.worst <= e.baseline {
			t.Errorf("%s reserves %d to %d calls and needs %d", e.name, e.baseline, e.worst, least)
		}
		if e.after == bakery || strings.Count(e.after, "\n") < 10 {
			t.Errorf("%s asks for no change", e.name)
		}
	}
}

// TestTheToolsOfTheRepairLoop: D-107, T-90. The order is fixed here, not read
// from the code that is certified.
func TestTheToolsOfTheRepairLoop(t *testing.T) {
	i := slices.IndexFunc(edits, func(e edit) bool { return e.name == "direct_source_fallback" })
	var got []string
	for _, alternatives := range edits[i].order {
		got = append(got, alternatives[0])
	}
	want := []string{
		"document_inspect", "document_read", "document_patch", "document_browser_inspect", "document_browser_screenshot",
		"document_patch", "document_browser_inspect", "document_finish",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if edits[i].baseline != len(want)+1 {
		t.Errorf("the loop and the finaliser are %d calls, the baseline is %d", len(want)+1, edits[i].baseline)
	}
}

func TestToolOrder(t *testing.T) {
	want := [][]string{{"a"}, {"b", "c"}, {"a"}}
	for answered, ok := range map[string]bool{"a b a": true, "a c a": true, "x a x c c a b": true, "a a b": false, "b a": false, "": false, "a b": false} {
		if got := inOrder(strings.Fields(answered), want); got != ok {
			t.Errorf("%q: %v", answered, got)
		}
	}
}

// TestCall64IsNeverMade: T-102, D-109. However many ask, at whatever moment and
// whatever is reserved, 63 calls go out and not one more.
func TestCall64IsNeverMade(t *testing.T) {
	var b budget
	answers := slices.Repeat([]script.Step{script.Say("x")}, 200)
	inner := script.New(answers...)
	m := b.wrap(inner)
	b.begin(1000)
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 100 {
		wg.Go(func() {
			if _, err := m.Complete(context.Background(), llm.Request{}, nil); err != nil {
				mu.Lock()
				defer mu.Unlock()
				refused++
				if core.CodeOf(err) != core.Budget {
					t.Errorf("refused with %v", err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(inner.Requests()); n != 63 || refused != 37 {
		t.Errorf("%d calls went out, %d were refused", n, refused)
	}
	if total, stopped := b.calls(); total != 63 || !stopped {
		t.Errorf("counted %d, stopped %v", total, stopped)
	}
	if _, within := b.close(); within {
		t.Error("the case is said to be within its reservation")
	}
	b.begin(10)
	if _, err := m.Complete(context.Background(), llm.Request{}, nil); core.CodeOf(err) != core.Budget {
		t.Errorf("the next case made a call: %v", err)
	}
}

// TestACaseKeepsToItsReservation, and what it did not use is not the next one's.
func TestACaseKeepsToItsReservation(t *testing.T) {
	var b budget
	take := func(n int) (out int) {
		for range n {
			if b.take() == nil {
				out++
			}
		}
		return out
	}
	if take(1) != 0 {
		t.Error("a call without a reservation")
	}
	b.begin(13)
	if take(9) != 9 {
		t.Error("fewer calls than reserved")
	}
	if n, within := b.close(); n != 9 || !within {
		t.Errorf("%d %v", n, within)
	}
	b.begin(11)
	if take(20) != 11 {
		t.Error("another case's calls were used")
	}
	if n, within := b.close(); n != 11 || within {
		t.Errorf("%d %v", n, within)
	}
	if total, stopped := b.calls(); total != 20 || stopped {
		t.Errorf("%d %v", total, stopped)
	}
}

// TestAFailedCallCounts: what a provider refuses was asked all the same.
func TestAFailedCallCounts(t *testing.T) {
	var b budget
	b.begin(2)
	m := b.wrap(script.New(script.Fail(errors.New("no"))))
	_, _ = m.Complete(context.Background(), llm.Request{}, nil)
	if n, _ := b.close(); n != 1 {
		t.Errorf("%d calls were counted", n)
	}
}

// TestWatch: what tells the loop from the finaliser and the proposers.
func TestWatch(t *testing.T) {
	var ten []llm.ToolDef
	for _, n := range slices.Backward(tenTools) {
		ten = append(ten, llm.ToolDef{Name: n})
	}
	ask := func(w *watch, role *[]asked, m llm.Model, tools []llm.ToolDef) {
		_, _ = watched{m, w, role}.Complete(t.Context(), llm.Request{Tools: tools}, nil)
	}
	say, call := script.Say("x"), script.Call("document_inspect", struct{}{})
	for name, c := range map[string]struct {
		requests       [][]llm.ToolDef
		last           script.Step
		ten, finaliser bool
	}{
		"as it should be":     {[][]llm.ToolDef{ten, ten, nil}, say, true, true},
		"no finaliser":        {[][]llm.ToolDef{ten, ten, ten}, say, true, false},
		"nine tools":          {[][]llm.ToolDef{ten, ten[1:], nil}, say, false, true},
		"an eleventh":         {[][]llm.ToolDef{append(slices.Clone(ten), llm.ToolDef{Name: "run_shell"}), nil}, say, false, true},
		"one twice":           {[][]llm.ToolDef{append(slices.Clone(ten[1:]), ten[1]), nil}, say, false, true},
		"the finaliser acts":  {[][]llm.ToolDef{ten, nil}, call, true, false},
		"the finaliser fails": {[][]llm.ToolDef{ten, nil}, script.Fail(errors.New("no")), true, false},
		"one request":         {[][]llm.ToolDef{nil}, say, false, false},
	} {
		var w watch
		for i, tools := range c.requests {
			step := call
			if i == len(c.requests)-1 {
				step = c.last
			}
			ask(&w, &w.worker, script.New(step), tools)
		}
		if a, b := w.loopTools(); a != c.ten || b != c.finaliser {
			t.Errorf("%s: ten %v, finaliser %v", name, a, b)
		}
	}
	for name, c := range map[string]struct {
		steps          []script.Step
		tools          []llm.ToolDef
		n              int
		full, toolless bool
	}{
		"all answered":  {[]script.Step{say, say}, nil, 2, true, true},
		"one was left":  {[]script.Step{say}, nil, 2, false, true},
		"one failed":    {[]script.Step{say, script.Fail(errors.New("no"))}, nil, 2, false, true},
		"one had tools": {[]script.Step{say, say}, ten[:1], 2, true, false},
		"one called":    {[]script.Step{say, call}, nil, 2, false, false},
		"one is silent": {[]script.Step{say, script.Say(" ")}, nil, 2, false, true},
		"nobody":        {nil, nil, 0, false, true},
	} {
		var w watch
		for _, s := range c.steps {
			ask(&w, &w.proposers, script.New(s), c.tools)
		}
		if a, b := w.advice(c.n); a != c.full || b != c.toolless {
			t.Errorf("%s: full %v, toolless %v", name, a, b)
		}
	}
}
