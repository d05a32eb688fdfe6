package main

import (
	"context"
	"fmt"
	"time"

	"proofmark/gateway/core"
)

var changesCommand = &command{
	name: "changes", args: "FILE [--limit N]", summary: "list a file's change sets, newest first",
	long: `Lists what was changed in FILE, newest first: which note asked for it, how many places
it touched, and the id that revert and diff take.

  proofmark changes page.html
  proofmark changes page.html --json`,
	run: runChanges,
}

func runChanges(ctx context.Context, a *app, args []string) error {
	path, doc, limit, err := a.listArgs(ctx, "changes", args)
	if err != nil {
		return err
	}
	sets, err := a.docs.Changes(ctx, doc.ID, limit)
	if err != nil {
		return err
	}
	if a.json {
		if sets == nil {
			sets = []core.ChangeSet{} // an empty list, not null
		}
		a.printJSON(map[string]any{"file": path, "document": doc.ID, "changes": sets})
		return nil
	}
	if len(sets) == 0 {
		a.printf("No changes yet.\n")
		return nil
	}
	for _, c := range sets {
		a.printf("%s  %s  %-7s %s\n", c.ID, c.At.Local().Format(time.DateTime), c.Source, places(c.Edits))
		for _, n := range c.Notes {
			a.printf("    %d. %s: %s\n", n.Order, n.Outcome, n.Instruction)
		}
		if c.Reverts != "" {
			a.printf("    of %s\n", c.Reverts)
		}
	}
	return nil
}

// places says how much an edit list touches: "+3 −3 bytes in 1 place".
func places(edits []core.Edit) string {
	in, out := 0, 0
	for _, e := range edits {
		out += e.Span.Len()
		in += len(e.Replacement)
	}
	s := "s"
	if len(edits) == 1 {
		s = ""
	}
	return fmt.Sprintf("+%d −%d bytes in %d place%s", in, out, len(edits), s)
}
