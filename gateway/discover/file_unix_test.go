//go:build unix

package discover

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"proofmark/gateway/core"
)

// Attack 12, R-SEC-2: the file is its owner's alone from the first moment, and
// one that others could have read or written is not used, nor what is no file.
func TestFileOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	withdraw, err := Publish(dir, somewhere(4711))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = withdraw() }()
	for _, name := range []string{FileName, lockName} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	refused := func(name string) {
		t.Helper()
		if _, err := Find(dir); core.CodeOf(err) != core.PermissionDenied || core.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		refused(mode.String())
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		refused("another account's")
		if err := os.Chown(path, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Find(dir); err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(dir, "away")
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"a link to the file": func() error { return os.Symlink(away, path) },
		"a link to nothing":  func() error { return os.Symlink(filepath.Join(dir, "nowhere"), path) },
		"a pipe":             func() error { return syscall.Mkfifo(path, 0o600) },
		"a folder":           func() error { return os.Mkdir(path, 0o700) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		refused(name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A lock file that is a link elsewhere is not followed, and nothing is made there.
func TestLockThatIsALink(t *testing.T) {
	dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(victim, filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Publish(dir, somewhere(4711)); err == nil {
		t.Error("the link was followed")
	}
	if _, err := os.Lstat(victim); !os.IsNotExist(err) {
		t.Errorf("a file was made: %v", err)
	}
}
