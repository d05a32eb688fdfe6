package main

import (
	"context"
	"os"
	"path/filepath"

	"proofmark/gateway/core"
)

var exportCommand = &command{
	name: "export", args: "FILE [--generation N] --out FILE", summary: "write a version of a file to another file",
	long: `Writes the newest version of FILE, or the one --generation names, to --out. "--out -" is
standard output. The opened file itself is not a target: use restore for that.

  proofmark export page.html --out copy.html
  proofmark export page.html --generation 1 --out -`,
	run: runExport,
}

func runExport(ctx context.Context, a *app, args []string) error {
	fs := a.flags("export")
	gen := fs.Int64("generation", 0, "")
	out := fs.String("out", "", "")
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if *out == "" {
		return core.Errorf(core.Usage, "export needs --out FILE").WithHint("`--out -` writes to standard output")
	}
	if *out == "-" && a.json {
		return core.Errorf(core.Usage, "--json and --out - would share standard output")
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	n := doc.Generation
	if *gen != 0 {
		n = *gen
	}
	rev, err := a.docs.Revision(ctx, doc.ID, n)
	if err != nil {
		return err
	}
	b, err := a.docs.Bytes(ctx, rev.ID)
	if err != nil {
		return err
	}
	if *out == "-" {
		if _, err := a.stdout.Write(b); err != nil {
			return core.Wrap(core.Internal, err, "writing to standard output failed")
		}
		return nil
	}
	if err := exportTo(*out, doc.Path, b); err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{
			"file": pos[0], "out": *out, "generation": rev.Generation, "sha256": rev.SHA256, "bytes": rev.Bytes,
		})
		return nil
	}
	a.printf("Generation %d, %d bytes, to %s.\n", rev.Generation, rev.Bytes, *out)
	return nil
}

// exportTo writes b to path by a temporary file and a rename, so that path is
// the old file or the new one; the document's own file is refused.
func exportTo(path, own string, b []byte) error {
	if same(path, own) {
		return core.Errorf(core.Usage, "%s is the opened file itself", path).
			WithHint("`proofmark restore FILE GENERATION` brings an older version back")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return core.Errorf(core.IsDirectory, "%s is a directory", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".proofmark-export-*")
	if err != nil {
		return core.Wrap(core.PermissionDenied, err, "cannot write %s", path).WithHint("choose another place with --out")
	}
	defer os.Remove(f.Name()) // gone already when the rename succeeded
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return core.Wrap(core.StorageFull, err, "could not write %s; it is as it was", path)
	}
	return nil
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
