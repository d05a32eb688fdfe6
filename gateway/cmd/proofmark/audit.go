package main

import (
	"context"
	"math"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

var auditCommand = &command{
	name: "audit", args: "FILE [--after SEQ] [--limit N]", summary: "list what happened to a file, in hashes and counts",
	long: `Lists every import, commit, write-back, name and recovery of FILE in their order, each with
its number: who, which generation, the SHA-256 before and after, how many edits and bytes.
There is no text in it: no source, no note, no name. Rows are never changed or deleted.
--after gives those behind a number, --limit at most so many (all).

  proofmark audit page.html
  proofmark audit page.html --json --after 120`,
	run: runAudit,
}

// auditPage is how many events are read at a time.
const auditPage = 1000

func runAudit(ctx context.Context, a *app, args []string) error {
	fs := a.flags("audit")
	after := fs.Int64("after", 0, "")
	limit := fs.Int("limit", math.MaxInt, "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if *after < 0 || *limit < 1 {
		return core.Errorf(core.Usage, "--after is the number of an event, --limit counts from 1")
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	if !a.json {
		a.printf("%6s %-19s %-17s %-14s %4s  %-12s    %-12s %s\n", "SEQ", "WHEN", "WHAT", "ACTOR", "GEN", "BEFORE", "AFTER", "COUNTS")
	}
	for shown := 0; shown < *limit; {
		n := min(auditPage, *limit-shown)
		list, err := a.docs.Audit(ctx, doc.ID, *after, n)
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := a.showAudit(e); err != nil {
				return err
			}
			*after = e.Seq
		}
		if shown += len(list); len(list) < n {
			break
		}
	}
	return nil
}

// showAudit prints one event, as a line of its own; it fails where nobody reads
// any more.
func (a *app) showAudit(e store.AuditEvent) error {
	if a.json {
		a.printJSON(auditJSON(e))
		return a.stdout.err
	}
	a.printf("%6d %-19s %-17s %-14s %4d  %-12s %s  %-12s %s\n", e.Seq, e.At.Local().Format(time.DateTime), e.Kind, e.Actor, e.Generation,
		brief(e.SHABefore), arrow(e), brief(e.SHAAfter), counts(e))
	return a.stdout.err
}

func brief(sha string) string {
	if len(sha) < 12 {
		return sha
	}
	return sha[:12]
}

func arrow(e store.AuditEvent) string {
	if e.SHABefore == "" || e.SHAAfter == "" {
		return " "
	}
	return "→"
}

func counts(e store.AuditEvent) string {
	if e.Edits == 0 {
		return ""
	}
	return touched(e.BytesInserted, e.BytesRemoved, e.Edits)
}

func auditJSON(e store.AuditEvent) map[string]any {
	return map[string]any{
		"seq": e.Seq, "at": e.At, "kind": e.Kind, "document": e.DocumentID, "actor": e.Actor, "generation": e.Generation,
		"changeSet": e.ChangeSetID, "sha256Before": e.SHABefore, "sha256After": e.SHAAfter, "edits": e.Edits,
		"bytesRemoved": e.BytesRemoved, "bytesInserted": e.BytesInserted, "notes": e.Notes, "flags": e.Flags, "fence": e.Fence,
	}
}
