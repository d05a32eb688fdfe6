package anthropic

import (
	"bytes"
	"encoding/json"
	"io"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/internal/provider"
)

// reading is one answer on its way in.
type reading struct {
	s    provider.Settings
	key  string
	out  *provider.Collector
	open map[int64]*block // tool calls that are being written
}

// block is an open tool call.
type block struct {
	input  string // that came with its start
	pieces bool   // more came since; they hold it whole
}

// stream reads server-sent events to their end.
func (r *reading) stream(d ssestream.Decoder) error {
	done := false
	for !done && d.Next() {
		data := bytes.TrimSpace(d.Event().Data)
		if len(data) == 0 {
			continue
		}
		var err error
		if done, err = r.event(d.Event().Type, data); err != nil {
			return err
		}
	}
	err := d.Err()
	switch {
	case done && (r.out.Begun() || r.out.Ended()):
		return r.settle()
	case r.out.Ended() && (err == nil || core.CodeOf(err) == core.ModelUnreachable):
		return r.settle() // only the goodbye is missing
	case err != nil:
		return err
	}
	return r.s.Cut()
}

// event takes one event, and tells whether it is the last.
func (r *reading) event(name string, data []byte) (done bool, err error) {
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return true, nil // not Anthropic's, but some hosts'
	}
	var e sdk.MessageStreamEventUnion
	if !json.Valid(data) || json.Unmarshal(data, &e) != nil {
		return false, r.s.Broken("holds an event that is not JSON of its format")
	}
	switch {
	case e.Type == "error" || name == "error":
		return false, r.s.Reported(data, r.key)
	case e.Type == "message_start":
		r.countPrompt(e.Message.Usage)
	case e.Type == "content_block_start":
		return false, r.start(e.Index, e.ContentBlock)
	case e.Type == "content_block_delta":
		return false, r.delta(e.Index, e.Delta)
	case e.Type == "content_block_stop":
		return false, r.close(e.Index)
	case e.Type == "message_delta":
		u := e.Usage
		r.out.Count(u.InputTokens+u.CacheCreationInputTokens+u.CacheReadInputTokens, u.OutputTokens)
		r.end(e.Delta.StopReason)
	case e.Type == "message_stop":
		return true, nil
	}
	return false, nil
}

func (r *reading) start(index int64, b sdk.ContentBlockStartEventContentBlockUnion) error {
	if err := r.close(index); err != nil {
		return err
	}
	switch b.Type {
	case "text":
		return r.out.Text(b.Text)
	case "tool_use":
		r.open[index] = &block{input: b.JSON.Input.Raw()}
		return r.out.Open(provider.Piece{Index: index, ID: b.ID, Name: b.Name})
	}
	r.out.Begin() // thinking: not kept, but a token it is
	return nil
}

func (r *reading) delta(index int64, d sdk.MessageStreamEventUnionDelta) error {
	switch d.Type {
	case "text_delta":
		return r.out.Text(d.Text)
	case "input_json_delta":
		if b := r.open[index]; b != nil && d.PartialJSON != "" {
			b.pieces = true
			return r.out.Piece(provider.Piece{Index: index, Arguments: d.PartialJSON})
		}
		return nil
	}
	r.out.Begin()
	return nil
}

// close ends a block. Some hosts send a call's whole input with its start.
func (r *reading) close(index int64) error {
	b := r.open[index]
	delete(r.open, index)
	if b == nil || b.pieces || b.input == "" || b.input == "null" {
		return nil
	}
	return r.out.Piece(provider.Piece{Index: index, Arguments: b.input})
}

// settle closes what the stream left open.
func (r *reading) settle() error {
	for index := range r.open {
		if err := r.close(index); err != nil {
			return err
		}
	}
	return nil
}

// whole reads an answer that is one object.
func (r *reading) whole(body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var answer sdk.Message
	if !json.Valid(data) || json.Unmarshal(data, &answer) != nil {
		return r.s.Broken("is not JSON of its format")
	}
	switch {
	case string(answer.Type) == "error" || answer.JSON.ExtraFields["error"].Raw() != "":
		return r.s.Reported(data, r.key)
	case answer.JSON.Content.Raw() == "":
		return r.s.Broken("holds neither a stream nor a message")
	}
	r.countPrompt(answer.Usage)
	r.out.Begin()
	for i, b := range answer.Content {
		switch b.Type {
		case "text":
			err = r.out.Text(b.Text)
		case "tool_use":
			err = r.out.Open(provider.Piece{Index: int64(i), ID: b.ID, Name: b.Name, Arguments: b.JSON.Input.Raw()})
		}
		if err != nil {
			return err
		}
	}
	r.end(answer.StopReason)
	return nil
}

func (r *reading) countPrompt(u sdk.Usage) {
	r.out.Count(u.InputTokens+u.CacheCreationInputTokens+u.CacheReadInputTokens, u.OutputTokens)
}

func (r *reading) end(reason sdk.StopReason) {
	switch reason {
	case "":
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		r.out.End(llm.StopLength)
	case sdk.StopReasonRefusal:
		r.out.End(llm.StopRefused)
	default:
		r.out.End(llm.StopDone)
	}
}
