package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"proofmark/gateway/core"
	"proofmark/gateway/internal/diskfault"
)

// Copied says what a copy of a database holds.
type Copied struct {
	Path   string // absolute
	Schema int    // version of its schema
	Bytes  int64
	Usage  Usage
}

// partialSuffix marks a copy that is not finished, or was never.
const partialSuffix = ".partial"

// Copy makes a copy of a database, as it is at one moment, in one compact file
// that nothing may be in the place of. Other processes can go on reading and
// writing. from is a database file or a data directory; its schema may be an
// older one and is kept.
//
// The copy is checked before it gets its name: its tables by SQLite, each blob
// against its SHA-256, and by check, which may be nil and is called where the
// schema is this program's. What is not whole never has that name.
//
// Refusals: NotFound, StorageForeign and StorageNewer for what is no database of
// ours, StorageDamaged, AlreadyExists.
func Copy(ctx context.Context, from, to string, o Options, check func(*Store) error) (Copied, error) {
	const op = "store.Copy"
	from, err := databaseFile(from)
	if err != nil {
		return Copied{}, err
	}
	if to, err = filepath.Abs(to); err != nil {
		return Copied{}, copyError(to, err)
	}
	for _, taken := range []string{to, to + "-wal", to + "-shm", to + "-journal", to + partialSuffix} {
		if _, err := os.Lstat(taken); err == nil {
			return Copied{}, alreadyThere(taken).In(op)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return Copied{}, copyError(to, err)
		}
	}
	source, err := newStore(from, o)
	if err != nil {
		return Copied{}, err
	}
	before, err := source.copyInto(ctx, to+partialSuffix)
	if err != nil {
		return Copied{}, err
	}
	out, err := checkCopy(ctx, to+partialSuffix, o, before, check)
	if err == nil {
		err = publishCopy(to+partialSuffix, to)
	}
	if err != nil {
		return Copied{}, errors.Join(err, os.Remove(to+partialSuffix))
	}
	out.Path = to
	return out, nil
}

func alreadyThere(path string) *core.Error {
	e := core.Errorf(core.AlreadyExists, "%s is there already; nothing was overwritten", path)
	if strings.HasSuffix(path, partialSuffix) {
		return e.WithHint("It is a copy that is being made, or one that was cut short; that one can be removed.")
	}
	return e.WithHint("Move it away, or name another place.")
}

// databaseFile gives the file that a path to a database or to its directory
// means.
func databaseFile(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", mapError("store.Copy", err)
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", core.Errorf(core.NotFound, "there is no database %s", path).In("store.Copy")
	case err != nil:
		return "", mapError("store.Copy", err)
	case !info.Mode().IsRegular():
		return "", core.Errorf(core.StorageForeign, "%s is not a regular file", path).In("store.Copy")
	}
	return path, nil
}

// copyInto writes the copy and brings it to disk. It gives what the source held
// right before: a copy holds no less.
func (s *Store) copyInto(ctx context.Context, partial string) (Usage, error) {
	const op = "store.Copy"
	// VACUUM INTO writes, into another file, and so the handle is not a
	// query_only one; the source's file is opened for reading.
	db, still, err := openReader(s.path, s.o.BusyTimeout, 1, "trusted_schema(0)")
	if core.CodeOf(mapError(op, err)) == core.StorageForeign {
		return Usage{}, core.Wrap(core.StorageForeign, err, "%s is not a database", s.path).In(op)
	}
	if err != nil {
		return Usage{}, mapError(op, err)
	}
	defer db.Close()
	version, err := s.look(db)
	switch core.CodeOf(mapError(op, err)) {
	case "":
	case core.StorageForeign:
		return Usage{}, core.Wrap(core.StorageForeign, err, "%s is not a database of Proofmark's", s.path).In(op)
	default:
		return Usage{}, mapError(op, err)
	}
	if version == 0 {
		return Usage{}, core.Errorf(core.NotFound, "the database %s is empty; there is nothing to copy", s.path).In(op)
	}
	s.read = db
	var before Usage
	if err := s.Read(ctx, func(tx *Tx) (err error) { before, err = tx.Usage(); return err }); err != nil {
		return before, err
	}
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return before, copyError(partial, err)
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", partial)
	if core.CodeOf(mapError(op, err)) == core.StorageFull {
		err = copyError(partial, errors.Join(syscall.ENOSPC, err))
	}
	if err == nil {
		err = still.check(s.path)
	}
	if err == nil {
		err = copyError(partial, f.Sync())
	}
	if e := f.Close(); err == nil {
		err = copyError(partial, e)
	}
	if err != nil {
		return before, errors.Join(mapError(op, err), os.Remove(partial))
	}
	return before, nil
}

// checkCopy reads the whole copy.
func checkCopy(ctx context.Context, path string, o Options, before Usage, check func(*Store) error) (Copied, error) {
	const op = "store.Copy"
	s, err := newStore(path, o)
	if err != nil {
		return Copied{}, err
	}
	if s.read, err = openHandle(s.dsn("ro", "query_only(1)", "trusted_schema(0)")+"&immutable=1", 1); err != nil {
		return Copied{}, mapError(op, err)
	}
	defer s.read.Close()
	out := Copied{Path: path}
	if out.Schema, err = s.look(s.read); err != nil {
		return out, mapError(op, err)
	}
	var found []string
	if err := s.Read(ctx, func(tx *Tx) error {
		if found, err = tx.CheckTables(); err != nil {
			return err
		}
		strange, err := tx.CheckSchema() // a trigger that was added would run in what is made of the copy
		if err != nil {
			return err
		}
		found = append(found, strange...)
		if out.Usage, err = tx.Usage(); err != nil {
			return err
		}
		return tx.CheckBlobs(func(sha string) {
			found = append(found, "the stored bytes of a version are damaged or missing ("+sha+")")
		})
	}); err != nil {
		return out, err
	}
	u := out.Usage
	if u.Documents < before.Documents || u.Revisions < before.Revisions || u.ChangeSets < before.ChangeSets || u.Blobs < before.Blobs {
		found = append(found, "the copy holds less than the database did before")
	}
	if len(found) > 0 {
		return out, core.Errorf(core.StorageDamaged, "the database is damaged, and so would be its copy; none was made: %s", found[0]).
			WithHint("`proofmark doctor --deep` says what is damaged and what can still be read. To keep what there is, copy the data directory as a whole.").
			With("problems", found).In(op)
	}
	if check != nil && out.Schema == len(s.o.migrations) {
		if err := check(s); err != nil {
			return out, err
		}
	}
	out.Bytes = out.Usage.FileBytes
	return out, nil
}

// publishCopy gives a finished copy its name, which nothing must have.
func publishCopy(partial, to string) error {
	err := os.Link(partial, to) // unlike a rename it takes no other's place
	if err == nil {
		err = os.Remove(partial)
	} else if _, lerr := os.Lstat(to); errors.Is(lerr, fs.ErrNotExist) {
		err = os.Rename(partial, to) // a file system without links
	}
	if err != nil {
		return copyError(to, err)
	}
	if dir, err := os.Open(filepath.Dir(to)); err == nil {
		_ = dir.Sync() // not all platforms can; the file's bytes are on disk
		_ = dir.Close()
	}
	return nil
}

// copyError says why the place of a copy cannot take it.
func copyError(path string, err error) error {
	path = strings.TrimSuffix(path, partialSuffix)
	if err == nil {
		return nil
	}
	code, why := diskfault.Why(err)
	if why == "" {
		why = "it could not be written"
	}
	return core.Wrap(code, err, "no copy was made at %s: %s", path, why).WithHint("Name another place.").In("store.Copy")
}
