package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/store"
)

var backupCommand = &command{
	name: "backup", args: "DIR|FILE", summary: "copy all versions into one file",
	long: `Writes every version, change, note and audit row, as they are at this moment, into one file:
FILE, or a new one with the time in its name in the directory DIR. Other commands can run
meanwhile. The copy is read again and checked as "doctor --deep" does before it gets its
name. Nothing is ever overwritten. Your pages are not in it: they are where they always were.

  proofmark backup ~/backups
  proofmark backup before-upgrade.db`,
	run: runBackup,
}

var restoreBackupCommand = &command{
	name: "restore-backup", args: "FILE|DIR", summary: "make a data directory from a backup",
	long: `Checks a backup as "doctor --deep" does and makes the data directory's versions from it: from a
file that "backup" wrote, or from a copy of a whole data directory. Where versions are already
nothing is overwritten: move that directory away first. A backup of an older Proofmark is
brought up to date at its first use.

A page that differs from its newest version is then taken as changed outside; nothing is
written into your pages.

  proofmark restore-backup ~/backups/proofmark-20261130-091500.db
  proofmark restore-backup before-upgrade.db --data-dir /tmp/look-into-it`,
	run: runRestoreBackup,
}

func runBackup(ctx context.Context, a *app, args []string) error {
	pos, err := a.parse(a.flags("backup"), args, 1, 1)
	if err != nil {
		return err
	}
	dir, err := a.directory()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, store.FileName)); errors.Is(err, fs.ErrNotExist) {
		return core.Errorf(core.NotFound, "there are no versions in %s yet", dir).WithHint("--data-dir names another data directory")
	}
	c, err := document.Backup(ctx, dir, backupFile(pos[0], time.Now()))
	if err != nil {
		return err
	}
	a.printCopied("backup", c, c.Path)
	return nil
}

// backupFile gives the file for a place that may be a directory.
func backupFile(place string, now time.Time) string {
	info, err := os.Stat(place)
	if err == nil && info.IsDir() || strings.HasSuffix(place, string(filepath.Separator)) {
		return filepath.Join(place, "proofmark-"+now.UTC().Format("20060102-150405")+".db")
	}
	return place
}

func runRestoreBackup(ctx context.Context, a *app, args []string) error {
	pos, err := a.parse(a.flags("restore-backup"), args, 1, 1)
	if err != nil {
		return err
	}
	dir, err := a.directory()
	if err != nil {
		return err
	}
	c, err := document.RestoreBackup(ctx, pos[0], dir)
	if err != nil {
		return err
	}
	a.printCopied("restore-backup", c, dir)
	return nil
}

func (a *app) printCopied(what string, c store.Copied, place string) {
	if a.json {
		a.printJSON(map[string]any{"done": what, "file": c.Path, "bytes": c.Bytes, "schema": c.Schema, "verified": true, "usage": usageOf(c.Usage)})
		return
	}
	a.printf("%s, %s and %s (%s) to %s, read again and checked.\n", counted(c.Usage.Documents, "document"), counted(c.Usage.Revisions, "version"),
		counted(c.Usage.ChangeSets, "change"), byteSize(c.Bytes), place)
}
