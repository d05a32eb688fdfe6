package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/anthropic"
	"proofmark/gateway/llm/internal/provider"
	"proofmark/gateway/llm/openai"
	"proofmark/gateway/llm/retry"
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

// TestBrokenArguments: T-46, C-11. Arguments that are not JSON are handed on as
// they stand, never replaced by {}; none at all are {}. The conversation with
// them goes back to the host, which takes it.
func TestBrokenArguments(t *testing.T) {
	for _, arguments := range []string{`{"page":`, `{"a":1}}`, `[1]`, `"x"`, `null`, `not json`} {
		both(t, func(t *testing.T, wire string) {
			r := newRig(t, wire, ms.UseAll(ms.Call{ID: "c1", Name: "document_read", Arguments: arguments}), ms.Say("Sorry."))
			req := ask("Read.")
			got, err := r.Complete(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.ToolCalls) != 1 || got.ToolCalls[0].Arguments != arguments {
				t.Fatalf("calls %v, want the arguments %s", got.ToolCalls, arguments)
			}
			req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, ToolCalls: got.ToolCalls},
				llm.Message{Role: llm.Tool, ToolCallID: "c1", Text: `{"ok":false}`, IsError: true})
			if _, err := r.Complete(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			last := r.Calls()[1]
			var back map[string]string
			if sent := last.Messages[1].Calls[0].Arguments; json.Unmarshal([]byte(sent), &back) != nil || back["notAnObject"] != arguments {
				t.Errorf("%s went back as %s", arguments, sent)
			}
		})
	}
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire, ms.UseAll(ms.Call{ID: "c1", Name: "document_read"}))
		got, err := r.Complete(t.Context(), ask("Read."), nil)
		if err != nil || len(got.ToolCalls) != 1 || got.ToolCalls[0].Arguments != "{}" {
			t.Errorf("calls %v, %v", got.ToolCalls, err)
		}
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

