package store

import (
	"fmt"

	"proofmark/gateway/core"
)

// CheckTables runs SQLite's own checks over the whole file and gives what they
// find, at most 100 lines; nothing for a sound database.
func (t *Tx) CheckTables() ([]string, error) {
	found, err := list(t, scanText, "PRAGMA integrity_check(100)")
	if e := core.AsError(mapError("store.CheckTables", err)); e != nil && e.Code == core.StorageDamaged {
		return append(found, "the check itself ran into damage: "+e.Err.Error()), nil // so bad that it cannot go on
	}
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0] == "ok" {
		found = nil
	}
	broken, err := list(t, func(r scanner) (string, error) {
		var table, parent string
		var row, key any
		err := r.Scan(&table, &row, &parent, &key)
		return fmt.Sprintf("a row of %s points to a row of %s that is missing", table, parent), err
	}, "PRAGMA foreign_key_check")
	return append(found, broken...), err
}

// Usage counts what the database holds.
type Usage struct {
	Documents   int64
	Revisions   int64
	ChangeSets  int64
	Blobs       int64
	BlobBytes   int64 // as stored
	SourceBytes int64 // of all blobs, unpacked
	FileBytes   int64 // of the database file, without its log
}

// Usage counts what the database holds.
func (t *Tx) Usage() (Usage, error) {
	return get(t, core.Errorf(core.Internal, "the database cannot be counted"), func(r scanner) (Usage, error) {
		var u Usage
		return u, r.Scan(&u.Documents, &u.Revisions, &u.ChangeSets, &u.Blobs, &u.BlobBytes, &u.SourceBytes, &u.FileBytes)
	}, `SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM revisions), (SELECT count(*) FROM change_sets),
		(SELECT count(*) FROM blobs), (SELECT coalesce(sum(length(data)), 0) FROM blobs), (SELECT coalesce(sum(bytes), 0) FROM blobs),
		(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)`)
}
