package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

var diffCommand = &command{
	name: "diff", args: "FILE [FROM [TO]]", summary: "show what changed between two versions",
	long: `Shows the unified diff between two versions of FILE. Without FROM and TO: the newest
change. With FROM alone: from that version to the newest. FROM and TO are generations
(see history); FROM may be a change set id instead, then its own change is shown.

  proofmark diff page.html
  proofmark diff page.html 1
  proofmark diff page.html 1 3
  proofmark diff page.html chg_…`,
	run: runDiff,
}

func runDiff(ctx context.Context, a *app, args []string) error {
	fs := a.flags("diff")
	lines := fs.Int("context", 3, "")
	pos, err := a.parse(fs, args, 1, 3)
	if err != nil {
		return err
	}
	if *lines < 0 {
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
	before, err := a.docs.Bytes(ctx, from.ID)
	if err != nil {
		return err
	}
	after, err := a.docs.Bytes(ctx, to.ID)
	if err != nil {
		return err
	}
	edits, outside, err := a.editsBetween(ctx, from, to, before, after)
	if err != nil {
		return err
	}
	name := filepath.Base(pos[0])
	text := textpatch.Unified(fmt.Sprintf("%s (generation %d)", name, from.Generation),
		fmt.Sprintf("%s (generation %d)", name, to.Generation), before, after, *lines)
	if a.json {
		a.printJSON(map[string]any{
			"file": pos[0], "document": doc.ID, "from": from.Generation, "to": to.Generation,
			"sha256Before": from.SHA256, "sha256After": to.SHA256,
			"edits": edits, "outside": outside, "unified": text,
		})
		return nil
	}
	a.printf("%s", text)
	if text == "" {
		a.progress("No difference between generation %d and %d.", from.Generation, to.Generation)
	} else {
		a.progress("%s; bytes outside: %s", places(edits), outside)
	}
	return nil
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
	fromGen, toGen := max(doc.Generation-1, 1), doc.Generation
	for i, p := range []*int64{&fromGen, &toGen} {
		if i < len(args) {
			if *p, err = generation(args[i]); err != nil {
				return from, to, err
			}
		}
	}
	if from, err = a.docs.Revision(ctx, doc.ID, fromGen); err != nil {
		return from, to, err
	}
	to, err = a.docs.Revision(ctx, doc.ID, toGen)
	return from, to, err
}

// editsBetween gives the edit list between two versions: the recorded one for
// one step of the history, else a computed one. It says "unchanged" of the
// bytes outside because it applied the list and compared.
func (a *app) editsBetween(ctx context.Context, from, to core.Revision, before, after []byte) ([]core.Edit, string, error) {
	edits := textpatch.Diff(before, after)
	if to.ParentID == from.ID && to.ChangeSetID != "" {
		set, err := a.docs.ChangeSet(ctx, to.ChangeSetID)
		if err != nil {
			return nil, "", err
		}
		edits = set.Edits
	}
	if edits == nil {
		edits = []core.Edit{}
	}
	got, err := textpatch.Apply(before, edits)
	if err != nil || !bytes.Equal(got, after) {
		return nil, "", core.Wrap(core.StorageDamaged, err, "the recorded edits do not lead from generation %d to %d", from.Generation, to.Generation).
			WithHint("`proofmark doctor` checks the store")
	}
	return edits, "unchanged", nil
}

func generation(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0, core.Errorf(core.Usage, "%q is not a generation", s).WithHint("generations count from 1; `proofmark history FILE` lists them")
	}
	return n, nil
}
