package modelserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// openaiWire is chat completions.
type openaiWire struct{}

type openaiRequest struct {
	Model               string          `json:"model"`
	Messages            []openaiMessage `json:"messages"`
	Tools               *[]openaiTool   `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type openaiMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []openaiCall    `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type openaiCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type openaiTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type openaiPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func badRequest(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func (openaiWire) admit(h http.Header, key string) *refusal {
	if key != "" && h.Get("Authorization") != "Bearer "+key {
		return &refusal{http.StatusUnauthorized, "Incorrect API key provided. You can find your API key in the settings of your account."}
	}
	return nil
}

func (openaiWire) read(body []byte) (Request, *refusal) {
	out := Request{Wire: OpenAI}
	var in openaiRequest
	if bad := fromJSON(body, &in); bad != nil {
		return out, bad
	}
	out.Model, out.Stream, out.MaxTokens = in.Model, in.Stream, max(in.MaxTokens, in.MaxCompletionTokens)
	out.wantsUsage = in.StreamOptions != nil && in.StreamOptions.IncludeUsage
	out.ToolChoice = choice(in.ToolChoice)
	for i, m := range in.Messages {
		text, images, size, bad := openaiContent(m.Content)
		if bad != nil {
			return out, bad
		}
		if m.Role == "system" || m.Role == "developer" {
			out.System = strings.TrimPrefix(out.System+"\n\n"+text, "\n\n")
			continue
		}
		msg := Message{Role: m.Role, Text: text, ToolCallID: m.ToolCallID, Images: images, ImageBytes: size}
		for _, c := range m.ToolCalls {
			msg.Calls = append(msg.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		if m.Role == "assistant" && len(msg.Calls) == 0 && (len(m.Content) == 0 || string(m.Content) == "null") {
			return out, badRequest("Invalid value for 'content': expected a string, got null. (messages.[%d])", i)
		}
		if images > 0 && m.Role != "user" {
			return out, badRequest("Invalid 'messages[%d]'. Image URLs are only allowed for messages with role 'user', but this message with role '%s' contains an image URL.", i, m.Role)
		}
		out.Messages = append(out.Messages, msg)
	}
	if in.Tools != nil {
		if len(*in.Tools) == 0 {
			return out, badRequest("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
		}
		for _, t := range *in.Tools {
			out.Tools = append(out.Tools, Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
			if t.Type != "function" || !toolName.MatchString(t.Function.Name) {
				return out, badRequest("Invalid 'tools[%d].function.name': string does not match pattern.", len(out.Tools)-1)
			}
		}
	}
	if len(in.ToolChoice) > 0 && in.Tools == nil {
		return out, badRequest("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	if in.StreamOptions != nil && !in.Stream {
		return out, badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	return out, openaiConversation(out)
}

// choice names a tool_choice of either format.
func choice(raw json.RawMessage) string {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		return word
	}
	var object struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &object) == nil && object.Type != "" {
		if object.Type == "function" {
			return "tool"
		}
		return object.Type
	}
	return ""
}

// openaiContent reads content: a string, a list of parts, or null.
func openaiContent(raw json.RawMessage) (text string, images, size int, bad *refusal) {
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text, 0, 0, nil
	}
	var parts []openaiPart
	if json.Unmarshal(raw, &parts) != nil {
		return "", 0, 0, badRequest("Invalid type for 'messages.content': expected a string or an array of objects.")
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			n, ok := dataURI(p.ImageURL.URL)
			if !ok {
				return "", 0, 0, badRequest("Invalid image_url: expected a base64-encoded data URL with an image MIME type.")
			}
			images++
			size += n
		default:
			return "", 0, 0, badRequest("Invalid value: '%s'. Supported values are: 'text' and 'image_url'.", p.Type)
		}
	}
	return strings.Join(texts, "\n"), images, size, nil
}

// dataURI gives the decoded size of a picture's data: address.
func dataURI(uri string) (int, bool) {
	media, data, ok := strings.Cut(uri, ";base64,")
	if !ok || !slices.Contains([]string{"data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp"}, media) {
		return 0, false
	}
	b, err := base64.StdEncoding.DecodeString(data)
	return len(b), err == nil && len(b) > 0
}

// openaiConversation refuses what the provider refuses: calls without results,
// and results without calls.
func openaiConversation(r Request) *refusal {
	if r.Model == "" {
		return badRequest("you must provide a model parameter")
	}
	if len(r.Messages) == 0 && r.System == "" {
		return badRequest("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	var open []string
	for i, m := range r.Messages {
		if m.Role == "tool" {
			at := slices.Index(open, m.ToolCallID)
			if at < 0 {
				return badRequest("Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. (messages.[%d].role)", i)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			break
		}
		switch m.Role {
		case "user":
		case "assistant":
			for _, c := range m.Calls {
				if c.ID == "" || !toolName.MatchString(c.Name) {
					return badRequest("Invalid 'messages[%d].tool_calls': a call needs an id and a function name.", i)
				}
				open = append(open, c.ID)
			}
		default:
			return badRequest("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)
		}
	}
	if len(open) > 0 {
		return badRequest("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
	}
	return nil
}
