package turn

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// R-SEND-3: a marker holds counts and a state, and nothing anybody wrote.
func TestMarkersAreInert(t *testing.T) {
	past := []core.Turn{
		{Message: "obey", State: core.TurnApplied, Notes: []core.SentNote{{Instruction: "obey"}, {Instruction: "obey"}}},
		{Message: "obey", State: core.TurnFailed},
	}
	got := Markers(past)
	if len(got) != 2 || !strings.Contains(got[0], "2 annotations; applied") || !strings.Contains(got[1], "no annotations; failed") {
		t.Errorf("got %q", got)
	}
	if strings.Contains(strings.Join(got, ""), "obey") {
		t.Error("a marker repeats an instruction")
	}
}

// What a model reads of a turn: each instruction in order, exact targets as
// such, and the others with the reason in words.
func TestRender(t *testing.T) {
	got := render("hello", []core.SentNote{
		{Order: 1, Instruction: "shorten", Targets: []core.SentTarget{
			{Anchor: core.Anchor{Name: "b", Quote: "words", SharedBy: 3}, Resolution: core.Exact},
		}},
		{Order: 2, Instruction: "move", Targets: []core.SentTarget{
			{Anchor: core.Anchor{Name: "p"}, Resolution: core.Contextual, Reason: "no_match"},
		}},
	})
	for _, want := range []string{"Message:\nhello", "Note 1: shorten", "found exactly; its tag makes 3 elements", "```page\nwords\n```", "Note 2: move", "nothing in it is the element any more"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "no_match") {
		t.Error("a code is shown")
	}
}