// TestFaultsOnTheWire: R-MODEL-4, AG-1. Whatever goes wrong is bounded, has a
// code, costs one physical call, and never tells the key or the prompt.
func TestFaultsOnTheWire(t *testing.T) {
	long := strings.Repeat("Some words. ", 40)
	cases := map[string]struct {
		reply ms.Reply
		code  core.Code // "" where the answer is whole all the same
		begun bool
	}{
		"endless text":                  {ms.Reply{Text: long, Fault: ms.Fault{EndlessText: true}}, core.ModelBroken, true},
		"endless line":                  {ms.Reply{Text: long, Fault: ms.Fault{EndlessLine: true}}, core.ModelBroken, true},
		"invalid UTF-8":                 {ms.Reply{Text: long, Fault: ms.Fault{InvalidUTF8: true}}, core.ModelBroken, true},
		"invalid UTF-8 cut":             {ms.Reply{Text: "x", Fault: ms.Fault{InvalidUTF8: true, Fragment: 1}}, core.ModelBroken, false},
		"invalid UTF-8 in arguments":    {ms.Reply{Calls: []ms.Call{ms.NewCall("document_read", map[string]any{})}, Fault: ms.Fault{InvalidUTF8: true}}, core.ModelBroken, true},
		"cut before anything":           {ms.Reply{Text: long, Fault: ms.Fault{CutAfter: -1}}, core.ModelUnreachable, false},
		"cut at the head":               {ms.Reply{Text: long, Fault: ms.Fault{CutAfter: 20}}, core.ModelUnreachable, false},
		"cut in the middle":             {ms.Reply{Text: long, Fault: ms.Fault{CutAfter: 3000}}, core.ModelUnreachable, true},
		"broken event":                  {ms.Reply{Text: long, Fault: ms.Fault{BrokenJSON: true}}, core.ModelBroken, true},
		"no goodbye":                    {ms.Reply{Text: long, Fault: ms.Fault{NoDone: true}}, "", true},
		"no end":                        {ms.Reply{Text: long, Fault: ms.Fault{NoFinish: true, NoDone: true}}, core.ModelBroken, true},
		"a web page":                    {ms.Reply{Fault: ms.Fault{HTML: true}}, core.ModelBroken, false},
		"a web page that hides":         {ms.Reply{Body: "<!DOCTYPE html><p>hello", Header: map[string]string{"Content-Type": "text/plain"}}, core.ModelBroken, false},
		"nothing":                       {ms.Reply{Body: "\n"}, core.ModelBroken, false},
		"only [DONE]":                   {ms.Reply{Body: "data: [DONE]\n\n"}, core.ModelBroken, false},
		"no JSON":                       {ms.Reply{Body: "data: hello\n\n"}, core.ModelBroken, false},
		"JSON of another kind":          {ms.Reply{Body: `{"response":"hi"}`, Header: map[string]string{"Content-Type": "application/json"}}, core.ModelBroken, false},
		"half JSON":                     {ms.Reply{Body: `{"choices":[`, Header: map[string]string{"Content-Type": "application/json"}}, core.ModelBroken, false},
		"overloaded in the stream":      {ms.Reply{Text: long, Fault: ms.Fault{ErrorEvent: "overloaded_error"}}, core.ModelBusy, true},
		"overloaded, with status 200":   {ms.Reply{Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Header: map[string]string{"Content-Type": "application/json"}}, core.ModelBusy, false},
		"no such key in the stream":     {ms.Reply{Text: long, Fault: ms.Fault{ErrorEvent: "authentication_error"}}, core.ModelDenied, true},
		"400":                           {ms.Reply{Status: 400, Text: "No."}, core.ModelRefused, false},
		"401 that repeats the key":      {ms.Reply{Status: 401, Text: "Incorrect key: " + secret}, core.ModelDenied, false},
		"404":                           {ms.Reply{Status: 404, Text: "No such model."}, core.ModelRefused, false},
		"429":                           {ms.Reply{Status: 429, Text: "Slow down.", Header: map[string]string{"Retry-After": "7"}}, core.ModelBusy, false},
		"500":                           {ms.Reply{Status: 500, Text: "Oh."}, core.ModelBusy, false},
		"500 without JSON":              {ms.Reply{Status: 500, Body: "<html>Bad gateway"}, core.ModelBusy, false},
		"an event that repeats the key": {ms.Reply{Body: "data: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"bad " + secret + "\"}}\n\n"}, core.ModelDenied, false},
		"too many calls":                {ms.Reply{Calls: make([]ms.Call, 200)}, core.ModelBroken, true},
		"a name without end":            {ms.Reply{Calls: []ms.Call{{Name: strings.Repeat("n", 4<<10), Arguments: "{}"}}}, core.ModelBroken, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, wire string) {
				r := newRig(t, wire, ms.Give(c.reply))
				var h heard
				got, err := r.Complete(t.Context(), ask("The instruction of the person."), h.hear)
				if c.code == "" {
					if err != nil || got.Text != c.reply.Text {
						t.Fatalf("%q, %v", got.Text, err)
					}
				} else {
					e := fails(t, err, c.code)
					if ms, _ := e.Detail["retryAfterMs"].(int64); name == "429" && ms != 7000 {
						t.Errorf("the wait asked for is %v", e.Detail)
					}
					if got.Text != "" || got.ToolCalls != nil {
						t.Errorf("a failed call gave %+v", got)
					}
				}
				if h.begun > 1 || (h.begun == 1) != c.begun {
					t.Errorf("begun was told %d times", h.begun)
				}
				if len(h.text.String()) > core.MaxModelTextBytes {
					t.Errorf("%d bytes were streamed", len(h.text.String()))
				}
				if r.Count() != 1 {
					t.Errorf("%d physical calls", r.Count())
				}
			})
		})
	}
}

