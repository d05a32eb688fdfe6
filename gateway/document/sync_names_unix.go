//go:build unix

package document

import (
	"io/fs"
	"syscall"
)

// otherNames counts the further names (hard links) of a file.
func otherNames(info fs.FileInfo) int {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Nlink < 2 {
		return 0
	}
	return int(st.Nlink) - 1
}
