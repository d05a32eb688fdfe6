package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// clock is an injected clock that tests move.
type clock struct{ now time.Time }

func newClock() *clock {
	return &clock{now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
}

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) forward(d time.Duration) { c.now = c.now.Add(d) }

func mustOpen(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func mustWrite(t testing.TB, s *Store, fn func(*Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t testing.TB, s *Store, fn func(*Tx) error) {
	t.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Fatalf("got code %q (%v), want %q", got, err, want)
	}
}

// seed stores a document with its first revision.
func seed(t testing.TB, s *Store, path string, b []byte) core.Document {
	t.Helper()
	var d core.Document
	mustWrite(t, s, func(tx *Tx) (err error) {
		sha, err := tx.PutBlob(b, "")
		if err != nil {
			return err
		}
		r := core.Revision{
			ID: tx.NewID("rev"), DocumentID: tx.NewID("doc"), Generation: 1, SHA256: sha, Bytes: int64(len(b)),
			Source: core.SourceImport, Actor: "test", At: tx.Now(),
		}
		d = core.Document{
			ID: r.DocumentID, Path: path, HeadID: r.ID, Generation: 1, StateRev: 1, SyncedID: r.ID, SyncedSHA: sha, CreatedAt: tx.Now(),
		}
		if err := tx.InsertDocument(d); err != nil {
			return err
		}
		return tx.InsertRevision(r)
	})
	return d
}

// advance appends a revision with the bytes to the document.
func advance(tx *Tx, d core.Document, b []byte) (core.Document, core.Revision, error) {
	head, err := tx.Revision(d.HeadID)
	if err != nil {
		return d, head, err
	}
	sha, err := tx.PutBlob(b, head.SHA256)
	if err != nil {
		return d, head, err
	}
	r := core.Revision{
		ID: tx.NewID("rev"), DocumentID: d.ID, Generation: head.Generation + 1, ParentID: head.ID, SHA256: sha, Bytes: int64(len(b)),
		Source: core.SourceManual, Actor: "test", ChangeSetID: tx.NewID("chg"), At: tx.Now(),
	}
	if err := tx.InsertRevision(r); err != nil {
		return d, r, err
	}
	c := core.ChangeSet{
		ID: r.ChangeSetID, DocumentID: d.ID, BaseID: head.ID, ResultID: r.ID, Source: r.Source, Actor: r.Actor,
		SHABefore: head.SHA256, SHAAfter: sha, Edits: []core.Edit{{Span: core.Span{Start: 0, End: int(head.Bytes)}, Replacement: "…"}}, At: tx.Now(),
	}
	if err := tx.InsertChangeSet(c, r.Generation); err != nil {
		return d, r, err
	}
	if err := tx.AdvanceHead(d.ID, d.HeadID, d.StateRev, r); err != nil {
		return d, r, err
	}
	d, err = tx.Document(d.ID)
	return d, r, err
}

func TestOpenMakesAPrivateDatabase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b c?#%")
	s := mustOpen(t, dir, Options{})
	seed(t, s, "/page.html", []byte("<p>one"))
	for name, want := range map[string]os.FileMode{"": 0o700, FileName: 0o600, FileName + "-wal": 0o600, FileName + "-shm": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %o, want %o", name, got, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A directory that is there already keeps its mode, a database that others
	// could read does not.
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, FileName), 0o644)); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, dir, Options{})
	for name, want := range map[string]os.FileMode{"": 0o755, FileName: 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v %v, want mode %o", name, info.Mode(), err, want)
		}
	}
	mustRead(t, again, func(tx *Tx) error {
		d, err := tx.DocumentByPath("/page.html")
		if err == nil && d.Generation != 1 {
			err = fmt.Errorf("generation %d", d.Generation)
		}
		return err
	})
}

func TestPragmasOfBothHandles(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	for name, want := range map[string]int64{"synchronous": 2, "foreign_keys": 1, "application_id": applicationID, "user_version": int64(len(allMigrations(t))), "busy_timeout": 5000} {
		if got, err := pragma(context.Background(), s.write, name); err != nil || got != want {
			t.Errorf("%s of the writer: %d (%v), want %d", name, got, err, want)
		}
	}
	var mode string
	if err := s.write.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q (%v)", mode, err)
	}
	err := s.Read(context.Background(), func(tx *Tx) error { return tx.SetSetting("a", "b") })
	wantCode(t, err, core.ReadOnly)
}

func TestBlobRoundTrip(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	a := bytes.Repeat([]byte("<p>hello</p>\n"), 1000)
	b := bytes.Replace(a, []byte("hello"), []byte("goodbye"), 1)
	mustWrite(t, s, func(tx *Tx) error {
		sha, err := tx.PutBlob(a, "")
		if err != nil {
			return err
		}
		_, err = tx.PutBlob(b, sha)
		return err
	})
	mustRead(t, s, func(tx *Tx) error {
		for _, want := range [][]byte{a, b} {
			got, err := tx.readBlob(core.SHA256Hex(want))
			if err != nil {
				return err
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got %d bytes, want %d", len(got), len(want))
			}
		}
		return nil
	})
}

// A database that another process writes for long still opens and is read.
func TestOpenWhileAnotherWrites(t *testing.T) {
	dir := t.TempDir()
	if err := mustOpen(t, dir, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, dir, Options{BusyTimeout: 20 * time.Millisecond})
	defer s.Close()
	mustRead(t, s, func(tx *Tx) error { _, err := tx.Documents(); return err })
	wantCode(t, s.Write(context.Background(), func(*Tx) error { return nil }), core.StorageBusy)
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(context.Background(), func(*Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
}
