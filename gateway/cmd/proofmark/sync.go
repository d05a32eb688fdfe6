package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/textpatch"
)

var syncCommand = &command{
	name: "sync", args: "FILE [--merge|--ours|--theirs]", summary: "bring a file and its history in step after another program changed it",
	long: `Compares FILE with its history. What another program wrote becomes the newest version; a
newest version that the file never got is written into it. Where both happened, nothing is
done until you choose: without a choice the merge is shown as a diff, exit 4.

  --merge      join both; where both changed one place, nothing is done and the places are shown
  --ours       the newest version stays the newest, and is written
  --theirs     what the file holds becomes the newest version

Whichever you choose, both sides stay in the history and can be restored. To join two
changes of one place yourself, write the result into FILE and choose --theirs.

  --write MODE      auto (default), ask or never: whether the file itself is written
  --moved-from OLD  FILE is the file that was at OLD: continue its history here

  proofmark sync page.html
  proofmark sync page.html --merge
  proofmark sync new/page.html --moved-from page.html`,
	run: runSync,
}

func runSync(ctx context.Context, a *app, args []string) error {
	fs := a.flags("sync")
	merge := fs.Bool("merge", false, "")
	ours := fs.Bool("ours", false, "")
	theirs := fs.Bool("theirs", false, "")
	movedFrom := fs.String("moved-from", "", "")
	mode := writeFlag(fs)
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	write, err := writeMode(*mode)
	if err != nil {
		return err
	}
	choice := document.SyncSafe
	for c, chosen := range map[document.SyncChoice]bool{document.SyncMerge: *merge, document.SyncOurs: *ours, document.SyncTheirs: *theirs} {
		if chosen && choice != document.SyncSafe {
			return core.Errorf(core.Usage, "--merge, --ours and --theirs exclude each other")
		}
		if chosen {
			choice = c
		}
	}
	docs, err := a.documents(ctx)
	if err != nil {
		return err
	}
	if *movedFrom != "" {
		if _, err := docs.Rebind(ctx, *movedFrom, pos[0], actor); err != nil {
			return err
		}
		a.progress("%s continues the history of %s.", pos[0], *movedFrom)
	}
	out, err := docs.Sync(ctx, pos[0], document.SyncRequest{Choice: choice, Actor: actor})
	if err != nil && out.Merge != nil { // a merge that was asked for and cannot be
		if !a.json {
			a.showConflicts(out)
		}
		return core.AsError(err).With("conflicts", conflictsJSON(out))
	}
	if err != nil {
		return err
	}
	if out.State == document.SyncConflict {
		return a.proposeMerge(pos[0], out)
	}
	return a.settle(ctx, pos[0], out, write)
}

// settle writes the file where it has to be, and says how it stands.
func (a *app) settle(ctx context.Context, path string, out document.Synced, write core.WriteMode) error {
	written, werr := false, error(nil)
	if out.Ahead {
		if !a.json {
			a.printf("%s\n", syncSentence(path, out))
		}
		if out.OtherNames > 0 && write != core.WriteNever {
			a.progress("The file has another name (a hard link), which keeps the old bytes.")
		}
		written, werr = a.writeBack(ctx, out.Document.ID, write)
	}
	if a.json {
		v := syncJSON(path, out)
		v["written"] = written
		if werr != nil {
			v["writeError"] = errorJSON(core.AsError(werr))
		}
		a.printJSON(v)
		return exitFor(werr)
	}
	switch {
	case werr != nil:
		return werr
	case out.Ahead:
		a.sayWritten(written, path)
	default:
		a.printf("%s\n", syncSentence(path, out))
	}
	return nil
}

