package main

import (
	"context"
	"fmt"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

var changesCommand = &command{
	name: "changes", args: "FILE [--limit N] [--before GENERATION]", summary: "list a file's change sets, newest first",
	long: `Lists what was changed in FILE, newest first: the id that revert and diff take, how much it
touched, what became of each note, and what was taken back since. --limit says how many
(100); --before goes on where a list has ended.

  proofmark changes page.html
  proofmark changes page.html --json`,
	run: runChanges,
}

func runChanges(ctx context.Context, a *app, args []string) error {
	l, err := a.listing(ctx, "changes", args)
	if err != nil {
		return err
	}
	sets, err := a.docs.ChangeLog(ctx, l.doc.ID, l.before, l.limit)
	if err != nil {
		return err
	}
	older := int64(0)
	if len(sets) > 0 {
		older = sets[len(sets)-1].Generation - 2 // the first change leads to generation 2
	}
	if a.json {
		a.printJSON(map[string]any{"file": l.path, "document": l.doc.ID, "changes": sets, "older": older})
		return nil
	}
	if len(sets) == 0 {
		if l.before > 0 {
			a.printf("No older changes.\n")
		} else {
			a.printf("No changes yet.\n")
		}
		return nil
	}
	for _, c := range sets {
		a.sayChange(c)
	}
	if older > 0 {
		a.progress("%d older: --before %d", older, older+2)
	}
	return nil
}

// sayChange prints a change set and what became of each of its notes.
func (a *app) sayChange(c document.Change) {
	a.printf("%s  %s  %-7s generation %d, %s%s\n", c.ID, c.At.Local().Format(time.DateTime), c.Source, c.Generation,
		places(c.Edits), gone(c.TakenBackBy))
	if c.Reverts != "" {
		verb, note := "takes back", ""
		if c.Source == core.SourceRedo {
			verb = "puts back"
		}
		if c.RevertNote != 0 {
			note = fmt.Sprintf("note %d of ", c.RevertNote)
		}
		a.printf("    %s %s%s\n", verb, note, c.Reverts)
	}
	for _, n := range c.Notes {
		did := ""
		if n.Edits > 0 {
			did = fmt.Sprintf(" (%s)", touched(n.Inserted, n.Removed, n.Edits))
		}
		if c.TakenBackBy == "" {
			did += gone(n.TakenBackBy)
		}
		a.printf("    %d. %s: %s%s\n", n.Order, n.Outcome, indented(n.Instruction, "       "), did)
		if n.Reason != "" {
			a.printf("       %s\n", indented(n.Reason, "       "))
		}
	}
}

func gone(by string) string {
	if by == "" {
		return ""
	}
	return "; taken back by " + by
}

// places says how much an edit list touches: "+3 −3 bytes in 1 place".
func places(edits []core.Edit) string {
	in, out := 0, 0
	for _, e := range edits {
		out += e.Span.Len()
		in += len(e.Replacement)
	}
	return touched(in, out, len(edits))
}

func touched(in, out, edits int) string {
	return fmt.Sprintf("+%d −%d bytes in %d place%s", in, out, edits, plural(edits))
}
