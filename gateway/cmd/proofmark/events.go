package main

import (
	"fmt"

	"proofmark/gateway/turn"
)

// steps says in a few words what each tool does.
var steps = map[string]string{
	"document_inspect":            "reading the notes and their places",
	"document_read":               "reading the source",
	"document_locate":             "looking for a place",
	"document_apply":              "trying the change on a copy",
	"document_patch":              "trying the change on a copy",
	"document_browser_inspect":    "measuring in a hidden view",
	"document_browser_act":        "using the copy in a hidden view",
	"document_browser_screenshot": "looking at the copy in a hidden view",
	"document_browser_reload":     "loading the copy again",
	"document_finish":             "finishing",
}

// sentence says in a line what an event means to a person; "" for nothing.
func sentence(e turn.Event) string {
	switch e.Kind {
	case turn.Accepted:
		return fmt.Sprintf("%d note%s sent to %s", e.Notes, plural(e.Notes), e.Model)
	case turn.ToolCalled:
		return steps[e.Tool]
	case turn.CandidateStaged:
		s := fmt.Sprintf("staged: %d edit%s", e.Edits, plural(e.Edits))
		if e.Flags > 0 {
			s += fmt.Sprintf(", %d thing%s to approve", e.Flags, plural(e.Flags))
		}
		return s
	case turn.Verified:
		if e.Faults > 0 {
			return fmt.Sprintf("looked at: %d new fault%s", e.Faults, plural(e.Faults))
		}
		return "looked at: no new faults"
	case turn.Committed:
		return fmt.Sprintf("committed: generation %d", e.Generation)
	}
	return ""
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
