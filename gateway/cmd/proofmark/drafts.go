package main

import (
	"context"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/turn"
)

// draftJSON is a note of a list with where its elements are in the newest
// version.
type draftJSON struct {
	core.Annotation
	Targets []core.SentTarget `json:"targets"`
}

// listDrafts shows a session's notes in a state; none means drafts.
func (a *app) listDrafts(ctx context.Context, path string, doc core.Document, session, state string) error {
	s := core.AnnotationState(state)
	switch s {
	case "":
		s = core.AnnotationDraft
	case core.AnnotationDraft, core.AnnotationSent, core.AnnotationDiscarded:
	case "all":
		s = ""
	default:
		return core.Errorf(core.Usage, "--state %q is none", state).WithHint("draft, sent, discarded or all")
	}
	list, err := a.drafts().List(ctx, session, doc.ID, s)
	if err != nil {
		return err
	}
	shown, err := a.placed(ctx, doc, list)
	if err != nil {
		return err
	}
	var waiting []core.Annotation
	for _, n := range list {
		if n.State == core.AnnotationDraft {
			waiting = append(waiting, n)
		}
	}
	return a.showDrafts(ctx, path, session, doc, shown, waiting)
}

// sender is the turn engine without a browser: it can look and store, not run.
func (a *app) sender() *turn.Engine {
	return turn.New(turn.Config{Store: a.st, Documents: a.docs, Annotations: a.drafts()})
}

// placed finds the notes' elements in the newest version.
func (a *app) placed(ctx context.Context, doc core.Document, list []core.Annotation) ([]draftJSON, error) {
	out := make([]draftJSON, 0, len(list))
	if len(list) == 0 {
		return out, nil
	}
	p, err := a.sender().Preview(ctx, doc.ID, "", list)
	if err != nil {
		return nil, err
	}
	for i, n := range list {
		out = append(out, draftJSON{Annotation: n, Targets: p.Notes[i].Targets})
	}
	return out, nil
}

// contextJSON says how much a model would read of the waiting drafts, so that
// whoever writes them learns of a limit before sending.
type contextJSON struct {
	Notes     int `json:"notes"`
	MaxNotes  int `json:"maxNotes"`
	Bytes     int `json:"bytes"`
	MaxBytes  int `json:"maxBytes"`
	Exceeding any `json:"exceeds,omitempty"` // the error that sending all of them would give
}

// showDrafts prints notes and, for those that wait, what sending them would be.
func (a *app) showDrafts(ctx context.Context, path, session string, doc core.Document, list []draftJSON, waiting []core.Annotation) error {
	c := contextJSON{Notes: len(waiting), MaxNotes: core.MaxAnnotationsPerSend, MaxBytes: core.MaxTurnContextBytes}
	var refusal error
	if len(waiting) > 0 {
		p, err := a.sender().Preview(ctx, doc.ID, "", waiting)
		if err != nil {
			return err
		}
		c.Bytes = p.ContextBytes
		if refusal = p.Refusal(); refusal != nil {
			c.Exceeding = errorJSON(core.AsError(refusal))
		}
	}
	if a.json {
		a.printJSON(map[string]any{"file": path, "document": doc.ID, "drafts": list, "context": c})
		return nil
	}
	if len(list) == 0 {
		a.printf("No drafts.\n")
	}
	for i, n := range list {
		state := ""
		if n.State != core.AnnotationDraft {
			state = string(n.State)
			if n.TurnID != "" {
				state += " in " + n.TurnID
			}
			state = "  (" + state + ")"
		}
		a.printf("%d. %s  %s%s\n", i+1, n.ID, indented(n.Instruction, "   "), state)
		for _, t := range n.Targets {
			a.printf("   %s\n", standsAt(t))
		}
	}
	switch {
	case refusal != nil:
		a.progress("All %d drafts together cannot be sent: %s. Send some of them: %s --only ID,ID",
			len(waiting), core.AsError(refusal).Message, sendLine(path, session))
	case len(waiting) > 0:
		a.progress("%d draft%s, %s of %s bytes. Send: %s", len(waiting), plural(len(waiting)),
			thousands(c.Bytes), thousands(c.MaxBytes), sendLine(path, session))
	}
	return nil
}

// sendLine is what sends a session's drafts, to be copied.
func sendLine(path, session string) string {
	s := "proofmark send " + fileArgument(path)
	if session != draftSession {
		s += " --session " + shellQuote(session)
	}
	return s
}

// standsAt says where a note's element is in the newest version.
func standsAt(t core.SentTarget) string {
	s := "<" + t.Anchor.Name + ">"
	if t.Resolution == core.Exact {
		s += " bytes " + t.Anchor.StartTag.String()
	} else {
		s += " is not found for certain in the newest version (" + strings.ReplaceAll(t.Reason, "_", " ") + "); it goes out as context"
	}
	if t.Anchor.Quote != "" {
		s += "  " + quoted(printable(t.Anchor.Quote))
	}
	return s
}