// TestArgumentsWithoutEnd: R-MODEL-4. Both as one object and as a stream.
func TestArgumentsWithoutEnd(t *testing.T) {
	long := strings.Repeat("n", core.MaxModelArgumentBytes)
	half := long[:core.MaxModelArgumentBytes/2+10]
	whole := map[string]string{
		ms.OpenAI:    `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"` + long + `x"}}]}}]}`,
		ms.Anthropic: `{"content":[{"type":"tool_use","id":"a","name":"f","input":{"a":"` + long + `"}}]}`,
	}
	piece := map[string]string{
		ms.OpenAI:    `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"` + half + `"}}]}}]}` + "\n\n",
		ms.Anthropic: `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` + half + `"}}` + "\n\n",
	}
	start := `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}` + "\n\n"
	both(t, func(t *testing.T, wire string) {
		for _, reply := range []ms.Reply{
			{Body: whole[wire], Header: map[string]string{"Content-Type": "application/json"}},
			{Body: map[string]string{ms.Anthropic: start}[wire] + piece[wire] + piece[wire]},
		} {
			r := newRig(t, wire, ms.Give(reply))
			_, err := r.Complete(t.Context(), ask("Go."), nil)
			if e := fails(t, err, core.ModelBroken); !strings.Contains(e.Message, "arguments") {
				t.Errorf("%v", e)
			}
		}
	})
}

// TestTriedAgainOnTheWire: AG-1. Through the real SDKs, which try nothing again
// themselves: physical calls are counted by the host.
func TestTriedAgainOnTheWire(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		for name, c := range map[string]struct {
			steps []ms.Step
			calls int
			code  core.Code
		}{
			"busy, then an answer": {[]ms.Step{ms.Fail(529, "Overloaded"), ms.Give(ms.Reply{Fault: ms.Fault{CutAfter: -1}}), ms.Say("Yes.")}, 3, ""},
			"never an answer":      {[]ms.Step{ms.Fail(500, "a"), ms.Fail(503, "b"), ms.Fail(429, "c"), ms.Say("Yes.")}, 3, core.ModelBusy},
			"refused":              {[]ms.Step{ms.Fail(400, "No."), ms.Say("Yes.")}, 1, core.ModelRefused},
			"broken after a token": {[]ms.Step{ms.Give(ms.Reply{Text: strings.Repeat("Some words. ", 40), Fault: ms.Fault{CutAfter: 3000}}), ms.Say("Yes.")}, 1, core.ModelUnreachable},
			"cut before any token": {[]ms.Step{ms.Give(ms.Reply{Text: "Yes.", Fault: ms.Fault{CutAfter: 30}}), ms.Say("Yes.")}, 2, ""},
			"busy after a thought": {[]ms.Step{ms.Give(ms.Reply{Calls: []ms.Call{ms.NewCall("document_read", 1)}, Odd: ms.Odd{Reasoning: true}, Fault: ms.Fault{ErrorEvent: "overloaded_error"}}), ms.Say("Yes.")}, 1, core.ModelBusy},
		} {
			r := newRig(t, wire, c.steps...)
			m := retry.New(r.Model, retry.Options{Sleep: func(context.Context, time.Duration) error { return nil }})
			var h heard
			got, err := m.Complete(t.Context(), ask("Go."), h.hear)
			if core.CodeOf(err) != c.code || r.Count() != c.calls || (err == nil && got.Text != "Yes.") || h.begun > 1 {
				t.Errorf("%s: %d calls, %q, %v", name, r.Count(), got.Text, err)
			}
		}
	})
}

// TestRedirectsAreNotFollowed: R-MODEL-4. Neither key nor prompt goes elsewhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		other := ms.StartT(t, ms.Say("Thanks for the key."))
		path := "/v1/messages?secret=1"
		if wire == ms.OpenAI {
			path = "/v1/chat/completions?secret=1"
		}
		r := newRig(t, wire, ms.Give(ms.Reply{Fault: ms.Fault{Redirect: other.URL() + path}}))
		_, err := r.Complete(t.Context(), ask("Go."), nil)
		e := fails(t, err, core.ModelRefused)
		if other.Count() != 0 || strings.Contains(e.Hint, "secret=1") {
			t.Errorf("%d calls went elsewhere; hint %q", other.Count(), e.Hint)
		}
	})
}

