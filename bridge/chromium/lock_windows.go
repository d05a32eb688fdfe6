package chromium

import (
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the file's lock without waiting; Windows drops it when the
// process ends.
func tryLock(f *os.File) bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped)) == nil
}

// removeLocked lets go of a lock file and deletes it; an open file cannot be
// deleted there.
func removeLocked(f *os.File) {
	name := f.Name()
	f.Close()
	os.Remove(name)
}

// ownedByUs trusts the temporary directory: it is the user's own there.
func ownedByUs(os.FileInfo) bool { return true }
