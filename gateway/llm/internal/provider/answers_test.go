package provider_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/anthropic"
	"proofmark/gateway/llm/openai"
)

// answers is a host that answers with fixed bytes.
type answers struct{ kind, body string }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {a.kind}},
		Body: io.NopCloser(strings.NewReader(a.body)), Request: r,
	}, nil
}

// seeds are answers that are mutated: whole ones, odd ones and broken ones.
var seeds = []string{
	`data: {"choices":[{"delta":{"content":"hi","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}` + "\n\n",
	`data: {"choices":[{"delta":{"tool_calls":[{"index":-1,"function":{"arguments":{"a":1}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1e99}}` + "\n\ndata: [DONE]\n\n",
	`{"choices":[{"message":{"content":[{"type":"text","text":"x"}],"tool_calls":[null,{"function":null}]}}]}`,
	`data: {"error":null,"choices":null}` + "\n\n", `data: [[[]]]` + "\n\n", `data: 5` + "\n\n", `{"error":{"code":429,"message":"x"}}`,
	"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\":1}}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
	`{"type":"message","content":[{"type":"text","text":"x"},{"type":"tool_use","input":5},null]}`, `{"content":{}}`,
}

// mutated cuts, repeats, joins and replaces parts of the seeds.
func mutated(t *rapid.T) string {
	body := rapid.SampledFrom(seeds).Draw(t, "seed")
	for range rapid.IntRange(0, 6).Draw(t, "mutations") {
		from := rapid.IntRange(0, len(body)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(body), from+24)).Draw(t, "to")
		var in string
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0: // cut
		case 1:
			in = body[from:to] + body[from:to]
		case 2:
			in = rapid.SampledFrom(seeds).Draw(t, "joined")
		case 3:
			in = rapid.SampledFrom([]string{"null", "[]", "{}", `""`, "-1", "1e999", "\n\n", "\r", "\ufeff", `"\ud83d"`, "\xff", "data: ", "event: error\n", "true"}).Draw(t, "word")
		default:
			in = rapid.StringN(0, 8, -1).Draw(t, "text")
		}
		body = body[:from] + in + body[to:]
	}
	return body
}

// TestAnyAnswer: R-MODEL-4. Whatever bytes a host answers with, a call ends with
// a response within the limits or an error with a model's code. (A native fuzz
// target would have the compiler instrument both SDKs, which takes it many
// minutes and gigabytes.)
func TestAnyAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, plain := mutated(t), rapid.Bool().Draw(t, "plain")
		kind := "text/event-stream"
		if plain {
			kind = "application/json"
		}
		client := &http.Client{Transport: answers{kind, body}}
		a, err := openai.New(openai.Config{Model: "m", Client: client})
		if err != nil {
			t.Fatal(err)
		}
		b, err := anthropic.New(anthropic.Config{Model: "m", Client: client})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []llm.Model{a, b} {
			var h heard
			got, err := m.Complete(context.Background(), ask("Go."), h.hear)
			if h.begun > 1 || (h.events > 0 && !h.first.Begun) {
				t.Fatalf("begun was told %d times", h.begun)
			}
			if err != nil {
				switch core.CodeOf(err) {
				case core.ModelBroken, core.ModelBusy, core.ModelDenied, core.ModelRefused, core.ModelUnreachable:
				default:
					t.Fatalf("%s: %v", core.CodeOf(err), err)
				}
				continue
			}
			if got.Text != h.text.String() || len(got.Text) > core.MaxModelTextBytes || (utf8.ValidString(body) && !utf8.ValidString(got.Text)) {
				t.Fatalf("text %q, streamed %q", got.Text, h.text.String())
			}
			ids := map[string]bool{}
			for _, c := range got.ToolCalls {
				if c.ID == "" || ids[c.ID] || c.Arguments == "" {
					t.Fatalf("calls %+v", got.ToolCalls)
				}
				ids[c.ID] = true
			}
			if got.Stop == "" || got.Usage.PromptTokens < 0 || got.Usage.CompletionTokens < 0 {
				t.Fatalf("%+v", got)
			}
		}
	})
}