// TestStopping: a call that hangs, before or behind its first token, ends when it
// is cancelled, and says so.
func TestStopping(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		for _, after := range []int{0, 2500} {
			ctx, cancel := context.WithCancel(t.Context())
			r := newRig(t, wire, func(ms.Request) ms.Reply {
				if after == 0 {
					cancel()
				}
				return ms.Reply{Text: strings.Repeat("Some words. ", 40), Fault: ms.Fault{Hang: true, HangAfter: after}}
			})
			_, err := r.Complete(ctx, ask("Go."), func(e llm.Event) {
				if e.TextDelta != "" {
					cancel()
				}
			})
			fails(t, err, core.Cancelled)
			cancel()
		}
	})
}

// TestNobodyThere: an address where nothing listens.
func TestNobodyThere(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire)
		r.Close()
		_, err := r.Complete(t.Context(), ask("Go."), nil)
		fails(t, err, core.ModelUnreachable)
		_, err = r.check(t.Context())
		fails(t, err, core.ModelUnreachable)
	})
}

// TestKeys: R-MODEL-4. The key goes where a provider wants it and nowhere else;
// a host without keys gets none; a key that cannot be one is not sent.
func TestKeys(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire, ms.Forever(ms.Say("Yes.")))
		r.RequireKey(secret)
		if _, err := r.Complete(t.Context(), ask("Go."), nil); err != nil {
			t.Fatal(err)
		}
		if call := r.Calls()[0]; bytes.Contains(call.Raw, []byte(secret)) {
			t.Error("the key is in the body")
		}
		wrong := rigOf(t, wire, r.Server, func() (string, error) { return "sk-wrong-key-000000", nil })
		_, err := wrong.Complete(t.Context(), ask("Go."), nil)
		fails(t, err, core.ModelDenied)
		_, err = wrong.check(t.Context())
		fails(t, err, core.ModelDenied)

		local := newRig(t, wire, ms.Say("Yes."))
		none := rigOf(t, wire, local.Server, nil)
		if _, err := none.Complete(t.Context(), ask("Go."), nil); err != nil {
			t.Fatal(err)
		}
		h := local.Calls()[0].Header
		if h.Get("Authorization") != "" || h.Get("X-Api-Key") != "" {
			t.Error("a key was made up")
		}

		// A key that looks like a word is taken out of what the host says, too.
		for _, reply := range []ms.Reply{
			{Body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"bad key correcthorse\"}}\n\n"},
			{Status: 401, Text: "bad key correcthorse"},
		} {
			word := rigOf(t, wire, ms.StartT(t, ms.Give(reply)), func() (string, error) { return "correcthorse", nil })
			_, err = word.Complete(t.Context(), ask("Go."), nil)
			if e := fails(t, err, core.ModelDenied); strings.Contains(e.Error(), "horse") || !strings.Contains(e.Error(), "bad key") {
				t.Errorf("%v", e)
			}
		}

		before := r.Count()
		odd := rigOf(t, wire, r.Server, func() (string, error) { return secret + "\r\nX-Other: 1", nil })
		_, err = odd.Complete(t.Context(), ask("Go."), nil)
		fails(t, err, core.ModelDenied)
		mine := core.Errorf(core.NoModel, "the keychain is closed")
		locked := rigOf(t, wire, r.Server, func() (string, error) { return "", mine })
		if _, err = locked.Complete(t.Context(), ask("Go."), nil); !errors.Is(err, mine) {
			t.Errorf("%v", err)
		}
		if r.Count() != before {
			t.Error("a call was made without a key")
		}
	})
}

