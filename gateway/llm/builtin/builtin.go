// Package builtin is the planner that needs no model: a small grammar over
// plain instructions in English and Chinese. It works through the same ten
// tools as any model: it inspects, applies, looks, and finishes. What it does
// not understand it says, with examples of what it does, and changes nothing
// (D12). It is never presented as a language model.
//
// Every rule of the grammar accounts for a whole clause, and every clause of an
// instruction has to be accounted for; an instruction is never carried out in
// part. Values come from the instruction or are constants of the grammar.
package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// Name is the planner's name where models are listed.
const Name = "builtin"

// The tools the planner uses.
const (
	inspectTool    = "document_inspect"
	applyTool      = "document_apply"
	lookTool       = "document_browser_inspect"
	screenshotTool = "document_browser_screenshot"
	finishTool     = "document_finish"
)

// Planner is the built-in planner. It keeps nothing between calls: all it
// knows it reads from the conversation.
type Planner struct{}

var _ llm.Model = Planner{}

// New makes the planner.
func New() llm.Model { return Planner{} }

// Name gives the planner's name.
func (Planner) Name() string { return Name }

// Vision is false: the planner reads text only.
func (Planner) Vision() bool { return false }

// Complete gives the next step of the turn.
func (Planner) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, core.Wrap(core.Cancelled, err, "the planner was stopped")
	}
	resp := next(req)
	if emit != nil && resp.Text != "" {
		emit(llm.Event{TextDelta: resp.Text})
	}
	return resp, nil
}

// next decides by how far the conversation is.
func next(req llm.Request) llm.Response {
	past := readConversation(req.Messages)
	last := past.last
	if len(req.Tools) == 0 {
		return sayFinal(past)
	}
	switch {
	case last == nil:
		return call(req, inspectTool, struct{}{})
	case last.tool == inspectTool && !last.failed:
		p := past.plan()
		if len(p.refused) == 0 && len(p.unmeasured) > 0 && len(p.unmeasured) <= maxMeasured {
			return measureCalls(req, p.unmeasured)
		}
		return apply(req, past, p)
	case last.tool == lookTool:
		return apply(req, past, past.plan())
	case last.tool == applyTool && !last.failed:
		return call(req, screenshotTool, map[string]string{"what": "page"})
	case last.tool == screenshotTool && !last.failed && last.result.Receipt != "" && len(last.result.Faults) == 0:
		return call(req, finishTool, finishArguments{
			Action: "commit", Receipt: last.result.Receipt, SHA: last.result.CandidateSHA,
			Summary: clipSummary(summary(past.plan())),
		})
	case last.tool == screenshotTool || last.tool == finishTool && last.failed && last.action != "discard" && last.result.Correctable:
		return call(req, finishTool, finishArguments{Action: "discard", Summary: clipSummary(dropped(past))})
	}
	return sayFinal(past)
}

// apply proposes everything at once, or says why it does not.
func apply(req llm.Request, past conversation, p planned) llm.Response {
	for _, u := range p.unmeasured {
		p.refused = append(p.refused, refusal{order: u.note, say: past.said(u.note), why: &why{"size_unknown", nil}})
	}
	if len(p.refused) > 0 {
		p.refuseLost()
		return llm.Response{Text: answerRefused(p, len(past.seen.Notes))}
	}
	return call(req, applyTool, applyArguments{Mutations: p.mutations})
}

func clipSummary(s string) string {
	if r := []rune(s); len(r) > core.MaxFinishSummary {
		return string(r[:core.MaxFinishSummary-1]) + "…"
	}
	return s
}

func reasonOf(r *reply) string {
	if len(r.result.Faults) > 0 {
		return strings.Join(r.result.Faults, "; ")
	}
	if r.result.Error.Message != "" {
		return r.result.Error.Message
	}
	return "the draft could not be verified"
}

// sayFinal says how it ended. It claims a change only after a commit answered
// applied (R-TURN-6).
func sayFinal(past conversation) llm.Response {
	if past.last == nil {
		return llm.Response{Text: noTools.in(false)}
	}
	p := past.plan()
	switch {
	case past.applied:
		return llm.Response{Text: applied.in(p.chinese, summary(p))}
	case past.last.result.Error.Code == string(core.NeedsApproval):
		return llm.Response{Text: approval.in(p.chinese, past.last.result.Error.Message)}
	}
	return llm.Response{Text: dropped(past)}
}

// dropped says why nothing was changed.
func dropped(past conversation) string {
	chinese := past.plan().chinese
	switch t := past.trouble; {
	case t == nil:
		return nothing.in(chinese)
	case len(t.result.Faults) > 0:
		return brokeThings.in(chinese, reasonOf(t))
	default:
		return notApplied.in(chinese, reasonOf(t))
	}
}

func call(req llm.Request, tool string, args any) llm.Response {
	raw, err := json.Marshal(args)
	if err != nil { // strings and slices of strings only
		return llm.Response{Text: noTools.in(false)}
	}
	return llm.Response{ToolCalls: []llm.ToolCall{{
		ID: fmt.Sprintf("builtin_%d", len(req.Messages)), Name: tool, Arguments: string(raw),
	}}}
}
