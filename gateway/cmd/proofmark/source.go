package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"proofmark/gateway/core"
	"proofmark/gateway/manual"
	"proofmark/gateway/textpatch"
)

var sourceCommand = &command{
	name: "source", args: "FILE [--from NEW] [--base VERSION]", summary: "take source text you edited yourself, merged with newer versions",
	long: `Takes the text of NEW, or of standard input, as your edited source of FILE. VERSION is the
version you began with (a generation or a name, see history); what was changed in FILE since
is kept and joined with what you changed. Without --base it is the newest version Proofmark
knew before this call.

Where both changed one place, nothing is committed, the places are shown with all three
texts, exit 4, and your text is kept until you discard it.

  proofmark export page.html --out draft.html
  proofmark source page.html --from draft.html --base 3
  sed 's/2025/2026/' page.html | proofmark source page.html

Texts that are kept and in no version, such as those of conflicts and of editors that were
closed without saving:

  --list          list them
  --show ID       print one
  --commit ID     commit one, merged with the newest version
  --discard ID    drop one

Flags:
  --write MODE    auto (default), ask or never: when the file itself is written`,
	run: runSource,
}

type sourceFlags struct {
	from, base            string
	list                  bool
	show, commit, discard string
	write                 core.WriteMode
}

func runSource(ctx context.Context, a *app, args []string) error {
	fs := a.flags("source")
	var f sourceFlags
	fs.StringVar(&f.from, "from", "", "")
	fs.StringVar(&f.base, "base", "", "")
	fs.BoolVar(&f.list, "list", false, "")
	fs.StringVar(&f.show, "show", "", "")
	fs.StringVar(&f.commit, "commit", "", "")
	fs.StringVar(&f.discard, "discard", "", "")
	mode := writeFlag(fs)
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if f.write, err = writeMode(*mode); err != nil {
		return err
	}
	kept := 0
	for _, given := range []bool{f.list, f.show != "", f.commit != "", f.discard != ""} {
		if given {
			kept++
		}
	}
	switch {
	case kept > 1 || kept == 1 && f.from+f.base != "":
		return core.Errorf(core.Usage, "--list, --show, --commit and --discard stand alone")
	case kept == 1:
		return a.keptText(ctx, pos[0], &f)
	}
	return a.takeSource(ctx, pos[0], &f)
}

// takeSource commits a text through an edit session of its own.
func (a *app) takeSource(ctx context.Context, path string, f *sourceFlags) error {
	text, err := a.sourceText(f.from, path)
	if err != nil {
		return err
	}
	if err := a.allow(ctx, core.FeatureWorkbench); err != nil {
		return err
	}
	// The base is what the history knew before the file is looked at: what another
	// program has put into it since is merged with, too.
	doc, err := a.known(ctx, path)
	if core.CodeOf(err) == core.UnknownDocument {
		opened, oerr := a.docs.Open(ctx, path)
		doc, err = opened.Document, oerr
	}
	if err != nil {
		return err
	}
	generation := doc.Generation
	if f.base != "" {
		r, err := a.docs.Version(ctx, doc.ID, f.base)
		if err != nil {
			return err
		}
		generation = r.Generation
	}
	ahead, err := a.bringIn(ctx, path, f.write)
	if err != nil {
		return err
	}
	svc := manual.New(a.st, a.docs, 0)
	s, err := svc.OpenAt(ctx, doc.ID, generation)
	if err != nil {
		return err
	}
	if _, err = svc.Save(ctx, s.ID, s.UpdatedAt, text); err != nil {
		return errors.Join(err, svc.Discard(ctx, s.ID))
	}
	err = a.commitText(ctx, svc, path, s.ID, f.write)
	if core.CodeOf(err) == core.NoOp {
		if derr := svc.Discard(ctx, s.ID); derr != nil {
			return derr
		}
		if ahead {
			return a.catchUp(ctx, doc, path, f.write)
		}
	}
	return err
}

// bringIn reads the file, where it is to be written: a change another program
// made becomes a version of its own first.
func (a *app) bringIn(ctx context.Context, path string, write core.WriteMode) (ahead bool, err error) {
	if write == core.WriteNever {
		return false, nil
	}
	opened, err := a.docs.Open(ctx, path)
	if err == nil && opened.OutsideImported {
		a.progress("The file had been changed outside; that is now generation %d.", opened.Head.Generation)
	}
	return opened.Ahead, err
}

