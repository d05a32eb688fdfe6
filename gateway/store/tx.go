package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"proofmark/gateway/core"
)

// Tx is one transaction, with one clock reading. It must not outlive the
// function it was given to, and belongs to one goroutine.
type Tx struct {
	ctx      context.Context
	tx       *sql.Tx
	s        *Store
	now      time.Time
	write    bool
	onCommit []func()
}

// Now gives the transaction's time, UTC, in whole milliseconds; every row of
// the transaction carries the same.
func (t *Tx) Now() time.Time { return t.now }

// NewID gives a fresh identifier with the prefix of its kind.
func (t *Tx) NewID(prefix string) string { return t.s.o.NewID(prefix) }

func (t *Tx) exec(query string, args ...any) (int64, error) {
	r, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// one runs a statement that must touch exactly one row; otherwise it gives
// missed.
func (t *Tx) one(missed error, query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err != nil {
		return err
	}
	if n != 1 {
		return missed
	}
	return nil
}

// scanner is what *sql.Row and *sql.Rows share.
type scanner interface{ Scan(dest ...any) error }

// get reads one row; no row gives missing.
func get[T any](t *Tx, missing error, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	v, err := scan(t.tx.QueryRowContext(t.ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		var zero T
		return zero, missing
	}
	return v, err
}

// list reads all rows; the result is never nil.
func list[T any](t *Tx, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// null gives nil for an empty string, so that the column is NULL.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// column scans a JSON column into dest.
func column(name, text string, dest any) error {
	if err := json.Unmarshal([]byte(text), dest); err != nil {
		return core.Wrap(core.StorageDamaged, err, "the database holds a %s that cannot be read", name)
	}
	return nil
}

// jsonText gives v as JSON text; a nil slice as an empty array.
func jsonText(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	if string(b) == "null" {
		return "[]", nil
	}
	return string(b), nil
}
