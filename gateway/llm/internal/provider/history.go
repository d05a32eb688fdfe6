package provider

import (
	"encoding/json"
	"strings"

	"proofmark/gateway/llm"
)

// notCarriedOut answers a call that nothing answered.
const notCarriedOut = `{"ok":false,"message":"this call was not carried out"}`

// Ordered puts every tool result directly behind the response that asked for it,
// as both wire formats want it: what a person or a picture says in between comes
// after the last result. A call that was never answered gets an answer. A
// response without a word and a call is left out.
func Ordered(in []llm.Message) []llm.Message {
	var out, held []llm.Message
	var open []llm.ToolCall
	flush := func() {
		for _, c := range open {
			out = append(out, llm.Message{Role: llm.Tool, ToolCallID: c.ID, Text: notCarriedOut, IsError: true})
		}
		out = append(out, held...)
		open, held = nil, nil
	}
	for _, m := range in {
		switch {
		case m.Role == llm.Assistant:
			flush()
			if m.Text != "" || len(m.ToolCalls) > 0 {
				out = append(out, m)
			}
			open = m.ToolCalls
		case m.Role == llm.Tool:
			out = append(out, m)
			open = without(open, m.ToolCallID)
			if len(open) == 0 {
				flush()
			}
		case len(open) > 0:
			held = append(held, m)
		default:
			out = append(out, m)
		}
	}
	flush()
	return out
}

func without(open []llm.ToolCall, id string) []llm.ToolCall {
	var left []llm.ToolCall
	for _, c := range open {
		if c.ID != id {
			left = append(left, c)
		}
	}
	return left
}

// Object gives a call's arguments as a JSON object. Hosts refuse a whole
// conversation because of one call in it that is not; so text that is no object
// goes back to the model inside one.
func Object(arguments string) json.RawMessage {
	text := strings.TrimSpace(arguments)
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	raw, err := json.Marshal(map[string]string{"notAnObject": arguments})
	if err != nil {
		return json.RawMessage(`{}`) // a map of strings can always be written
	}
	return raw
}

// FunctionName gives a name that both wire formats take, for a call the model
// made of a tool that may not exist.
func FunctionName(name string) string {
	const most = 64
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), most)]
}

// Schema gives a tool's schema as it stands, or that of a tool without arguments.
func Schema(t llm.ToolDef) json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}
