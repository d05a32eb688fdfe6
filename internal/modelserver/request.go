package modelserver

import (
	"encoding/json"
	"net/http"
)

// The two wire formats.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Request is one call as it came over the wire, in one form for both formats.
type Request struct {
	Wire     string      // OpenAI or Anthropic
	Header   http.Header // as received, the key included
	Model    string
	System   string
	Messages []Message // without the system message
	Tools    []Tool
	// ToolChoice is auto, none, required (Anthropic: any), tool for one named
	// tool, or "" where the request says nothing.
	ToolChoice string
	Stream     bool
	MaxTokens  int    // 0 where the request names none
	Raw        []byte // the body

	// PromptTokens counts, with o200k_base, all text the request holds: system,
	// messages, tool names, descriptions and schemas, call arguments.
	PromptTokens int
	// Refused is why the server refused the request itself, "" where a step answered.
	Refused string

	wantsUsage bool // OpenAI: stream_options.include_usage
}

// Message is one entry of the conversation. Anthropic's tool results stand as
// messages of their own here, before the rest of the user message that held them.
type Message struct {
	Role       string // user, assistant or tool
	Text       string
	ToolCallID string // of a tool message: the call it answers
	IsError    bool   // of a tool message; only Anthropic's format can tell
	Calls      []Call // of an assistant message
	Images     int    // how many pictures it holds
	ImageBytes int    // their size, decoded
}

// Call is one tool call. Arguments is raw JSON text; in a reply it may be broken.
type Call struct {
	ID        string // in a reply: made up where empty
	Name      string
	Arguments string
}

// Tool is one tool the request offers.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Last gives the latest tool result of the conversation as JSON, nil where
// there is none.
func (r Request) Last() map[string]any {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := r.Messages[i]; m.Role == "tool" {
			return object(m.Text)
		}
	}
	return nil
}

// ResultOf gives the latest result of the named tool as JSON, nil where there
// is none.
func (r Request) ResultOf(tool string) map[string]any {
	names := map[string]string{}
	var found map[string]any
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			names[c.ID] = c.Name
		}
		if m.Role == "tool" && names[m.ToolCallID] == tool {
			found = object(m.Text)
		}
	}
	return found
}

// ToolNames lists the tools the model may call, in the request's order. There
// are none where ToolChoice is none: Anthropic wants the tools of an earlier
// call described even then.
func (r Request) ToolNames() []string {
	var out []string
	if r.ToolChoice == "none" {
		return nil
	}
	for _, t := range r.Tools {
		out = append(out, t.Name)
	}
	return out
}

func object(text string) map[string]any {
	var out map[string]any
	if json.Unmarshal([]byte(text), &out) != nil {
		return nil
	}
	return out
}
