//go:build unix

package document

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and group of the file it will replace, as far as
// this account may: the group alone where the owner cannot be set.
func keepOwner(f *os.File, info fs.FileInfo) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
}
