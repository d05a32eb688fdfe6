package tools

import (
	"fmt"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// Admit checks what calls a model may make in one response (R-TURN-5): at most
// one writer, no writer beside a browser tool, document_finish alone, and only
// tools there are. A refusal is for the whole response and counts as one
// failure; none of its calls is made.
func (s *Set) Admit(calls []llm.ToolCall) error {
	if s.ended != nil {
		return s.ended
	}
	if err := admissible(calls); err != nil {
		s.calls += len(calls)
		s.failed()
		return err
	}
	return nil
}

func admissible(calls []llm.ToolCall) error {
	writers, browsers, finishes := 0, 0, 0
	for _, c := range calls {
		switch {
		case lookUp(c.Name) == nil:
			return unknownTool(c.Name)
		case isWriter(c.Name):
			writers++
		case isBrowser(c.Name):
			browsers++
		case c.Name == FinishName:
			finishes++
		}
	}
	switch {
	case finishes > 0 && len(calls) > 1:
		return together("document_finish stands alone in a response, this one has %d calls", len(calls)).
			WithHint("none of the calls was made; make the other calls first and finish in a response of its own")
	case writers > 1:
		return together("a response may hold one writing call, this one has %d", writers).
			WithHint("none of the calls was made; put all changes into one document_apply, or all into one document_patch")
	case writers > 0 && browsers > 0:
		return together("a writing call and a browser call cannot share a response").
			WithHint("none of the calls was made; stage the change first, and look at it in the next response")
	case len(calls) > core.MaxToolCallsPerTurn:
		return together("a response may hold %d calls at most, this one has %d", core.MaxToolCallsPerTurn, len(calls)).
			WithHint("none of the calls was made")
	}
	return nil
}

func together(format string, args ...any) *core.Error {
	return core.Errorf(core.ToolArguments, format, args...)
}

// spend takes one call off the budgets.
func (s *Set) spend(call llm.ToolCall) error {
	if s.ended != nil {
		return s.ended
	}
	if s.calls >= core.MaxToolCallsPerTurn {
		return s.end(core.Errorf(core.Budget, "the %d tool calls of this turn are used up", core.MaxToolCallsPerTurn))
	}
	s.calls++
	key := fmt.Sprintf("%s\x00%d\x00%t\x00%s", call.Name, s.draft.Epoch(), s.look != nil, core.SHA256Hex([]byte(canonical(call.Arguments))))
	s.same[key]++
	if s.same[key] > core.MaxSameCallPerTurn {
		s.failed()
		return core.Errorf(core.Budget, "%s was called with the same arguments %d times already", printable(call.Name), core.MaxSameCallPerTurn).
			WithHint("nothing was done; the answer would be the same, so use it or do something else")
	}
	return nil
}

// failed counts a refused call; too many in a row end the turn.
func (s *Set) failed() {
	s.failures++
	if s.failures >= core.MaxFailuresInARow && s.ended == nil {
		_ = s.end(core.Errorf(core.TurnEnded, "%d calls in a row were refused, so this turn is over", core.MaxFailuresInARow))
	}
}

// repeated ends the turn when a model proposes the same change again
// (R-TURN-10).
func (s *Set) repeated() error {
	return s.end(core.Errorf(core.TurnEnded, "the same change was proposed again, so this turn is over"))
}

func (s *Set) end(e *core.Error) *core.Error {
	if s.ended == nil {
		s.ended = e.WithHint("nothing was published; the draft is dropped and the document is as it was")
	}
	return s.ended
}
