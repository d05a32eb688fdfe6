package surface

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"proofmark/gateway/core"
)

var errAsset = errors.New("not an asset that may be served")

// openAsset opens a file below root for reading. Names that are not allowed,
// folders, devices, pipes, files over the limit, and links that lead out of
// root or to such a name are refused. The link target is judged like a name in
// the page, so that "a.js" cannot stand for ".env".
func openAsset(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	if !assetNameAllowed(name) {
		return nil, nil, errAsset
	}
	real, want, err := resolveAsset(root, name)
	if err != nil {
		return nil, nil, err
	}
	return openSeen(root, real, want)
}

// openSeen opens the regular file that was seen at name, and no other that has
// taken its place since.
func openSeen(root *os.Root, name string, seen fs.FileInfo) (*os.File, fs.FileInfo, error) {
	// Without O_NONBLOCK opening a pipe would hang.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, errors.Join(errAsset, err)
	}
	got, err := f.Stat()
	if err != nil || !got.Mode().IsRegular() || !os.SameFile(seen, got) || got.Size() > core.MaxAssetBytes {
		_ = f.Close()
		return nil, nil, errors.Join(errAsset, err)
	}
	return f, got, nil
}

// resolveAsset follows symbolic links below root itself and gives a path
// without any, and what stands there.
func resolveAsset(root *os.Root, name string) (string, fs.FileInfo, error) {
	done, rest, links := "", strings.Split(name, "/"), 0
	for {
		next := path.Join(done, rest[0])
		info, err := root.Lstat(next)
		if err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if links++; links > maxLinks {
				return "", nil, errAsset
			}
			target, err := root.Readlink(next)
			if err != nil || path.IsAbs(target) {
				return "", nil, errors.Join(errAsset, err)
			}
			full := path.Join(append([]string{done, strings.ReplaceAll(target, `\`, "/")}, rest[1:]...)...)
			if !assetNameAllowed(full) {
				return "", nil, errAsset
			}
			done, rest = "", strings.Split(full, "/")
			continue
		}
		if done = next; len(rest) == 1 {
			if !info.Mode().IsRegular() {
				return "", nil, errAsset
			}
			return done, info, nil
		}
		rest = rest[1:]
	}
}
