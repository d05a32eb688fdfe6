package provider_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"proofmark/gateway/llm"
	ms "proofmark/internal/modelserver"
)

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
