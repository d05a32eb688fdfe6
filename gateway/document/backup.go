package document

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Backup makes a copy of the database in a data directory, as it is at one
// moment, in one file that must not be there yet, while other processes go on.
// The copy is read and checked as Integrity does before it gets its name.
func Backup(ctx context.Context, dataDir, to string) (store.Copied, error) {
	return store.Copy(ctx, dataDir, to, store.Options{}, sound(ctx))
}

// RestoreBackup makes a data directory's database from a backup: a file, or
// another data directory. It refuses where a database is already.
func RestoreBackup(ctx context.Context, from, dataDir string) (store.Copied, error) {
	const op = "document.RestoreBackup"
	to := filepath.Join(dataDir, store.FileName)
	if _, err := os.Lstat(to); err == nil {
		return store.Copied{}, core.Errorf(core.AlreadyExists, "%s has versions already; nothing was overwritten", dataDir).
			WithHint("End every other proofmark command, move that directory away and do it again; or look into the backup in a directory of its own, with --data-dir.").
			In(op)
	}
	if _, err := os.Stat(from); err != nil {
		return store.Copied{}, fileError(op, from, err)
	}
	_, err := os.Lstat(dataDir)
	made := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return store.Copied{}, fileError(op, dataDir, err)
	}
	c, err := store.Copy(ctx, from, to, store.Options{}, sound(ctx))
	if err != nil && made {
		_ = os.Remove(dataDir) // it is empty
	}
	return c, err
}

// sound gives the check of a copy.
func sound(ctx context.Context) func(*store.Store) error {
	return func(st *store.Store) error {
		r, err := New(st, Options{}).Integrity(ctx)
		if err != nil {
			return err
		}
		return r.Err("; no copy was made")
	}
}

// Err gives StorageDamaged for a report with problems. The consequence goes
// behind the message.
func (r Report) Err(consequence string) error {
	if len(r.Problems) == 0 {
		return nil
	}
	return core.Errorf(core.StorageDamaged, "the versions are damaged: %s%s", r.Problems[0], consequence).
		WithHint("Before anything else copy the whole data directory somewhere safe. `proofmark doctor --deep` says what can still be read, `proofmark export --generation N` writes it elsewhere; the last backup has the rest.").
		With("problems", r.Problems).In("document.Integrity")
}
