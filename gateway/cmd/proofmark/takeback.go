package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

var revertCommand = &command{
	name: "revert", args: "FILE [CHANGE] [--note N]", summary: "take a change back, the newest or an older one",
	long: `Takes back one change set of FILE by a new version on top; nothing is deleted. CHANGE is
an id from changes; without it the newest change made here that is still in force (what
another program changed is taken back by its id alone). --note N takes back one note of it
alone. Where later changes touch the same bytes, nothing is changed
and the change that stands in the way is named.

  proofmark revert page.html
  proofmark revert page.html chg_… --note 2`,
	run: runRevert,
}

var redoCommand = &command{
	name: "redo", args: "FILE", summary: "put back what the last revert took away",
	long: `Puts back the change that the newest revert took away, by a new version on top.

  proofmark redo page.html`,
	run: runRedo,
}

var restoreCommand = &command{
	name: "restore", args: "FILE VERSION", summary: "go back to the bytes of an older version",
	long: `Makes the bytes of an older version the newest version. The versions between stay in the
history. VERSION is a generation or a name, as history lists them.

  proofmark restore page.html 1
  proofmark restore page.html "before the launch"`,
	run: runRestore,
}

// writeFlag adds --write to a command that moves the head.
func writeFlag(fs interface {
	StringVar(p *string, name, value, usage string)
},
) *string {
	mode := new(string)
	fs.StringVar(mode, "write", string(core.WriteAuto), "")
	return mode
}

func runRevert(ctx context.Context, a *app, args []string) error {
	fs := a.flags("revert")
	noteNo := fs.Int("note", 0, "")
	mode := writeFlag(fs)
	pos, err := a.parse(fs, args, 1, 2)
	if err != nil {
		return err
	}
	if *noteNo < 0 {
		return core.Errorf(core.Usage, "--note counts from 1")
	}
	return a.moveHead(ctx, pos[0], *mode, func(docs *document.Service, doc core.Document) (document.Result, error) {
		if len(pos) > 1 {
			return docs.Revert(ctx, doc.ID, pos[1], *noteNo, actor)
		}
		return docs.UndoNote(ctx, doc.ID, *noteNo, actor)
	})
}

func runRedo(ctx context.Context, a *app, args []string) error {
	fs := a.flags("redo")
	mode := writeFlag(fs)
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	return a.moveHead(ctx, pos[0], *mode, func(docs *document.Service, doc core.Document) (document.Result, error) {
		return docs.Redo(ctx, doc.ID, actor)
	})
}

func runRestore(ctx context.Context, a *app, args []string) error {
	fs := a.flags("restore")
	mode := writeFlag(fs)
	pos, err := a.parse(fs, args, 2, 2)
	if err != nil {
		return err
	}
	return a.moveHead(ctx, pos[0], *mode, func(docs *document.Service, doc core.Document) (document.Result, error) {
		r, err := docs.Version(ctx, doc.ID, pos[1])
		if err != nil {
			return document.Result{}, err
		}
		return docs.Restore(ctx, doc.ID, r.Generation, actor)
	})
}

// actor is who the history says made a change from the command line.
const actor = "cli"

// moveHead opens a known document (an outside change becomes a version of its
// own first), moves its head and writes the file back.
func (a *app) moveHead(ctx context.Context, path, mode string, move func(*document.Service, core.Document) (document.Result, error)) error {
	write, err := writeMode(mode)
	if err != nil {
		return err
	}
	doc, err := a.known(ctx, path)
	if err != nil {
		return err
	}
	ahead := false
	if write != core.WriteNever {
		opened, err := a.docs.Open(ctx, path)
		if err != nil {
			return err
		}
		if opened.OutsideImported {
			a.progress("The file had been changed outside; that is now generation %d.", opened.Head.Generation)
		}
		doc, ahead = opened.Document, opened.Ahead
	}
	res, err := move(a.docs, doc)
	if core.CodeOf(err) == core.NoOp && ahead {
		return a.catchUp(ctx, doc, path, write)
	}
	if err != nil {
		return err
	}
	written, werr := a.writeBack(ctx, res.Document.ID, write)
	if a.json {
		out := map[string]any{
			"status": "applied", "document": res.Document.ID, "changeSet": res.ChangeSet.ID,
			"generation": res.Revision.Generation, "sha256Before": res.ChangeSet.SHABefore,
			"sha256After": res.ChangeSet.SHAAfter, "edits": res.ChangeSet.Edits, "written": written,
		}
		if res.ChangeSet.Reverts != "" {
			out["of"] = res.ChangeSet.Reverts
		}
		if werr != nil {
			out["writeError"] = errorJSON(core.AsError(werr))
		}
		a.printJSON(out)
		return exitFor(werr)
	}
	a.sayTaken(ctx, res.ChangeSet)
	a.printf("Generation %d: %s. Everything else is byte for byte the same.\n", res.Revision.Generation, places(res.ChangeSet.Edits))
	if werr != nil {
		return werr
	}
	a.sayWritten(written, path)
	return nil
}

