package modelserver

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	aoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"pgregory.net/rapid"
)

// The official SDKs are the judges of the bytes: what a reply holds is what
// their accumulators make of the stream.

func openaiClient(s *Server) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.OpenAIBase()), option.WithAPIKey("k"), option.WithMaxRetries(0))
}

func anthropicClient(s *Server) anthropic.Client {
	return anthropic.NewClient(aoption.WithBaseURL(s.AnthropicBase()), aoption.WithAPIKey("k"), aoption.WithMaxRetries(0))
}

// tester is a test, or a trial of a property.
type tester interface {
	Context() context.Context
	Fatal(args ...any)
}

// got is what came of a reply.
type got struct {
	Text               string
	Calls              []Call
	Stop               string
	Prompt, Completion int64
}

func throughOpenAI(t tester, s *Server) got {
	client := openaiClient(s)
	stream := client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello world")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	})
	defer func() { _ = stream.Close() }()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Fatal("the SDK does not accept a chunk: " + stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	c := acc.Choices[0]
	out := got{Text: c.Message.Content, Stop: c.FinishReason, Prompt: acc.Usage.PromptTokens, Completion: acc.Usage.CompletionTokens}
	for _, call := range c.Message.ToolCalls {
		out.Calls = append(out.Calls, Call{call.ID, call.Function.Name, call.Function.Arguments})
	}
	return out
}

func throughAnthropic(t tester, s *Server) got {
	client := anthropicClient(s)
	stream := client.Messages.NewStreaming(t.Context(), anthropic.MessageNewParams{
		Model: "m", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello world"))},
	})
	defer func() { _ = stream.Close() }()
	var msg anthropic.Message
	for stream.Next() {
		if err := msg.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	out := got{Stop: string(msg.StopReason), Prompt: msg.Usage.InputTokens, Completion: msg.Usage.OutputTokens}
	for _, b := range msg.Content {
		switch b.Type {
		case "text":
			out.Text += b.Text
		case "tool_use":
			out.Calls = append(out.Calls, Call{b.ID, b.Name, string(b.Input)})
		}
	}
	return out
}

// TestSDKsReadWhatWasMeant (T-45): random text and calls come through both SDKs
// as they are, in fragments of any size, interleaved or not.
func TestSDKsReadWhatWasMeant(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab <&>\"\\\n{}:äß漢\u2028\U0001F600")), 0, 60, -1)
	s := StartT(t)
	rapid.Check(t, func(t *rapid.T) {
		r := Reply{Text: text.Draw(t, "text"), Fault: Fault{
			Fragment: rapid.SampledFrom([]int{0, 0, 1, 3, 100}).Draw(t, "fragment"), Interleave: rapid.Bool().Draw(t, "interleave"),
		}, Odd: Odd{WholeCalls: rapid.Bool().Draw(t, "whole"), CRLF: rapid.Bool().Draw(t, "crlf"), Comments: rapid.Bool().Draw(t, "comments")}}
		for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
			c := NewCall("tool_"+string(rune('a'+i)), map[string]string{"text": text.Draw(t, "argument")})
			c.ID = "id_" + string(rune('a'+i))
			r.Calls = append(r.Calls, c)
		}
		s.Add(Give(r), Give(r))
		want := got{Text: r.Text, Calls: r.Calls, Stop: "stop", Prompt: 2}
		if len(r.Calls) > 0 {
			want.Stop = "tool_calls"
		}
		opt := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(got{}, "Completion")}
		if d := cmp.Diff(want, throughOpenAI(t, s), opt); d != "" {
			t.Fatal("OpenAI: " + d)
		}
		want.Stop = map[string]string{"stop": "end_turn", "tool_calls": "tool_use"}[want.Stop]
		if d := cmp.Diff(want, throughAnthropic(t, s), opt); d != "" {
			t.Fatal("Anthropic: " + d)
		}
	})
}

