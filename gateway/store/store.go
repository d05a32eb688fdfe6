package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"proofmark/gateway/core"
	"proofmark/internal/faultpoint"
	"proofmark/migrations"

	"modernc.org/sqlite"
)

// FileName is the name of the database inside the data directory.
const FileName = "proofmark.db"

const (
	defaultBusyTimeout = 5 * time.Second
	readConnections    = 4
	// walKeepBytes is the size the write-ahead log is cut back to after a
	// checkpoint.
	walKeepBytes = 1 << 20
)

// Options of a Store. The zero value is for production.
type Options struct {
	Now         func() time.Time           // the clock; time.Now by default
	NewID       func(prefix string) string // the id source; core.NewID by default
	BusyTimeout time.Duration              // how long to wait for another process's transaction; 5 s by default

	migrations []migrations.Migration // for tests; all by default
	step       func(name string)      // for tests: called at numbered points of a write
}

// Store is an open database. It may be used by many goroutines.
type Store struct {
	dir   string
	path  string // of the database file
	o     Options
	write *sql.DB // nil while the database can only be read
	read  *sql.DB
	cache *blobCache

	readOnly error // why it can only be read, or nil
	still    still // what a file that is read without locks must remain

	close sync.Once
}

// DefaultDir gives the platform's data directory for Proofmark.
func DefaultDir() (string, error) {
	switch runtime.GOOS {
	case "windows":
		if d := os.Getenv("LOCALAPPDATA"); d != "" {
			return filepath.Join(d, "Proofmark"), nil
		}
	case "darwin":
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, "Library", "Application Support", "Proofmark"), nil
		}
	default:
		if d := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(d) {
			return filepath.Join(d, "proofmark"), nil
		}
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, ".local", "share", "proofmark"), nil
		}
	}
	return "", core.Errorf(core.NotFound, "this account has no home directory to keep data in").
		WithHint("Name a directory with --data-dir.").In("store.DefaultDir")
}

// Open opens the database in dir, makes it where there is none, and brings its
// schema up to date. A directory it makes, and the database in any, are for
// their owner alone.
//
// Where a database is there and cannot be written, because its disk is full or
// read-only or belongs to somebody else, it is opened for reading; ReadOnly
// then says why.
func Open(dir string, o Options) (*Store, error) {
	const op = "store.Open"
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, mapError(op, err)
	}
	s, err := newStore(filepath.Join(dir, FileName), o)
	if err != nil {
		return nil, err
	}
	if err := prepare(dir); err != nil {
		return nil, mapError(op, err)
	}
	err = mapError(op, s.open())
	if err != nil && s.openForReading(err) {
		return s, nil
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// newStore makes a Store on a database file, not yet open.
func newStore(path string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = faultpoint.Now
	}
	if o.NewID == nil {
		o.NewID = core.NewID
	}
	if o.BusyTimeout == 0 {
		o.BusyTimeout = defaultBusyTimeout
	}
	if o.migrations == nil {
		all, err := migrations.All()
		if err != nil {
			return nil, core.Wrap(core.Internal, err, "the migrations cannot be read").In("store.Open")
		}
		o.migrations = all
	}
	return &Store{dir: filepath.Dir(path), path: path, o: o, cache: newBlobCache(cacheBytes)}, nil
}

// prepare makes the directory and an empty database file with the right modes,
// before SQLite sees them.
func prepare(dir string) error {
	if err := faultpoint.Do("make the data directory", func() error { return os.MkdirAll(dir, 0o700) }); err != nil {
		return err
	}
	// A directory that was there keeps its mode: it may be one that others share.
	path := filepath.Join(dir, FileName)
	// O_EXCL: the file is never opened beside SQLite, because closing it would
	// drop SQLite's locks.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return core.Errorf(core.StorageForeign, "%s is not a regular file", path).
			WithHint("Move it away, or name another directory with --data-dir.")
	}
	if log, err := os.Stat(path + "-wal"); err == nil && info.Size() == 0 && log.Size() > 0 {
		// SQLite would take the database for a new one and drop the log.
		return damaged(nil).With("file", path)
	}
	return nil
}

func (s *Store) open() error {
	version, err := s.first()
	if err != nil {
		return err
	}
	if info, err := os.Stat(s.path); err == nil && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(s.path, 0o600) // it is ours
	}
	pragmas := []string{"journal_mode(WAL)"}
	if version == 0 {
		// Only a new database takes it; on another it would be a write at each
		// start. Before the journal mode, which makes the file.
		pragmas = []string{"auto_vacuum(2)", "journal_mode(WAL)"}
	}
	// recursive_triggers: without it REPLACE would delete rows past the triggers
	// that forbid deleting them.
	s.write, err = openHandle(s.dsn("rw", append(pragmas,
		"synchronous(FULL)", "foreign_keys(1)", "recursive_triggers(1)", "trusted_schema(0)", "cell_size_check(1)",
		"journal_size_limit("+strconv.Itoa(walKeepBytes)+")")...)+"&_txlock=immediate", 1)
	if err != nil {
		return err
	}
	if version != len(s.o.migrations) {
		if err := s.migrate(); err != nil {
			return err
		}
	}
	s.read, err = openHandle(s.dsn("ro", "query_only(1)", "foreign_keys(1)", "trusted_schema(0)"), readConnections)
	return err
}

