package provider_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/retry"
	ms "proofmark/internal/modelserver"
)

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
