package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"proofmark/gateway/core"
)

var historyCommand = &command{
	name: "history", args: "FILE [--limit N] [--before GENERATION]", summary: "list a file's versions, newest first",
	long: `Lists the versions Proofmark keeps of FILE, newest first, with the names they were given.
Generation 1 is the file as it was first opened. A file that was never edited here has no
history. --limit says how many (100); --before goes on where a list has ended.

  proofmark history page.html
  proofmark history page.html --limit 5 --json
  proofmark history page.html --before 101`,
	run: runHistory,
}

func runHistory(ctx context.Context, a *app, args []string) error {
	l, err := a.listing(ctx, "history", args)
	if err != nil {
		return err
	}
	revs, err := a.docs.Versions(ctx, l.doc.ID, l.before, l.limit)
	if err != nil {
		return err
	}
	older := int64(0)
	if len(revs) > 0 {
		older = revs[len(revs)-1].Generation - 1
	}
	unknown, err := a.unknown(ctx, l.doc)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"file": l.path, "document": l.doc.ID, "revisions": revs, "older": older, "ambiguous": unknown})
		return nil
	}
	wide, names := len("ACTOR"), ""
	for _, r := range revs {
		wide = max(wide, len(r.Actor))
		if r.Name != "" {
			names = strings.Repeat(" ", 26) + "NAME" // behind the ids of changes
		}
	}
	a.printf("%-5s %-19s %-8s %-*s %9s  %-12s CHANGE%s\n", "GEN", "WHEN", "SOURCE", wide, "ACTOR", "BYTES", "SHA-256", names)
	for _, r := range revs {
		mark := " "
		if r.ID == l.doc.HeadID {
			mark = "*"
		}
		line := fmt.Sprintf("%-4d%s %-19s %-8s %-*s %9d  %-12s %-30s  %s", r.Generation, mark, r.At.Local().Format(time.DateTime),
			r.Source, wide, r.Actor, r.Bytes, r.SHA256[:12], r.ChangeSetID, r.Name)
		a.printf("%s\n", strings.TrimRight(line, " "))
	}
	if older > 0 {
		a.progress("%d older: --before %d", older, older+1)
	}
	for _, u := range unknown {
		a.progress("A change begun at %s has an outcome that cannot be known: the page held what it would have made (sha256 %s…), and no version has it. It is never tried again.",
			u.At.Local().Format(time.DateTime), u.SHA256[:12])
	}
	return nil
}

// unknownOutcome is a commit of an earlier run of which nobody can know whether
// it happened.
type unknownOutcome struct {
	Key    string    `json:"key"`
	At     time.Time `json:"at"`
	SHA256 string    `json:"sha256"` // of the version it would have made
}

// unknown lists a document's commits whose outcome cannot be known.
func (a *app) unknown(ctx context.Context, d core.Document) ([]unknownOutcome, error) {
	all, err := a.docs.Attempts(ctx, core.AttemptAmbiguous)
	out := []unknownOutcome{}
	for _, t := range all {
		if t.DocumentID == d.ID {
			out = append(out, unknownOutcome{Key: t.Key, At: t.CreatedAt, SHA256: t.SHAAfter})
		}
	}
	return out, err
}

// listing is what a list of a known file's versions or changes is asked for.
type listing struct {
	path   string
	doc    core.Document
	before int64 // generations before this one; 0 for all
	limit  int
}

func (a *app) listing(ctx context.Context, name string, args []string) (l listing, err error) {
	fs := a.flags(name)
	fs.IntVar(&l.limit, "limit", 100, "")
	before := fs.String("before", "", "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return l, err
	}
	if l.limit < 1 {
		return l, core.Errorf(core.Usage, "--limit counts from 1")
	}
	l.path = pos[0]
	if l.doc, err = a.known(ctx, l.path); err != nil || *before == "" {
		return l, err
	}
	r, err := a.docs.Version(ctx, l.doc.ID, *before)
	l.before = r.Generation
	return l, err
}

// known gives the document of a file that was opened before.
func (a *app) known(ctx context.Context, path string) (core.Document, error) {
	docs, err := a.documents(ctx)
	if err != nil {
		return core.Document{}, err
	}
	return docs.Lookup(ctx, path)
}
