//go:build unix

package gates

import (
	"io/fs"
	"os"
	"syscall"

	"proofmark/gateway/core"
)

// ownersAlone refuses a file that somebody else could have written; the
// machine's administrator may.
func ownersAlone(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return core.Errorf(core.PermissionDenied, "the configuration file %s can be written by others, who could switch features on", path).
			WithHint("chmod go-w %s", path)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Geteuid() {
		return core.Errorf(core.PermissionDenied, "the configuration file %s belongs to another account", path).
			WithHint("Copy it to a file of your own and look through it.")
	}
	return nil
}

// folderAlone refuses a folder in which everybody could take the configuration
// away, and with it an operator's no. In one with the sticky bit nobody can.
func folderAlone(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o002 == 0 || info.Mode()&fs.ModeSticky != 0 {
		return nil // what is not there holds no configuration
	}
	return core.Errorf(core.PermissionDenied, "the folder of the configuration, %s, can be written by others, who could switch features on", dir).
		WithHint("chmod go-w %s", dir)
}
