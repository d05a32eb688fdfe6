package modelserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answers sends a conversation and gives status and body.
func answers(t *testing.T, s *Server, body string) (int, string) {
	t.Helper()
	resp, err := send(t.Context(), s, OpenAI, body)
	code, text, err := read(t, resp, err)
	if err != nil {
		t.Fatal(err)
	}
	return code, text
}

func TestScriptGoesOnceAndForever(t *testing.T) {
	n := 0
	s := StartT(t, Say("first"), Forever(func(Request) Reply { n++; return Reply{Text: strings.Repeat("x", n)} }), Say("never"))
	for _, want := range []string{`"content":"first"`, `"content":"x"`, `"content":"xx"`, `"content":"xxx"`} {
		if _, body := answers(t, s, openaiHi); !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	s = StartT(t, Say("only"))
	answers(t, s, openaiHi)
	if code, body := answers(t, s, openaiHi); code != 500 || !strings.Contains(body, "has 1 steps and was asked for one more") {
		t.Error(code, body)
	}
	s.Add(Say("more"))
	if _, body := answers(t, s, openaiHi); !strings.Contains(body, "more") || s.Left() != 0 || s.Count() != 3 {
		t.Error(body, s.Left(), s.Count())
	}
}

func TestByModel(t *testing.T) {
	s := StartT(t, ByModel(map[string][]Step{"a": {Say("a1"), Say("a2")}, "b": {Forever(Say("b"))}}))
	for _, c := range []struct{ model, want string }{
		{"a", "a1"}, {"b", "\"b\""}, {"a", "a2"}, {"b", "\"b\""}, {"b", "\"b\""}, {"a", "asked for one more"}, {"c", "asked for one more"},
	} {
		if _, body := answers(t, s, strings.Replace(openaiHi, `"m"`, `"`+c.model+`"`, 1)); !strings.Contains(body, c.want) {
			t.Errorf("%s: no %s in %s", c.model, c.want, body)
		}
	}
}

// TestPanickingStepIsAnAnswer: a brain that finds what it did not expect says so.
func TestPanickingStepIsAnAnswer(t *testing.T) {
	s := StartT(t, Say("x"), Apply(SetTexts("new")))
	answers(t, s, openaiHi)
	if code, body := answers(t, s, openaiHi); code != 400 || !strings.Contains(body, "step 2: the conversation has no result of document_inspect") {
		t.Error(code, body)
	}
}

const inspected = `{"ok":true,"notes":[{"order":1,"targets":[{"texts":[{"grant":"hrg_t1"}],"grants":{"set_style":"hrg_s1"}}]},{"order":2,"targets":[{"grants":{}},{"texts":[{"grant":"hrg_t2"}]}]}]}`

// TestEditor: a whole turn's steps, driven by hand through the conversation.
func TestEditor(t *testing.T) {
	s := StartT(t, Editor(SetTexts("One", "Two"))...)
	type msg = map[string]any
	history := []msg{{"role": "user", "content": "go"}}
	results := map[string]string{
		"document_inspect":         inspected,
		"document_apply":           `{"ok":true}`,
		"document_browser_inspect": `{"receipt":"vfy_1","candidateSha":"abc"}`,
		"document_finish":          `{"status":"applied"}`,
	}
	var called []string
	for range 5 {
		body, err := json.Marshal(map[string]any{"model": "m", "messages": history, "tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "x"}}}})
		if err != nil {
			t.Fatal(err)
		}
		_, answer := answers(t, s, string(body))
		var out struct {
			Choices []struct {
				Message struct {
					Content string       `json:"content"`
					Calls   []openaiCall `json:"tool_calls"`
				} `json:"message"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(answer), &out); err != nil || len(out.Choices) != 1 {
			t.Fatal(answer, err)
		}
		m := out.Choices[0].Message
		if len(m.Calls) == 0 {
			called = append(called, m.Content)
			break
		}
		c := m.Calls[0]
		called = append(called, c.Function.Name+" "+c.Function.Arguments)
		history = append(history, msg{"role": "assistant", "content": nil, "tool_calls": m.Calls}, msg{"role": "tool", "tool_call_id": c.ID, "content": results[c.Function.Name]})
	}
	want := []string{
		"document_inspect {}",
		`document_apply {"mutations":[{"grant":"hrg_t1","operation":"replace_text","text":"One"},{"grant":"hrg_t2","operation":"replace_text","text":"Two"}]}`,
		"document_browser_inspect {}",
		`document_finish {"action":"commit","receipt":"vfy_1","sha":"abc","summary":"Changed as asked."}`,
		"The page is changed as you asked.",
	}
	if d := cmp.Diff(want, called); d != "" {
		t.Error(d)
	}
	if g := GrantFor(object(inspected), 1, "set_style"); g != "hrg_s1" {
		t.Error(g)
	}
	last := s.Calls()[4]
	if last.Last()["status"] != "applied" || last.ResultOf("document_browser_inspect")["receipt"] != "vfy_1" || last.ResultOf("nothing") != nil {
		t.Error(last.Messages)
	}
}
