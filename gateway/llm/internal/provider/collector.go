package provider

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// Bounds of one response that core has no limit for.
const (
	maxCalls     = 128
	maxNameBytes = 256
	maxIDBytes   = 512
	maxTokens    = 1 << 30 // believed of what a host counts
)

// Collector builds a response out of a stream's pieces. It streams text on and
// tells once that the response has begun.
type Collector struct {
	emit  func(llm.Event)
	calls calls
	begun bool
	ended bool
	text  strings.Builder
	usage llm.Usage
	stop  llm.Stop
}

// Collect begins a response to req; emit may be nil.
func Collect(req llm.Request, emit func(llm.Event)) *Collector {
	return &Collector{emit: emit, calls: newCalls(req)}
}

// Begin tells that a token of any kind has arrived.
func (c *Collector) Begin() {
	if c.begun {
		return
	}
	c.begun = true
	c.send(llm.Event{Begun: true})
}

// Text adds a piece of text.
func (c *Collector) Text(delta string) error {
	if delta == "" {
		return nil
	}
	c.Begin()
	if c.text.Len()+len(delta) > core.MaxModelTextBytes {
		return core.Errorf(core.ModelBroken, "the model's text is longer than %d KiB and was stopped", core.MaxModelTextBytes>>10).
			WithHint("try again, or another model")
	}
	c.text.WriteString(delta)
	c.send(llm.Event{TextDelta: delta})
	return nil
}

// Open begins a tool call that pieces with the same index go on with.
func (c *Collector) Open(p Piece) error {
	c.Begin()
	return c.calls.open(p)
}

// Piece adds a piece of a tool call.
func (c *Collector) Piece(p Piece) error {
	c.Begin()
	return c.calls.add(p)
}

// Count takes the tokens the host reports. Hosts report them once, or more and
// more of them as the response goes on.
func (c *Collector) Count(prompt, completion int64) {
	believed := func(have int, n int64) int { return max(have, int(min(max(n, 0), maxTokens))) }
	c.usage.PromptTokens = believed(c.usage.PromptTokens, prompt)
	c.usage.CompletionTokens = believed(c.usage.CompletionTokens, completion)
}

// Refuse tells that the text so far is the provider's refusal.
func (c *Collector) Refuse() { c.stop = llm.StopRefused }

// End tells why the response ended. A refusal is not taken back.
func (c *Collector) End(why llm.Stop) {
	c.ended = true
	if c.stop != llm.StopRefused {
		c.stop = why
	}
}

// Begun tells whether a token has arrived.
func (c *Collector) Begun() bool { return c.begun }

// Ended tells whether the end was reported.
func (c *Collector) Ended() bool { return c.ended }

// Response gives the whole response.
func (c *Collector) Response() llm.Response {
	stop := c.stop
	if stop == "" {
		stop = llm.StopDone
	}
	return llm.Response{Text: c.text.String(), ToolCalls: c.calls.finish(), Usage: c.usage, Stop: stop}
}

func (c *Collector) send(e llm.Event) {
	if c.emit != nil {
		c.emit(e)
	}
}
