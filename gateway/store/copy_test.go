package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"proofmark/gateway/core"
)

func mustCopy(t testing.TB, from, to string) Copied {
	t.Helper()
	c, err := Copy(context.Background(), from, to, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantOnly checks that a directory holds nothing but the named files.
func wantOnly(t testing.TB, dir string, names ...string) {
	t.Helper()
	var got []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %v, want %v", dir, got, names)
	}
}

// A copy has all of it, for its owner alone, and is a database of its own.
func TestCopy(t *testing.T) {
	dir, place := t.TempDir(), t.TempDir()
	s := mustOpen(t, dir, Options{})
	d := furnish(t, s)
	to := filepath.Join(place, "it's a copy.db")
	checked := false
	c, err := Copy(context.Background(), dir, to, Options{}, func(copied *Store) error {
		checked = true
		return copied.Read(context.Background(), func(tx *Tx) error { _, err := tx.Document(d.ID); return err })
	})
	if err != nil || !checked || c.Path != to || c.Usage.Revisions != 2 || c.Bytes == 0 {
		t.Fatalf("%+v %v %v", c, checked, err)
	}
	wantOnly(t, place, "it's a copy.db")
	if info, err := os.Stat(to); err != nil || info.Mode() != 0o600 || info.Size() != c.Bytes {
		t.Errorf("%v %v", info.Mode(), err)
	}
	back := t.TempDir()
	mustCopy(t, to, filepath.Join(back, FileName))
	r := mustOpen(t, back, Options{})
	mustRead(t, r, func(tx *Tx) error {
		got, err := tx.Document(d.ID)
		if got.HeadID != d.HeadID {
			t.Errorf("%+v", got)
		}
		found, cerr := tx.CheckSchema()
		if cerr != nil || len(found) > 0 {
			t.Errorf("schema: %v %v", found, cerr)
		}
		return err
	})
	// It can give pages back, as its original can.
	if mode, err := pragma(t.Context(), r.write, "auto_vacuum"); err != nil || mode != 2 {
		t.Errorf("auto_vacuum %d (%v)", mode, err)
	}
}

// A copy is of one moment, whatever others write meanwhile, and holds what was
// acknowledged before it began.
func TestCopyWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	d := seed(t, s, "/page.html", prose(50_000, 1))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			mustWrite(t, s, func(tx *Tx) (err error) {
				d, _, err = advance(tx, d, append(prose(50_000, 1), fmt.Sprint(i)...))
				return err
			})
		}
	})
	for i := range 5 {
		var before core.Document
		mustRead(t, s, func(tx *Tx) (err error) { before, err = tx.DocumentByPath("/page.html"); return err })
		to := filepath.Join(t.TempDir(), FileName)
		mustCopy(t, dir, to)
		r := mustOpen(t, filepath.Dir(to), Options{})
		mustRead(t, r, func(tx *Tx) error {
			got, err := tx.DocumentByPath("/page.html")
			if err != nil {
				return err
			}
			head, err := tx.Revision(got.HeadID)
			if got.Generation < before.Generation || head.Generation != got.Generation {
				t.Errorf("copy %d: generation %d, was %d before", i, got.Generation, before.Generation)
			}
			return err
		})
		wantSoundBlobs(t, r)
	}
	close(stop)
	wg.Wait()
}

// Nothing is ever overwritten, also not what only looks like a rest of a
// database: a log beside a new database would be played into it.
func TestCopyOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	seed(t, mustOpen(t, dir, Options{}), "/page.html", []byte("<p>one"))
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".partial"} {
		place := t.TempDir()
		to := filepath.Join(place, "copy.db")
		writeText(t, to+suffix, "mine")
		_, err := Copy(context.Background(), dir, to, Options{}, nil)
		wantCode(t, err, core.AlreadyExists)
		if b, err := os.ReadFile(to + suffix); err != nil || string(b) != "mine" {
			t.Errorf("%q: %q %v", suffix, b, err)
		}
		wantOnly(t, place, "copy.db"+suffix)
	}
}

