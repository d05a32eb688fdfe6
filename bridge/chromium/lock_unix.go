//go:build unix

package chromium

import (
	"os"
	"syscall"
)

// tryLock takes the file's lock without waiting. The kernel drops it when the
// process ends; the descriptor is not inherited.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// removeLocked deletes a lock file this process holds and lets go of it.
func removeLocked(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}

func ownedByUs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