// TestEnvironmentIsNotRead: R-MODEL-4. The SDKs' own ways to a key, a host, an
// account and headers stay shut, and nothing tells about this machine.
func TestEnvironmentIsNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-env-openai", "OPENAI_BASE_URL": "http://127.0.0.1:1/elsewhere", "OPENAI_ORG_ID": "org-env", "OPENAI_PROJECT_ID": "proj-env",
		"OPENAI_ADMIN_KEY": "sk-env-admin", "OPENAI_CUSTOM_HEADERS": "X-Env: env-header",
		"ANTHROPIC_API_KEY": "sk-env-anthropic", "ANTHROPIC_AUTH_TOKEN": "env-token", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/elsewhere",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Env: env-header", "ANTHROPIC_PROFILE": "env-profile",
	} {
		t.Setenv(name, value)
	}
	host, _ := os.Hostname()
	both(t, func(t *testing.T, wire string) {
		r := rigOf(t, wire, ms.StartT(t, ms.Say("Yes.")), nil)
		if _, err := r.Complete(t.Context(), ask("Go."), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := r.check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, values := range r.Calls()[0].Header {
			all := name + ": " + strings.Join(values, ",")
			if strings.Contains(all, "env") || strings.Contains(all, "elsewhere") || strings.HasPrefix(name, "X-Stainless") || (len(host) > 3 && strings.Contains(all, host)) {
				t.Errorf("the header %s was sent", all)
			}
		}
	})
}

// TestConversation: R-MODEL-1, R-TURN-8. Results stand behind
// their calls, pictures behind the results, whatever order the turn has them in;
// schemas go out byte for byte.
func TestConversation(t *testing.T) {
	picture := llm.Image{MediaType: "image/png", Data: []byte("\x89PNG not really")}
	history := []llm.Message{
		{Role: llm.User, Text: "First."},
		{Role: llm.Assistant, Text: "I look.", ToolCalls: []llm.ToolCall{{ID: "c1", Name: "document_inspect", Arguments: `{"z":"1","a":2}`}, {ID: "c2", Name: "what is this?", Arguments: ``}, {ID: "c3", Name: "document_read", Arguments: `{}`}}},
		{Role: llm.Tool, ToolCallID: "c1", Text: `{"ok":true}`},
		{Role: llm.User, Text: "The picture.", Images: []llm.Image{picture, picture}},
		{Role: llm.Tool, ToolCallID: "c2", Text: "", IsError: true},
		{Role: llm.Assistant},
		{Role: llm.User, Text: ""},
		{Role: llm.User, Text: "Go on."},
	}
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire, ms.Say("Yes."))
		if _, err := r.Complete(t.Context(), llm.Request{Messages: history, Tools: tools, MaxTokens: 77}, nil); err != nil {
			t.Fatal(err)
		}
		call := r.Calls()[0]
		var got []string
		for _, m := range call.Messages {
			line := m.Role + " " + m.ToolCallID + " " + m.Text
			for _, c := range m.Calls {
				line += " [" + c.Name + " " + c.Arguments + "]"
			}
			if m.Images > 0 {
				line += " +pictures"
				if m.Images != 2 || m.ImageBytes != 2*len(picture.Data) {
					t.Errorf("%d pictures of %d bytes", m.Images, m.ImageBytes)
				}
			}
			got = append(got, line)
		}
		want := []string{
			"user  First.",
			`assistant  I look. [document_inspect {"z":"1","a":2}] [what_is_this_ {"notAnObject":""}] [document_read {}]`,
			`tool c1 {"ok":true}`,
			`tool c2 `,
			`tool c3 {"ok":false,"message":"this call was not carried out"}`,
			"user  The picture. +pictures",
			"user  Go on.",
		}
		if wire == ms.Anthropic { // one message, its texts joined
			want = append(want[:5], "user  The picture.\nGo on. +pictures")
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("conversation (-want +got):\n%s", d)
		}
		if len(call.Tools) != len(tools) || call.MaxTokens != 77 {
			t.Fatalf("%d tools, %d tokens", len(call.Tools), call.MaxTokens)
		}
		for i, tool := range call.Tools {
			if tool.Name != tools[i].Name || tool.Description != tools[i].Description || string(tool.Schema) != string(tools[i].Schema) {
				t.Errorf("tool %d went out as %+v with %s", i, tool, tool.Schema)
			}
		}
	})
}

