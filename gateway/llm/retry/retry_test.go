package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
)

// host fails with each error in turn, then answers. What it emits first is part
// of every failure.
type host struct {
	fails []error
	first []llm.Event
	calls int
}

func (h *host) Name() string { return "host" }
func (h *host) Vision() bool { return true }
func (h *host) Complete(_ context.Context, _ llm.Request, emit func(llm.Event)) (llm.Response, error) {
	h.calls++
	for _, e := range h.first {
		emit(e)
	}
	if h.calls <= len(h.fails) {
		return llm.Response{}, h.fails[h.calls-1]
	}
	emit(llm.Event{Begun: true})
	emit(llm.Event{TextDelta: "yes"})
	return llm.Response{Text: "yes"}, nil
}

func fault(code core.Code) *core.Error { return core.Errorf(code, "it went wrong") }

// waits records what would be slept.
func waits(into *[]time.Duration) Options {
	return Options{Jitter: func() float64 { return 0.5 }, Sleep: func(_ context.Context, d time.Duration) error {
		*into = append(*into, d)
		return nil
	}}
}

// TestTriesAgain: R-MODEL-1, AG-1. Which failures are tried again, how often, and
// that each is told.
func TestTriesAgain(t *testing.T) {
	busy, gone := fault(core.ModelBusy), fault(core.ModelUnreachable)
	begun := []llm.Event{{Begun: true}}
	text := []llm.Event{{TextDelta: "y"}}
	for name, c := range map[string]struct {
		fails []error
		first []llm.Event
		calls int
		code  core.Code
	}{
		"none":                {nil, nil, 1, ""},
		"busy once":           {[]error{busy}, nil, 2, ""},
		"unreachable twice":   {[]error{gone, busy}, nil, 3, ""},
		"busy all the time":   {[]error{busy, busy, busy, busy}, nil, 3, core.ModelBusy},
		"wrapped":             {[]error{errors.Join(errors.New("sdk"), busy)}, nil, 2, ""},
		"denied":              {[]error{fault(core.ModelDenied)}, nil, 1, core.ModelDenied},
		"refused":             {[]error{fault(core.ModelRefused)}, nil, 1, core.ModelRefused},
		"broken":              {[]error{fault(core.ModelBroken)}, nil, 1, core.ModelBroken},
		"timeout":             {[]error{fault(core.Timeout)}, nil, 1, core.Timeout},
		"cancelled":           {[]error{fault(core.Cancelled)}, nil, 1, core.Cancelled},
		"a foreign error":     {[]error{errors.New("x")}, nil, 1, core.Internal},
		"begun":               {[]error{gone}, begun, 1, core.ModelUnreachable},
		"begun, told by text": {[]error{busy}, text, 1, core.ModelBusy},
	} {
		var slept []time.Duration
		var told []llm.Retry
		h := &host{fails: c.fails, first: c.first}
		got, err := New(h, waits(&slept)).Complete(t.Context(), llm.Request{}, func(e llm.Event) {
			if e.Retry != nil {
				told = append(told, *e.Retry)
			}
		})
		if h.calls != c.calls || core.CodeOf(err) != c.code || (err == nil) != (got.Text == "yes") {
			t.Errorf("%s: %d calls, %v, %+v", name, h.calls, err, got)
		}
		if len(slept) != c.calls-1 || len(told) != len(slept) {
			t.Errorf("%s: slept %v, told %v", name, slept, told)
		}
		for i, r := range told {
			if want := (llm.Retry{Attempt: i + 1, Code: core.CodeOf(c.fails[i]), Wait: slept[i]}); r != want {
				t.Errorf("%s: told %+v, want %+v", name, r, want)
			}
		}
	}
}