// TestUsageIsCounted: with o200k_base, over everything that holds text.
func TestUsageIsCounted(t *testing.T) {
	if Tokens("hello world") != 2 || Tokens("") != 0 {
		t.Errorf("%d tokens", Tokens("hello world"))
	}
	r := Reply{Text: "hello world", Calls: []Call{{ID: "1", Name: "hello", Arguments: "{}"}}}
	s := StartT(t, Give(r), Give(r))
	for _, u := range []got{throughOpenAI(t, s), throughAnthropic(t, s)} {
		if u.Prompt != 2 || u.Completion != 4 {
			t.Errorf("%+v", u)
		}
	}
	if s.Calls()[0].PromptTokens != 2 {
		t.Error(s.Calls()[0].PromptTokens)
	}
}

// TestRequestsOfTheSDKs: what the SDKs send arrives whole, in one form.
func TestRequestsOfTheSDKs(t *testing.T) {
	schema := map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string"}}}
	picture := bytes.Repeat([]byte{0x89, 'P', 'N', 'G'}, 10)
	s := StartT(t, Forever(Say("ok")))

	oc := openaiClient(s)
	call := openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
		ID: "c1", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "see", Arguments: `{"x":"ü"}`},
	}}
	_, err := oc.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "gpt-x", MaxTokens: openai.Int(77),
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("be good"), openai.UserMessage("look"),
			{OfAssistant: &openai.ChatCompletionAssistantMessageParam{ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{call}}},
			openai.ToolMessage(`{"ok":true}`, "c1"),
			openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("the picture"),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + b64(picture)}),
			}),
		},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "see", Description: openai.String("looks"), Parameters: schema})},
	})
	if err != nil {
		t.Fatal(err)
	}
	ac := anthropicClient(s)
	_, err = ac.Messages.New(t.Context(), anthropic.MessageNewParams{
		Model: "claude-y", MaxTokens: 77, System: []anthropic.TextBlockParam{{Text: "be good"}},
		Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewTextBlock("look")),
			anthropic.NewAssistantMessage(anthropic.NewToolUseBlock("c1", json.RawMessage(`{"x":"ü"}`), "see")),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock("c1", `{"ok":true}`, true), anthropic.NewTextBlock("the picture"), anthropic.NewImageBlockBase64("image/png", b64(picture))),
		},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "see", Description: anthropic.String("looks"), InputSchema: anthropic.ToolInputSchemaParam{Properties: schema["properties"]}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := s.Calls()
	want := Request{
		Wire: OpenAI, Model: "gpt-x", System: "be good", MaxTokens: 77,
		Messages: []Message{
			{Role: "user", Text: "look"},
			{Role: "assistant", Calls: []Call{{"c1", "see", `{"x":"ü"}`}}},
			{Role: "tool", Text: `{"ok":true}`, ToolCallID: "c1"},
			{Role: "user", Text: "the picture", Images: 1, ImageBytes: len(picture)},
		},
		Tools: []Tool{{Name: "see", Description: "looks"}},
	}
	opt := cmp.Options{
		cmpopts.IgnoreFields(Request{}, "Header", "Raw", "PromptTokens"), cmpopts.IgnoreFields(Tool{}, "Schema"), cmpopts.IgnoreUnexported(Request{}),
	}
	if d := cmp.Diff(want, calls[0], opt); d != "" {
		t.Error(d)
	}
	want.Wire, want.Model, want.Messages[2].IsError = Anthropic, "claude-y", true
	if d := cmp.Diff(want, calls[1], opt); d != "" {
		t.Error(d)
	}
	for _, c := range calls {
		held := 0
		for _, text := range []string{"be good", "look", "see", `{"x":"ü"}`, `{"ok":true}`, "the picture", "see", "looks", string(c.Tools[0].Schema)} {
			held += Tokens(text)
		}
		if c.PromptTokens != held {
			t.Errorf("%s: %d tokens, not %d", c.Wire, c.PromptTokens, held)
		}
		if !strings.Contains(string(c.Tools[0].Schema), `"properties":{"x":{"type":"string"}}`) || !json.Valid(c.Raw) {
			t.Errorf("%s: schema %s", c.Wire, c.Tools[0].Schema)
		}
	}
	for _, c := range calls {
		if c.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("%s: the key did not arrive", c.Wire)
		}
	}
}
