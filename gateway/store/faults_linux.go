//go:build faults && linux

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"proofmark/internal/faultpoint"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite calls the operating system by a table that its own tests overwrite, and
// so does this: each write, cut and removal of a database file is a point. A
// write is made in two steps, so that a process can die in the middle of it.
func init() {
	tls := libc.NewTLS()
	vfs := sqlite3.Xsqlite3_vfs_find(tls, 0)
	for name, fn := range map[string]any{"pwrite": pwrite, "pwrite64": pwrite, "write": write, "ftruncate": ftruncate, "unlink": unlink} {
		text, err := libc.CString(name)
		if err != nil {
			panic(err)
		}
		set := (*sqlite3.Tsqlite3_vfs)(pointer(vfs)).FxSetSystemCall
		// A name that this platform's build does not have is not found, which is well.
		(*(*func(*libc.TLS, uintptr, uintptr, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{set})))(tls, vfs, text, code(fn))
	}
}

// pointer makes a pointer of an address outside Go's memory.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// code gives the address by which translated C calls a top-level function.
func code(fn any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&fn))[1] }

func pwrite(tls *libc.TLS, fd int32, buf uintptr, n libc.Tsize_t, at libc.Toff_t) libc.Tssize_t {
	name := "sqlite writes " + file(fd)
	if err := faultpoint.Write(name); err != nil {
		return libc.Tssize_t(failed(tls, err))
	}
	libc.Xpwrite(tls, fd, buf, n/2, at)
	faultpoint.Reach(name + ", half")
	return libc.Xpwrite(tls, fd, buf, n, at)
}

func write(tls *libc.TLS, fd int32, buf uintptr, n libc.Tsize_t) libc.Tssize_t {
	if err := faultpoint.Write("sqlite appends to " + file(fd)); err != nil {
		return libc.Tssize_t(failed(tls, err))
	}
	return libc.Xwrite(tls, fd, buf, n)
}

func ftruncate(tls *libc.TLS, fd int32, n libc.Toff_t) int32 {
	if err := faultpoint.Write("sqlite cuts " + file(fd)); err != nil {
		return failed(tls, err)
	}
	return libc.Xftruncate(tls, fd, n)
}

func unlink(tls *libc.TLS, path uintptr) int32 {
	if err := faultpoint.Write("sqlite removes " + kind(libc.GoString(path))); err != nil {
		return failed(tls, err)
	}
	return libc.Xunlink(tls, path)
}

func failed(tls *libc.TLS, err error) int32 {
	var no syscall.Errno
	if !errors.As(err, &no) {
		no = syscall.EIO
	}
	*(*int32)(pointer(libc.X__errno_location(tls))) = int32(no)
	return -1
}

func file(fd int32) string {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fd)))
	if err != nil {
		return "a file"
	}
	return kind(path)
}

// kind tells the database from its log and its shared index.
func kind(path string) string {
	base := filepath.Base(path)
	if _, part, ok := strings.Cut(base, ".db-"); ok {
		return "the " + part
	}
	if base == FileName {
		return "the database"
	}
	return "another file"
}
