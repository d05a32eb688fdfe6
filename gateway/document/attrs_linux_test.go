package document

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// accessList gives user rw, user 1234 as given, group nothing, mask rw, others
// nothing, in the kernel's form.
func accessList(of1234 uint16) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, may uint16
		id       uint32
	}{{1, 6, ^uint32(0)}, {2, of1234, 1234}, {4, 0, ^uint32(0)}, {16, 6, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.may)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return b
}

func setAttr(t *testing.T, path, name string, value []byte) {
	t.Helper()
	if err := unix.Setxattr(path, name, value, 0); errors.Is(err, unix.EOPNOTSUPP) {
		t.Skipf("this file system has no %s", name)
	} else if err != nil {
		t.Fatal(err)
	}
}

// R-DOC-7: who may do what with a file stays as it was. Without its access list
// the mask, which stands where the group's bits are, would be the group's; with
// one from the folder, others could read what they could not.
func TestWriteBackKeepsTheAccessList(t *testing.T) {
	b, id := ahead(t)
	setAttr(t, b.path, "user.note", []byte("a note"))
	setAttr(t, b.path, aclName, accessList(4))
	setAttr(t, filepath.Dir(b.path), "system.posix_acl_default", accessList(6))
	if wrote, err := b.s.WriteBack(context.Background(), id); err != nil || !wrote {
		t.Fatal(wrote, err)
	}
	f, err := os.Open(b.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string][]byte{"user.note": []byte("a note"), aclName: accessList(4)} {
		if got, err := attr(int(f.Fd()), name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, want %q (%v)", name, got, want, err)
		}
	}

	b, id = ahead(t)
	if err := os.Chmod(b.path, 0o640); err != nil {
		t.Fatal(err)
	}
	setAttr(t, filepath.Dir(b.path), "system.posix_acl_default", accessList(6))
	if wrote, err := b.s.WriteBack(context.Background(), id); err != nil || !wrote {
		t.Fatal(wrote, err)
	}
	if size, err := unix.Getxattr(b.path, aclName, nil); !errors.Is(err, unix.ENODATA) {
		t.Errorf("the file got an access list from its folder (%d bytes, %v)", size, err)
	}
	if info, err := os.Stat(b.path); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
