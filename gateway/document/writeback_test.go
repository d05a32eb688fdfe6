//go:build unix

package document

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"proofmark/gateway/core"
)

// wantNoTemp fails when a temporary file is left beside the page.
func (b *bench) wantNoTemp() {
	b.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(b.path))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			b.t.Errorf("%s was left behind", e.Name())
		}
	}
}

// ahead gives a bench whose head is one edit ahead of the file.
func ahead(t *testing.T) (*bench, string) {
	t.Helper()
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	return b, id
}

// R-DOC-7: the mode is kept, and a second write-back has nothing to do.
func TestWriteBackKeepsTheMode(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o640, 0o755, 0o664 | os.ModeSetgid} {
		b, id := ahead(t)
		if err := os.Chmod(b.path, mode); err != nil {
			t.Fatal(err)
		}
		if wrote, err := b.s.WriteBack(context.Background(), id); err != nil || !wrote {
			t.Fatal(wrote, err)
		}
		info, err := os.Stat(b.path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("mode %v, want %v", info.Mode(), mode)
		}
		if b.file() != b.head(id) {
			t.Errorf("the file holds %q", b.file())
		}
		b.wantNoTemp()
		if wrote, err := b.s.WriteBack(context.Background(), id); err != nil || wrote {
			t.Errorf("a second time: %v %v", wrote, err)
		}
		if o := b.open(); o.Ahead || o.OutsideImported {
			t.Errorf("%+v", o)
		}
	}
}

func TestWriteBackKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: only root can give a file away")
	}
	b, id := ahead(t)
	if err := os.Chown(b.path, 65534, 65533); err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.WriteBack(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(b.path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 65534 || st.Gid != 65533 {
		t.Errorf("owner %d:%d", st.Uid, st.Gid)
	}
}

// Attack 32: a link is followed and stays a link; the file it points to is
// written.
func TestWriteBackThroughALink(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	link := filepath.Join(t.TempDir(), "link.html")
	if err := os.Symlink(b.path, link); err != nil {
		t.Fatal(err)
	}
	o, err := b.s.Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	b.commit(o.Document.ID, edit{1, "First", "Opening"})
	if _, err := b.s.WriteBack(ctx, o.Document.ID); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != b.path {
		t.Errorf("the link: %q %v", to, err)
	}
	if !strings.Contains(b.file(), "Opening") {
		t.Errorf("the file holds %q", b.file())
	}
	// A file that became a link since then is not followed anywhere.
	victim := filepath.Join(t.TempDir(), "victim.html")
	writeFile(t, victim, b.file())
	b.commit(o.Document.ID, edit{1, "Opening", "Closing"})
	if err := os.Remove(b.path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, b.path); err != nil {
		t.Fatal(err)
	}
	_, err = b.s.WriteBack(ctx, o.Document.ID)
	wantCode(t, err, core.StaleSource)
	if got, _ := os.ReadFile(victim); strings.Contains(string(got), "Closing") {
		t.Error("the link was followed")
	}
}

// Other names of the file keep the old bytes: replacing gives this name a new
// file.
func TestWriteBackAndHardLinks(t *testing.T) {
	b, id := ahead(t)
	other := filepath.Join(filepath.Dir(b.path), "other.html")
	if err := os.Link(b.path, other); err != nil {
		t.Fatal(err)
	}
	if _, err := b.s.WriteBack(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != page {
		t.Errorf("the other name holds %q (%v)", got, err)
	}
}

// Attack 33: what another program writes is never overwritten, not even
// between the first look and the rename.
func TestWriteBackRefusesAnOutsideChange(t *testing.T) {
	ctx := context.Background()
	outside := strings.Replace(page, "Second", "Outside", 1)
	t.Run("before", func(t *testing.T) {
		b, id := ahead(t)
		b.write(outside)
		_, err := b.s.WriteBack(ctx, id)
		wantCode(t, err, core.OutsideChange)
		if b.file() != outside {
			t.Errorf("the file holds %q", b.file())
		}
		b.wantNoTemp()
	})
	t.Run("between", func(t *testing.T) {
		b, id := ahead(t)
		b.s.o.step = func(name string) {
			if name == "temporary file written" {
				b.write(outside)
			}
		}
		_, err := b.s.WriteBack(ctx, id)
		wantCode(t, err, core.OutsideChange)
		if b.file() != outside {
			t.Errorf("the file holds %q", b.file())
		}
		b.wantNoTemp()
	})
	t.Run("deleted", func(t *testing.T) {
		b, id := ahead(t)
		if err := os.Remove(b.path); err != nil {
			t.Fatal(err)
		}
		_, err := b.s.WriteBack(ctx, id)
		wantCode(t, err, core.NotFound)
		if _, err := os.Lstat(b.path); err == nil {
			t.Error("the file came back")
		}
	})
	t.Run("became a directory", func(t *testing.T) {
		b, id := ahead(t)
		if err := os.Remove(b.path); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(b.path, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := b.s.WriteBack(ctx, id)
		wantCode(t, err, core.IsDirectory)
	})
}

func TestWriteBackRefusesAReadOnlyFile(t *testing.T) {
	b, id := ahead(t)
	if err := os.Chmod(b.path, 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := b.s.WriteBack(context.Background(), id)
	if e := wantCode(t, err, core.ReadOnly); e.Hint == "" {
		t.Error("no hint")
	}
	if b.file() != page || !strings.Contains(b.head(id), "Opening") {
		t.Error("the file or the head changed")
	}
	b.wantNoTemp()
}

// A directory this account may not write: the job runs as nobody.
func TestWriteBackIntoAReadOnlyDirectory(t *testing.T) {
	b, id := ahead(t)
	_ = id
	dir := filepath.Dir(b.path)
	if os.Geteuid() != 0 {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o755)
		_, err := b.s.WriteBack(context.Background(), id)
		wantCode(t, err, core.PermissionDenied)
		return
	}
	const nobody = 65534
	for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(b.data, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(p, nobody, nobody)
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(b.path, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := job(t, "writeback", jobArgs{Data: b.data, Path: b.path})
	cmd.Stderr = nil
	bin := filepath.Join(dir, "test.bin") // where the test binary lies, nobody may not look
	copyFile(t, cmd.Path, bin)
	cmd.Path = bin
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.Output()
	if err == nil || strings.TrimSpace(string(out)) != string(core.PermissionDenied) {
		t.Fatalf("got %q (%v), want %s", out, err, core.PermissionDenied)
	}
	if b.file() != page {
		t.Errorf("the file holds %q", b.file())
	}
	b.wantNoTemp()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
}

// tmpfs mounts a small file system.
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

// Attack 34: a full disk leaves the old file whole, no temporary file, and the
// committed revision in the database.
func TestWriteBackOnAFullDisk(t *testing.T) {
	ctx := context.Background()
	small := tmpfs(t, "size=256k")
	b := newBench(t, page)
	b.path = filepath.Join(small, "page.html")
	big := page + strings.Repeat("<p>filler</p>\n", 5000)
	b.write(big)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	writeFile(t, filepath.Join(small, "ballast"), strings.Repeat("x", 256<<10-len(big)-24<<10))
	_, err := b.s.WriteBack(ctx, id)
	if e := wantCode(t, err, core.StorageFull); e.Hint == "" {
		t.Error("no hint")
	}
	if b.file() != big {
		t.Error("the file is not as it was")
	}
	b.wantNoTemp()
	if err := os.Remove(filepath.Join(small, "ballast")); err != nil {
		t.Fatal(err)
	}
	if wrote, err := b.s.WriteBack(ctx, id); err != nil || !wrote || b.file() != b.head(id) {
		t.Errorf("with room again: %v %v", wrote, err)
	}
}

func TestWriteBackOnAReadOnlyDisk(t *testing.T) {
	ctx := context.Background()
	small := tmpfs(t, "size=1m")
	b := newBench(t, page)
	b.path = filepath.Join(small, "page.html")
	b.write(page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	if out, err := exec.Command("mount", "-o", "remount,ro", small).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: the disk cannot be made read-only: %v %s", err, out)
	}
	_, err := b.s.WriteBack(ctx, id)
	wantCode(t, err, core.ReadOnly)
	if b.file() != page {
		t.Errorf("the file holds %q", b.file())
	}
}

// What a killed process left behind goes with the next write; what a running
// one is writing stays.
func TestSweepOfTemporaryFiles(t *testing.T) {
	b := newBench(t, page)
	killed(t, "commit", jobArgs{Data: b.data, Path: b.path, Key: "key", Kill: "temporary file written", Text: crashEdit.new})
	entries, err := filepath.Glob(filepath.Join(filepath.Dir(b.path), tempPrefix+"*"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v %v", entries, err)
	}
	mine := filepath.Join(filepath.Dir(b.path), tempPrefix+b.s.self.String()+"-_x"+tempSuffix)
	writeFile(t, mine, "being written")
	if _, err := b.s.WriteBack(context.Background(), b.open().Document.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(entries[0]); machineID() != "" && err == nil {
		t.Error("the dead process's file stayed")
	}
	if _, err := os.Lstat(mine); err != nil {
		t.Error("the running process's file was removed")
	}
}

// Another program's write between our last look at the file and its replacement
// is put back, where the system can swap two files in one step.
func TestWriteBackLastMoment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux swaps files here")
	}
	for name, replace := range map[string]func(b *bench){
		"written in place": func(b *bench) { b.write("<p>theirs</p>") },
		"renamed over": func(b *bench) {
			writeFile(t, b.path+".new", "<p>theirs</p>")
			if err := os.Rename(b.path+".new", b.path); err != nil {
				t.Fatal(err)
			}
		},
		"made a directory": func(b *bench) {
			if err := errors.Join(os.Remove(b.path), os.Mkdir(b.path, 0o755)); err != nil {
				t.Fatal(err)
			}
		},
		"made a link": func(b *bench) {
			writeFile(t, b.path+".victim", "<p>theirs</p>")
			if err := errors.Join(os.Remove(b.path), os.Symlink(b.path+".victim", b.path)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, id := ahead(t)
			b.s.o.step = func(step string) {
				if step == "file looked at" {
					replace(b)
				}
			}
			_, err := b.s.WriteBack(context.Background(), id)
			wantCode(t, err, core.OutsideChange)
			info, err := os.Lstat(b.path)
			if err != nil {
				t.Fatal(err)
			}
			switch mode := info.Mode(); {
			case name == "made a directory" != mode.IsDir(), name == "made a link" != (mode&os.ModeSymlink != 0):
				t.Errorf("the file is %v now", mode)
			case !mode.IsDir() && b.file() != "<p>theirs</p>":
				t.Errorf("the file holds %q", b.file())
			}
			b.wantNoTemp()
		})
	}
}

// A folder that was swapped for a link leads no write elsewhere, not even over
// the same bytes.
func TestWriteBackSwappedFolder(t *testing.T) {
	b := newBench(t, page)
	dir, other := filepath.Join(filepath.Dir(b.path), "pages"), t.TempDir()
	b.path = filepath.Join(dir, "page.html")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.write(page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	writeFile(t, filepath.Join(other, "page.html"), page)
	if err := errors.Join(os.Rename(dir, dir+".moved"), os.Symlink(other, dir)); err != nil {
		t.Fatal(err)
	}
	_, err := b.s.WriteBack(context.Background(), id)
	wantCode(t, err, core.StaleSource)
	if got, err := os.ReadFile(filepath.Join(other, "page.html")); err != nil || string(got) != page {
		t.Errorf("%q %v", got, err)
	}
}

// Attack 35: a document of a forged database has an id that leads out of the
// folder of locks. Nothing is made there.
func TestLockStaysInItsFolder(t *testing.T) {
	b := newBench(t, page)
	for _, id := range []string{"../out", "a/b", "..", ".", "", "/tmp/out"} {
		_, err := b.s.lockFile(context.Background(), id)
		wantCode(t, err, core.StorageDamaged)
	}
	if _, err := os.Lstat(filepath.Join(b.data, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was made (%v)", err)
	}
}