// What is not a sound database of ours is refused in words, and leaves nothing
// behind.
func TestCopyRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		make func(dir string)
		code core.Code
	}{
		"nothing there":             {func(string) {}, core.NotFound},
		"an empty file":             {func(dir string) { writeText(t, filepath.Join(dir, FileName), "") }, core.NotFound},
		"something else":            {func(dir string) { writeText(t, filepath.Join(dir, FileName), strings.Repeat("no database", 999)) }, core.StorageForeign},
		"another program's":         {func(dir string) { execOutside(t, filepath.Join(dir, FileName), "CREATE TABLE notes (a)") }, core.StorageForeign},
		"a newer schema":            {func(dir string) { made(t, dir, "PRAGMA user_version = 99") }, core.StorageNewer},
		"bytes that do not fit":     {func(dir string) { made(t, dir, "UPDATE blobs SET data = x'00'") }, core.StorageDamaged},
		"a version without bytes":   {func(dir string) { made(t, dir, "PRAGMA foreign_keys = 0", "DELETE FROM blobs") }, core.StorageDamaged},
		"a file that was cut short": {cutShort(t), core.StorageDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir, place := t.TempDir(), t.TempDir()
			c.make(dir)
			before := hashFiles(t, dir)
			_, err := Copy(context.Background(), dir, filepath.Join(place, "copy.db"), Options{}, nil)
			wantCode(t, err, c.code)
			wantOnly(t, place)
			for name, b := range before {
				if now := hashFiles(t, dir)[name]; now != b {
					t.Errorf("%s was changed", name)
				}
			}
		})
	}
	dir := t.TempDir()
	seed(t, mustOpen(t, dir, Options{}), "/page.html", []byte("<p>one"))
	_, err := Copy(context.Background(), dir, filepath.Join(dir, "no", "copy.db"), Options{}, nil)
	wantCode(t, err, core.NotFound)
	_, err = Copy(context.Background(), dir, filepath.Join(dir, strings.Repeat("x", 300)), Options{}, nil)
	wantCode(t, err, core.NotFound)
	place := t.TempDir()
	refusal := core.Errorf(core.StorageDamaged, "not sound")
	_, err = Copy(context.Background(), dir, filepath.Join(place, "copy.db"), Options{}, func(*Store) error { return refusal })
	wantCode(t, err, core.StorageDamaged)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Copy(ctx, dir, filepath.Join(place, "copy.db"), Options{}, nil)
	wantCode(t, err, core.Cancelled)
	wantOnly(t, place)
}

// A database of an older schema is copied as it is: a backup before an upgrade
// is one that the older program can still read.
func TestCopyKeepsAnOldSchema(t *testing.T) {
	dir, place := schema3(t), t.TempDir()
	before := hashFiles(t, dir)[FileName]
	c, err := Copy(context.Background(), filepath.Join(dir, FileName), filepath.Join(place, FileName), Options{}, func(*Store) error {
		t.Error("the check of this program's schema was called")
		return nil
	})
	if err != nil || c.Schema != 3 || c.Usage.Revisions != 10 {
		t.Fatalf("%+v %v", c, err)
	}
	if hashFiles(t, dir)[FileName] != before {
		t.Error("the original was changed")
	}
	old := mustOpen(t, place, Options{migrations: allMigrations(t)[:3]})
	mustRead(t, old, func(tx *Tx) error { _, err := tx.DocumentByPath("/schema3.html"); return err })
}

// A full or read-only place: no copy, no rest of one, the original as it was. A
// database on such a disk can still be copied away.
func TestCopyAndDisks(t *testing.T) {
	disk := tmpfs(t, "size=4m")
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{})
	d := seed(t, s, "/page.html", noise(1_000_000, 1))
	fill(t, disk)
	if _, err := Copy(context.Background(), dir, filepath.Join(disk, "copy.db"), Options{}, nil); core.CodeOf(err) != core.StorageFull {
		t.Errorf("a full disk: %v", err)
	}
	wantOnly(t, disk, "ballast")
	if err := os.Remove(filepath.Join(disk, "ballast")); err != nil {
		t.Fatal(err)
	}
	mustCopy(t, dir, filepath.Join(disk, FileName))
	remount(t, disk, "ro")
	if _, err := Copy(context.Background(), dir, filepath.Join(disk, "second.db"), Options{}, nil); core.CodeOf(err) != core.ReadOnly {
		t.Errorf("a read-only disk: %v", err)
	}
	place := t.TempDir()
	mustCopy(t, disk, filepath.Join(place, FileName))
	mustRead(t, mustOpen(t, place, Options{}), func(tx *Tx) error { _, err := tx.Blob(d.SyncedSHA); return err })
}

// made makes a database with two versions and changes it behind its back.
func made(t testing.TB, dir string, statements ...string) {
	t.Helper()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := seed(t, s, "/page.html", []byte("<p>one"))
	mustWrite(t, s, func(tx *Tx) error { _, _, err := advance(tx, d, []byte("<p>two")); return err })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execOutside(t, filepath.Join(dir, FileName), statements...)
}

func cutShort(t testing.TB) func(string) {
	return func(dir string) {
		made(t, dir)
		path := filepath.Join(dir, FileName)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, info.Size()/2); err != nil {
			t.Fatal(err)
		}
	}
}

func hashFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = core.SHA256Hex(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// A database of an older schema is copied as it is, and not with what somebody
// else put into it: that would run once the copy is used.
func TestCopyOfAnOlderSchemaWithATrigger(t *testing.T) {
	dir, place := schema3(t), t.TempDir()
	if c := mustCopy(t, dir, filepath.Join(place, "sound.db")); c.Schema != 3 {
		t.Errorf("%+v", c)
	}
	db, err := openHandle(dataSource(filepath.Join(dir, FileName), 0, "rw"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TRIGGER turns AFTER INSERT ON audit BEGIN DELETE FROM settings; END"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = Copy(context.Background(), dir, filepath.Join(place, "other.db"), Options{}, nil)
	wantCode(t, err, core.StorageDamaged)
	wantOnly(t, place, "sound.db")
}
