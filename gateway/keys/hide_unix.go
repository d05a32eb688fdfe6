//go:build unix && !aix && !solaris && !illumos

package keys

import (
	"os"

	"golang.org/x/sys/unix"
)

// hide stops a terminal from showing what is typed; show undoes that.
func hide(terminal *os.File) (show func(), err error) {
	fd := int(terminal.Fd())
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	quiet := *was
	quiet.Lflag &^= unix.ECHO
	quiet.Lflag |= unix.ICANON | unix.ISIG
	quiet.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, setTermios, &quiet); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, was) }, nil
}
