package openai

import (
	"bytes"
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
	m, err := New(Config{Model: "m", BaseURL: base, Client: &http.Client{Transport: h}, MaxTokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	return m.Complete(t.Context(), req, nil)
}

var hello = llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "hello"}}}

func events(list ...string) string {
	return "data: " + strings.Join(list, "\n\ndata: ") + "\n\n"
}

// TestTokenLimit: OpenAI refuses max_tokens for newer models, others know it alone.
func TestTokenLimit(t *testing.T) {
	for base, want := range map[string]string{"": "max_completion_tokens", "https://api.openai.com/v1": "max_completion_tokens", "https://api.openai.com.example.test/v1": "max_tokens", "http://127.0.0.1:11434/v1": "max_tokens"} {
		h := &host{body: events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)}
		if _, err := ask(t, h, base, hello); err != nil {
			t.Fatal(err)
		}
		other := map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[want]
		if h.sent[want] != 100.0 || h.sent[other] != nil {
			t.Errorf("%q: max_tokens %v, max_completion_tokens %v", base, h.sent["max_tokens"], h.sent["max_completion_tokens"])
		}
	}
}

// TestWireFormat: the whole request, as the hosts' documents have it.
func TestWireFormat(t *testing.T) {
	h := &host{body: events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`)}
	req := llm.Request{
		System: "Be exact.",
		Messages: []llm.Message{
			{Role: llm.User, Text: "<b> & ä"},
			{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "c1", Name: "read", Arguments: `{"a":1}`}}},
			{Role: llm.Tool, ToolCallID: "c1", Text: "r"},
			{Role: llm.User, Text: "Look.", Images: []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}},
			{Role: llm.User, Images: []llm.Image{{MediaType: "image/png", Data: []byte{1, 2}}}},
		},
		Tools: []llm.ToolDef{{Name: "read", Description: "d"}},
	}
	if _, err := ask(t, h, "http://127.0.0.1:1/v1", req); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	// This model takes no pictures: they are left out, and so is a message of nothing else.
	const body = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":100,
		"messages":[{"role":"system","content":"Be exact."},{"role":"user","content":"<b> & ä"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"a\":1}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"r"},{"role":"user","content":"Look."}],
		"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}}]}`
	if err := json.Unmarshal([]byte(body), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, h.sent); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
	if h.got.URL.String() != "http://127.0.0.1:1/v1/chat/completions" || h.got.Header.Get("Authorization") != "" {
		t.Errorf("%s, %v", h.got.URL, h.got.Header)
	}
}

// TestOwnWords: what hosts say that OpenAI does not.
func TestOwnWords(t *testing.T) {
	done := `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for name, c := range map[string]struct {
		body string
		want llm.Response
		code core.Code
	}{
		"error null":                 {events(`{"error":null,"choices":[{"delta":{"content":"x"}}]}`, done), llm.Response{Text: "x", Stop: llm.StopDone}, ""},
		"arguments as an object":     {events(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"a":[1, 2]}}}]}}]}`, done), llm.Response{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: `{"a":[1, 2]}`}}, Stop: llm.StopDone}, ""},
		"a refusal":                  {events(`{"choices":[{"delta":{"refusal":"I cannot."}}]}`, done), llm.Response{Text: "I cannot.", Stop: llm.StopRefused}, ""},
		"a refusal, cut":             {events(`{"choices":[{"delta":{"refusal":"I cannot."}}]}`), llm.Response{}, core.ModelBroken},
		"sensitive":                  {events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"sensitive"}]}`), llm.Response{Text: "x", Stop: llm.StopRefused}, ""},
		"no resources":               {events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"insufficient_system_resource"}]}`), llm.Response{}, core.ModelBusy},
		"a finish_reason of its own": {events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"eos_token"}]}`), llm.Response{Text: "x", Stop: llm.StopDone}, ""},
		"only [DONE] at the end":     {events(`{"choices":[{"delta":{"content":"x"}}]}`, "[DONE]"), llm.Response{Text: "x", Stop: llm.StopDone}, ""},
		"usage after the end":        {events(`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}`, "[DONE]"), llm.Response{Text: "x", Stop: llm.StopDone, Usage: llm.Usage{PromptTokens: 7, CompletionTokens: 2}}, ""},
		"vLLM's error":               {events(`{"object":"error","message":"too long","type":"BadRequestError","code":400}`), llm.Response{}, core.ModelRefused},
		"OpenRouter's error":         {events(`{"error":{"code":429,"message":"later"},"choices":[]}`), llm.Response{}, core.ModelBusy},
		"an event called error":      {"event: error\ndata: {\"message\":\"x\",\"type\":\"server_error\"}\n\n", llm.Response{}, core.ModelBusy},
		"empty lines of data":        {"data:\n\ndata: \n\n" + events(`{"choices":[{"delta":{"content":"x"}}]}`, done), llm.Response{Text: "x", Stop: llm.StopDone}, ""},
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

// TestSchemaKeepsItsOrder: the properties of a schema stand in the order they
// were written in, which models follow.
func TestSchemaKeepsItsOrder(t *testing.T) {
	h := &recorder{}
	req := hello
	req.Tools = []llm.ToolDef{{Name: "f", Schema: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)}}
	m, err := New(Config{Model: "m", Client: &http.Client{Transport: h}})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = m.Complete(t.Context(), req, nil)
	if !bytes.Contains(h.body, []byte(`"properties":{"z":{},"a":{}}`)) {
		t.Errorf("%s", h.body)
	}
}

type recorder struct{ body []byte }

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.body, _ = io.ReadAll(q.Body)
	return nil, io.EOF
}
