package modelserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// anthropicWire is messages.
type anthropicWire struct{}

type anthropicRequest struct {
	Model      string             `json:"model"`
	MaxTokens  int                `json:"max_tokens"`
	System     json.RawMessage    `json:"system"`
	Messages   []anthropicMessage `json:"messages"`
	Tools      []anthropicTool    `json:"tools"`
	ToolChoice json.RawMessage    `json:"tool_choice"`
	Stream     bool               `json:"stream"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type anthropicBlock struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// admit takes the key in either header: the API of 2023-06-01 has it in
// X-Api-Key, that of 2026-10-21 as a bearer.
func (anthropicWire) admit(h http.Header, key string) *refusal {
	if key != "" && h.Get("X-Api-Key") != key && h.Get("Authorization") != "Bearer "+key {
		return &refusal{http.StatusUnauthorized, "invalid x-api-key"}
	}
	if h.Get("Anthropic-Version") == "" {
		return badRequest("anthropic-version: header is required")
	}
	return nil
}

func (anthropicWire) read(body []byte) (Request, *refusal) {
	out := Request{Wire: Anthropic}
	var in anthropicRequest
	if bad := fromJSON(body, &in); bad != nil {
		return out, bad
	}
	out.Model, out.Stream, out.MaxTokens, out.ToolChoice = in.Model, in.Stream, in.MaxTokens, choice(in.ToolChoice)
	system, bad := blocks(in.System)
	if bad != nil {
		return out, bad
	}
	out.System = texts(system)
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	if bad := anthropicHead(in); bad != nil {
		return out, bad
	}
	var open []string // calls of the message before
	for i, m := range in.Messages {
		list, bad := blocks(m.Content)
		if bad != nil {
			return out, bad
		}
		if len(list) == 0 {
			return out, badRequest("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		msgs, next, bad := anthropicTurn(i, m.Role, list, open)
		if bad != nil {
			return out, bad
		}
		if len(next) > 0 && len(in.Tools) == 0 {
			return out, badRequest("Requests which include `tool_use` or `tool_result` blocks must define tools.")
		}
		out.Messages, open = append(out.Messages, msgs...), next
	}
	if len(open) > 0 {
		return out, withoutResult(len(in.Messages)-1, open)
	}
	return out, nil
}

// anthropicHead refuses what is wrong with a request as a whole.
func anthropicHead(in anthropicRequest) *refusal {
	switch {
	case in.Model == "":
		return badRequest("model: Field required")
	case in.MaxTokens < 1:
		return badRequest("max_tokens: Field required")
	case len(in.Messages) == 0:
		return badRequest("messages: at least one message is required")
	case in.Messages[0].Role != "user":
		return badRequest("messages: first message must use the \"user\" role")
	case len(in.ToolChoice) > 0 && len(in.Tools) == 0:
		return badRequest("tool_choice may only be specified while providing tools")
	}
	for i, t := range in.Tools {
		var schema struct {
			Type string `json:"type"`
		}
		if !toolName.MatchString(t.Name) {
			return badRequest("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		}
		if json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object" {
			return badRequest("tools.%d.custom.input_schema.type: Field required", i)
		}
	}
	return nil
}

func withoutResult(at int, ids []string) *refusal {
	return badRequest("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(ids, ", "))
}

// anthropicTurn reads the blocks of one message: open are the calls of the
// message before, next those of this one.
func anthropicTurn(at int, role string, list []anthropicBlock, open []string) (out []Message, next []string, bad *refusal) {
	if role != "user" && role != "assistant" {
		return nil, nil, badRequest("messages.%d.role: Input should be 'user' or 'assistant'", at)
	}
	open = slices.Clone(open)
	rest := Message{Role: role}
	var said []string
	for j, b := range list {
		switch {
		case b.Type == "text" && b.Text != "":
			said = append(said, b.Text)
		case b.Type == "text":
			return nil, nil, badRequest("messages: text content blocks must be non-empty")
		case b.Type == "image" && role == "user":
			n, bad := picture(b)
			if bad != nil {
				return nil, nil, bad
			}
			rest.Images++
			rest.ImageBytes += n
		case b.Type == "tool_use" && role == "assistant":
			if !bytes.HasPrefix(bytes.TrimSpace(b.Input), []byte("{")) {
				return nil, nil, badRequest("messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", at, j)
			}
			rest.Calls = append(rest.Calls, Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
			next = append(next, b.ID)
		case b.Type == "tool_result" && role == "user":
			k := slices.Index(open, b.ToolUseID)
			if k < 0 {
				return nil, nil, badRequest("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", at, j, b.ToolUseID)
			}
			open = slices.Delete(open, k, k+1)
			m, bad := result(b)
			if bad != nil {
				return nil, nil, bad
			}
			out = append(out, m)
		default:
			return nil, nil, badRequest("messages.%d.content.%d: a block of type %q cannot stand in a message of role %s", at, j, b.Type, role)
		}
		if len(open) > 0 && b.Type != "tool_result" {
			return nil, nil, withoutResult(at-1, open)
		}
	}
	if len(open) > 0 {
		return nil, nil, withoutResult(at-1, open)
	}
	rest.Text = strings.Join(said, "\n")
	if rest.Text != "" || rest.Images > 0 || len(rest.Calls) > 0 {
		out = append(out, rest)
	}
	return out, next, nil
}

// result reads a tool_result, whose content is text, blocks, or nothing.
func result(b anthropicBlock) (Message, *refusal) {
	m := Message{Role: "tool", ToolCallID: b.ToolUseID, IsError: b.IsError}
	inner, bad := blocks(b.Content)
	if bad != nil {
		return m, bad
	}
	for _, in := range inner {
		if in.Type != "image" {
			continue
		}
		n, bad := picture(in)
		if bad != nil {
			return m, bad
		}
		m.Images++
		m.ImageBytes += n
	}
	m.Text = texts(inner)
	return m, nil
}

func picture(b anthropicBlock) (int, *refusal) {
	data, err := base64.StdEncoding.DecodeString(b.Source.Data)
	if b.Source.Type != "base64" || err != nil || len(data) == 0 ||
		!slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, b.Source.MediaType) {
		return 0, badRequest("messages.content.image.source.base64: invalid base64 data or media type")
	}
	return len(data), nil
}

// blocks reads content that is a string, a list of blocks, or nothing.
func blocks(raw json.RawMessage) ([]anthropicBlock, *refusal) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return nil, nil
		}
		return []anthropicBlock{{Type: "text", Text: text}}, nil
	}
	var list []anthropicBlock
	if json.Unmarshal(raw, &list) != nil {
		return nil, badRequest("content: Input should be a valid string or list")
	}
	return list, nil
}

func texts(list []anthropicBlock) string {
	var out []string
	for _, b := range list {
		if b.Type == "text" {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "\n")
}
