//go:build unix

package gates_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"proofmark/gateway/core"
)

// Nobody else decides what is on, and nothing waits for a pipe.
func TestConfigOfOthers(t *testing.T) {
	p := newPlace(t)
	path := p.config(`{"features":{"artifactPromptAnnotations":true}}`)
	for mode, want := range map[os.FileMode]core.Code{0o600: "", 0o644: "", 0o444: "", 0o620: core.PermissionDenied, 0o602: core.PermissionDenied, 0o666: core.PermissionDenied} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := p.load(); core.CodeOf(err) != want {
			t.Errorf("%v: %v", mode, err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := p.load(); core.CodeOf(err) != core.PermissionDenied {
			t.Errorf("another account's: %v", err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.load(); core.CodeOf(err) != core.NotRegular {
		t.Errorf("a pipe: %v", err)
	}
	_ = os.Remove(path)
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := p.load(); core.CodeOf(err) != core.Usage {
		t.Errorf("a link to nothing: %v", err)
	}
}

// R-SEC-6: where everybody can take the file away, an operator's no
// would be anybody's to undo; that none is there proves nothing.
func TestFolderOfOthers(t *testing.T) {
	p := newPlace(t)
	path := p.config(`{"features":{"artifactPromptAnnotations":false}}`)
	for _, there := range []bool{true, false} {
		for mode, want := range map[os.FileMode]core.Code{0o700: "", 0o755: "", 0o777: core.PermissionDenied, 0o702: core.PermissionDenied, 0o777 | os.ModeSticky: ""} {
			if err := os.Chmod(filepath.Dir(path), mode); err != nil {
				t.Fatal(err)
			}
			if _, err := p.load(); core.CodeOf(err) != want {
				t.Errorf("%v, the file there %t: %v", mode, there, err)
			}
		}
		if there {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
