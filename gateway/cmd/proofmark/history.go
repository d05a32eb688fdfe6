package main

import (
	"context"
	"time"

	"proofmark/gateway/core"
)

var historyCommand = &command{
	name: "history", args: "FILE [--limit N]", summary: "list a file's versions, newest first",
	long: `Lists the versions Proofmark keeps of FILE, newest first. Generation 1 is the file as
it was first opened. A file that was never edited here has no history.

  proofmark history page.html
  proofmark history page.html --limit 5 --json`,
	run: runHistory,
}

func runHistory(ctx context.Context, a *app, args []string) error {
	path, doc, limit, err := a.listArgs(ctx, "history", args)
	if err != nil {
		return err
	}
	revs, err := a.docs.History(ctx, doc.ID, 0, limit)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"file": path, "document": doc.ID, "revisions": revs})
		return nil
	}
	wide := len("ACTOR")
	for _, r := range revs {
		wide = max(wide, len(r.Actor))
	}
	a.printf("%-4s %-19s %-8s %-*s %9s  %-12s %s\n", "GEN", "WHEN", "SOURCE", wide, "ACTOR", "BYTES", "SHA-256", "CHANGE")
	for _, r := range revs {
		mark := " "
		if r.ID == doc.HeadID {
			mark = "*"
		}
		a.printf("%-3d%s %-19s %-8s %-*s %9d  %-12s %s\n", r.Generation, mark, r.At.Local().Format(time.DateTime),
			r.Source, wide, r.Actor, r.Bytes, r.SHA256[:12], r.ChangeSetID)
	}
	return nil
}

// listArgs reads the arguments of a command that lists a known file's versions
// or changes.
func (a *app) listArgs(ctx context.Context, name string, args []string) (path string, doc core.Document, limit int, err error) {
	fs := a.flags(name)
	fs.IntVar(&limit, "limit", 100, "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return "", doc, 0, err
	}
	if limit < 1 {
		return "", doc, 0, core.Errorf(core.Usage, "--limit counts from 1")
	}
	doc, err = a.known(ctx, pos[0])
	return pos[0], doc, limit, err
}

// known gives the document of a file that was opened before.
func (a *app) known(ctx context.Context, path string) (core.Document, error) {
	docs, err := a.documents(ctx)
	if err != nil {
		return core.Document{}, err
	}
	return docs.Lookup(ctx, path)
}
