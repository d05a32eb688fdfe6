// Package retry asks a model again when a call failed before its first token
// and the failure may pass: the host could not be reached, or it was busy.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// How long to wait between two tries.
const (
	firstWait = 500 * time.Millisecond // doubled after each try
	doublings = 4                      // at most
	// askedWait is the longest wait that is granted to a provider which names
	// one. A longer one ends the call: a person should hear of it instead.
	askedWait = 30 * time.Second
)

// Options says how often and how to wait. The zero value is what a program wants.
type Options struct {
	Attempts int                                              // tries in all; 0 for core.MaxModelAttempts
	Sleep    func(ctx context.Context, d time.Duration) error // nil waits by the clock
	Jitter   func() float64                                   // in [0,1); nil is random
}

type model struct {
	llm.Model
	o Options
}

// New wraps a model whose Complete makes one physical call.
func New(m llm.Model, o Options) llm.Model {
	if o.Attempts <= 0 {
		o.Attempts = core.MaxModelAttempts
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	return &model{m, o}
}

// Complete makes calls until one answers, one fails for good or has begun, or
// the tries are used up. It emits an Event with Retry before each wait.
func (m *model) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	begun := false
	watch := func(e llm.Event) {
		begun = begun || e.Begun || e.TextDelta != ""
		if emit != nil {
			emit(e)
		}
	}
	for attempt := 1; ; attempt++ {
		resp, err := m.Model.Complete(ctx, req, watch)
		if err == nil || begun || attempt >= m.o.Attempts || ctx.Err() != nil {
			return resp, err
		}
		wait, again := m.wait(err, attempt)
		if !again || !fits(ctx, wait) {
			return resp, err
		}
		watch(llm.Event{Retry: &llm.Retry{Attempt: attempt, Code: core.CodeOf(err), Wait: wait}})
		if slept := m.o.Sleep(ctx, wait); slept != nil {
			return llm.Response{}, interrupted(slept, err)
		}
	}
}

// wait tells whether an error may pass, and how long to wait for that.
func (m *model) wait(err error, attempt int) (time.Duration, bool) {
	var e *core.Error
	if !errors.As(err, &e) || (e.Code != core.ModelUnreachable && e.Code != core.ModelBusy) {
		return 0, false
	}
	wait := firstWait << min(attempt-1, doublings)
	wait = wait/2 + time.Duration(m.o.Jitter()*float64(wait/2))
	asked, named := askedFor(e)
	if asked > askedWait {
		return 0, false
	}
	if named {
		// Never earlier than asked; the jitter keeps several callers apart.
		wait = asked + time.Duration(m.o.Jitter()*float64(firstWait))
	}
	return wait, true
}

// askedFor reads the wait a provider named.
func askedFor(e *core.Error) (time.Duration, bool) {
	var ms float64
	switch v := e.Detail["retryAfterMs"].(type) {
	case int:
		ms = float64(v)
	case int64:
		ms = float64(v)
	case float64:
		ms = v
	default:
		return 0, false
	}
	if !(ms >= 0) {
		return 0, false
	}
	return time.Duration(min(ms, float64(time.Hour.Milliseconds()))) * time.Millisecond, true
}

// fits tells whether anything of ctx's time is left behind the wait.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, bounded := ctx.Deadline()
	return !bounded || time.Until(deadline) > wait
}

// interrupted is the error of a wait that was cut short. The failure that was
// waited for stays the cause.
func interrupted(slept, failed error) error {
	if errors.Is(slept, context.DeadlineExceeded) {
		return core.Wrap(core.Timeout, failed, "the time was up while the model's host was given time to recover")
	}
	return core.Wrap(core.Cancelled, failed, "the turn was stopped while the model's host was given time to recover")
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
