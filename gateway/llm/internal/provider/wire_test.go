package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/anthropic"
	"proofmark/gateway/llm/internal/provider"
	"proofmark/gateway/llm/openai"
	ms "proofmark/internal/modelserver"
)

const (
	secret  = "sk-proof-0123456789abcdefghijKLMNOP"
	modelID = "test-model"
)

// rig is one provider's model that talks to one server.
type rig struct {
	*ms.Server
	wire string
	llm.Model
	check func(context.Context) (provider.Checked, error)
}

// Close resolves the two embedded ones.
func (r *rig) Close() { r.Server.Close() }

func newRig(t testing.TB, wire string, steps ...ms.Step) *rig {
	t.Helper()
	return rigOf(t, wire, ms.StartT(t, steps...), func() (string, error) { return secret, nil })
}

func rigOf(t testing.TB, wire string, s *ms.Server, key func() (string, error)) *rig {
	t.Helper()
	r := &rig{Server: s, wire: wire}
	if wire == ms.OpenAI {
		m, err := openai.New(openai.Config{Name: "mine", Model: modelID, BaseURL: s.OpenAIBase(), Key: key, Vision: true})
		if err != nil {
			t.Fatal(err)
		}
		r.Model, r.check = m, m.Check
		return r
	}
	m, err := anthropic.New(anthropic.Config{Name: "mine", Model: modelID, BaseURL: s.AnthropicBase(), Key: key, Vision: true})
	if err != nil {
		t.Fatal(err)
	}
	r.Model, r.check = m, m.Check
	return r
}

// both runs a test over both wire formats.
func both(t *testing.T, f func(t *testing.T, wire string)) {
	for _, wire := range []string{ms.OpenAI, ms.Anthropic} {
		t.Run(wire, func(t *testing.T) { f(t, wire) })
	}
}

var tools = []llm.ToolDef{
	{Name: "document_inspect", Description: "Reads the notes.", Schema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"additionalProperties":false}`)},
	{Name: "document_read", Description: "Reads the source.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
	{Name: "document_apply", Description: "Changes it.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
}

func ask(text string) llm.Request {
	return llm.Request{System: "Be exact.", Messages: []llm.Message{{Role: llm.User, Text: text}}, Tools: tools}
}

// heard is what a call's events told.
type heard struct {
	text   strings.Builder
	begun  int
	first  llm.Event
	events int
}

func (h *heard) hear(e llm.Event) {
	if h.events == 0 {
		h.first = e
	}
	h.events++
	if e.Begun {
		h.begun++
	}
	h.text.WriteString(e.TextDelta)
}

// fails asserts an error's code, and that nothing secret or of the prompt is in it.
func fails(t *testing.T, err error, code core.Code) *core.Error {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v (%T), want one with code %s", err, err, code)
	}
	if e.Code != code {
		t.Fatalf("code %s (%v), want %s", e.Code, err, code)
	}
	told, _ := json.Marshal(map[string]any{"m": e.Error(), "h": e.Hint, "d": e.Detail})
	for _, hidden := range []string{secret, secret[8:], "instruction of the person"} {
		if strings.Contains(string(told), hidden) {
			t.Errorf("the error tells %q: %s", hidden, told)
		}
	}
	return e
}

// TestTextStreams: R-MODEL-1. Text arrives piece by piece and whole, the
// beginning is told once and first, tokens are counted.
func TestTextStreams(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		const text = "Überschrift geändert: 新标题 😀 <b>&amp;</b> \u2028 \"quoted\" \\ end"
		r := newRig(t, wire, ms.Say(text))
		var h heard
		got, err := r.Complete(t.Context(), ask("Say it."), h.hear)
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != text || h.text.String() != text {
			t.Errorf("text %q, streamed %q", got.Text, h.text.String())
		}
		if h.begun != 1 || !h.first.Begun {
			t.Errorf("begun was told %d times, first event %+v", h.begun, h.first)
		}
		call := r.Calls()[0]
		if got.Usage.PromptTokens != call.PromptTokens || got.Usage.CompletionTokens == 0 || call.PromptTokens == 0 {
			t.Errorf("usage %+v, the server counted %d", got.Usage, call.PromptTokens)
		}
		if got.Stop != llm.StopDone || len(got.ToolCalls) != 0 {
			t.Errorf("stop %q, calls %v", got.Stop, got.ToolCalls)
		}
		if !call.Stream || call.Model != modelID || call.System != "Be exact." || call.MaxTokens != core.MaxAnswerTokens {
			t.Errorf("asked with stream %v, model %q, system %q, %d tokens", call.Stream, call.Model, call.System, call.MaxTokens)
		}
	})
}

// TestFragmentedToolCalls: T-45, C-10. Ids that come late, arguments in pieces of
// one byte on the wire and one character in an event, two calls in turns.
func TestFragmentedToolCalls(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		calls := []ms.Call{
			{ID: "call_one", Name: "document_apply", Arguments: `{"mutations":[{"text":"Größe 大小 \"x\" \\ 😀 {}"}]}`},
			{ID: "call_two", Name: "document_read", Arguments: `{"find":"}{","page":2}`},
		}
		r := newRig(t, wire, ms.Give(ms.Reply{Text: "Gleich – 马上.", Calls: calls, Fault: ms.Fault{Fragment: 1, LateID: true, Interleave: true}}))
		var h heard
		got, err := r.Complete(t.Context(), ask("Do it."), h.hear)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(plain(calls), got.ToolCalls); d != "" || got.Text != "Gleich – 马上." {
			t.Errorf("text %q, calls (-want +got):\n%s", got.Text, d)
		}
		if h.begun != 1 {
			t.Errorf("begun was told %d times", h.begun)
		}
	})
}

func plain(calls []ms.Call) []llm.ToolCall {
	var out []llm.ToolCall
	for _, c := range calls {
		out = append(out, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return out
}

// TestAnyFragmentation: T-45, C-10. Whatever is said and however it is cut, what
// arrives is what was sent.
func TestAnyFragmentation(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		var reply ms.Reply
		r := newRig(t, wire, ms.Forever(func(ms.Request) ms.Reply { return reply }))
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringMatching(`[a-z"\\{}äß语😀\n ]{0,60}`)
			reply = ms.Reply{Text: text.Draw(t, "text")}
			for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
				arguments, _ := json.Marshal(map[string]string{"a": text.Draw(t, "arguments")})
				reply.Calls = append(reply.Calls, ms.Call{
					ID: "id" + string(rune('a'+i)), Name: rapid.SampledFrom([]string{"document_inspect", "document_read"}).Draw(t, "tool"), Arguments: string(arguments),
				})
			}
			reply.Fault = ms.Fault{Fragment: rapid.IntRange(1, 40).Draw(t, "fragment"), LateID: rapid.Bool().Draw(t, "late"), Interleave: rapid.Bool().Draw(t, "turns")}
			reply.Odd = ms.Odd{
				CRLF: rapid.Bool().Draw(t, "crlf"), Comments: rapid.Bool().Draw(t, "comments"), NoSpace: rapid.Bool().Draw(t, "nospace"),
				NameInPieces: rapid.Bool().Draw(t, "names"), RoleAlways: rapid.Bool().Draw(t, "roles"), NullContent: rapid.Bool().Draw(t, "null"),
			}
			got, err := r.Complete(context.Background(), ask("Go."), nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(plain(reply.Calls), got.ToolCalls); d != "" || got.Text != reply.Text {
				t.Fatalf("text %q, want %q; calls (-want +got):\n%s", got.Text, reply.Text, d)
			}
		})
	})
}

