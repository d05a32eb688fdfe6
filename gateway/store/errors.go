package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"proofmark/gateway/core"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// mapError gives every error that leaves the package a code a person can act
// on. Errors that already have one keep it.
func mapError(op string, err error) error {
	if err == nil {
		return nil
	}
	var known *core.Error
	if errors.As(err, &known) {
		if known.Op == "" {
			known.Op = op
		}
		return known
	}
	switch {
	case errors.Is(err, context.Canceled):
		return core.Wrap(core.Cancelled, err, "the work was cancelled; nothing was stored").In(op)
	case errors.Is(err, context.DeadlineExceeded):
		return core.Wrap(core.Timeout, err, "the database did not answer in time; nothing was stored").In(op)
	case errors.Is(err, syscall.ENOSPC):
		return full(err).In(op)
	case errors.Is(err, syscall.EIO):
		return core.Wrap(core.StorageDamaged, err, "the disk that holds the database reports an error; nothing was stored").
			WithHint("Check that disk. Copy the data directory to another one, and name that with --data-dir.").In(op)
	case errors.Is(err, syscall.EROFS):
		return readOnly(err).In(op)
	case errors.Is(err, fs.ErrPermission):
		return denied(err).In(op)
	case errors.Is(err, syscall.ENOTDIR):
		return core.Wrap(core.StorageForeign, err, "the data directory is a file").
			WithHint("Name another directory with --data-dir.").In(op)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ELOOP):
		return core.Wrap(core.NotFound, err, "the data directory cannot be made where it should be").
			WithHint("Name another directory with --data-dir.").In(op)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return mapSQLite(lite, err).In(op)
	}
	return core.Wrap(core.Internal, err, "the database could not be used").In(op)
}

func mapSQLite(lite *sqlite.Error, err error) *core.Error {
	code := lite.Code()
	switch code {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC,
		sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP,
		sqlite3.SQLITE_IOERR_SHMOPEN:
		return full(err)
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return full(err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return core.Wrap(core.StorageBusy, err, "another process is using the database; nothing was stored").
			WithHint("Wait a moment and do it again.")
	case sqlite3.SQLITE_READONLY:
		return readOnly(err)
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH:
		return denied(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR:
		return damaged(err)
	case sqlite3.SQLITE_NOTADB:
		return core.Wrap(core.StorageForeign, err, "%s in the data directory is not a database", FileName).
			WithHint("Move it away, or name another directory with --data-dir.")
	case sqlite3.SQLITE_ERROR:
		// Every table was there when the checksums of the schema matched, and every
		// JSON text was one when it was stored.
		if text := lite.Error(); strings.Contains(text, "no such table") || strings.Contains(text, "malformed JSON") {
			return damaged(err)
		}
	case sqlite3.SQLITE_NOMEM:
		return core.Wrap(core.Internal, err, "there is not enough memory; nothing was stored")
	case sqlite3.SQLITE_INTERRUPT:
		return core.Wrap(core.Cancelled, err, "the work was cancelled; nothing was stored")
	}
	return core.Wrap(core.Internal, err, "the database refused the step; nothing was stored")
}

func full(err error) *core.Error {
	return core.Wrap(core.StorageFull, err, "the disk that holds the database is full or cannot be written; nothing was stored").
		WithHint("Free some space, or name a directory on another disk with --data-dir, and do it again.")
}

func readOnly(err error) *core.Error {
	return core.Wrap(core.ReadOnly, err, "the database cannot be written: its file, directory or disk is read-only").
		WithHint("Make the data directory writable, or name another one with --data-dir.")
}

func denied(err error) *core.Error {
	return core.Wrap(core.PermissionDenied, err, "this account cannot write the data directory").
		WithHint("Give this account read and write access to it (its disk may be read-only), or name another one with --data-dir.")
}

func damaged(err error) *core.Error {
	return core.Wrap(core.StorageDamaged, err, "the database is damaged; nothing was stored").
		WithHint("`proofmark doctor --deep` says what is damaged and what can still be read. Before anything else copy the whole data directory somewhere safe; then restore the last backup. The HTML files themselves are not touched.")
}

func isBusy(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && lite.Code()&0xff == sqlite3.SQLITE_BUSY
}
