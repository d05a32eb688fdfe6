//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks the file for this process, or gives ErrLocked where another holds it.
func Try(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return ErrLocked
	}
	return err
}
