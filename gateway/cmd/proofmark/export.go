package main

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/internal/diskfault"
	"proofmark/internal/faultpoint"
)

var exportCommand = &command{
	name: "export", args: "FILE [--generation VERSION] [--bundle] --out FILE", summary: "write a version of a file, or a review of it, to another file",
	long: `Writes the newest version of FILE, or the one --generation gives by number or name, to
--out. "--out -" is standard output. The opened file itself is not a target: use restore for that.

  proofmark export page.html --out copy.html
  proofmark export page.html --generation 1 --out -
  proofmark export page.html --generation "before the launch" --out then.html

With --bundle it writes a review instead: one HTML page to read anywhere, with the open notes
and their places, what was changed up to that version and why, and inside it the same as JSON
with all edits and proofs, so that ` + "`proofmark import`" + ` can check it and take the notes in. It
holds the page's text and the notes, and nothing of this machine. Where the history is too
long, the oldest changes are left out and the review says so.

  proofmark export page.html --bundle --out review.html
  proofmark export page.html --bundle --out review.html --bundle-json review.json

Flags:
  --generation VERSION  the version to write (default: the newest)
  --bundle              write a review
  --bundle-json FILE    with --bundle: write the JSON to a file of its own as well
  --session NAME        with --bundle: whose open notes (default cli)`,
	run: runExport,
}

type exportFlags struct {
	version, out  string
	bundle        bool
	data, session string
}

func (f *exportFlags) add(fs *flag.FlagSet) {
	fs.Func("generation", "", func(v string) error {
		if f.version = v; v == "" { // a variable of a script that is not set, say
			return errors.New("it is empty; leave it out for the newest version")
		}
		return nil
	})
	fs.StringVar(&f.out, "out", "", "")
	fs.BoolVar(&f.bundle, "bundle", false, "")
	fs.StringVar(&f.data, "bundle-json", "", "")
	fs.StringVar(&f.session, "session", draftSession, "")
}

func (f *exportFlags) check() error {
	switch {
	case f.out == "":
		return core.Errorf(core.Usage, "export needs --out FILE").WithHint("`--out -` writes to standard output")
	case !f.bundle && (f.data != "" || f.session != draftSession):
		return core.Errorf(core.Usage, "--bundle-json and --session go with --bundle")
	case f.session == "":
		return core.Errorf(core.Usage, "--session is empty")
	}
	return nil
}

func runExport(ctx context.Context, a *app, args []string) error {
	fs := a.flags("export")
	var f exportFlags
	f.add(fs)
	pos, err := a.parse(fs, args, 1, 1)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.out == "-" && a.json {
		return core.Errorf(core.Usage, "--json and --out - would share standard output")
	}
	doc, err := a.known(ctx, pos[0])
	if err != nil {
		return err
	}
	rev, err := a.docs.Version(ctx, doc.ID, f.version)
	if err != nil {
		return err
	}
	if f.bundle {
		return a.exportBundle(ctx, pos[0], doc, rev, &f)
	}
	b, err := a.docs.Bytes(ctx, rev.ID)
	if err != nil {
		return err
	}
	if f.out == "-" {
		if _, err := a.stdout.Write(b); err != nil {
			return core.Wrap(core.Internal, err, "writing to standard output failed")
		}
		return nil
	}
	if err := exportTo(f.out, doc.Path, b); err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{
			"file": pos[0], "out": f.out, "generation": rev.Generation, "sha256": rev.SHA256, "bytes": rev.Bytes,
		})
		return nil
	}
	a.printf("Generation %d, %d bytes, to %s.\n", rev.Generation, rev.Bytes, f.out)
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
	if err == nil {
		return nil
	}
	code, why := diskfault.Why(err)
	if why == "" {
		return core.Wrap(code, err, "%s could not be written", path)
	}
	return core.Wrap(code, err, "%s could not be written: %s", path, why).WithHint("choose another place with --out")
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
