// Package llm is the provider-neutral model interface: a request with tools,
// a stream of events, a response. Each provider lives in a folder of its own.
package llm

import (
	"context"
	"encoding/json"
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
	System   string
	Messages []Message
	Tools    []ToolDef // none: the model can only answer
}

// Event is one piece of a streamed response.
type Event struct {
	TextDelta string
}

// Usage counts tokens as the provider reported them.
type Usage struct{ PromptTokens, CompletionTokens int }

// Response is a finished model response.
type Response struct {
	Text      string
	ToolCalls []ToolCall
	Usage     Usage
}

// Model is one configured model. Complete streams events to emit, which may be
// nil, and returns the whole response.
type Model interface {
	Name() string
	Vision() bool
	Complete(ctx context.Context, req Request, emit func(Event)) (Response, error)
}