// syncSentence says what a sync came to.
func syncSentence(path string, out document.Synced) string {
	name, g := filepath.Base(path), out.Head.Generation
	theirs := int64(0)
	if out.Outside != nil {
		theirs = out.Outside.Generation
	}
	switch out.State {
	case document.SyncImported:
		return fmt.Sprintf("%s was changed by another program; that is generation %d now.", name, g)
	case document.SyncAhead:
		return fmt.Sprintf("Generation %d, the newest, was never written into %s.", g, name)
	case document.SyncMerged:
		if theirs == g {
			return fmt.Sprintf("The file has all that is new here, too; it is generation %d now.", g)
		}
		return fmt.Sprintf("Generation %d joins both; what the file held is generation %d.", g, theirs)
	case document.SyncKept:
		return fmt.Sprintf("Kept ours, as generation %d; what the file held is generation %d.", g, theirs)
	case document.SyncTook:
		return fmt.Sprintf("Took what the file holds, as generation %d; what was the newest is generation %d.", g, g-1)
	}
	return fmt.Sprintf("%s and its history are in step (generation %d).", name, g)
}

func syncJSON(path string, out document.Synced) map[string]any {
	v := map[string]any{
		"status": out.State, "file": path, "document": out.Document.ID, "generation": out.Head.Generation,
		"sha256": out.Head.SHA256, "sha256File": core.SHA256Hex(out.File), "base": out.Base.Generation, "otherNames": out.OtherNames,
	}
	if out.Outside != nil {
		v["outside"] = map[string]any{"generation": out.Outside.Generation, "changeSet": out.Outside.ChangeSetID, "sha256": out.Outside.SHA256}
	}
	if out.Merge != nil {
		v["merge"] = mergeJSON(path, out)
	}
	return v
}

// mergeJSON tells what a merge comes to.
func mergeJSON(path string, out document.Synced) map[string]any {
	return map[string]any{
		"clean": len(out.Merge.Conflicts) == 0, "edits": orEmpty(out.Merge.Edits), "conflicts": conflictsJSON(out),
		"unified": unifiedMerge(path, out),
	}
}

func orEmpty(edits []core.Edit) []core.Edit {
	if edits == nil {
		return []core.Edit{}
	}
	return edits
}

// unifiedMerge shows what a merge does to the newest version.
func unifiedMerge(path string, out document.Synced) string {
	name := filepath.Base(path)
	return textpatch.Unified(name+" (newest version)", name+" (merged)", out.Ours, out.Merge.Bytes, 3)
}

// proposeMerge shows what a merge would come to, and refuses to choose.
func (a *app) proposeMerge(path string, out document.Synced) error {
	file := shellQuote(path)
	e := core.Errorf(core.OutsideChange, "%s was changed by another program, and generation %d was never written into it; nothing was done", path, out.Head.Generation).
		With("document", out.Document.ID).With("generation", out.Head.Generation).With("base", out.Base.Generation)
	if a.json {
		e = e.With("merge", mergeJSON(path, out))
	} else {
		a.showConflicts(out)
		a.printf("%s", unifiedMerge(path, out))
	}
	if len(out.Merge.Conflicts) > 0 {
		return e.WithHint("Both sides changed one place. `proofmark sync %s --ours` keeps the newest version, --theirs the file's; to join them, write the result into the file and choose --theirs. Both stay in the history.", file)
	}
	return e.WithHint("`proofmark sync %s --merge` does what is shown. --ours keeps the newest version, --theirs the file's. Both stay in the history.", file)
}

// showConflicts prints the three texts of each place that both sides changed.
func (a *app) showConflicts(out document.Synced) {
	for _, c := range conflictsJSON(out) {
		a.printf("Both changed %s (line %d of the newest version)\n  ours:   %s\n  theirs: %s\n", excerpt(c.Base), c.Line, excerpt(c.Ours), excerpt(c.Theirs))
	}
}

// clash is one place that both sides changed.
type clash struct {
	Line   int    `json:"line"` // of the newest version, from 1
	Base   string `json:"base"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

func conflictsJSON(out document.Synced) []clash {
	list := []clash{}
	for _, c := range out.Merge.Conflicts {
		line := 1 + bytes.Count(out.Ours[:c.Head.Start], []byte("\n"))
		list = append(list, clash{Line: line, Base: c.BaseText, Ours: c.HeadText, Theirs: c.MineText})
	}
	return list
}

// excerpt shows a text on one line.
func excerpt(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) > most {
		r = append(r[:most], '…')
	}
	if len(r) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%q", string(r))
}
