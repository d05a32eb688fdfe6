package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/llm"
)

// TestOrderedConversations: both wire formats want each response's results
// directly behind it, one for each call, and nothing of what was said is lost.
func TestOrderedConversations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in []llm.Message
		said, n := 0, 0
		for range rapid.IntRange(0, 5).Draw(t, "rounds") {
			if rapid.Bool().Draw(t, "user") {
				said++
				in = append(in, llm.Message{Role: llm.User, Text: fmt.Sprint("user ", said)})
			}
			var calls []llm.ToolCall
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				n++
				calls = append(calls, llm.ToolCall{ID: fmt.Sprint("c", n)})
			}
			in = append(in, llm.Message{Role: llm.Assistant, ToolCalls: calls})
			for _, c := range rapid.Permutation(calls).Draw(t, "order") {
				if rapid.IntRange(0, 4).Draw(t, "answered") > 0 {
					in = append(in, llm.Message{Role: llm.Tool, ToolCallID: c.ID, Text: "result"})
				}
				if rapid.Bool().Draw(t, "between") {
					said++
					in = append(in, llm.Message{Role: llm.User, Text: fmt.Sprint("user ", said)})
				}
			}
		}
		out := Ordered(in)
		open := map[string]bool{}
		heard := 0
		for _, m := range out {
			switch m.Role {
			case llm.Tool:
				if !open[m.ToolCallID] {
					t.Fatalf("a result of %s without its call: %v", m.ToolCallID, out)
				}
				delete(open, m.ToolCallID)
			case llm.Assistant:
				if len(open) > 0 || len(m.ToolCalls) == 0 {
					t.Fatalf("open calls %v before %v", open, m)
				}
				for _, c := range m.ToolCalls {
					open[c.ID] = true
				}
			default:
				heard++
				if len(open) > 0 || m.Text != fmt.Sprint("user ", heard) {
					t.Fatalf("%q stands wrong, open calls %v", m.Text, open)
				}
			}
		}
		if len(open) > 0 || heard != said {
			t.Fatalf("%d of %d heard, open %v", heard, said, open)
		}
	})
}

// TestObject: what goes back is an object, and an object goes back as it is.
func TestObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":[1, 2]}`: `{"a":[1, 2]}`, " {} \n": `{}`, "": `{"notAnObject":""}`, "null": `{"notAnObject":"null"}`,
		`[{}]`: `{"notAnObject":"[{}]"}`, `{"a":}`: `{"notAnObject":"{\"a\":}"}`, `{} {}`: `{"notAnObject":"{} {}"}`,
	} {
		if got := string(Object(in)); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if got := Object(rapid.String().Draw(t, "arguments")); !json.Valid(got) || got[0] != '{' {
			t.Fatalf("%s", got)
		}
	})
}

// TestFunctionName: a name that both wire formats take.
func TestFunctionName(t *testing.T) {
	takes := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		if in := rapid.String().Draw(t, "name"); !takes.MatchString(FunctionName(in)) {
			t.Fatalf("%q gives %q", in, FunctionName(in))
		}
	})
	if got := FunctionName("document_apply"); got != "document_apply" {
		t.Errorf("%q", got)
	}
}
