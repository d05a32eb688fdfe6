// Package diskfault names what a file system says when a new file cannot be
// written, in one place for all who write one.
package diskfault

import (
	"errors"
	"io/fs"
	"syscall"

	"proofmark/gateway/core"
)

// Why gives the code of an error of the file system and why, as the end of a
// sentence; Internal and "" for one that says nothing to a person.
func Why(err error) (core.Code, string) {
	switch {
	case errors.Is(err, fs.ErrExist):
		return core.AlreadyExists, "something is there already"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return core.NotFound, "there is no such directory"
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		return core.NotFound, "it cannot be the name of a file"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return core.StorageFull, "its disk is full"
	case errors.Is(err, syscall.EIO):
		return core.StorageDamaged, "its disk reports an error"
	case errors.Is(err, syscall.EROFS):
		return core.ReadOnly, "its disk is read-only"
	case errors.Is(err, fs.ErrPermission):
		return core.PermissionDenied, "this account may not write there"
	}
	return core.Internal, ""
}
