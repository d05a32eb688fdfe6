package turn

import (
	"time"

	"proofmark/gateway/core"
)

// EventKind names what an event reports.
type EventKind string

// Kinds of events, in the order a turn that applies goes through them.
const (
	Accepted        EventKind = "accepted"
	Routed          EventKind = "routed"
	Advised         EventKind = "advised"
	Thinking        EventKind = "thinking"
	Retrying        EventKind = "retrying"
	TextDelta       EventKind = "text_delta"
	Said            EventKind = "said"
	Used            EventKind = "usage"
	ToolCalled      EventKind = "tool_called"
	ToolReturned    EventKind = "tool_returned"
	CandidateStaged EventKind = "candidate_staged"
	Verified        EventKind = "verified"
	Committed       EventKind = "committed"
	Discarded       EventKind = "discarded"
	Ended           EventKind = "ended"
)

// Event is one step of a running turn. Events come in order, from one
// goroutine, numbered from 1. Except for the text of a TextDelta they hold
// names, counts, hashes and codes, never what the page or a person wrote.
type Event struct {
	Seq    int64     `json:"seq"`
	Kind   EventKind `json:"kind"`
	TurnID string    `json:"turn"`
	At     time.Time `json:"at"`

	Model string `json:"model,omitempty"` // accepted
	Notes int    `json:"notes,omitempty"` // accepted: how many annotations
	Round int    `json:"round,omitempty"` // thinking: the model call, from 1

	Route *Route `json:"route,omitempty"` // routed

	Proposers int `json:"proposers,omitempty"` // advised: how many were asked
	Answered  int `json:"answered,omitempty"`  // advised: how many answered

	Attempt int           `json:"attempt,omitempty"` // retrying: the one that failed, from 1
	Wait    time.Duration `json:"waitNs,omitempty"`  // retrying: until the next

	Text string `json:"text,omitempty"` // text_delta, said

	PromptTokens     int `json:"promptTokens,omitempty"`     // usage: of one call
	CompletionTokens int `json:"completionTokens,omitempty"` // usage: of one call

	Tool string        `json:"tool,omitempty"`   // tool_called, tool_returned
	OK   bool          `json:"ok,omitempty"`     // tool_returned
	Took time.Duration `json:"tookNs,omitempty"` // tool_returned

	SHA     string `json:"sha256,omitempty"`  // candidate_staged, verified, committed: of the candidate
	Edits   int    `json:"edits,omitempty"`   // candidate_staged
	Flags   int    `json:"flags,omitempty"`   // candidate_staged: policy flags
	Faults  int    `json:"faults,omitempty"`  // verified: new errors and newly missing resources
	Matches bool   `json:"matches,omitempty"` // verified: Chromium's tree is the map's

	Generation int64     `json:"generation,omitempty"` // committed
	ChangeSet  string    `json:"changeSet,omitempty"`  // committed
	Status     Status    `json:"status,omitempty"`     // ended
	Code       core.Code `json:"code,omitempty"`       // discarded, ended: why, where refused
}

// feed numbers and delivers events.
type feed struct {
	turn core.Turn
	now  func() time.Time
	to   func(Event)
	seq  int64
}

func (f *feed) emit(e Event) {
	if f.to == nil {
		return
	}
	f.seq++
	e.Seq, e.TurnID, e.At = f.seq, f.turn.ID, f.now()
	f.to(e)
}
