package store

import (
	"database/sql"
	"fmt"

	"proofmark/gateway/core"
)

// CheckTables runs SQLite's own checks over the whole file, and looks for rows
// that point to none. It gives what they find; nothing for a sound database.
func (t *Tx) CheckTables() ([]string, error) {
	found, err := t.CheckFile()
	if err != nil {
		return nil, err
	}
	broken, err := t.CheckReferences()
	return append(found, broken...), err
}

// CheckFile is the part of CheckTables that looks at the file, and gives at most
// 100 lines.
func (t *Tx) CheckFile() ([]string, error) {
	found, err := list(t, scanText, "PRAGMA integrity_check(100)")
	if e := core.AsError(mapError("store.CheckTables", err)); e != nil && e.Code == core.StorageDamaged {
		return append(found, "the check itself ran into damage: "+e.Err.Error()), nil // so bad that it cannot go on
	}
	if len(found) == 1 && found[0] == "ok" {
		found = nil
	}
	return found, err
}

// CheckReferences is the part of CheckTables that looks for rows that point to
// none.
func (t *Tx) CheckReferences() ([]string, error) {
	return list(t, func(r scanner) (string, error) {
		var table, parent string
		var row, key any
		err := r.Scan(&table, &row, &parent, &key)
		return fmt.Sprintf("a row of %s points to a row of %s that is missing", table, parent), err
	}, "PRAGMA foreign_key_check")
}

// CheckSchema compares the tables, indexes and triggers with those this
// program's migrations make, up to the version that the database says it has,
// and gives the differences. A trigger that is gone no longer keeps what must
// never change; one that was added runs whenever we write.
func (t *Tx) CheckSchema() ([]string, error) {
	have, err := t.schema(t.tx)
	if err != nil {
		return nil, err
	}
	db, err := openHandle(":memory:", 1)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	version, err := pragma(t.ctx, t.tx, "user_version")
	if err != nil {
		return nil, err
	}
	for _, q := range append([]string{migrationsTable}, migrationSQL(t.s, int(version))...) {
		if _, err := db.ExecContext(t.ctx, q); err != nil {
			return nil, err
		}
	}
	want, err := t.schema(db)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, w := range want {
		switch h, ok := lookUp(have, w); {
		case !ok:
			out = append(out, fmt.Sprintf("the %s %s is missing", w.kind, w.name))
		case h != w:
			out = append(out, fmt.Sprintf("the %s %s was changed", w.kind, w.name))
		}
	}
	for _, h := range have {
		if _, ok := lookUp(want, h); !ok {
			out = append(out, fmt.Sprintf("the %s %s is not Proofmark's", h.kind, h.name))
		}
	}
	return out, nil
}

type schemaItem struct{ kind, name, table, sql string }

// schema lists what a database is made of, apart from the statistics that any
// tool may have SQLite gather.
func (t *Tx) schema(q queryer) ([]schemaItem, error) {
	rows, err := q.QueryContext(t.ctx, `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
		WHERE NOT (type = 'table' AND name GLOB 'sqlite_stat[1-4]') ORDER BY type, name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []schemaItem
	for rows.Next() {
		var x schemaItem
		if err := rows.Scan(&x.kind, &x.name, &x.table, &x.sql); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, rows.Err()
}

// lookUp finds what has the kind and name of like: a trigger may be named as a
// table is.
func lookUp(items []schemaItem, like schemaItem) (schemaItem, bool) {
	for _, x := range items {
		if x.kind == like.kind && x.name == like.name {
			return x, true
		}
	}
	return schemaItem{}, false
}

// migrationSQL gives the first migrations, up to a version of the schema.
func migrationSQL(s *Store, version int) []string {
	out := make([]string, 0, version)
	for _, m := range s.o.migrations[:min(version, len(s.o.migrations))] {
		out = append(out, m.SQL)
	}
	return out
}

// CheckBlobs reads every blob from disk, past the cache and each one once, and
// compares it with its SHA-256. It calls damaged for each that does not fit, for
// each that stands on one that does not, and for each that a version has and that
// is not stored.
func (t *Tx) CheckBlobs(damaged func(sha string)) error {
	all, err := t.BlobList("", 0)
	if err != nil {
		return err
	}
	roots, err := list(t, scanText, "SELECT sha256 FROM blobs WHERE parent IS NULL ORDER BY sha256")
	if err != nil {
		return err
	}
	type job struct {
		sha    string
		parent []byte
		lost   bool // the parent is damaged
	}
	seen := make(map[string]bool, len(all))
	var jobs []job
	for _, root := range roots {
		for jobs = append(jobs, job{sha: root}); len(jobs) > 0; {
			j := jobs[len(jobs)-1]
			jobs = jobs[:len(jobs)-1]
			if seen[j.sha] {
				continue
			}
			seen[j.sha] = true
			b, err := t.checkBlob(j.sha, j.parent, j.lost)
			if err != nil && core.CodeOf(mapError("store.CheckBlobs", err)) != core.StorageDamaged {
				return err
			}
			if err != nil {
				damaged(j.sha)
			}
			children, err := list(t, scanText, "SELECT sha256 FROM blobs WHERE parent = ?", j.sha)
			if err != nil {
				return err
			}
			for _, c := range children {
				jobs = append(jobs, job{c, b, b == nil})
			}
		}
	}
	for _, sha := range all {
		if !seen[sha] { // its parent is missing, or it stands on itself
			damaged(sha)
		}
	}
	gone, err := list(t, scanText, "SELECT DISTINCT sha256 FROM revisions WHERE sha256 NOT IN (SELECT sha256 FROM blobs)")
	for _, sha := range gone {
		damaged(sha)
	}
	return err
}

// checkBlob gives a blob's bytes, made from its parent's.
func (t *Tx) checkBlob(sha string, parent []byte, lost bool) ([]byte, error) {
	if lost {
		return nil, damagedBlob(sha, nil)
	}
	row, err := get(t, missingBlob(sha), func(r scanner) (storedBlob, error) {
		var b storedBlob
		var p sql.NullString
		err := r.Scan(&b.bytes, &b.encoding, &p, &b.depth, &b.data)
		b.parent = p.String
		return b, err
	}, "SELECT bytes, encoding, parent, depth, data FROM blobs WHERE sha256 = ?", sha)
	if err != nil {
		return nil, err
	}
	b, err := row.decode(nil, parent)
	if err != nil || core.SHA256Hex(b) != sha {
		return nil, damagedBlob(sha, err)
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
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
