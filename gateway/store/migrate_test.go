package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"proofmark/gateway/core"
	"proofmark/migrations"
)

func allMigrations(t testing.TB) []migrations.Migration {
	t.Helper()
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// schema gives the whole schema as text.
func schema(t testing.TB, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		b.WriteString(s + "\n")
	}
	return b.String()
}

// exec runs SQL on a database file from outside the store.
func execOutside(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// T-96, D-84: the oldest database there is opens, keeps what it holds, and ends with
// the schema of a fresh one. testdata/oldest.db has migration 1 alone, and a
// document with two revisions; PROOFMARK_WRITE_OLDEST=1 makes it anew, which is
// right only before the first release.
func TestOldestDatabase(t *testing.T) {
	const oldest = "testdata/oldest.db"
	if os.Getenv("PROOFMARK_WRITE_OLDEST") != "" {
		writeOldest(t, oldest)
	}
	dir := t.TempDir()
	b, err := os.ReadFile(oldest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir, Options{})
	mustRead(t, s, func(tx *Tx) error {
		d, err := tx.DocumentByPath("/oldest.html")
		if err != nil {
			return err
		}
		r, err := tx.Revision(d.HeadID)
		if err != nil {
			return err
		}
		text, err := tx.Blob(r.SHA256)
		if string(text) != "<p>two" || r.Generation != 2 {
			t.Errorf("generation %d holds %q", r.Generation, text)
		}
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := t.TempDir()
	if err := mustOpen(t, fresh, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := schema(t, filepath.Join(dir, FileName)), schema(t, filepath.Join(fresh, FileName)); got != want {
		t.Errorf("the schema differs from a fresh one:\n%s\nwant:\n%s", got, want)
	}
}

func writeOldest(t *testing.T, path string) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{migrations: allMigrations(t)[:1]})
	d := seed(t, s, "/oldest.html", []byte("<p>one"))
	mustWrite(t, s, func(tx *Tx) error {
		_, _, err := advance(tx, d, []byte("<p>two"))
		return err
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execOutside(t, filepath.Join(dir, FileName), "PRAGMA journal_mode = DELETE", "VACUUM")
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// T-96: a migration that fails half-way leaves the schema before it, and the
// data; the next start goes on from there.
func TestInterruptedMigration(t *testing.T) {
	dir := t.TempDir()
	all := allMigrations(t)
	s := mustOpen(t, dir, Options{migrations: all[:2]})
	seed(t, s, "/page.html", []byte("<p>one"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := schema(t, filepath.Join(dir, FileName))
	broken := slices.Clone(all)
	broken[2] = migrations.New(3, all[2].Name, all[2].SQL+"\nCREATE TABLE extra (a TEXT) STRICT; INSERT INTO nowhere VALUES (1);")
	_, err := Open(dir, Options{migrations: broken})
	if err == nil || !strings.Contains(err.Error(), all[2].Name) {
		t.Fatalf("the broken migration gave %v", err)
	}
	if after := schema(t, filepath.Join(dir, FileName)); after != before {
		t.Errorf("the schema changed:\n%s", after)
	}
	again := mustOpen(t, dir, Options{})
	mustRead(t, again, func(tx *Tx) error {
		_, err := tx.DocumentByPath("/page.html")
		return err
	})
}

// T-96: a database of a newer version is refused, in words, and untouched.
func TestNewerDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	if err := mustOpen(t, dir, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	execOutside(t, path, "PRAGMA user_version = 99", "CREATE TABLE from_the_future (a)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(dir, Options{})
	wantCode(t, err, core.StorageNewer)
	if e := core.AsError(err); !strings.Contains(e.Message, "newer Proofmark") || !strings.Contains(e.Hint, "Update") {
		t.Errorf("%q, %q", e.Message, e.Hint)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// What a newer Proofmark that was killed has left in the log stays there, and
// the mode of a stranger's file is his.
func TestRefusedIsUntouched(t *testing.T) {
	for name, c := range map[string]struct {
		statement string
		want      core.Code
	}{
		"newer":   {"PRAGMA user_version = 99", core.StorageNewer},
		"foreign": {"PRAGMA application_id = 99", core.StorageForeign},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, Options{})
			if _, err := s.write.Exec(c.statement); err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, suffix := range []string{"", "-wal"} {
				b, err := os.ReadFile(filepath.Join(dir, FileName+suffix))
				if err != nil || len(b) == 0 {
					t.Fatal(len(b), err)
				}
				files[suffix] = b
			}
			dir = lay(t, files)
			if err := os.Chmod(filepath.Join(dir, FileName), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir, Options{})
			wantCode(t, err, c.want)
			for suffix, b := range files {
				path := filepath.Join(dir, FileName+suffix)
				if after, err := os.ReadFile(path); err != nil || string(after) != string(b) {
					t.Errorf("%q was changed (%v)", suffix, err)
				}
			}
			if info, err := os.Stat(filepath.Join(dir, FileName)); err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("%v %v", info.Mode(), err)
			}
		})
	}
}

// T-96: a database whose migrations are not ours is refused.
func TestChecksumDriftIsRefused(t *testing.T) {
	for name, statement := range map[string]string{
		"checksum": "UPDATE schema_migrations SET sha256 = replace(sha256, substr(sha256, 1, 8), '00000000') WHERE version = 2",
		"missing":  "DELETE FROM schema_migrations WHERE version = 3",
		"gap":      "DELETE FROM schema_migrations WHERE version = 1",
		"version":  "PRAGMA user_version = 0",
		"negative": "PRAGMA user_version = -1",
		"surplus":  fmt.Sprintf("INSERT INTO schema_migrations VALUES (%d, 'x', '%064d', 0)", len(allMigrations(t))+1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := mustOpen(t, dir, Options{}).Close(); err != nil {
				t.Fatal(err)
			}
			execOutside(t, filepath.Join(dir, FileName), statement)
			_, err := Open(dir, Options{})
			wantCode(t, err, core.StorageDamaged)
			if core.AsError(err).Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

// A file of another program is refused and stays byte for byte as it was.
func TestForeignDatabaseIsRefused(t *testing.T) {
	for name, make := range map[string]func(path string){
		"another program's database": func(p string) {
			execOutside(t, p, "PRAGMA application_id = 1196444487", "CREATE TABLE layers (a)")
		},
		"a database without a mark": func(p string) { execOutside(t, p, "CREATE TABLE notes (a)") },
		"a version without tables":  func(p string) { execOutside(t, p, "PRAGMA user_version = 3") },
		"something else altogether": func(p string) { writeText(t, p, strings.Repeat("not a database. ", 500)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			make(path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Open(dir, Options{})
			wantCode(t, err, core.StorageForeign)
			after, err := os.ReadFile(path)
			if err != nil || string(after) != string(before) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, Options{})
	wantCode(t, err, core.StorageForeign)
	file := filepath.Join(t.TempDir(), "file")
	writeText(t, file, "")
	_, err = Open(file, Options{})
	wantCode(t, err, core.StorageForeign)
	_, err = Open(filepath.Join(dir, strings.Repeat("x", 300)), Options{})
	wantCode(t, err, core.NotFound)
}

func writeText(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Several processes may start on a new directory at the same moment.
func TestOpenTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			s, err := Open(dir, Options{})
			if err == nil {
				err = s.Write(context.Background(), func(tx *Tx) error { return tx.SetSetting(fmt.Sprint(i), "x") })
				if e := s.Close(); err == nil {
					err = e
				}
			}
			errs[i] = err
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	s := mustOpen(t, dir, Options{})
	mustRead(t, s, func(tx *Tx) error {
		for i := range errs {
			if _, ok, err := tx.Setting(fmt.Sprint(i)); err != nil || !ok {
				t.Errorf("setting %d is lost (%v)", i, err)
			}
		}
		return nil
	})
}

func TestMigrationFilesMustBeNumbered(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, bad := range []fstest.MapFS{
		{"0001_a.sql": file("a"), "0003_b.sql": file("b")},
		{"0001_a.sql": file("a"), "0001_b.sql": file("b")},
		{"1_a.sql": file("a")},
		{"0001.sql": file("a")},
	} {
		if got, err := migrations.Read(bad); err == nil {
			t.Errorf("%v was read", got)
		}
	}
	if a, b := migrations.New(1, "x", "a\r\nb"), migrations.New(1, "x", "a\nb"); a != b {
		t.Error("line ends change the checksum")
	}
}
