package store

import (
	"context"
	"os"
	"strconv"

	"proofmark/gateway/core"
)

const (
	// compactPages bounds how many pages one step gives back; between two steps
	// other processes can write.
	compactPages = 2000
	// rewriteShare is the share of free pages, one in so many, from which a
	// database that cannot give single pages back is rewritten.
	rewriteShare = 20
)

// DiskBytes gives what the database takes on disk, its log included, in bytes.
func (s *Store) DiskBytes() (int64, error) {
	var n int64
	for _, path := range []string{s.path, s.path + "-wal"} {
		info, err := os.Stat(path)
		switch {
		case err == nil:
			n += info.Size()
		case !os.IsNotExist(err):
			return 0, mapError("store.DiskBytes", err)
		}
	}
	return n, nil
}

// Compact gives the pages that hold nothing back to the disk, in steps between
// which other processes can write, and cuts the log. A database of the first
// schemas cannot give single pages back; when enough of it is free it is
// rewritten once, in one transaction, and can from then on. However it is cut
// short, the database is whole.
func (s *Store) Compact(ctx context.Context) error {
	const op = "store.Compact"
	if s.readOnly != nil {
		return s.readOnly
	}
	if err := s.cutLog(ctx); err != nil { // makes room, should the disk be full
		return mapError(op, err)
	}
	if err := s.freePages(ctx); err != nil {
		return mapError(op, err)
	}
	return mapError(op, s.cutLog(ctx))
}

func (s *Store) freePages(ctx context.Context) error {
	mode, err := pragma(ctx, s.write, "auto_vacuum")
	if err != nil {
		return err
	}
	free, err := pragma(ctx, s.write, "freelist_count")
	if err != nil || free == 0 {
		return err
	}
	const incremental = 2
	if mode != incremental {
		return s.rewrite(ctx, free)
	}
	for free > 0 {
		s.step("compact")
		if err := s.freeSome(ctx); err != nil {
			return err
		}
		left, err := pragma(ctx, s.write, "freelist_count")
		if err != nil || left >= free {
			return err
		}
		free = left
	}
	return nil
}

// freeSome is one step. The statement gives a row for each page, and does
// nothing until it is read to the end.
func (s *Store) freeSome(ctx context.Context) error {
	rows, err := s.write.QueryContext(ctx, "PRAGMA incremental_vacuum("+strconv.Itoa(compactPages)+")")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

func (s *Store) rewrite(ctx context.Context, free int64) error {
	pages, err := pragma(ctx, s.write, "page_count")
	if err != nil || free*rewriteShare < pages {
		return err
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA auto_vacuum = 2"); err != nil { // what the rewritten database will have
		return err
	}
	s.step("rewrite")
	_, err = conn.ExecContext(ctx, "VACUUM")
	return err
}

// cutLog brings the log into the database and cuts it to nothing. While another
// process reads or writes, less is done; that is no error.
func (s *Store) cutLog(ctx context.Context) error {
	var busy, pages, moved int64
	err := s.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	if core.CodeOf(mapError("", err)) == core.StorageBusy {
		return nil
	}
	return err
}