// commitText commits an edit session's text, writes the file and tells.
func (a *app) commitText(ctx context.Context, svc *manual.Service, path, id string, write core.WriteMode) error {
	res, err := svc.Commit(ctx, id, actor)
	if err != nil {
		return a.notCommitted(ctx, path, id, err)
	}
	written, werr := a.writeBack(ctx, res.Document.ID, write)
	if a.json {
		out := map[string]any{
			"status": "applied", "file": path, "document": res.Document.ID, "changeSet": res.ChangeSet.ID,
			"generation": res.Revision.Generation, "sha256Before": res.ChangeSet.SHABefore, "sha256After": res.ChangeSet.SHAAfter,
			"edits": res.ChangeSet.Edits, "merged": res.Merged, "written": written,
		}
		if len(res.ChangeSet.Flags) > 0 {
			out["flags"] = res.ChangeSet.Flags
		}
		if werr != nil {
			out["writeError"] = errorJSON(core.AsError(werr))
		}
		a.printJSON(out)
		return exitFor(werr)
	}
	a.printChange(ctx, path, res.ChangeSet.ID)
	if res.Merged {
		a.progress("Merged with what was changed since; nothing of either is lost.")
	}
	for _, fl := range res.ChangeSet.Flags {
		a.progress("It adds %s: %s", fl.Kind, fl.Detail)
	}
	a.progress("Generation %d: %s as %s. Everything else is byte for byte the same.", res.Revision.Generation, places(res.ChangeSet.Edits), res.ChangeSet.ID)
	if werr != nil {
		return werr
	}
	a.sayWritten(written, path)
	a.progress("Take it back: proofmark revert %s %s", fileArgument(path), res.ChangeSet.ID)
	return nil
}

// notCommitted says why a text was not committed and where it is kept.
func (a *app) notCommitted(ctx context.Context, path, id string, err error) error {
	e := core.AsError(err)
	if e.Code == core.NoOp || e.Code == core.TurnEnded || e.Code == core.NotFound {
		return err
	}
	e = e.With("session", id)
	file := fileArgument(path)
	list, _ := e.Detail["conflicts"].([]textpatch.Conflict)
	if len(list) == 0 {
		return e.WithHint("The text is kept; commit it again: proofmark source %s --commit %s", file, id)
	}
	generation, _ := e.Detail["generation"].(int64)
	shown, err := a.apart(ctx, path, generation, list)
	if err != nil {
		return err
	}
	if !a.json {
		for _, c := range shown {
			a.printf("Line %d of the newest version\n  before: %s\n  newest: %s\n  yours:  %s\n", c.Line, excerpt(c.Base), excerpt(c.Newest), excerpt(c.Mine))
		}
	}
	return e.With("conflicts", shown).
		WithHint("Put yours into the newest version's text and give that: proofmark export %s --generation %d --out NEW.html, then proofmark source %s --from NEW.html --base %d. "+
			"Your text is kept: proofmark source %s --show %s (--discard drops it).", file, generation, file, generation, file, id)
}

// apartJSON is one place that the newest version and a person's text changed in
// different ways.
type apartJSON struct {
	Line   int    `json:"line"` // of the newest version, from 1
	Base   string `json:"base"`
	Newest string `json:"newest"`
	Mine   string `json:"mine"`
}

func (a *app) apart(ctx context.Context, path string, generation int64, list []textpatch.Conflict) ([]apartJSON, error) {
	doc, err := a.known(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := a.docs.Revision(ctx, doc.ID, generation)
	if err != nil {
		return nil, err
	}
	newest, err := a.docs.Bytes(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out := make([]apartJSON, len(list))
	for i, c := range list {
		out[i] = apartJSON{
			Line: 1 + bytes.Count(newest[:min(c.Head.Start, len(newest))], []byte("\n")), Base: c.BaseText, Newest: c.HeadText, Mine: c.MineText,
		}
	}
	return out, nil
}

// sourceText reads the text a person edited.
func (a *app) sourceText(from, path string) ([]byte, error) {
	in := a.stdin
	switch {
	case from != "" && from != "-":
		if same(from, path) {
			return nil, core.Errorf(core.Usage, "%s is the opened file itself", from).
				WithHint("an edit in the file is taken up by every command; `proofmark sync FILE` shows how they stand")
		}
		f, err := os.Open(from)
		if err != nil {
			return nil, readError(from, err)
		}
		defer f.Close()
		in = f
	case from == "" && a.terminal():
		return nil, core.Errorf(core.Usage, "source needs the new text").WithHint("name its file with --from, or pipe it in")
	}
	text, err := io.ReadAll(io.LimitReader(in, core.MaxSourceBytes+1))
	if err != nil {
		return nil, readError(from, err)
	}
	if len(text) == 0 && (from == "" || from == "-") {
		return nil, core.Errorf(core.Usage, "standard input was empty; nothing was changed").
			WithHint("the command before the pipe may have failed; to empty a page, name an empty file with --from")
	}
	return text, nil
}

// readError says why the text could not be read.
func readError(from string, err error) error {
	if from == "" || from == "-" {
		from = "standard input"
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return core.Wrap(core.NotFound, err, "there is no file %s", from)
	case errors.Is(err, os.ErrPermission):
		return core.Wrap(core.PermissionDenied, err, "%s may not be read by this account", from)
	}
	if info, serr := os.Stat(from); serr == nil && info.IsDir() {
		return core.Wrap(core.IsDirectory, err, "%s is a directory", from)
	}
	return core.Wrap(core.NotFound, err, "%s could not be read", from)
}
