//go:build unix

package store

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// A read-only disk: what is there is read, nothing is written, and each refusal
// says why.
func TestReadOnlyDisk(t *testing.T) {
	disk := tmpfs(t, "size=4m")
	dir := filepath.Join(disk, "data")
	s := mustOpen(t, dir, Options{})
	seed(t, s, "/page.html", []byte("<p>one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(disk, "old")
	if err := mustOpen(t, old, Options{migrations: allMigrations(t)[:2]}).Close(); err != nil {
		t.Fatal(err)
	}
	remount(t, disk, "ro")
	wantReadable(t, dir, core.ReadOnly, core.PermissionDenied)
	_, err := Open(filepath.Join(disk, "new"), Options{})
	wantCode(t, err, core.ReadOnly)
	// An older schema would have to be brought up to date first.
	_, err = Open(old, Options{})
	if code := core.CodeOf(err); code != core.ReadOnly && code != core.PermissionDenied || core.AsError(err).Hint == "" {
		t.Errorf("an old database on a read-only disk: %v", err)
	}
}

// A full disk with not one byte left for the log's shared memory: history and
// export still work, because what is stored can be read.
func TestFullDiskCanBeRead(t *testing.T) {
	disk := tmpfs(t, "size=2m")
	dir := filepath.Join(disk, "data")
	s := mustOpen(t, dir, Options{})
	seed(t, s, "/page.html", []byte("<p>one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fill(t, disk)
	wantReadable(t, dir, core.StorageFull)
}

// A database whose log holds commits is never read past it: on a read-only disk
// with the log but without its shared memory, what was acknowledged is either
// shown or the whole is refused.
func TestReadOnlyWithALog(t *testing.T) {
	disk := tmpfs(t, "size=8m")
	dir := filepath.Join(disk, "data")
	s := mustOpen(t, dir, Options{})
	seed(t, s, "/page.html", []byte("<p>one"))
	copied := filepath.Join(disk, "copied")
	if err := os.Mkdir(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{FileName, FileName + "-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	remount(t, disk, "ro")
	s, err := Open(copied, Options{})
	if err != nil {
		if code := core.CodeOf(err); code != core.ReadOnly && code != core.PermissionDenied || core.AsError(err).Hint == "" {
			t.Errorf("%v", err)
		}
		return
	}
	defer s.Close()
	mustRead(t, s, func(tx *Tx) error {
		_, err := tx.DocumentByPath("/page.html")
		return err
	})
}

// A file that is read without locks must stay as it is.
func TestReadWithoutLocksNoticesAWriter(t *testing.T) {
	disk := tmpfs(t, "size=4m")
	dir := filepath.Join(disk, "data")
	s := mustOpen(t, dir, Options{})
	seed(t, s, "/page.html", []byte("<p>one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	remount(t, disk, "ro")
	r := mustOpen(t, dir, Options{})
	remount(t, disk, "rw")
	w := mustOpen(t, dir, Options{})
	seed(t, w, "/other.html", []byte("<p>two"))
	err := r.Read(context.Background(), func(tx *Tx) error { _, err := tx.Documents(); return err })
	wantCode(t, err, core.StorageBusy)
}

func remount(t *testing.T, disk, how string) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+how, disk).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: the disk cannot be remounted %s: %v %s", how, err, out)
	}
}

// fill leaves no room at all on a disk.
func fill(t *testing.T, disk string) {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, piece := range []int{1 << 16, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, piece))
		}
	}
}

// wantReadable opens a database that holds /page.html and can only be read.
func wantReadable(t *testing.T, dir string, why ...core.Code) {
	t.Helper()
	s := mustOpen(t, dir, Options{})
	if code := core.CodeOf(s.ReadOnly()); !slices.Contains(why, code) || core.AsError(s.ReadOnly()).Hint == "" {
		t.Errorf("read-only because of %q: %v", code, s.ReadOnly())
	}
	mustRead(t, s, func(tx *Tx) error {
		d, err := tx.DocumentByPath("/page.html")
		if err != nil {
			return err
		}
		b, err := tx.Blob(d.SyncedSHA)
		if string(b) != "<p>one" {
			t.Errorf("%q", b)
		}
		return err
	})
	err := s.Write(context.Background(), func(tx *Tx) error { return tx.SetSetting("a", "b") })
	if !slices.Contains(why, core.CodeOf(err)) {
		t.Errorf("writing gave %v", err)
	}
}
