//go:build unix

package discover

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep a file that is opened from being a link, and a pipe from
// being waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// exposed says why others than its owner could read or write a file.
func exposed(info fs.FileInfo) string {
	if info.Mode().Perm()&0o077 != 0 {
		return "others may read or write it"
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return "it is another account's"
	}
	return ""
}