// TestToolsOff: the finaliser's call. A conversation with calls and without tools
// is one the host takes, and no tool can be called.
func TestToolsOff(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire, ms.Say("Done."))
		_, err := r.Complete(t.Context(), llm.Request{Messages: []llm.Message{
			{Role: llm.User, Text: "Go."},
			{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "c1", Name: "document_finish", Arguments: `{}`}, {ID: "c2", Name: "document_finish", Arguments: `{}`}}},
			{Role: llm.Tool, ToolCallID: "c1", Text: `{}`},
			{Role: llm.Tool, ToolCallID: "c2", Text: `{}`},
			{Role: llm.User, Text: "It is applied."},
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var raw struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
			Choice struct {
				Type string `json:"type"`
			} `json:"tool_choice"`
		}
		_ = json.Unmarshal(r.Calls()[0].Raw, &raw)
		if wire == ms.OpenAI && len(raw.Tools) != 0 {
			t.Errorf("tools %v", raw.Tools)
		}
		if wire == ms.Anthropic && (len(raw.Tools) != 1 || raw.Tools[0].Name != "document_finish" || raw.Choice.Type != "none") {
			t.Errorf("tools %v, choice %q", raw.Tools, raw.Choice.Type)
		}
	})
}

// TestCheck: the check spends no tokens.
func TestCheck(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire)
		for _, c := range []struct {
			list []string
			want provider.Checked
		}{
			{[]string{"other", modelID}, provider.Checked{Models: 2, Listed: true}},
			{[]string{modelID + "-20260101"}, provider.Checked{Models: 1, Listed: true}},
			{[]string{modelID + ":latest"}, provider.Checked{Models: 1, Listed: true}},
			{[]string{"other", modelID + "s"}, provider.Checked{Models: 2}},
			{nil, provider.Checked{}},
		} {
			r.SetModels(c.list...)
			got, err := r.check(t.Context())
			if err != nil || got != c.want {
				t.Errorf("%v: %+v, %v", c.list, got, err)
			}
		}
		r.SetModelsReply(ms.Reply{Status: http.StatusNotFound, Text: "Not found"})
		if got, err := r.check(t.Context()); err != nil || got != (provider.Checked{Unlisted: true}) {
			t.Errorf("no list: %+v, %v", got, err)
		}
		r.SetModelsReply(ms.Reply{Status: http.StatusServiceUnavailable, Text: "Later"})
		_, err := r.check(t.Context())
		fails(t, err, core.ModelBusy)
		r.SetModelsReply(ms.Reply{Fault: ms.Fault{HTML: true}})
		_, err = r.check(t.Context())
		fails(t, err, core.ModelBroken)
		if r.Count() != 0 {
			t.Errorf("the check made %d calls", r.Count())
		}
	})
}

// TestConcurrentCalls: proposers may share one model.
func TestConcurrentCalls(t *testing.T) {
	both(t, func(t *testing.T, wire string) {
		r := newRig(t, wire, ms.Forever(func(q ms.Request) ms.Reply {
			return ms.Reply{Text: "You said " + q.Messages[0].Text, Fault: ms.Fault{Fragment: 7}}
		}))
		var wg sync.WaitGroup
		for _, word := range []string{"one", "two", "three", "four"} {
			wg.Go(func() {
				got, err := r.Complete(context.Background(), ask(word), nil)
				if err != nil || got.Text != "You said "+word {
					t.Errorf("%q, %v", got.Text, err)
				}
			})
		}
		wg.Wait()
	})
}

// TestBaseAddresses: which ones are refused before anything is sent.
func TestBaseAddresses(t *testing.T) {
	for base, ok := range map[string]bool{
		"": true, "https://example.test/v1": true, "https://example.test/v1/": true, "http://127.0.0.1:9/v1": true, "http://localhost:1": true,
		"http://example.test/v1": false, "https://user:pw@example.test": false, "https://example.test/v1?key=1": false, "https://example.test/#x": false, "ftp://example.test": false, "example.test": false,
	} {
		_, a := openai.New(openai.Config{Model: "m", BaseURL: base})
		_, b := anthropic.New(anthropic.Config{Model: "m", BaseURL: base})
		if (a == nil) != ok || (b == nil) != ok {
			t.Errorf("%q: %v, %v", base, a, b)
		}
	}
	if _, err := openai.New(openai.Config{}); core.CodeOf(err) != core.Usage {
		t.Errorf("a model without a name: %v", err)
	}
}