// first is the first look. It writes nothing, not even a journal mode, into a
// file that is not ours, and leaves a log that lies beside it there.
func (s *Store) first() (version int, err error) {
	modes := []string{"rw"}
	if log, err := os.Stat(s.path + "-wal"); err == nil && log.Size() > 0 {
		// Whoever may write brings the log into the file when he closes it.
		modes = []string{"ro", "rw"}
	}
	for _, mode := range modes {
		var check *sql.DB
		if check, err = openHandle(s.dsn(mode, "query_only(1)"), 1); err != nil {
			continue // the log of a folder that cannot be written
		}
		version, err = s.look(check)
		err = errors.Join(err, check.Close())
		if code := core.CodeOf(mapError("store.Open", err)); code == "" || code == core.StorageForeign || code == core.StorageNewer {
			break
		}
	}
	return version, err
}

// look checks whose database it is and gives the version of its schema, 0 for a
// new one, all of one moment: seen half before and half after another process's
// first migration, a new database would look like a stranger's.
func (s *Store) look(db *sql.DB) (version int, err error) {
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ignoreDone(tx.Rollback())) }()
	if err := s.checkIdentity(tx); err != nil {
		return 0, err
	}
	return s.version(tx)
}

// dsn gives the data source name of the store's file.
func (s *Store) dsn(mode string, pragmas ...string) string {
	return dataSource(s.path, s.o.BusyTimeout, mode, pragmas...)
}

// dataSource gives the data source name of a file. busy_timeout comes first, so
// that the other pragmas wait for a lock too.
func dataSource(path string, busy time.Duration, mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}}
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")")
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	if runtime.GOOS == "windows" {
		u.Path = "/" + u.Path
	}
	return u.String()
}

func openHandle(dsn string, connections int) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := pingPatiently(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// pingPatiently opens the first connection. Turning the write-ahead log on
// can answer "busy" at once when several processes open a new database
// together, whatever the busy timeout says; that is tried again.
func pingPatiently(db *sql.DB) error {
	var err error
	for wait := time.Millisecond; wait < 2*time.Second; wait *= 2 {
		if err = db.Ping(); err == nil || !isBusy(err) {
			return err
		}
		<-time.After(wait)
	}
	return err
}

// Dir gives the data directory.
func (s *Store) Dir() string { return s.dir }

// Close waits for running transactions and closes the database, readers first.
func (s *Store) Close() error {
	var err error
	s.close.Do(func() {
		if s.read != nil {
			err = s.read.Close()
		}
		if s.write != nil {
			err = errors.Join(err, s.write.Close())
		}
	})
	return err
}

// Write runs fn in an immediate transaction on the one writer connection, and
// commits durably when fn gives no error. Inside fn the database is seen as it
// is after the lock was taken. fn must not do other I/O and must not call
// Write.
//
// A database that can only be read gives the reason, as ReadOnly does.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	if s.readOnly != nil {
		return s.readOnly
	}
	return s.run(ctx, s.write, true, fn)
}

// Read runs fn on one consistent snapshot of the database.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	err := s.run(ctx, s.read, false, fn)
	if moved := s.still.check(s.path); moved != nil {
		return moved
	}
	return err
}

func (s *Store) run(ctx context.Context, db *sql.DB, write bool, fn func(*Tx) error) error {
	op := "store.Read"
	if write {
		op = "store.Write"
	}
	if write {
		s.step("begin")
	}
	sqlTx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: !write})
	if err != nil {
		return mapError(op, err)
	}
	tx := &Tx{ctx: ctx, tx: sqlTx, s: s, now: s.o.Now().UTC().Truncate(time.Millisecond), write: write}
	defer func() {
		if tx.tx != nil { // fn panicked
			_ = sqlTx.Rollback()
		}
	}()
	err = fn(tx)
	tx.tx = nil
	if err != nil || !write {
		// A read ends with a rollback: there is nothing to commit.
		return mapError(op, errors.Join(err, ignoreDone(sqlTx.Rollback())))
	}
	s.step("commit")
	if err := sqlTx.Commit(); err != nil {
		return mapError(op, errors.Join(err, ignoreDone(sqlTx.Rollback())))
	}
	s.step("committed")
	for _, add := range tx.onCommit {
		add()
	}
	return nil
}

func (s *Store) step(name string) {
	if faultpoint.Enabled {
		faultpoint.Reach("store: " + name)
	}
	if s.o.step != nil {
		s.o.step(name)
	}
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
