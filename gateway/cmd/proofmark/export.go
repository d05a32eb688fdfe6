package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/internal/faultpoint"
)

var exportCommand = &command{
	name: "export", args: "FILE [--generation VERSION] --out FILE", summary: "write a version of a file to another file",
	long: `Writes the newest version of FILE, or the one --generation gives by number or name, to
--out. "--out -" is standard output. The opened file itself is not a target: use restore for that.

  proofmark export page.html --out copy.html
  proofmark export page.html --generation 1 --out -
  proofmark export page.html --generation "before the launch" --out then.html`,
	run: runExport,
}

func runExport(ctx context.Context, a *app, args []string) error {
	fs := a.flags("export")
	version := fs.String("generation", "", "")
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
	rev, err := a.docs.Version(ctx, doc.ID, *version)
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

// outTarget gives the file that path leads to and its mode, 0 when it is not
// there yet. The document's own file is refused, and so is what is no file, such
// as a device.
func outTarget(path, own string) (target string, mode os.FileMode, err error) {
	if same(path, own) {
		return "", 0, core.Errorf(core.Usage, "%s is the opened file itself", path).
			WithHint("`proofmark restore FILE GENERATION` brings an older version back")
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(path))
		return path, 0, outError(path, err)
	}
	switch {
	case err != nil:
		return "", 0, outError(path, err)
	case info.IsDir():
		return "", 0, core.Errorf(core.IsDirectory, "%s is a directory", path).WithHint("name a file in it")
	case !info.Mode().IsRegular():
		return "", 0, core.Errorf(core.NotRegular, "%s is not a regular file", path).WithHint("`--out -` of export writes to standard output")
	}
	target, err = filepath.EvalSymlinks(path)
	return target, info.Mode().Perm(), outError(path, err)
}

// exportTo writes b to path by a temporary file and a rename, so that path is
// the old file or the new one. A file that was there keeps its mode.
func exportTo(path, own string, b []byte) error {
	target, mode, err := outTarget(path, own)
	if err != nil {
		return err
	}
	document.SweepTemp(filepath.Dir(target)) // of an export that was killed
	temp := filepath.Join(filepath.Dir(target), document.TempName())
	if err := faultpoint.Write("export: make the temporary file"); err != nil {
		return outError(path, err)
	}
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // less the umask
	if err != nil {
		return outError(path, err)
	}
	defer os.Remove(temp) // gone already when the rename succeeded
	err = faultpoint.All("export: write the temporary file", f, b)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = faultpoint.Do("export: bring it to disk", f.Sync)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = faultpoint.Do("export: replace the file", func() error { return os.Rename(temp, target) })
	}
	return outError(path, err)
}

// outError says why a file named by --out could not be written.
func outError(path string, err error) error {
	code, why := core.Internal, ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		code, why = core.StorageFull, "its disk is full"
	case errors.Is(err, syscall.EIO):
		code, why = core.StorageDamaged, "its disk reports an error"
	case errors.Is(err, syscall.EROFS):
		code, why = core.ReadOnly, "its disk is read-only"
	case errors.Is(err, fs.ErrPermission):
		code, why = core.PermissionDenied, "this account may not"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		code, why = core.NotFound, "there is no such directory"
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		code, why = core.NotFound, "it cannot be the name of a file"
	default:
		return core.Wrap(code, err, "%s could not be written", path)
	}
	return core.Wrap(code, err, "%s could not be written: %s", path, why).WithHint("choose another place with --out")
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
