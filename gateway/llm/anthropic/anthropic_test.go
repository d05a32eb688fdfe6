package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// What both wire formats have in common is proved in llm/internal/provider.

// host answers with fixed bytes and keeps the last request.
type host struct {
	body string
	got  *http.Request
	sent map[string]any
}

func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	h.got, h.sent = r, map[string]any{}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &h.sent); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(h.body)), Request: r}, nil
}

func ask(t *testing.T, h *host, base string, req llm.Request) (llm.Response, error) {
	t.Helper()
	m, err := New(Config{Model: "m", BaseURL: base, Key: func() (string, error) { return "sk-x", nil }, Client: &http.Client{Transport: h}, MaxTokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	return m.Complete(t.Context(), req, nil)
}

var hello = llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "hello"}}}

// events writes a stream; named as Anthropic names them.
func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		var kind struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal([]byte(e), &kind)
		b.WriteString("event: " + kind.Type + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

// unnamed leaves the names of the events out.
func unnamed(list ...string) string { return "data: " + strings.Join(list, "\n\ndata: ") + "\n\n" }

const (
	start = `{"type":"message_start","message":{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}`
	text  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`
	end   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`
	stop  = `{"type":"message_stop"}`
)

var usage = llm.Usage{PromptTokens: 17, CompletionTokens: 9}

// TestWireFormat: the whole request, as the API's document has it.
func TestWireFormat(t *testing.T) {
	req := llm.Request{
		System: "Be exact.",
		Messages: []llm.Message{
			{Role: llm.User, Text: "<b> & ä"},
			{Role: llm.Assistant, Text: "I read.", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "read", Arguments: `{"a":1}`}}},
			{Role: llm.Tool, ToolCallID: "c1", Text: "r", IsError: true},
			{Role: llm.User, Text: "Look.", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}},
		},
		Tools: []llm.ToolDef{{Name: "read", Description: "d"}},
	}
	var want map[string]any
	// This model takes no pictures: they are left out.
	const body = `{"model":"m","stream":true,"max_tokens":100,"system":[{"type":"text","text":"Be exact."}],
		"messages":[{"role":"user","content":[{"type":"text","text":"<b> & ä"}]},
		{"role":"assistant","content":[{"type":"text","text":"I read."},{"type":"tool_use","id":"c1","name":"read","input":{"a":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":[{"type":"text","text":"r"}]},{"type":"text","text":"Look."}]}],
		"tools":[{"name":"read","description":"d","input_schema":{"type":"object","properties":{}}}]}`
	if err := json.Unmarshal([]byte(body), &want); err != nil {
		t.Fatal(err)
	}
	for base, url := range map[string]string{
		"": "https://api.anthropic.com/v1/messages", "http://127.0.0.1:1": "http://127.0.0.1:1/v1/messages", "http://127.0.0.1:1/": "http://127.0.0.1:1/v1/messages",
		"https://example.test/anthropic/v1/": "https://example.test/anthropic/v1/messages",
	} {
		h := &host{body: events(start, text, end, stop)}
		if _, err := ask(t, h, base, req); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, h.sent); d != "" {
			t.Errorf("request (-want +got):\n%s", d)
		}
		if h.got.URL.String() != url || h.got.Header.Get("X-Api-Key") != "sk-x" || h.got.Header.Get("Authorization") != "" || h.got.Header.Get("Anthropic-Version") == "" {
			t.Errorf("%s, %v", h.got.URL, h.got.Header)
		}
	}
}

// TestAnswers: what Anthropic sends, and what hosts of its format send instead.
func TestAnswers(t *testing.T) {
	call := `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}`
	piece := `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`
	for name, c := range map[string]struct {
		body string
		want llm.Response
		code core.Code
	}{
		"text":                 {events(start, text, end, stop), llm.Response{Text: "x", Usage: usage, Stop: llm.StopDone}, ""},
		"unnamed events":       {unnamed(start, text, end, stop), llm.Response{Text: "x", Usage: usage, Stop: llm.StopDone}, ""},
		"no message_stop":      {events(start, text, end), llm.Response{Text: "x", Usage: usage, Stop: llm.StopDone}, ""},
		"[DONE]":               {unnamed(start, text, end, "[DONE]"), llm.Response{Text: "x", Usage: usage, Stop: llm.StopDone}, ""},
		"cut":                  {events(start, text), llm.Response{}, core.ModelBroken},
		"only message_stop":    {events(stop), llm.Response{}, core.ModelBroken},
		"nothing to say":       {events(start, end, stop), llm.Response{Usage: usage, Stop: llm.StopDone}, ""},
		"a call":               {events(start, call, piece, `{"type":"content_block_stop","index":0}`, end, stop), llm.Response{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"a":1}`}}, Usage: usage, Stop: llm.StopDone}, ""},
		"a call without input": {events(start, call, end, stop), llm.Response{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{}`}}, Usage: usage, Stop: llm.StopDone}, ""},
		"a call with all of its input at the start": {
			events(start, strings.Replace(call, `"input":{}`, `"input":{"b":[1, 2]}`, 1), end, stop),
			llm.Response{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"b":[1, 2]}`}}, Usage: usage, Stop: llm.StopDone},
			"",
		},
		"two calls at one index": {
			events(start, call, piece, strings.Replace(call, `"id":"a"`, `"id":"b"`, 1), piece, end, stop),
			llm.Response{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"a":1}`}, {ID: "b", Name: "f", Arguments: `{"a":1}`}}, Usage: usage, Stop: llm.StopDone},
			"",
		},
		"text with its start": {events(start, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Well, "}}`, text, end, stop), llm.Response{Text: "Well, x", Usage: usage, Stop: llm.StopDone}, ""},
		"thoughts": {
			events(start, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`, `{"type":"content_block_stop","index":0}`, text, end, stop),
			llm.Response{Text: "x", Usage: usage, Stop: llm.StopDone},
			"",
		},
		"input of a block that is no call": {
			events(start, `{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`, piece, end, stop),
			llm.Response{Usage: usage, Stop: llm.StopDone},
			"",
		},
		"a full context":   {events(start, text, strings.Replace(end, "end_turn", "model_context_window_exceeded", 1), stop), llm.Response{Text: "x", Usage: usage, Stop: llm.StopLength}, ""},
		"an event to come": {events(start, `{"type":"something_new","x":1}`, text, end, stop), llm.Response{Text: "x", Usage: usage, Stop: llm.StopDone}, ""},
		"an error":         {events(start, `{"type":"error","error":{"type":"rate_limit_error","message":"later"}}`), llm.Response{}, core.ModelBusy},
	} {
		got, err := ask(t, &host{body: c.body}, "", hello)
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
