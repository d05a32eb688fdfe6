package turn

import (
	"context"
	"sync"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// imageTokens is what a picture counts for where a provider does not say.
const imageTokens = 1_600

// meter counts what the models of a turn use. It is safe for concurrent use:
// proposers work at the same time.
type meter struct {
	mu    sync.Mutex
	total Usage
	calls []Event // of kind Used, not told yet
}

// count adds a call that was answered, as the provider counted it, or by its
// bytes where it did not.
func (m *meter) count(name string, req llm.Request, resp llm.Response) {
	u := Event{Kind: Used, Model: name, PromptTokens: resp.Usage.PromptTokens, CompletionTokens: resp.Usage.CompletionTokens}
	if u.PromptTokens <= 0 {
		u.Estimated = true
		u.PromptTokens, u.CompletionTokens = tokens(requestBytes(req))+imageTokens*pictures(req), tokens(responseBytes(resp))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total.add(u)
	m.calls = append(m.calls, u)
}

// failed counts a call that was not answered. What it cost is not known.
func (m *meter) failed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total.Calls++
}

// untold gives, once, the events of the calls that were counted since.
func (m *meter) untold() []Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.calls
	m.calls = nil
	return out
}

func (m *meter) usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// left gives the tokens that are left of core.MaxTurnTokens.
func (m *meter) left() int {
	u := m.usage()
	return max(0, core.MaxTurnTokens-u.PromptTokens-u.CompletionTokens)
}

// metered is a model whose calls are counted.
type metered struct {
	llm.Model
	meter *meter
}

func (m metered) Complete(ctx context.Context, req llm.Request, emit func(llm.Event)) (llm.Response, error) {
	resp, err := m.Model.Complete(ctx, req, emit)
	if err != nil {
		m.meter.failed()
		return resp, err
	}
	m.meter.count(m.Name(), req, resp)
	return resp, nil
}

// tokens estimates how many tokens so many bytes make, on the safe side.
func tokens(bytes int) int { return (bytes + 2) / 3 }

func requestBytes(q llm.Request) int {
	n := promptBytes(q)
	for _, d := range q.Tools {
		n += len(d.Name) + len(d.Description) + len(d.Schema)
	}
	return n
}

// promptBytes counts the text of a request, pictures and tool schemas apart.
func promptBytes(q llm.Request) int {
	n := len(q.System)
	for _, m := range q.Messages {
		n += messageBytes(m)
	}
	return n
}

func messageBytes(m llm.Message) int {
	n := len(m.Text)
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

func responseBytes(r llm.Response) int {
	return messageBytes(llm.Message{Text: r.Text, ToolCalls: r.ToolCalls})
}

func pictures(q llm.Request) int {
	n := 0
	for _, m := range q.Messages {
		n += len(m.Images)
	}
	return n
}

// add counts a call that was answered.
func (u *Usage) add(call Event) {
	u.Calls++
	u.PromptTokens += call.PromptTokens
	u.CompletionTokens += call.CompletionTokens
	u.LargestPrompt = max(u.LargestPrompt, call.PromptTokens)
	u.Estimated = u.Estimated || call.Estimated
}
