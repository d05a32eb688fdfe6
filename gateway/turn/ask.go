package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/tools"
)

const (
	// maxReplyBytes bounds what is kept of one response's text.
	maxReplyBytes = 64 << 10
	// maxReplyCalls bounds the tool calls of one response that are answered.
	maxReplyCalls = 4 * core.MaxToolCallsPerTurn
)

// ask calls the model once and keeps what it answered. A turn without notes has
// no tools: its model can only answer.
func (r *run) ask(ctx context.Context) (llm.Response, error) {
	req := llm.Request{System: answerPrompt, Messages: r.messages}
	if r.session != nil {
		req.System, req.Tools = systemPrompt, tools.Defs()
	}
	resp, err := r.complete(ctx, req)
	if err != nil {
		return resp, err
	}
	if r.session == nil {
		resp.ToolCalls = nil
	}
	if resp.Text != "" {
		r.text = resp.Text
	}
	if resp.Text != "" || len(resp.ToolCalls) > 0 { // providers refuse a message with nothing in it
		r.messages = append(r.messages, llm.Message{Role: llm.Assistant, Text: resp.Text, ToolCalls: resp.ToolCalls})
	}
	return resp, nil
}

// complete makes one call within the turn's budgets and tells what comes of it.
func (r *run) complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	left := r.meter.left()
	if left == 0 {
		return llm.Response{}, core.Errorf(core.Budget, "the %d tokens of this turn are used up", core.MaxTurnTokens).In("turn.Run")
	}
	req.MaxTokens = min(left, core.MaxAnswerTokens)
	var err error
	if req.Messages, err = shorten(req.System, req.Messages); err != nil {
		return llm.Response{}, err
	}
	r.round++
	r.feed.emit(Event{Kind: Thinking, Round: r.round})
	r.feed.said = 0
	limited, cancel := context.WithTimeoutCause(ctx, core.ModelCallTimeout, errCallTimeout)
	defer cancel()
	resp, err := r.model.Complete(limited, req, func(e llm.Event) {
		if e.Retry != nil {
			r.feed.emit(Event{Kind: Retrying, Attempt: e.Retry.Attempt, Code: e.Retry.Code, Wait: e.Retry.Wait})
		}
		r.feed.delta(e.TextDelta)
	})
	if err == nil {
		err = limited.Err()
	}
	if err != nil {
		if errors.Is(context.Cause(limited), errCallTimeout) {
			err = core.Wrap(core.Timeout, err, "the model did not come to an end within %s", core.ModelCallTimeout.Round(time.Second)).In("turn.Run")
		}
		r.feed.emit(r.meter.untold()...)
		return resp, err
	}
	resp = bounded(resp, r.round)
	told := r.meter.untold()
	if resp.Text != "" {
		told = slices.Insert(told, 0, Event{Kind: Said, Text: resp.Text})
	}
	r.feed.emit(told...)
	return resp, nil
}

var errCallTimeout = errors.New("the model took too long")

// speechless gives why a response without calls is no answer, nil where it is.
func speechless(resp llm.Response) error {
	switch {
	case resp.Stop == llm.StopRefused:
		return core.Errorf(core.ModelRefused, "the model's provider refused to answer").
			WithHint("put it in other words, or name another model with --model").In("turn.Run")
	case resp.Text != "":
		return nil
	case resp.Stop == llm.StopLength:
		return core.Errorf(core.ModelBroken, "the model used up its %d tokens for one answer before it said anything", core.MaxAnswerTokens).
			WithHint("name another model with --model, or ask for less at once").In("turn.Run")
	}
	return core.Errorf(core.ModelBroken, "the model answered with nothing").
		WithHint("try again, or name another model with --model").In("turn.Run")
}

// bounded cuts what a response holds beyond any use, and gives a call an id
// where it has none of its own, so that each result has its call.
func bounded(resp llm.Response, round int) llm.Response {
	resp.Text = clip(resp.Text, maxReplyBytes)
	if len(resp.ToolCalls) > maxReplyCalls {
		resp.ToolCalls = resp.ToolCalls[:maxReplyCalls]
	}
	resp.ToolCalls = slices.Clone(resp.ToolCalls)
	seen := map[string]bool{}
	for i := range resp.ToolCalls {
		c := &resp.ToolCalls[i]
		if c.ID == "" || seen[c.ID] {
			c.ID = fmt.Sprintf("call_%d_%d", round, i+1)
		}
		seen[c.ID] = true
	}
	return resp
}

// advise asks the proposers, and keeps what they said for the model that works.
func (r *run) advise(ctx context.Context, o RunOptions) error {
	if len(o.Proposers) == 0 || o.Advise == nil || r.session == nil {
		return nil
	}
	asked := make([]llm.Model, len(o.Proposers))
	for i, m := range o.Proposers {
		asked[i] = metered{m, r.meter}
	}
	told := Event{Kind: Advised, Proposers: len(asked)}
	var advice []Advice
	for _, a := range o.Advise(ctx, asked, llm.Request{Messages: slices.Clone(r.messages)}) {
		if a.Text != "" && a.Code == "" {
			told.Answered++
			advice = append(advice, a)
		}
	}
	r.feed.emit(append(r.meter.untold(), told)...)
	r.messages[0].Text += renderAdvice(advice)
	return ctx.Err()
}
