package turn

import (
	"fmt"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/tools"
)

// shortCall is the size in bytes of a call's arguments below which nothing is
// won by leaving them out.
const shortCall = 1 << 10

// shorten gives the messages of a request as they are where the request fits
// into core.MaxPromptBytes, and else with a line in place of what is least
// missed: old page text first, then other old results, then the arguments of old
// calls. What the model has not read yet stays, and so do the newest inspection
// and everything people wrote. The messages given are not changed.
func shorten(system string, messages []llm.Message) ([]llm.Message, error) {
	size := promptBytes(llm.Request{System: system, Messages: messages})
	if size <= core.MaxPromptBytes {
		return messages, nil
	}
	out := slices.Clone(messages)
	old := slices.IndexFunc(out, func(m llm.Message) bool { return m.Role != llm.User })
	read := lastIndex(out, func(m llm.Message) bool { return m.Role == llm.Assistant })
	names := callNames(out)
	inspected := lastIndex(out, func(m llm.Message) bool { return names[m.ToolCallID] == tools.Inspect })
	pass := func(leave func(i int, m *llm.Message)) {
		for i := max(0, old); i < read && size > core.MaxPromptBytes; i++ {
			before := messageBytes(out[i])
			leave(i, &out[i])
			size += messageBytes(out[i]) - before
		}
	}
	pass(func(_ int, m *llm.Message) {
		if n := names[m.ToolCallID]; m.Role == llm.Tool && showsPage(n) {
			m.Text = leftOut(n, m.Text)
		}
	})
	pass(func(i int, m *llm.Message) {
		if n := names[m.ToolCallID]; m.Role == llm.Tool && i != inspected {
			m.Text = leftOut(n, m.Text)
		}
	})
	pass(func(_ int, m *llm.Message) {
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for i, c := range m.ToolCalls {
			if len(c.Arguments) > shortCall {
				m.ToolCalls[i].Arguments = fmt.Sprintf(`{"leftOut":"%d bytes"}`, len(c.Arguments))
			}
		}
	})
	if size > core.MaxPromptBytes {
		return nil, core.Errorf(core.Budget, "the conversation has %d bytes, and a model is given %d at most", size, core.MaxPromptBytes).In("turn.Run")
	}
	return out, nil
}

func lastIndex(list []llm.Message, is func(llm.Message) bool) int {
	for i := len(list) - 1; i >= 0; i-- {
		if is(list[i]) {
			return i
		}
	}
	return -1
}

// callNames gives the tool each call of a conversation called.
func callNames(messages []llm.Message) map[string]string {
	names := map[string]string{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
	}
	return names
}

// showsPage tells whether a tool's result repeats the page, and can be asked for
// again.
func showsPage(tool string) bool {
	return tool == tools.Read || strings.HasPrefix(tool, "document_browser_")
}

func leftOut(tool, text string) string {
	if !isTool(tool) {
		tool = "a tool"
	}
	line := fmt.Sprintf(`{"leftOut":"the result of %s, %d bytes, to keep the conversation short; call it again if it is needed"}`, tool, len(text))
	if len(line) >= len(text) {
		return text
	}
	return line
}
