package modelserver

import "net/http"

// Fixed facts of every response, so that tests are repeatable.
const (
	openaiID  = "chatcmpl-CxKd93Lw2ZsZ1T0gYhVb5r8oPq4Ne"
	created   = 1760000000
	finger    = "fp_a788c5aef0"
	messageID = "msg_01XFDUDYJgAACzvnptvVoYEL"
	requestID = "req_011CSHoEeqs5C35K2UUqR7Fy"
)

func (openaiWire) finish(r Reply) string {
	switch {
	case r.Stop == "length":
		return "length"
	case r.Stop == "refused":
		return "content_filter"
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0 && !r.Odd.FinishStop:
		return "tool_calls"
	}
	return "stop"
}

func openaiUsage(u usage) fields {
	return fields{
		"prompt_tokens", u.prompt, "completion_tokens", u.completion, "total_tokens", u.prompt + u.completion,
		"prompt_tokens_details",
		fields{"cached_tokens", 0, "audio_tokens", 0},
		"completion_tokens_details",
		fields{"reasoning_tokens", 0, "audio_tokens", 0, "accepted_prediction_tokens", 0, "rejected_prediction_tokens", 0},
	}
}

// openaiStream gathers the chunks of one response.
type openaiStream struct {
	model    string
	odd      Odd
	wantsUse bool
	out      []event
}

func (s *openaiStream) chunk(choices []any, usage any) event {
	body := fields{
		"id", openaiID, "object", "chat.completion.chunk", "created", created, "model", s.model,
		"service_tier", "default", "system_fingerprint", finger, "choices", choices,
	}
	if s.wantsUse {
		body = append(body, "usage", usage)
	}
	return event{data: marshal(body)}
}

func (s *openaiStream) delta(delta fields, finish any) {
	if s.odd.RoleAlways && !delta.has("role") {
		delta = append(fields{"role", "assistant"}, delta...)
	}
	e := s.chunk([]any{fields{"index", 0, "delta", delta, "logprobs", nil, "finish_reason", finish}}, nil)
	e.end = finish != nil
	s.out = append(s.out, e)
}

func (w openaiWire) stream(q Request, r Reply, u usage) []event {
	s := &openaiStream{model: q.Model, odd: r.Odd, wantsUse: q.wantsUsage && !r.NoUsage}
	if r.Odd.EmptyChoices {
		s.out = append(s.out, s.chunk([]any{}, nil))
	}
	if r.Odd.Reasoning {
		s.delta(fields{"role", "assistant", "content", nil, "reasoning_content", "The person wants"}, nil)
		s.delta(fields{"content", nil, "reasoning_content", " a change."}, nil)
	}
	if r.Text != "" || len(r.Calls) == 0 {
		s.delta(fields{"role", "assistant", "content", "", "refusal", nil}, nil)
		for _, part := range pieces(r.Text, textPiece) {
			s.delta(fields{"content", part}, nil)
		}
	} else {
		s.delta(fields{"role", "assistant", "content", nil, "refusal", nil}, nil)
	}
	s.calls(r)
	s.delta(fields{}, w.finish(r))
	if s.wantsUse {
		e := s.chunk([]any{}, openaiUsage(u))
		e.end = true
		s.out = append(s.out, e)
	}
	return append(s.out, event{data: "[DONE]", end: true, done: true})
}

// calls writes the tool calls: a head with id and name, then the arguments.
func (s *openaiStream) calls(r Reply) {
	for i, c := range r.Calls {
		if s.odd.WholeCalls {
			s.call(i, s.head(c, c.Name, c.Arguments, !s.odd.NoID))
			continue
		}
		name := c.Name
		if s.odd.NameInPieces {
			name = c.Name[:len(c.Name)/2]
		}
		s.call(i, s.head(c, name, "", !r.Fault.LateID && !s.odd.NoID))
		if s.odd.NameInPieces {
			s.call(i, fields{"function", fields{"name", c.Name[len(c.Name)/2:]}})
		}
		if r.Fault.LateID && c.Arguments == "" {
			s.call(i, fields{"id", c.ID, "function", fields{"arguments", ""}})
		}
		if !r.Fault.Interleave {
			s.arguments(r, argumentPieces(r.Calls[i:i+1], r.Fault, false), i)
		}
	}
	if r.Fault.Interleave && !s.odd.WholeCalls {
		s.arguments(r, argumentPieces(r.Calls, r.Fault, false), 0)
	}
}

func (s *openaiStream) head(c Call, name, arguments string, id bool) fields {
	head := fields{"type", "function", "function", fields{"name", name, "arguments", arguments}}
	if id {
		head = append(fields{"id", c.ID}, head...)
	}
	return head
}

func (s *openaiStream) arguments(r Reply, list []piece, offset int) {
	for _, p := range list {
		part := fields{"function", fields{"arguments", p.text}}
		if r.Fault.LateID && p.last && !s.odd.NoID {
			part = append(fields{"id", r.Calls[p.call+offset].ID}, part...)
		}
		s.call(p.call+offset, part)
	}
}

func (s *openaiStream) call(index int, part fields) {
	switch {
	case s.odd.NoIndex:
	case s.odd.IndexZero:
		part = append(fields{"index", 0}, part...)
	default:
		part = append(fields{"index", index}, part...)
	}
	delta := fields{"tool_calls", []any{part}}
	if s.odd.NullContent {
		delta = append(fields{"content", nil}, delta...)
	}
	s.delta(delta, nil)
}

func (w openaiWire) whole(q Request, r Reply, u usage) any {
	content := any(r.Text)
	if r.Text == "" && len(r.Calls) > 0 {
		content = nil
	}
	message := fields{"role", "assistant", "content", content}
	var calls []any
	for _, c := range r.Calls {
		calls = append(calls, fields{"id", c.ID, "type", "function", "function", fields{"name", c.Name, "arguments", c.Arguments}})
	}
	if len(calls) > 0 {
		message = append(message, "tool_calls", calls)
	}
	message = append(message, "refusal", nil, "annotations", []any{})
	out := fields{
		"id", openaiID, "object", "chat.completion", "created", created, "model", q.Model, "service_tier", "default", "system_fingerprint", finger,
		"choices",
		[]any{fields{"index", 0, "message", message, "logprobs", nil, "finish_reason", w.finish(r)}},
	}
	if !r.NoUsage {
		out = append(out, "usage", openaiUsage(u))
	}
	return out
}

func (openaiWire) endless() event {
	return event{data: marshal(fields{
		"id", openaiID, "object", "chat.completion.chunk", "created", created, "model", "endless",
		"choices",
		[]any{fields{"index", 0, "delta", fields{"content", "and so on, and so on, "}, "finish_reason", nil}},
	})}
}

func (openaiWire) errorBody(status int, message string) any {
	kind, code := "invalid_request_error", any(nil)
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case status == http.StatusNotFound:
		code = "model_not_found"
	case status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	return fields{"error", fields{"message", message, "type", kind, "param", nil, "code", code}}
}

func (openaiWire) errorEvent(kind, message string) event {
	return event{data: marshal(fields{"error", fields{"message", message, "type", kind, "param", nil, "code", nil}})}
}

func (openaiWire) models(names []string) string {
	list := []any{}
	for _, n := range names {
		list = append(list, fields{"id", n, "object", "model", "created", created, "owned_by", "system"})
	}
	return marshal(fields{"object", "list", "data", list})
}
