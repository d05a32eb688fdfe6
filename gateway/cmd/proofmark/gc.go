package main

import (
	"context"
	"fmt"
)

var gcCommand = &command{
	name: "gc", args: "[--dry-run]", summary: "remove what no version needs and give the room back",
	long: `Removes what nothing needs any more: drafts of turns that have ended, edit sessions that were
closed a week ago or in which nothing was typed, stored bytes that are no version's. Then it
gives the free room back to the disk. No version, change, note, turn or audit row is ever
removed. Other commands can run meanwhile. --dry-run only counts.

From a damaged database nothing is removed (exit code 1).

  proofmark gc --dry-run
  proofmark gc`,
	run: runGC,
}

func runGC(ctx context.Context, a *app, args []string) error {
	fs := a.flags("gc")
	dry := fs.Bool("dry-run", false, "")
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	docs, err := a.documents(ctx)
	if err != nil {
		return err
	}
	c, err := docs.Collect(ctx, *dry)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{
			"dryRun": *dry, "candidates": c.Candidates, "editSessions": c.EditSessions, "blobs": c.Blobs, "blobBytes": c.BlobBytes,
			"repacked": c.Repacked, "bytesBefore": c.BytesBefore, "bytesAfter": c.BytesAfter,
		})
		return nil
	}
	verb := "Removed"
	if *dry {
		verb = "Would remove"
	}
	if !c.Any() {
		a.printf("Nothing to remove: everything that is kept belongs to a version.\n")
	} else {
		a.printf("%s %s of turns that have ended, %s without text of their own, %s that no version has (%s).\n",
			verb, counted(c.Candidates, "draft"), counted(c.EditSessions, "edit session"), counted(c.Blobs, "stored text"), byteSize(c.BlobBytes))
	}
	if c.Repacked > 0 {
		a.printf("Stored anew, because of what they stood on: %s.\n", counted(c.Repacked, "version"))
	}
	if *dry {
		a.printf("On disk: %s.\n", byteSize(c.BytesBefore))
	} else {
		a.printf("On disk: %s before, %s now.\n", byteSize(c.BytesBefore), byteSize(c.BytesAfter))
	}
	return nil
}

// counted writes a count and its noun.
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// byteSize writes bytes for people.
func byteSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
