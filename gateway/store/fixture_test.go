package store

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"proofmark/gateway/core"
)

// schema3 makes a data directory of a database that the program wrote when
// schema 3 was the newest: imports, turns of one and two notes, an outside
// change, a revert, a restore, its revert and redo, and drafts.
func schema3(t testing.TB) string {
	t.Helper()
	f, err := os.Open("testdata/schema3.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// T-96, D-84: a database with real work in it, of a schema three migrations ago,
// is brought up to date with everything it holds, and then has the schema of a
// fresh one.
func TestDatabaseOfSchema3(t *testing.T) {
	s := mustOpen(t, schema3(t), Options{})
	mustRead(t, s, func(tx *Tx) error {
		d, err := tx.DocumentByPath("/schema3.html")
		if err != nil {
			return err
		}
		revisions, err := tx.Revisions(d.ID, 0, 0)
		if err != nil || len(revisions) != 10 {
			t.Errorf("%d revisions (%v)", len(revisions), err)
		}
		for _, r := range revisions {
			if b, err := tx.Blob(r.SHA256); err != nil || int64(len(b)) != r.Bytes || !bytes.HasPrefix(b, []byte("<!doctype html>")) {
				t.Errorf("generation %d: %d bytes (%v)", r.Generation, len(b), err)
			}
		}
		// What the fifth migration works out: which edits are differences.
		changes, err := tx.ChangeSets(d.ID, 0, 0)
		if err != nil {
			return err
		}
		for i, c := range changes { // the newest first
			generation := 10 - i
			if want := generation == 6 || generation >= 8; c.Computed != want {
				t.Errorf("generation %d (%s): computed %v", generation, c.Source, c.Computed)
			}
		}
		drafts := 0
		if err := tx.tx.QueryRow("SELECT count(*) FROM annotations WHERE state = ?", core.AnnotationDraft).Scan(&drafts); err != nil || drafts != 2 {
			t.Errorf("%d drafts (%v)", drafts, err)
		}
		for what, check := range map[string]func() ([]string, error){"tables": tx.CheckTables, "schema": tx.CheckSchema, "rows": tx.CheckRows} {
			if found, err := check(); err != nil || len(found) > 0 {
				t.Errorf("%s: %v %v", what, found, err)
			}
		}
		return tx.CheckBlobs(func(sha string) { t.Errorf("%s is damaged", sha) })
	})
}