// TestWaits: how long, by itself and where the provider names a wait.
func TestWaits(t *testing.T) {
	asked := func(v any) error { return fault(core.ModelBusy).With("retryAfterMs", v) }
	for name, c := range map[string]struct {
		err   error
		tries int
		want  []time.Duration
	}{
		"doubled":           {fault(core.ModelBusy), 7, []time.Duration{375 * time.Millisecond, 750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second, 6 * time.Second, 6 * time.Second}},
		"asked":             {asked(int64(7000)), 2, []time.Duration{7250 * time.Millisecond}},
		"asked for none":    {asked(int64(0)), 2, []time.Duration{250 * time.Millisecond}},
		"asked, as int":     {asked(1000), 2, []time.Duration{1250 * time.Millisecond}},
		"asked, as float":   {asked(1000.0), 2, []time.Duration{1250 * time.Millisecond}},
		"the longest":       {asked(int64(30_000)), 2, []time.Duration{30*time.Second + 250*time.Millisecond}},
		"too long":          {asked(int64(30_001)), 2, nil},
		"far too long":      {asked(int64(1 << 62)), 2, nil},
		"not a number":      {asked("soon"), 2, []time.Duration{375 * time.Millisecond}},
		"a negative number": {asked(int64(-5)), 2, []time.Duration{375 * time.Millisecond}},
	} {
		var slept []time.Duration
		o := waits(&slept)
		o.Attempts = c.tries
		h := &host{}
		for range c.tries {
			h.fails = append(h.fails, c.err)
		}
		if _, err := New(h, o).Complete(t.Context(), llm.Request{}, nil); core.CodeOf(err) != core.ModelBusy {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, slept); d != "" {
			t.Errorf("%s: waits (-want +got):\n%s", name, d)
		}
	}
}

// TestTheClock: by the real clock, in a bubble. A wait that does not fit into
// what is left of the time is not begun, and a cancelled one ends at once.
func TestTheClock(t *testing.T) {
	busy := fault(core.ModelBusy)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := &host{fails: []error{busy, busy}}
		if _, err := New(h, Options{}).Complete(t.Context(), llm.Request{}, nil); err != nil || h.calls != 3 {
			t.Errorf("%d calls, %v", h.calls, err)
		}
		if took := time.Since(start); took < 750*time.Millisecond || took > 1500*time.Millisecond {
			t.Errorf("two waits took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		h := &host{fails: []error{fault(core.ModelBusy).With("retryAfterMs", int64(6000))}}
		_, err := New(h, Options{}).Complete(ctx, llm.Request{}, nil)
		if core.CodeOf(err) != core.ModelBusy || time.Since(start) != 0 || h.calls != 1 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := &host{fails: []error{fault(core.ModelBusy).With("retryAfterMs", int64(20_000))}}
		start := time.Now()
		_, err := New(h, Options{}).Complete(ctx, llm.Request{}, func(e llm.Event) {
			if e.Retry != nil {
				time.AfterFunc(time.Second, cancel)
			}
		})
		if core.CodeOf(err) != core.Cancelled || time.Since(start) != time.Second || h.calls != 1 {
			t.Errorf("%v after %v, %d calls", err, time.Since(start), h.calls)
		}
	})
}

// TestStoppedMeanwhile: after the caller's end nothing is tried again, and a wait
// cut short by the deadline is a time-out.
func TestStoppedMeanwhile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := &host{fails: []error{fault(core.ModelUnreachable)}}
	if _, err := New(h, Options{}).Complete(ctx, llm.Request{}, nil); h.calls != 1 || core.CodeOf(err) != core.ModelUnreachable {
		t.Errorf("%d calls, %v", h.calls, err)
	}
	h = &host{fails: []error{fault(core.ModelBusy)}}
	o := Options{Sleep: func(context.Context, time.Duration) error { return context.DeadlineExceeded }}
	if _, err := New(h, o).Complete(t.Context(), llm.Request{}, nil); core.CodeOf(err) != core.Timeout || !errors.Is(err, h.fails[0]) {
		t.Errorf("%v", err)
	}
}

// TestPassesThrough: what is not about trying again is the model's own.
func TestPassesThrough(t *testing.T) {
	s := script.New(script.Say("hello"))
	s.Sees = true
	m := New(s, Options{})
	if m.Name() != "script" || !m.Vision() {
		t.Error("name or vision changed")
	}
	req := llm.Request{System: "s", MaxTokens: 3}
	if got, err := m.Complete(t.Context(), req, nil); err != nil || got.Text != "hello" {
		t.Errorf("%v, %v", got, err)
	}
	if d := cmp.Diff([]llm.Request{req}, s.Requests()); d != "" {
		t.Errorf("the request changed:\n%s", d)
	}
}
