package document

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange swaps two files of the directory in one step, so that what the
// target held at that very moment can still be looked at, and put back. It
// tells whether it did: not every file system can.
func (w target) exchange(a, b string) (bool, error) {
	dir, err := w.root.Open(".")
	if err != nil {
		return false, err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	err = unix.Renameat2(fd, a, fd, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EPERM) {
		return false, nil
	}
	return err == nil, err
}
