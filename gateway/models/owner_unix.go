//go:build unix

package models

import (
	"io/fs"
	"os"
	"syscall"

	"proofmark/gateway/core"
)

// ownersAlone refuses a file that somebody else could have written.
func ownersAlone(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return core.Errorf(core.PermissionDenied, "%s can be written by others, who could send your keys elsewhere", path).
			WithHint("chmod go-w %s", path)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Getuid() {
		return core.Errorf(core.PermissionDenied, "%s belongs to another user, who could send your keys elsewhere", path).
			WithHint("copy it to a file of your own and look through it")
	}
	return nil
}