// TestOddHosts: R-MODEL-1, C-10. What calls itself compatible is understood.
func TestOddHosts(t *testing.T) {
	calls := []ms.Call{
		{ID: "call_a", Name: "document_inspect", Arguments: `{}`},
		{ID: "call_b", Name: "document_read", Arguments: `{"page":1}`},
		{ID: "call_c", Name: "document_read", Arguments: `{"page":2}`},
	}
	odd := map[string]ms.Odd{
		"index zero": {IndexZero: true}, "index zero, whole": {IndexZero: true, WholeCalls: true},
		"no index": {NoIndex: true}, "no index, no id, whole": {NoIndex: true, NoID: true, WholeCalls: true}, "no id": {NoID: true},
		"whole": {WholeCalls: true}, "name in pieces": {NameInPieces: true}, "null content": {NullContent: true}, "role always": {RoleAlways: true},
		"finish stop": {FinishStop: true}, "reasoning": {Reasoning: true}, "empty choices": {EmptyChoices: true}, "plain JSON": {PlainJSON: true},
		"CRLF": {CRLF: true}, "comments": {Comments: true}, "no space": {NoSpace: true}, "text type": {TextType: true},
	}
	for name, o := range odd {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, wire string) {
				r := newRig(t, wire, ms.Give(ms.Reply{Text: "Well.", Calls: calls, Odd: o, NoUsage: true}))
				var h heard
				got, err := r.Complete(t.Context(), ask("Go."), h.hear)
				if err != nil {
					t.Fatal(err)
				}
				want := plain(calls)
				if o.NoID && wire == ms.OpenAI {
					for i := range want {
						want[i].ID = got.ToolCalls[i].ID
					}
				}
				if d := cmp.Diff(want, got.ToolCalls); d != "" || got.Text != "Well." || got.Stop != llm.StopDone {
					t.Errorf("text %q, stop %q, calls (-want +got):\n%s", got.Text, got.Stop, d)
				}
				if h.begun != 1 || h.text.String() != "Well." || !h.first.Begun {
					t.Errorf("begun %d times, streamed %q", h.begun, h.text.String())
				}
				ids := map[string]bool{}
				for _, c := range got.ToolCalls {
					ids[c.ID] = c.ID != ""
				}
				if len(ids) != len(calls) || ids[""] {
					t.Errorf("the ids %v are not one each", ids)
				}
			})
		})
	}
}

// TestStops: why a response ended.
func TestStops(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		for said, want := range map[string]llm.Stop{"": llm.StopDone, "length": llm.StopLength, "refused": llm.StopRefused, "stop_sequence": llm.StopDone} {
			r := newRig(t, wire, ms.Give(ms.Reply{Text: "So far.", Stop: said}))
			got, err := r.Complete(t.Context(), ask("Go."), nil)
			if err != nil || got.Stop != want {
				t.Errorf("%q: stop %q, %v; want %q", said, got.Stop, err, want)
			}
		}
	})
}
