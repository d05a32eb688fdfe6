// Package llm is the provider-neutral model interface: a request with tools,
// a stream of events, a response. Each provider lives in a folder of its own.
package llm

import (
	"context"
	"encoding/json"
	"time"

	"proofmark/gateway/core"
)

// Role says who speaks.
type Role string

// Roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of the conversation.
type Message struct {
	Role       Role
	Text       string
	ToolCalls  []ToolCall // of an Assistant message
	ToolCallID string     // of a Tool message: the call it answers
	IsError    bool       // of a Tool message
	Images     []Image    // of a User message that follows a tool result
}

// Image is a picture for a model that sees.
type Image struct {
	MediaType string // image/png or image/jpeg
	Data      []byte
}

// ToolCall is one call a model asks for. Arguments is the JSON text as the
// model wrote it; it may be invalid.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// ToolDef describes one tool to a model.
type ToolDef struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // a closed JSON schema of the arguments
}

// Request is one call of a model.
type Request struct {
	System    string
	Messages  []Message
	Tools     []ToolDef // none: the model can only answer
	MaxTokens int       // of the answer; 0 for core.MaxAnswerTokens
}

// Event is one piece of a streamed response. One of its fields is set.
type Event struct {
	TextDelta string
	// Begun tells, once, that the first token of the response has arrived, text
	// or call: from here on nothing is tried again.
	Begun bool
	// Retry tells that a try failed before its first token and another follows.
	Retry *Retry
}

// Retry says why a call is tried again, and when.
type Retry struct {
	Attempt int // the one that failed, from 1
	Code    core.Code
	Wait    time.Duration
}

// Usage counts tokens as the provider reported them; zero where it did not.
type Usage struct{ PromptTokens, CompletionTokens int }

// Stop says why a response ended.
type Stop string

// Reasons of an end.
const (
	StopDone    Stop = "done"    // it is complete, calls included
	StopLength  Stop = "length"  // cut at the token limit
	StopRefused Stop = "refused" // the provider's own filter
)

// Response is a finished model response.
type Response struct {
	Text      string
	ToolCalls []ToolCall
	Usage     Usage
	Stop      Stop // "" is StopDone
}

// Model is one configured model. Complete streams events to emit, which may be
// nil, from the calling goroutine, and returns the whole response. A provider's
// Complete makes exactly one physical call; its errors are *core.Error with one
// of the Model… codes, Timeout or Cancelled, and never hold a key or a prompt.
type Model interface {
	Name() string
	Vision() bool
	Complete(ctx context.Context, req Request, emit func(Event)) (Response, error)
}
