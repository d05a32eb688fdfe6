package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"proofmark/gateway/core"
	"proofmark/migrations"
)

// applicationID marks a database file as Proofmark's: "PRMK".
const applicationID = 0x50524d4b

const migrationsTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
  applied_at INTEGER NOT NULL
) STRICT`

// queryer is what a handle and a transaction share.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func pragma(ctx context.Context, q queryer, name string) (int64, error) {
	var v int64
	err := q.QueryRowContext(ctx, "PRAGMA "+name).Scan(&v)
	return v, err
}

// checkIdentity refuses a database that another program made and one that a
// newer Proofmark made. It writes nothing.
func (s *Store) checkIdentity(db queryer) error {
	ctx := context.Background()
	id, err := pragma(ctx, db, "application_id")
	if err != nil {
		return err
	}
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	version, err := pragma(ctx, db, "user_version")
	if err != nil {
		return err
	}
	if id == 0 && tables == 0 && version == 0 {
		return nil // new, or left by a start that was cut short
	}
	if id != applicationID {
		return core.Errorf(core.StorageForeign, "%s in %s belongs to another program", FileName, s.dir).
			WithHint("Move it away, or name another directory with --data-dir.")
	}
	if version <= 0 || tables == 0 { // both are written in one transaction with the id
		return drift(s.o.migrations[0], "are not what they say")
	}
	if known := int64(len(s.o.migrations)); version > known {
		return core.Errorf(core.StorageNewer, "the database was made by a newer Proofmark (schema %d, this one knows %d)", version, known).
			WithHint("Update Proofmark, or name another directory with --data-dir. Nothing was changed.").
			With("schema", version).With("known", known)
	}
	return nil
}

// version gives the version of the schema. An up-to-date one is also checked for
// drift here, without a write lock, so that a database that another process
// holds for long can still be read; an older one is when it is migrated.
func (s *Store) version(db queryer) (int, error) {
	ctx := context.Background()
	version, err := pragma(ctx, db, "user_version")
	if err == nil && int(version) == len(s.o.migrations) {
		err = s.checkDrift(ctx, db, int(version))
	}
	return int(version), err
}

// migrate brings the schema up to date, each migration in a transaction of its
// own together with its row in schema_migrations: one that is cut short leaves
// the schema before it.
func (s *Store) migrate() error {
	for {
		done, err := s.migrateOne()
		if done || err != nil {
			return err
		}
	}
}

func (s *Store) migrateOne() (done bool, err error) {
	ctx := context.Background()
	tx, err := s.write.BeginTx(ctx, nil) // immediate: the version cannot move under us
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, ignoreDone(tx.Rollback())) }()
	// Another process may have been here since the first look.
	if err := s.checkIdentity(tx); err != nil {
		return false, err
	}
	version, err := pragma(ctx, tx, "user_version")
	if err != nil {
		return false, err
	}
	if err := s.checkDrift(ctx, tx, int(version)); err != nil {
		return false, err
	}
	if int(version) == len(s.o.migrations) {
		return true, nil
	}
	m := s.o.migrations[version]
	for _, q := range []string{
		migrationsTable,
		m.SQL,
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", m.Version),
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return false, fmt.Errorf("migration %s: %w", m.Name, err)
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO schema_migrations (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
		m.Version, m.Name, m.SHA256, millis(s.o.Now())); err != nil {
		return false, err
	}
	s.step("migration " + m.Name)
	return false, tx.Commit()
}

// checkDrift compares what the database ran with what this program holds.
func (s *Store) checkDrift(ctx context.Context, tx queryer, version int) error {
	if version == 0 {
		return nil
	}
	rows, err := tx.QueryContext(ctx, "SELECT version, sha256 FROM schema_migrations ORDER BY version")
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var v int
		var sum string
		if err := rows.Scan(&v, &sum); err != nil {
			return err
		}
		if n++; v != n || n > version {
			return drift(s.o.migrations[0], "are not in order")
		}
		if m := s.o.migrations[v-1]; m.SHA256 != sum {
			return drift(m, "differ from this program's")
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if n != version {
		return drift(s.o.migrations[n], "are not complete")
	}
	return nil
}

func drift(m migrations.Migration, what string) error {
	return core.Errorf(core.StorageDamaged, "the migrations the database ran %s (%s)", what, m.Name).
		WithHint("The schema was changed by hand or by a build that was never released. Restore a backup, or name another directory with --data-dir.").
		With("migration", m.Name)
}
