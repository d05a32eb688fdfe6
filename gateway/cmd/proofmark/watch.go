package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
)

var watchCommand = &command{
	name: "watch", args: "FILE… [--merge]", summary: "keep histories in step while other programs save the files",
	long: `Watches files until it is stopped, and makes what other programs write the newest version,
as sync does: one version each time a file has come to rest with other bytes. Editors that
replace the file, or remove it and make it anew, and links that are turned are followed. A
folder stands for the files in it that have a history. A file without one gets it.

Files are only read. Where the newest version was never written into the file, and another
program changes it, that conflict is told and nothing is done.

  --merge         join both sides' changes, unless they are of one place, and write the
                  newest version into a file that lacks it: at the start, and whenever
                  another program has changed the file
  --write MODE    auto (default), ask or never: whether --merge writes

  proofmark watch page.html
  proofmark watch site/ --merge
  proofmark watch page.html --json`,
	run: runWatch,
}

func runWatch(ctx context.Context, a *app, args []string) error {
	fs := a.flags("watch")
	merge := fs.Bool("merge", false, "")
	mode := writeFlag(fs)
	pos, err := a.parse(fs, args, 1, -1)
	if err != nil {
		return err
	}
	v := vigil{app: a}
	if *merge {
		v.choice = document.SyncMerge
	}
	if v.write, err = writeMode(*mode); err != nil {
		return err
	}
	if _, err := a.documents(ctx); err != nil {
		return err
	}
	paths, err := a.watchedFiles(ctx, pos)
	if err != nil {
		return err
	}
	w, err := document.NewWatcher(paths, document.WatchOptions{})
	if err != nil {
		return err
	}
	a.onClose(w.Close)
	how := "stop with Ctrl-C"
	if !w.Events() {
		how = "looking every two seconds; " + how
	}
	a.progress("Watching %s; %s.", few(paths, 3), how)
	err = w.Run(ctx, func(s document.Sight) error { return v.saw(ctx, s) })
	if ctx.Err() != nil {
		return nil // being stopped is how it ends
	}
	return err
}

// watchedFiles puts the files that have a history in place of a folder.
func (a *app) watchedFiles(ctx context.Context, args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			if err := a.watchable(ctx, arg); err != nil {
				return nil, err
			}
			out = append(out, arg)
			continue
		}
		dir, err := filepath.EvalSymlinks(arg)
		if err == nil {
			dir, err = filepath.Abs(dir)
		}
		if err != nil {
			return nil, core.Wrap(core.NotFound, err, "%s cannot be used", arg)
		}
		all, err := a.docs.List(ctx)
		if err != nil {
			return nil, err
		}
		found := false
		for _, d := range all {
			if filepath.Dir(d.Path) == dir {
				found, out = true, append(out, d.Path)
			}
		}
		if !found {
			return nil, core.Errorf(core.UnknownDocument, "no file in %s was ever opened with Proofmark", arg).WithHint("name the files to watch")
		}
	}
	return out, nil
}

// watchable refuses what was never a document and can be none. What cannot be
// read just now may come back.
func (a *app) watchable(ctx context.Context, path string) error {
	_, err := document.ReadFile(path)
	switch core.CodeOf(err) {
	case core.NotFound:
		if _, unknown := a.docs.Lookup(ctx, path); unknown == nil {
			return nil
		}
		return core.AsError(err).WithHint("only a file that was opened before is waited for")
	case core.NotHTML:
		return err
	}
	return nil
}

// vigil is a run of watch.
type vigil struct {
	*app
	choice document.SyncChoice
	write  core.WriteMode
}

// saw takes in what a file holds now.
func (v vigil) saw(ctx context.Context, s document.Sight) error {
	name := shown(s.Path)
	if s.Err != nil {
		return v.cannot(name, s)
	}
	if s.Relinks {
		v.tell(name, "relinked", "leads to "+s.Leads+" now", map[string]any{"leads": s.Leads})
	}
	out, err := v.docs.Sync(ctx, s.Path, document.SyncRequest{Choice: v.choice, Actor: actor})
	switch {
	case core.CodeOf(err) == core.UnknownDocument:
		o, err := v.docs.Open(ctx, s.Path)
		if err != nil {
			return v.passing(name, err)
		}
		v.tell(name, "opened", fmt.Sprintf("generation %d, its history begins", o.Head.Generation), map[string]any{"document": o.Document.ID, "generation": o.Head.Generation})
		return v.stdout.err
	case err != nil && out.Merge == nil:
		return v.passing(name, err)
	}
	fields := syncJSON(s.Path, out)
	delete(fields, "file")
	what := syncSentence(s.Path, out)
	if out.State == document.SyncImported {
		what = fmt.Sprintf("changed by another program; that is generation %d now", out.Head.Generation)
	}
	switch out.State {
	case document.SyncConflict:
		what = fmt.Sprintf("conflict: changed by another program, and generation %d was never written; `proofmark sync %s` shows both", out.Head.Generation, shellQuote(name))
	case document.SyncMerged, document.SyncAhead:
		if !out.Ahead || v.choice != document.SyncMerge {
			break
		}
		written, err := v.writeBack(ctx, out.Document.ID, v.write)
		if err != nil {
			return v.passing(name, err)
		}
		fields["written"] = written
	case document.SyncInStep:
		if !v.json {
			return nil // our own write, mostly
		}
	}
	v.tell(name, string(out.State), what, fields)
	return v.stdout.err
}

// passing tells an error that is about one file now, and lets the watch go on;
// what will be over soon is left to be tried again.
func (v vigil) passing(name string, err error) error {
	switch core.CodeOf(err) {
	case core.LeaseHeld, core.StorageBusy, core.HeadMoved, core.StaleSource:
		return err
	case core.StorageFull, core.StorageDamaged, core.Internal:
		return err // of the store, not of the file
	}
	v.tell(name, "refused", core.AsError(err).Message, map[string]any{"error": errorJSON(core.AsError(err))})
	return v.stdout.err
}

// cannot tells of a file that is gone or cannot be a version.
func (v vigil) cannot(name string, s document.Sight) error {
	e := core.AsError(s.Err)
	status, what := "unreadable", e.Message
	fields := map[string]any{"error": errorJSON(e)}
	if e.Code == core.NotFound {
		status, what = "gone", "gone; its versions are kept"
		if s.NewName != "" {
			to := shown(s.NewName)
			fields["newName"] = to
			what = fmt.Sprintf("renamed to %s; `proofmark sync %s --moved-from %s` continues its history", to, shellQuote(to), shellQuote(name))
		}
	}
	v.tell(name, status, what, fields)
	return v.stdout.err
}

// tell prints one line about a file.
func (v vigil) tell(name, status, what string, fields map[string]any) {
	now := time.Now()
	if v.json {
		fields["file"], fields["status"], fields["at"] = name, status, now.UTC().Truncate(time.Millisecond) // as all times are
		v.printJSON(fields)
		return
	}
	v.printf("%s  %s: %s\n", now.Format(time.TimeOnly), name, strings.TrimSuffix(what, "."))
}

// shown gives a path relative to where we are, if it lies there.
func shown(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}
