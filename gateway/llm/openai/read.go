package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/internal/provider"
)

// reading is one answer on its way in.
type reading struct {
	s   provider.Settings
	key string
	out *provider.Collector
}

// stream reads server-sent events to their end.
func (r *reading) stream(d ssestream.Decoder) error {
	done := false
	for !done && d.Next() {
		data := bytes.TrimSpace(d.Event().Data)
		if len(data) == 0 {
			continue
		}
		if done = bytes.HasPrefix(data, []byte("[DONE]")); done {
			continue
		}
		if err := r.event(d.Event()); err != nil {
			return err
		}
	}
	err := d.Err()
	switch {
	case done && r.out.Begun():
		return nil
	case r.out.Ended() && (err == nil || core.CodeOf(err) == core.ModelUnreachable):
		return nil // only the goodbye is missing
	case err != nil:
		return err
	}
	return r.s.Cut()
}

func (r *reading) event(e ssestream.Event) error {
	var chunk sdk.ChatCompletionChunk
	if !json.Valid(e.Data) || json.Unmarshal(e.Data, &chunk) != nil {
		return r.s.Broken("holds an event that is not JSON of its format")
	}
	if e.Type == "error" || chunk.Object == "error" || present(chunk.JSON.ExtraFields["error"]) {
		return r.s.Reported(e.Data, r.key)
	}
	r.out.Count(chunk.Usage.PromptTokens, chunk.Usage.CompletionTokens)
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	if thinks(choice.Delta.JSON.ExtraFields) {
		r.out.Begin()
	}
	if err := r.text(choice.Delta.Content, choice.Delta.Refusal); err != nil {
		return err
	}
	for _, c := range choice.Delta.ToolCalls {
		err := r.out.Piece(provider.Piece{
			Index: c.Index, ID: c.ID, Name: c.Function.Name,
			Arguments: arguments(c.Function.Arguments, c.Function.JSON.Arguments),
		})
		if err != nil {
			return err
		}
	}
	return r.end(choice.FinishReason)
}

// whole reads an answer that is one object.
func (r *reading) whole(body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var answer sdk.ChatCompletion
	if !json.Valid(data) || json.Unmarshal(data, &answer) != nil {
		return r.s.Broken("is not JSON of its format")
	}
	if answer.Object == "error" || present(answer.JSON.ExtraFields["error"]) {
		return r.s.Reported(data, r.key)
	}
	if len(answer.Choices) == 0 {
		return r.s.Broken("holds neither a stream nor a message")
	}
	r.out.Count(answer.Usage.PromptTokens, answer.Usage.CompletionTokens)
	choice := answer.Choices[0]
	r.out.Begin()
	if err := r.text(choice.Message.Content, choice.Message.Refusal); err != nil {
		return err
	}
	for i, c := range choice.Message.ToolCalls {
		err := r.out.Open(provider.Piece{
			Index: int64(i), ID: c.ID, Name: c.Function.Name,
			Arguments: arguments(c.Function.Arguments, c.Function.JSON.Arguments),
		})
		if err != nil {
			return err
		}
	}
	if choice.FinishReason == "" {
		r.out.End(llm.StopDone)
	}
	return r.end(choice.FinishReason)
}

func (r *reading) text(content, refusal string) error {
	if refusal != "" {
		r.out.Refuse()
	}
	if err := r.out.Text(content); err != nil {
		return err
	}
	return r.out.Text(refusal)
}

// end takes a finish_reason. Hosts have words of their own beyond OpenAI's.
func (r *reading) end(reason string) error {
	switch reason {
	case "":
	case "length":
		r.out.End(llm.StopLength)
	case "content_filter", "sensitive":
		r.out.End(llm.StopRefused)
	case "insufficient_system_resource", "network_error", "error":
		return core.Errorf(core.ModelBusy, "%s gave up in the middle of its answer (%s)", r.s.Host(), reason).WithHint("try again in a moment")
	default:
		r.out.End(llm.StopDone)
	}
	return nil
}

// arguments takes those of hosts that send an object instead of its text, too.
func arguments(text string, field respjson.Field) string {
	if raw := field.Raw(); strings.HasPrefix(raw, "{") {
		return raw
	}
	return text
}

// thinks tells whether a piece holds reasoning: it is not kept, but a token it is.
func thinks(extra map[string]respjson.Field) bool {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if f := extra[name]; present(f) && f.Raw() != `""` {
			return true
		}
	}
	return false
}

func present(f respjson.Field) bool { return f.Raw() != "" && f.Raw() != "null" }
