// Package script is a model that answers from a list. Tests use it to drive a
// turn through exact responses and to look at every request on the way.
package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"proofmark/gateway/llm"
)

// Step makes one response. It sees the request, and can check it.
type Step func(llm.Request) (llm.Response, error)

// Model answers each request with the next step. It is safe for concurrent use.
type Model struct {
	// Sees is what Vision answers.
	Sees bool

	mu       sync.Mutex
	steps    []Step
	requests []llm.Request
}

var _ llm.Model = (*Model)(nil)

// New makes a model that goes through the steps once. A request beyond the
// last step is an error.
func New(steps ...Step) *Model { return &Model{steps: steps} }

// Name names the model.
func (m *Model) Name() string { return "script" }

// Vision tells whether the model takes images.
func (m *Model) Vision() bool { return m.Sees }

// Complete runs the next step and streams its text in one piece.
func (m *Model) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, fmt.Errorf("script: %w", err)
	}
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, req)
	var step Step
	if n < len(m.steps) {
		step = m.steps[n]
	}
	m.mu.Unlock()
	if step == nil {
		return llm.Response{}, fmt.Errorf("script: it has %d responses and was asked for one more", n)
	}
	resp, err := step(req)
	if err == nil && emit != nil && resp.Text != "" {
		emit(llm.Event{TextDelta: resp.Text})
	}
	return resp, err
}

// Requests gives the requests so far.
func (m *Model) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

// Left tells how many steps were not asked for.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(0, len(m.steps)-len(m.requests))
}

// Say answers with text.
func Say(text string) Step {
	return func(llm.Request) (llm.Response, error) { return llm.Response{Text: text}, nil }
}

// Calls answers with tool calls as they stand; a call without an ID gets one.
func Calls(calls ...llm.ToolCall) Step {
	return func(req llm.Request) (llm.Response, error) {
		out := append([]llm.ToolCall(nil), calls...)
		for i := range out {
			if out[i].ID == "" {
				out[i].ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i+1)
			}
		}
		return llm.Response{ToolCalls: out}, nil
	}
}

// Call answers with one tool call whose arguments are args as JSON.
func Call(tool string, args any) Step {
	return func(req llm.Request) (llm.Response, error) {
		raw, err := json.Marshal(args)
		if err != nil {
			return llm.Response{}, err
		}
		return Calls(llm.ToolCall{Name: tool, Arguments: string(raw)})(req)
	}
}

// CallFrom answers with one tool call whose arguments are made from the JSON
// of the latest tool result, as a model would that copies a grant out of it.
func CallFrom(tool string, args func(result map[string]any) any) Step {
	return func(req llm.Request) (llm.Response, error) {
		result, err := LastResult(req)
		if err != nil {
			return llm.Response{}, err
		}
		return Call(tool, args(result))(req)
	}
}

// Fail answers with an error.
func Fail(err error) Step {
	return func(llm.Request) (llm.Response, error) { return llm.Response{}, err }
}

// LastResult gives the latest tool result of the conversation.
func LastResult(req llm.Request) (map[string]any, error) {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if m := req.Messages[i]; m.Role == llm.Tool {
			var out map[string]any
			err := json.Unmarshal([]byte(m.Text), &out)
			return out, err
		}
	}
	return nil, errors.New("script: the conversation has no tool result yet")
}
