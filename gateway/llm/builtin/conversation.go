package builtin

import (
	"encoding/json"

	"proofmark/gateway/llm"
)

// reply is one tool result, with the call it answers.
type reply struct {
	tool   string
	action string // of document_finish
	failed bool
	result outcome
}

// conversation is what the planner knows of the turn.
type conversation struct {
	seen    inspected         // the latest inspection
	sizes   map[place]float64 // font sizes as the live page shows them, CSS pixels
	last    *reply
	trouble *reply // the first thing that went wrong
	applied bool
}

// readConversation reads the turn so far. A result that is not the JSON the
// planner knows counts as a failure.
func readConversation(messages []llm.Message) conversation {
	var c conversation
	calls := map[string]llm.ToolCall{}
	for _, m := range messages {
		switch m.Role {
		case llm.Assistant:
			for _, call := range m.ToolCalls {
				calls[call.ID] = call
			}
		case llm.Tool:
			call, ok := calls[m.ToolCallID]
			if !ok {
				continue
			}
			c.take(call, m)
		}
	}
	return c
}

// said gives what a note asks for.
func (c *conversation) said(order int) string {
	for _, n := range c.seen.Notes {
		if n.Order == order && n.Instruction != "" {
			return n.Instruction
		}
	}
	return c.seen.Message
}

func (c *conversation) take(call llm.ToolCall, m llm.Message) {
	r := &reply{tool: call.Name, failed: m.IsError}
	if json.Unmarshal([]byte(m.Text), &r.result) != nil || !r.result.OK {
		r.failed = true
	}
	if call.Name == finishTool {
		var args finishArguments
		if json.Unmarshal([]byte(call.Arguments), &args) == nil {
			r.action = args.Action
		}
	}
	if call.Name == inspectTool && !r.failed {
		var seen inspected
		if json.Unmarshal([]byte(m.Text), &seen) == nil {
			c.seen = seen
		} else {
			r.failed = true
		}
	}
	if call.Name == lookTool && !r.failed {
		c.measured(call.Arguments, m.Text)
	}
	if c.trouble == nil && (r.failed || len(r.result.Faults) > 0) {
		c.trouble = r
	}
	c.applied = c.applied || !r.failed && r.result.Status == "applied"
	c.last = r
}
