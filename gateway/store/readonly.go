package store

import (
	"database/sql"
	"errors"
	"os"
	"time"

	"proofmark/gateway/core"
)

// ReadOnly says why the database can only be read, or gives nil. Write gives
// the same error.
func (s *Store) ReadOnly() error { return s.readOnly }

// openForReading opens for reading a database that could not be opened for
// writing, and tells whether it could. The schema must be this program's:
// bringing it up to date would be a write.
func (s *Store) openForReading(cause error) bool {
	switch core.CodeOf(cause) {
	case core.StorageFull, core.ReadOnly, core.PermissionDenied:
	default:
		return false
	}
	if s.write != nil {
		if s.write.Close() != nil {
			return false
		}
		s.write = nil
	}
	read, still, err := openReader(s.path, s.o.BusyTimeout, readConnections, "query_only(1)", "foreign_keys(1)", "trusted_schema(0)")
	if err != nil {
		return false
	}
	if version, err := s.look(read); err != nil || version != len(s.o.migrations) {
		_ = read.Close()
		return false
	}
	e := *core.AsError(cause)
	e.Message = "the versions can only be read now, not added to: " + e.Message
	s.read, s.still, s.readOnly = read, still, &e
	return true
}

// openReader opens a database file for reading alone. Where not even the shared
// memory of its log can be made beside it, because the disk is full or may not
// be written, it is read without locks: right as long as nobody writes it and
// its log holds nothing, which still.check looks at after each transaction.
func openReader(path string, busy time.Duration, connections int, pragmas ...string) (*sql.DB, still, error) {
	dsn := dataSource(path, busy, "ro", pragmas...)
	db, err := openHandle(dsn, connections)
	if err == nil {
		// Opening reads nothing yet.
		if _, err = db.Exec("SELECT count(*) FROM sqlite_schema"); err == nil {
			return db, still{}, nil
		}
		err = errors.Join(err, db.Close())
	}
	switch core.CodeOf(mapError("store.Open", err)) {
	case core.StorageFull, core.ReadOnly, core.PermissionDenied:
	default:
		return nil, still{}, err
	}
	before, ok := stillNow(path)
	if !ok {
		return nil, still{}, err
	}
	if db, err = openHandle(dsn+"&immutable=1", connections); err != nil {
		return nil, still{}, err
	}
	return db, before, nil
}

// still is how a file looked that is read without locks. The zero value is for
// a file that is read with them.
type still struct {
	size int64
	mod  time.Time
}

// stillNow gives how the file looks, and whether its log holds nothing.
func stillNow(path string) (still, bool) {
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return still{}, false
	}
	info, err := os.Stat(path)
	if err != nil {
		return still{}, false
	}
	return still{info.Size(), info.ModTime()}, true
}

func (s still) check(path string) error {
	if s == (still{}) {
		return nil
	}
	if now, ok := stillNow(path); !ok || now.size != s.size || !now.mod.Equal(s.mod) {
		return core.Errorf(core.StorageBusy, "another process changed the database while it was being read").
			WithHint("Do it again.").In("store.Read")
	}
	return nil
}
