package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// A second process that holds the lock for too long gives "busy", and the work
// can be done again.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	a := mustOpen(t, dir, Options{})
	b := mustOpen(t, dir, Options{BusyTimeout: 20 * time.Millisecond})
	mustWrite(t, a, func(*Tx) error {
		err := b.Write(context.Background(), func(tx *Tx) error { return tx.SetSetting("a", "b") })
		wantCode(t, err, core.StorageBusy)
		if core.AsError(err).Hint == "" {
			t.Error("no hint")
		}
		return nil
	})
	mustWrite(t, b, func(tx *Tx) error { return tx.SetSetting("a", "b") })
}

// Readers see the state before a running transaction, and do not wait for it.
func TestReadersSeeASnapshot(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	mustWrite(t, s, func(tx *Tx) error {
		if err := tx.SetSetting("a", "new"); err != nil {
			return err
		}
		mustRead(t, s, func(r *Tx) error {
			if v, ok, err := r.Setting("a"); ok {
				t.Errorf("a reader saw %q before the commit (%v)", v, err)
			}
			return nil
		})
		return nil
	})
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	stop := core.Errorf(core.NoOp, "stop")
	err := s.Write(context.Background(), func(tx *Tx) error {
		if err := tx.SetSetting("a", "b"); err != nil {
			return err
		}
		_, err := tx.PutBlob([]byte("<p>lost"), "")
		if err != nil {
			return err
		}
		return stop
	})
	wantCode(t, err, core.NoOp)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = s.Write(context.Background(), func(tx *Tx) error { _ = tx.SetSetting("a", "b"); panic("caller's fault") })
	}()
	mustRead(t, s, func(tx *Tx) error {
		if _, ok, err := tx.Setting("a"); ok || err != nil {
			t.Errorf("the setting was stored (%v)", err)
		}
		_, err := tx.Blob(core.SHA256Hex([]byte("<p>lost")))
		wantCode(t, err, core.StorageDamaged) // not even in the cache
		return nil
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wantCode(t, s.Write(ctx, func(*Tx) error { return nil }), core.Cancelled)
}

// A page of the file is overwritten: reading it says so, and integrity too.
func TestDamagedPage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	s := mustOpen(t, dir, Options{})
	d := seed(t, s, "/page.html", []byte("<p>0"))
	mustWrite(t, s, func(tx *Tx) (err error) {
		for i := range 500 {
			if d, _, err = advance(tx, d, fmt.Appendf(nil, "<p>%d", i+1)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(b) / 2; i < len(b); i++ { // the schema lies in the first half
		b[i] = 0xa5
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir, Options{})
	err = s.Read(context.Background(), func(tx *Tx) error {
		_, err := tx.Revisions(d.ID, 0, 0)
		return err
	})
	wantCode(t, err, core.StorageDamaged)
	mustRead(t, s, func(tx *Tx) error {
		found, err := tx.CheckTables()
		if err == nil && len(found) == 0 {
			t.Error("the check found nothing")
		}
		return nil
	})
}

// Every code that leaves the package has something to do next.
func TestCodesOfSQLite(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	_, err := s.write.Exec("SELECT no_such_column")
	wantCode(t, mapError("test", err), core.Internal)
	_, err = s.write.Exec("INSERT INTO settings VALUES ('a', 'b'), ('a', 'c')")
	wantCode(t, mapError("test", err), core.Internal)
	_, err = s.read.Exec("DELETE FROM settings")
	wantCode(t, mapError("test", err), core.ReadOnly)
	wantCode(t, mapError("test", fmt.Errorf("x: %w", context.DeadlineExceeded)), core.Timeout)
	wantCode(t, mapError("test", os.ErrPermission), core.PermissionDenied)
	if mapError("test", nil) != nil {
		t.Error("no error became one")
	}
}

// A schema in which a name was damaged is a damaged database, not a fault of ours.
func TestDamagedSchema(t *testing.T) {
	dir := t.TempDir()
	if err := mustOpen(t, dir, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	execOutside(t, filepath.Join(dir, FileName), "ALTER TABLE change_sets RENAME TO change_zets")
	s := mustOpen(t, dir, Options{})
	err := s.Read(context.Background(), func(tx *Tx) error { _, err := tx.ChangeSets("doc_x", 0, 0); return err })
	wantCode(t, err, core.StorageDamaged)
}
