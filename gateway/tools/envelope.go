package tools

import (
	"bytes"
	"encoding/json"
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// status stands at the end of every result.
type status struct {
	State  state  `json:"state"`
	Budget budget `json:"budget"`
}

// state says how far the turn is.
type state struct {
	Draft string `json:"draft"` // none, staged, verified, published, dropped
	SHA   string `json:"sourceSha"`
}

// budget says what the model has left in this turn.
type budget struct {
	Calls    int `json:"callsLeft"`
	Locates  int `json:"locatesLeft"`
	Failures int `json:"failuresLeft"` // in a row
	// Seconds and Tokens are there where the turn has an end or somebody counts.
	Seconds *int `json:"secondsLeft,omitempty"`
	Tokens  *int `json:"tokensLeft,omitempty"`
}

type failure struct {
	OK          bool           `json:"ok"`
	Error       failureBody    `json:"error"`
	Correctable bool           `json:"correctable"` // in this turn
	Detail      map[string]any `json:"detail,omitempty"`
	status
}

type failureBody struct {
	Code    core.Code `json:"code"`
	Message string    `json:"message"`
	Next    string    `json:"next,omitempty"`
}

func (s *Set) status() status {
	st := state{Draft: "none", SHA: s.draft.SHA()}
	switch {
	case !s.draft.Staged():
	case s.look != nil:
		st.Draft = "verified"
	default:
		st.Draft = "staged"
	}
	return status{State: st, Budget: s.left()}
}

// left gives what is left of the turn's budgets.
func (s *Set) left() budget {
	b := budget{
		Calls:    max(0, core.MaxToolCallsPerTurn-s.calls),
		Locates:  max(0, core.MaxLocatesPerTurn-s.locates),
		Failures: max(0, core.MaxFailuresInARow-s.failures),
	}
	if !s.cfg.Deadline.IsZero() {
		seconds := max(0, int(s.cfg.Deadline.Sub(s.cfg.Now()).Seconds()))
		b.Seconds = &seconds
	}
	if s.cfg.TokensLeft != nil {
		tokens := max(0, s.cfg.TokensLeft())
		b.Tokens = &tokens
	}
	return b
}

// Refuse answers a call with an error: what happened, the state now, what to do
// next, and whether this turn can still put it right (R-TURN-10).
func (s *Set) Refuse(call llm.ToolCall, err error) Result {
	e := core.AsError(err)
	over := s.ended != nil || final(e.Code)
	if over && s.ended == nil {
		s.ended = e
	}
	body := failure{
		Error:       failureBody{Code: e.Code, Message: e.Message, Next: e.Hint},
		Correctable: !over && s.calls < core.MaxToolCallsPerTurn,
		Detail:      shown(e.Detail),
		status:      s.status(),
	}
	if s.ended != nil && s.ended != e {
		body.Error.Next = s.ended.Message + "; " + s.ended.Hint
	}
	return Result{Tool: call.Name, Text: encode(body), IsError: true, Code: e.Code, Over: over}
}

// final tells whether a refusal cannot be put right within the turn.
func final(c core.Code) bool {
	return slices.Contains([]core.Code{
		core.Internal, core.TurnEnded, core.HeadMoved, core.OutsideChange, core.LeaseHeld, core.LeaseLost,
		core.UnknownDocument, core.UnknownRevision, core.AmbiguousOutcome, core.StorageFull, core.StorageDamaged,
		core.StorageForeign, core.StorageNewer, core.StorageBusy, core.ReadOnly, core.NoBrowser, core.BrowserFailed,
		core.SurfaceLost, core.Cancelled, core.Denied, core.NeedsApproval, core.FeatureOff,
	}, c)
}

// shown keeps of an error's details what a model may read: no offsets, paths or
// ids (R-TURN-1). The list names what is safe, so that a new detail is hidden
// until someone decides about it.
func shown(detail map[string]any) map[string]any {
	var out map[string]any
	for _, k := range []string{"index", "matches", "candidates", "faults", "flags", "limit"} {
		if v, ok := detail[k]; ok {
			if out == nil {
				out = map[string]any{}
			}
			out[k] = v
		}
	}
	return out
}

// encode writes a result as JSON. Markup stays readable: what a string holds
// cannot close it, so nothing has to be escaped beyond what JSON escapes.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `{"ok":false,"error":{"code":"internal","message":"the result could not be written"},"correctable":false}`
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// good makes the result of a call that went well.
func good(v any) Result { return Result{Text: encode(v)} }
