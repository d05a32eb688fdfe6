package modelserver

import (
	"encoding/json"
	"net/http"
)

func (anthropicWire) stop(r Reply) string {
	switch {
	case r.Stop == "length":
		return "max_tokens"
	case r.Stop == "refused":
		return "refusal"
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

// anthropicStream gathers the events of one response.
type anthropicStream struct {
	out  []event
	next int // index of the next block
}

func (s *anthropicStream) add(name string, body fields) {
	s.out = append(s.out, event{name: name, data: marshal(append(fields{"type", name}, body...))})
}

func (s *anthropicStream) delta(index int, delta fields) {
	s.add("content_block_delta", fields{"index", index, "delta", delta})
}

// block writes a content block that comes whole.
func (s *anthropicStream) block(start fields, deltas ...fields) {
	i := s.next
	s.next++
	s.add("content_block_start", fields{"index", i, "content_block", start})
	for _, d := range deltas {
		s.delta(i, d)
	}
	s.add("content_block_stop", fields{"index", i})
}

func (w anthropicWire) stream(q Request, r Reply, u usage) []event {
	s := &anthropicStream{}
	begun := fields{"input_tokens", u.prompt, "cache_creation_input_tokens", 0, "cache_read_input_tokens", 0, "output_tokens", min(1, u.completion), "service_tier", "standard"}
	ended := fields{"output_tokens", u.completion}
	if r.NoUsage {
		begun, ended = fields{"input_tokens", 0, "output_tokens", 0}, fields{"output_tokens", 0}
	}
	s.add("message_start", fields{"message", fields{
		"id", messageID, "type", "message", "role", "assistant", "model", q.Model, "content",
		[]any{},
		"stop_reason", nil, "stop_sequence", nil, "usage", begun,
	}})
	if r.Odd.Reasoning {
		s.block(fields{"type", "thinking", "thinking", "", "signature", ""},
			fields{"type", "thinking_delta", "thinking", "The person wants a change."}, fields{"type", "signature_delta", "signature", "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"})
	}
	s.add("ping", fields{})
	if r.Text != "" || len(r.Calls) == 0 {
		var deltas []fields
		for _, part := range pieces(r.Text, textPiece) {
			deltas = append(deltas, fields{"type", "text_delta", "text", part})
		}
		s.block(fields{"type", "text", "text", ""}, deltas...)
	}
	s.calls(r)
	s.add("message_delta", fields{"delta", fields{"stop_reason", w.stop(r), "stop_sequence", nil}, "usage", ended})
	s.out[len(s.out)-1].end = true
	s.add("message_stop", fields{})
	last := &s.out[len(s.out)-1]
	last.end, last.done = true, true
	return s.out
}

// calls writes the tool_use blocks, one after another or side by side.
func (s *anthropicStream) calls(r Reply) {
	head := func(c Call) fields {
		return fields{"type", "tool_use", "id", c.ID, "name", c.Name, "input", fields{}}
	}
	if !r.Fault.Interleave {
		for _, c := range r.Calls {
			deltas := []fields{{"type", "input_json_delta", "partial_json", ""}}
			for _, p := range argumentPieces([]Call{c}, r.Fault, r.Odd.WholeCalls) {
				deltas = append(deltas, fields{"type", "input_json_delta", "partial_json", p.text})
			}
			s.block(head(c), deltas...)
		}
		return
	}
	for i, c := range r.Calls {
		s.add("content_block_start", fields{"index", s.next + i, "content_block", head(c)})
	}
	for _, p := range argumentPieces(r.Calls, r.Fault, false) {
		s.delta(s.next+p.call, fields{"type", "input_json_delta", "partial_json", p.text})
	}
	for i := range r.Calls {
		s.add("content_block_stop", fields{"index", s.next + i})
	}
	s.next += len(r.Calls)
}

func (w anthropicWire) whole(q Request, r Reply, u usage) any {
	content := []any{}
	if r.Text != "" {
		content = append(content, fields{"type", "text", "text", r.Text})
	}
	for _, c := range r.Calls {
		input := json.RawMessage(c.Arguments)
		if !json.Valid(input) {
			input = json.RawMessage("{}") // whole objects cannot hold broken arguments
		}
		content = append(content, fields{"type", "tool_use", "id", c.ID, "name", c.Name, "input", input})
	}
	use := fields{"input_tokens", u.prompt, "cache_creation_input_tokens", 0, "cache_read_input_tokens", 0, "output_tokens", u.completion, "service_tier", "standard"}
	if r.NoUsage {
		use = fields{"input_tokens", 0, "output_tokens", 0}
	}
	return fields{
		"id", messageID, "type", "message", "role", "assistant", "model", q.Model, "content", content,
		"stop_reason", w.stop(r), "stop_sequence", nil, "usage", use,
	}
}

func (anthropicWire) endless() event {
	return event{name: "content_block_delta", data: marshal(fields{
		"type", "content_block_delta", "index", 0, "delta", fields{"type", "text_delta", "text", "and so on, and so on, "},
	})}
}

func (anthropicWire) errorBody(status int, message string) any {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status == http.StatusNotFound:
		kind = "not_found_error"
	case status == http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status == 529:
		kind = "overloaded_error"
	case status >= http.StatusInternalServerError:
		kind = "api_error"
	}
	return fields{"type", "error", "error", fields{"type", kind, "message", message}, "request_id", requestID}
}

func (anthropicWire) errorEvent(kind, message string) event {
	return event{name: "error", data: marshal(fields{"type", "error", "error", fields{"type", kind, "message", message}, "request_id", requestID})}
}

func (anthropicWire) models(names []string) string {
	list := []any{}
	for _, n := range names {
		list = append(list, fields{"type", "model", "id", n, "display_name", n, "created_at", "2026-01-01T00:00:00Z"})
	}
	first, last := any(nil), any(nil)
	if len(names) > 0 {
		first, last = names[0], names[len(names)-1]
	}
	return marshal(fields{"data", list, "has_more", false, "first_id", first, "last_id", last})
}
