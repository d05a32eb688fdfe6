//go:build unix

package store

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"proofmark/gateway/core"
)

func tmpfs(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: only root can mount the small disk this test fills")
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: no small disk can be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

func noise(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, seed))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Attack 34: on a full disk a commit is refused with words, what was stored
// before is whole, and with room again the store goes on.
func TestFullDisk(t *testing.T) {
	disk := tmpfs(t, "size=2m")
	s := mustOpen(t, filepath.Join(disk, "data"), Options{})
	d := seed(t, s, "/page.html", []byte("<p>one"))
	if err := os.WriteFile(filepath.Join(disk, "ballast"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	stored := 0
	for i := range 100 {
		b := noise(100_000, uint64(i))
		err = s.Write(context.Background(), func(tx *Tx) error {
			next, _, err := advance(tx, d, b)
			if err == nil {
				defer func() { d = next }()
			}
			return err
		})
		if err != nil {
			break
		}
		stored++
	}
	wantCode(t, err, core.StorageFull)
	if core.AsError(err).Hint == "" || stored == 0 {
		t.Errorf("no hint, or nothing fitted (%d)", stored)
	}
	check := func(want int64) {
		t.Helper()
		mustRead(t, s, func(tx *Tx) error {
			now, err := tx.DocumentByPath("/page.html")
			if now.Generation != want {
				t.Errorf("generation %d, want %d", now.Generation, want)
			}
			d = now
			return err
		})
	}
	check(int64(stored) + 1)
	if err := os.Remove(filepath.Join(disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, func(tx *Tx) error {
		_, _, err := advance(tx, d, noise(100_000, 1000))
		return err
	})
	check(int64(stored) + 2)
	mustRead(t, s, func(tx *Tx) error {
		if found, err := tx.CheckTables(); err != nil || len(found) > 0 {
			t.Errorf("%v %v", found, err)
		}
		return nil
	})
}

func TestNoRoomForANewDatabase(t *testing.T) {
	disk := tmpfs(t, "size=64k")
	_, err := Open(filepath.Join(disk, "data"), Options{})
	wantCode(t, err, core.StorageFull)
}

func TestReadOnlyDisk(t *testing.T) {
	disk := tmpfs(t, "size=4m")
	dir := filepath.Join(disk, "data")
	s := mustOpen(t, dir, Options{})
	seed(t, s, "/page.html", []byte("<p>one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: the disk cannot be made read-only: %v %s", err, out)
	}
	_, err := Open(dir, Options{})
	switch code := core.CodeOf(err); code {
	case core.ReadOnly, core.PermissionDenied:
	default:
		t.Errorf("got %q (%v)", code, err)
	}
	_, err = Open(filepath.Join(disk, "new"), Options{})
	wantCode(t, err, core.ReadOnly)
}
