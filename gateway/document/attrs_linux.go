package document

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// aclName is the attribute that holds who may do what beyond the mode.
const aclName = "system.posix_acl_access"

// keepAttrs gives f the access list of the file it will replace and its other
// attributes, as far as this account may. Without the list the group's bits of
// the mode would mean another thing: they are the most that it grants to
// anybody. f can have got one from its folder.
func keepAttrs(f, was *os.File) error {
	to, from := int(f.Fd()), int(was.Fd())
	acl, err := attr(from, aclName)
	switch {
	case err == nil:
		if err := unix.Fsetxattr(to, aclName, acl, 0); err != nil {
			return &os.PathError{Op: "setxattr", Path: f.Name(), Err: err}
		}
	case errors.Is(err, unix.ENODATA):
		if err := unix.Fremovexattr(to, aclName); err != nil && !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.EOPNOTSUPP) {
			return &os.PathError{Op: "removexattr", Path: f.Name(), Err: err}
		}
	}
	size, err := unix.Flistxattr(from, nil)
	if err != nil || size == 0 {
		return nil // a file system without
	}
	list := make([]byte, size)
	if size, err = unix.Flistxattr(from, list); err != nil {
		return nil
	}
	for name := range bytes.SplitSeq(list[:size], []byte{0}) {
		name := string(name)
		if name != "security.selinux" && (len(name) < 5 || name[:5] != "user.") {
			continue
		}
		if value, err := attr(from, name); err == nil {
			_ = unix.Fsetxattr(to, name, value, 0)
		}
	}
	return nil
}

func attr(fd int, name string) ([]byte, error) {
	size, err := unix.Fgetxattr(fd, name, nil)
	if err != nil || size == 0 {
		return nil, err
	}
	value := make([]byte, size)
	size, err = unix.Fgetxattr(fd, name, value)
	return value[:max(size, 0)], err
}
