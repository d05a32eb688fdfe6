package document

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// resolve gives the absolute path as it was asked for, and the canonical one,
// with symbolic links resolved, by which a document is known.
func resolve(path string) (asked, canonical string, err error) {
	const op = "document.Open"
	if path == "" {
		return "", "", core.Errorf(core.NotFound, "no file was named").In(op)
	}
	if asked, err = filepath.Abs(path); err != nil {
		return "", "", fileError(op, path, err)
	}
	if canonical, err = filepath.EvalSymlinks(asked); err != nil {
		return asked, "", fileError(op, asked, err)
	}
	return asked, canonical, nil
}

// resolveMissing gives the canonical path of a file that is gone, perhaps with
// the folders it was in.
func resolveMissing(path string) (string, error) {
	asked, err := filepath.Abs(path)
	if err != nil {
		return "", fileError("document.Lookup", path, err)
	}
	dir, rest := filepath.Dir(asked), filepath.Base(asked)
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		up := filepath.Dir(dir)
		if up == dir || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", fileError("document.Lookup", asked, err)
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

// source is what a file held, and what it was, when it was read.
type source struct {
	bytes []byte
	sha   string
	info  fs.FileInfo
}

// readFile reads the HTML file at the canonical path. It opens nothing but
// regular files, so that a pipe or a device can neither block nor be touched,
// and never more than the limit.
func readFile(asked, canonical string) (source, error) {
	const op = "document.Open"
	if filepath.Dir(canonical) == canonical { // which no root holds
		return source{}, core.Errorf(core.IsDirectory, "%s is a directory", asked).WithHint("Name an HTML file in it.").In(op)
	}
	root, err := os.OpenRoot(filepath.Dir(canonical))
	if err != nil {
		return source{}, fileError(op, asked, err)
	}
	defer root.Close()
	src, err := readIn(root, filepath.Base(canonical), asked)
	if err != nil {
		return src, err
	}
	for _, p := range []string{asked, canonical} {
		if err := checkName(p); err != nil {
			return src, err
		}
	}
	if err := htmlsrc.Check(src.bytes); err != nil {
		return src, err
	}
	return src, nil
}

// readIn reads a regular file of a directory that is held open.
func readIn(root *os.Root, name, asked string) (source, error) {
	const op = "document.Open"
	info, err := root.Lstat(name)
	if err != nil {
		return source{}, fileError(op, asked, err)
	}
	if err := checkKind(info, asked); err != nil {
		return source{}, err
	}
	// O_NONBLOCK: should a pipe take the file's place right now, opening it
	// does not wait.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return source{}, fileError(op, asked, err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return source{}, fileError(op, asked, err)
	}
	if !os.SameFile(info, opened) {
		return source{}, core.Errorf(core.StaleSource, "%s was replaced while it was read", asked).
			WithHint("Do it again.").In(op)
	}
	if opened.Size() > core.MaxSourceBytes {
		return source{}, tooLarge(asked, opened.Size())
	}
	b, err := io.ReadAll(io.LimitReader(f, core.MaxSourceBytes+1))
	if err != nil {
		return source{}, fileError(op, asked, err)
	}
	if len(b) > core.MaxSourceBytes {
		return source{}, tooLarge(asked, int64(len(b)))
	}
	return source{bytes: b, sha: core.SHA256Hex(b), info: opened}, nil
}

func tooLarge(path string, size int64) error {
	return core.Errorf(core.TooLarge, "%s has %d bytes; at most %d are possible", path, size, core.MaxSourceBytes).
		With("bytes", size).With("limit", core.MaxSourceBytes).In("document.Open")
}

func checkKind(info fs.FileInfo, path string) error {
	const op = "document.Open"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return core.Errorf(core.IsDirectory, "%s is a directory", path).WithHint("Name an HTML file in it.").In(op)
	case mode&fs.ModeSymlink != 0:
		return core.Errorf(core.StaleSource, "%s became a symbolic link while it was opened", path).WithHint("Do it again.").In(op)
	default:
		return core.Errorf(core.NotRegular, "%s is not a regular file (%s)", path, kindName(mode)).In(op)
	}
}

func kindName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

func checkName(path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".html", ".htm":
		return nil
	case ".xhtml", ".xht", ".xml":
		return core.Errorf(core.NotHTML, "%s is XML; browsers read it by other rules than HTML", path).
			WithHint("Only .html and .htm files can be edited.").In("document.Open")
	}
	return core.Errorf(core.NotHTML, "%s is not an HTML file by its name", path).
		WithHint("Only .html and .htm files can be edited.").In("document.Open")
}

// fileError gives an error of the file system a code and a sentence.
func fileError(op, path string, err error) error {
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return core.Wrap(core.NotFound, err, "there is no file %s", path).In(op)
	case errors.Is(err, syscall.ELOOP), strings.Contains(err.Error(), "too many links"):
		return core.Wrap(core.NotFound, err, "%s is a circle of symbolic links", path).In(op)
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		return core.Wrap(core.NotFound, err, "%q cannot be the name of a file", path).In(op)
	case errors.Is(err, syscall.EROFS):
		return core.Wrap(core.ReadOnly, err, "the disk of %s is read-only; the file is as it was", path).
			WithHint("Write the version to another file: proofmark export FILE --out OTHER.").In(op)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return core.Wrap(core.StorageFull, err, "the disk of %s is full; the file is as it was", path).
			WithHint("Free some space and write it again.").In(op)
	case errors.Is(err, syscall.EIO):
		return core.Wrap(core.StorageDamaged, err, "the disk of %s reports an error", path).
			WithHint("Every version that was stored is safe. Check that disk, and write the version to another one: proofmark export FILE --out OTHER.").In(op)
	case errors.Is(err, fs.ErrPermission):
		return core.Wrap(core.PermissionDenied, err, "this account may not use %s", path).In(op)
	}
	return core.Wrap(core.Internal, err, "%s cannot be used", path).In(op)
}
