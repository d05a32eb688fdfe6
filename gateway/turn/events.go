package turn

import (
	"encoding/json"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
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
	Unrecorded      EventKind = "unrecorded" // events can no longer be stored
	Ended           EventKind = store.LastTurnEvent
)

// Event is one step of a running turn. Every event but a TextDelta is stored
// before anybody is told of it (D10). Except for the text of a TextDelta or a
// Said, events hold names, counts, hashes and codes, never what the page or a
// person wrote.
//
// A TextDelta is a piece of a text that is still being said. It is not stored;
// the whole text follows in a Said, which takes the place of its pieces. So
// whoever was away loses no text, and repeats none.
type Event struct {
	// Seq is the event's number in the store: larger than that of every event
	// before it, of any turn. A TextDelta and an event that could not be stored
	// carry the number of the turn's last stored event.
	Seq    int64     `json:"seq,omitempty"`
	Kind   EventKind `json:"kind,omitempty"`
	TurnID string    `json:"turn,omitempty"`
	At     time.Time `json:"at,omitzero"`

	Model string `json:"model,omitempty"` // accepted, usage
	Notes int    `json:"notes,omitempty"` // accepted: how many annotations
	Route *Route `json:"route,omitempty"` // routed
	Round int    `json:"round,omitempty"` // thinking: the model call, from 1

	Proposers int `json:"proposers,omitempty"` // advised: how many were asked
	Answered  int `json:"answered,omitempty"`  // advised: how many answered

	Attempt int           `json:"attempt,omitempty"` // retrying: the one that failed, from 1
	Wait    time.Duration `json:"waitNs,omitempty"`  // retrying: until the next

	Text string `json:"text,omitempty"` // text_delta, said

	PromptTokens     int  `json:"promptTokens,omitempty"`     // usage: of one call
	CompletionTokens int  `json:"completionTokens,omitempty"` // usage: of one call
	Estimated        bool `json:"estimated,omitempty"`        // usage: the provider did not count

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
	Code       core.Code `json:"code,omitempty"`       // retrying, tool_returned, discarded, unrecorded, ended: why
}

// body gives what the store keeps of an event beside its columns.
func (e Event) body() (json.RawMessage, error) {
	e.Seq, e.Kind, e.TurnID, e.At = 0, "", "", time.Time{}
	return json.Marshal(e)
}

// event gives a stored event back.
func event(s store.TurnEvent) (Event, error) {
	var e Event
	if err := json.Unmarshal(s.Body, &e); err != nil {
		return e, core.Wrap(core.StorageDamaged, err, "the database holds an event that cannot be read").In("turn.Events")
	}
	e.Seq, e.Kind, e.TurnID, e.At = s.Seq, EventKind(s.Kind), s.TurnID, s.At
	return e, nil
}
