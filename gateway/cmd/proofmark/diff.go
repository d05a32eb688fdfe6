package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/textpatch"
)

var diffCommand = &command{
	name: "diff", args: "FILE [FROM [TO]] [--stat]", summary: "show what changed between two versions",
	long: `Shows the unified diff between two versions of FILE. Without FROM and TO: the newest
change. With FROM alone: from that version to the newest. FROM and TO are generations or
names (see history), in any order; FROM may be a change set id instead, then its own change
is shown. What is said of the bytes outside was checked: the edits were made and compared.
--stat shows the counts alone, --context N how many lines stand around each change (3).

  proofmark diff page.html
  proofmark diff page.html 1
  proofmark diff page.html "before the launch" 3
  proofmark diff page.html chg_… --stat`,
	run: runDiff,
}

func runDiff(ctx context.Context, a *app, args []string) error {
	fs := a.flags("diff")
	around := fs.Int("context", 3, "")
	stat := fs.Bool("stat", false, "")
	pos, err := a.parse(fs, args, 1, 3)
	if err != nil {
		return err
	}
	if *around < 0 {
		return core.Errorf(core.Usage, "--context counts lines from 0")
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	from, to, err := a.diffEnds(ctx, doc, pos[1:])
	if err != nil {
		return err
	}
	x, err := a.docs.Compare(ctx, from.ID, to.ID)
	if err != nil {
		return err
	}
	name := filepath.Base(pos[0])
	text := textpatch.Unified(fmt.Sprintf("%s (generation %d)", name, from.Generation),
		fmt.Sprintf("%s (generation %d)", name, to.Generation), x.Before, x.After, *around)
	added, removed := changedLines(text)
	if a.json {
		out := map[string]any{
			"file": pos[0], "document": doc.ID, "from": from.Generation, "to": to.Generation,
			"sha256Before": from.SHA256, "sha256After": to.SHA256,
			"edits": x.Edits, "stats": x.Stats, "linesAdded": added, "linesRemoved": removed,
			"recorded": x.Recorded, "outside": "unchanged",
		}
		if !*stat {
			out["unified"] = text
		}
		a.printJSON(out)
		return nil
	}
	if *stat {
		a.printf("generation %d → %d: %s\n", from.Generation, to.Generation, difference(x, added, removed))
		return nil
	}
	a.printf("%s", text)
	if text == "" {
		a.progress("No difference between generation %d and %d.", from.Generation, to.Generation)
	} else {
		a.progress("%s", difference(x, added, removed))
	}
	return nil
}

// difference counts what differs, and says what was checked.
func difference(x document.Comparison, added, removed int) string {
	return fmt.Sprintf("%s, +%d −%d lines; bytes outside: unchanged (%s compared)",
		places(x.Edits), added, removed, thousands(x.Stats.Unchanged))
}

// changedLines counts the lines that a unified diff adds and removes.
func changedLines(unified string) (added, removed int) {
	inHunk := false
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case !inHunk:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// diffEnds gives the two revisions to compare.
func (a *app) diffEnds(ctx context.Context, doc core.Document, args []string) (from, to core.Revision, err error) {
	if len(args) > 0 && core.HasPrefix(args[0], "chg") {
		if len(args) > 1 {
			return from, to, core.Errorf(core.Usage, "a change set id stands alone: its own two versions are compared")
		}
		set, err := a.docs.ChangeSet(ctx, args[0])
		if err != nil {
			return from, to, err
		}
		if set.DocumentID != doc.ID {
			return from, to, core.Errorf(core.UnknownChange, "%s is a change of another file", args[0]).
				WithHint("`proofmark changes FILE` lists the file's own")
		}
		if from, err = a.docs.RevisionByID(ctx, set.BaseID); err != nil {
			return from, to, err
		}
		to, err = a.docs.RevisionByID(ctx, set.ResultID)
		return from, to, err
	}
	if len(args) == 0 {
		from, err = a.docs.Revision(ctx, doc.ID, max(doc.Generation-1, 1))
	} else {
		from, err = a.docs.Version(ctx, doc.ID, args[0])
	}
	if err != nil {
		return from, to, err
	}
	if len(args) < 2 {
		to, err = a.docs.Revision(ctx, doc.ID, doc.Generation)
	} else {
		to, err = a.docs.Version(ctx, doc.ID, args[1])
	}
	return from, to, err
}
