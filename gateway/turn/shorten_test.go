package turn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/tools"
)

// talk draws a conversation as a turn makes it: calls, each with its result.
func talk(rt *rapid.T) []llm.Message {
	out := []llm.Message{{Role: llm.User, Text: "Note 1: " + strings.Repeat("n", rapid.IntRange(0, 60<<10).Draw(rt, "notes"))}}
	names := []string{tools.Inspect, tools.Read, tools.BrowserSee, tools.Screenshot, tools.Apply, tools.Patch, "made_up"}
	for i := range rapid.IntRange(0, 12).Draw(rt, "rounds") {
		m := llm.Message{Role: llm.Assistant, Text: "thinking"}
		var results []llm.Message
		for j := range rapid.IntRange(1, 3).Draw(rt, "calls") {
			id := fmt.Sprint(i, ".", j)
			args := fmt.Sprintf(`{"x":%q}`, strings.Repeat("a", rapid.SampledFrom([]int{1, 2_000, 90_000}).Draw(rt, "arguments")))
			m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: rapid.SampledFrom(names).Draw(rt, "tool"), Arguments: args})
			text := fmt.Sprintf(`{"ok":true,"page":%q}`, strings.Repeat("p", rapid.SampledFrom([]int{1, 200, 8_000, 50_000, 300_000}).Draw(rt, "result")))
			results = append(results, llm.Message{Role: llm.Tool, ToolCallID: id, Text: text})
		}
		out = append(append(out, m), results...)
		if rapid.Bool().Draw(rt, "picture") {
			out = append(out, llm.Message{Role: llm.User, Text: "The picture of the page."})
		}
	}
	return out
}

// R-TURN-10: a request is never larger than it may be; where it would be, old
// results give way to a line, page text first, and never what people wrote, the
// newest inspection, or what the model has not read yet.
func TestShorten(t *testing.T) {
	shortened, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		before := talk(rt)
		copied, err := json.Marshal(before)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := shorten("system", before)
		if again, _ := json.Marshal(before); string(again) != string(copied) {
			rt.Fatal("the conversation itself was changed")
		}
		if err != nil {
			if refused++; core.CodeOf(err) != core.Budget {
				rt.Fatal(err)
			}
			return
		}
		if n := promptBytes(llm.Request{System: "system", Messages: got}); n > core.MaxPromptBytes || len(got) != len(before) {
			rt.Fatalf("%d bytes in %d messages", n, len(got))
		}
		if promptBytes(llm.Request{System: "system", Messages: before}) <= core.MaxPromptBytes {
			if again, _ := json.Marshal(got); string(again) != string(copied) {
				rt.Fatal("what fitted was shortened")
			}
			return
		}
		shortened++
		check(rt, before, got)
	})
	if shortened == 0 || refused == 0 {
		t.Errorf("%d were shortened, %d refused", shortened, refused)
	}
}

func check(rt *rapid.T, before, got []llm.Message) {
	names := callNames(before)
	read := lastIndex(before, func(m llm.Message) bool { return m.Role == llm.Assistant })
	inspected := lastIndex(before, func(m llm.Message) bool { return names[m.ToolCallID] == tools.Inspect })
	whole, other := true, false // no page text is left, something else is left out
	for i, m := range got {
		was := before[i]
		if m.Role != was.Role || m.ToolCallID != was.ToolCallID || len(m.ToolCalls) != len(was.ToolCalls) {
			rt.Fatalf("message %d is another: %+v", i, m)
		}
		for j, c := range m.ToolCalls {
			if c.ID != was.ToolCalls[j].ID || c.Name != was.ToolCalls[j].Name || !json.Valid([]byte(c.Arguments)) {
				rt.Fatalf("call %d of message %d is %+v", j, i, c)
			}
			other = other || c.Arguments != was.ToolCalls[j].Arguments
		}
		if m.Text == was.Text {
			if i < read && m.Role == llm.Tool && showsPage(names[m.ToolCallID]) && len(m.Text) > 300 {
				whole = false
			}
			continue
		}
		if m.Role != llm.Tool || i > read || i == inspected || !json.Valid([]byte(m.Text)) || strings.Contains(m.Text, "\n") || len(m.Text) > 200 {
			rt.Fatalf("message %d (%s) became %q", i, names[m.ToolCallID], m.Text)
		}
		other = other || !showsPage(names[m.ToolCallID])
	}
	if other && !whole {
		rt.Fatal("page text stayed while something else was left out")
	}
}

// What a proposer says is one fenced block that it cannot leave.
func TestAdviceStaysInItsFence(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		said := rapid.StringOf(rapid.RuneFrom([]rune("`~a \n\r"))).Draw(rt, "said")
		got := renderAdvice([]Advice{{Name: "one", Text: said}, {Name: "two", Text: "second"}})
		open, rest, ok := strings.Cut(got[strings.Index(got, "```"):], "advice\n")
		if !ok || strings.Trim(open, "`") != "" {
			rt.Fatalf("opens with %q", open)
		}
		inner, after, ok := strings.Cut(rest, open+"\n")
		if !ok || strings.Contains(inner, open) || strings.TrimSuffix(inner, "\n") != strings.TrimSuffix(said, "\n") || after != "```advice\nsecond\n```\n" {
			rt.Fatalf("%q became %q", said, got)
		}
	})
	if renderAdvice(nil) != "" {
		t.Error("no advice is told")
	}
}