// sayTaken names the change that was taken back or put back.
func (a *app) sayTaken(ctx context.Context, c core.ChangeSet) {
	verb, ok := map[core.RevisionSource]string{core.SourceRevert: "Took back", core.SourceRedo: "Put back"}[c.Source]
	if !ok || c.Reverts == "" {
		return
	}
	of := core.ChangeSet{Reverts: c.Reverts}
	for len(of.Notes) == 0 && of.Reverts != "" { // a redo, or a revert: of what, in the end
		var err error
		if of, err = a.docs.ChangeSet(ctx, of.Reverts); err != nil {
			break // only the notes are missing then
		}
	}
	var said []string
	for _, n := range of.Notes {
		if slices.ContainsFunc(c.Edits, func(e core.Edit) bool { return e.Note == n.Order }) {
			said = append(said, "“"+n.Instruction+"”")
		}
	}
	a.progress("%s %s", verb, strings.TrimSpace(c.Reverts+"  "+few(said, 3)))
}

// catchUp writes the newest version, which is the one asked for, into a file
// that never got it: the run that made it was stopped, or could not write.
func (a *app) catchUp(ctx context.Context, doc core.Document, path string, mode core.WriteMode) error {
	head, err := a.docs.Revision(ctx, doc.ID, 0)
	if err != nil {
		return err
	}
	written, err := a.writeBack(ctx, doc.ID, mode)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{
			"status": "applied", "document": doc.ID, "changeSet": head.ChangeSetID, "generation": head.Generation,
			"sha256Before": doc.SyncedSHA, "sha256After": head.SHA256, "edits": []core.Edit{}, "written": written,
		})
		return nil
	}
	a.printf("Generation %d is the newest version already; the file did not have it yet.\n", head.Generation)
	a.sayWritten(written, path)
	return nil
}

// exitFor turns an error that is already part of the printed result into its exit code.
func exitFor(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: core.CodeOf(err).Exit()}
}

func (a *app) sayWritten(written bool, path string) {
	if written {
		a.progress("Written to %s.", path)
	} else {
		a.progress("%s was not written; the version is kept. `proofmark export` writes it elsewhere.", path)
	}
}

func writeMode(s string) (core.WriteMode, error) {
	switch m := core.WriteMode(s); m {
	case core.WriteAuto, core.WriteAsk, core.WriteNever:
		return m, nil
	}
	return "", core.Errorf(core.Usage, "--write is auto, ask or never, not %q", s)
}

var errNotATerminal = errors.New("standard input is not a terminal")

// writeBack writes the head into the file as the mode says.
func (a *app) writeBack(ctx context.Context, docID string, mode core.WriteMode) (bool, error) {
	switch mode {
	case core.WriteNever:
		return false, nil
	case core.WriteAsk:
		ok, err := a.ask("Write this version to the file?")
		if err != nil || !ok {
			if errors.Is(err, errNotATerminal) {
				a.progress("Nobody to ask: %v.", err)
				err = nil
			}
			return false, err
		}
	}
	// The version is committed: a signal now would only leave the file behind it.
	return a.docs.WriteBack(context.WithoutCancel(ctx), docID)
}
