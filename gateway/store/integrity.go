package store

import (
	"database/sql"
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

// CheckSchema compares the tables, indexes and triggers with those this
// program's migrations make, and gives the differences. A trigger that is gone
// no longer keeps what must never change.
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
	for _, q := range append([]string{migrationsTable}, migrationSQL(t.s)...) {
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
		switch sql, ok := lookUp(have, w.name); {
		case !ok:
			out = append(out, fmt.Sprintf("the %s %s is missing", w.kind, w.name))
		case sql != w.sql:
			out = append(out, fmt.Sprintf("the %s %s was changed", w.kind, w.name))
		}
	}
	for _, h := range have {
		if _, ok := lookUp(want, h.name); !ok {
			out = append(out, fmt.Sprintf("the %s %s is not Proofmark's", h.kind, h.name))
		}
	}
	return out, nil
}

type schemaItem struct{ kind, name, sql string }

func (t *Tx) schema(q queryer) ([]schemaItem, error) {
	rows, err := q.QueryContext(t.ctx, "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY type, name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []schemaItem
	for rows.Next() {
		var x schemaItem
		if err := rows.Scan(&x.kind, &x.name, &x.sql); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, rows.Err()
}

func lookUp(items []schemaItem, name string) (string, bool) {
	for _, x := range items {
		if x.name == name {
			return x.sql, true
		}
	}
	return "", false
}

func migrationSQL(s *Store) []string {
	out := make([]string, 0, len(s.o.migrations))
	for _, m := range s.o.migrations {
		out = append(out, m.SQL)
	}
	return out
}

// CheckRows compares rows that must agree with each other and gives the
// differences, in sentences.
func (t *Tx) CheckRows() ([]string, error) {
	var out []string
	for _, c := range []struct{ what, query string }{
		{"change %s has no audit row with its hashes", `SELECT c.id FROM change_sets c LEFT JOIN audit a
			ON a.change_set_id = c.id AND a.kind = 'commit' AND a.sha_before = c.sha_before AND a.sha_after = c.sha_after
			WHERE a.seq IS NULL ORDER BY c.generation`},
		{"anchor %s is not the one that was stored", `SELECT id FROM anchors WHERE json_extract(body, '$.id') IS NOT id
			OR json_extract(body, '$.documentId') IS NOT document_id OR json_extract(body, '$.revisionId') IS NOT revision_id
			OR json_extract(body, '$.sourceSha') IS NOT source_sha ORDER BY id`},
		{"anchor %s is not of a version of its document", `SELECT id FROM anchors a WHERE NOT EXISTS (SELECT 1 FROM revisions r
			WHERE r.id = a.revision_id AND r.document_id = a.document_id AND r.sha256 = a.source_sha) ORDER BY id`},
		{"attempt %s was applied, but its change is missing", `SELECT key FROM attempts a WHERE state = 'applied'
			AND NOT EXISTS (SELECT 1 FROM change_sets c WHERE c.id = a.change_set_id) ORDER BY key`},
	} {
		ids, err := list(t, scanText, c.query)
		if err != nil {
			return out, err
		}
		for _, id := range ids {
			out = append(out, fmt.Sprintf(c.what, id))
		}
	}
	return out, nil
}

// CheckBlobs reads every blob from disk, past the cache and each one once, and
// compares it with its SHA-256. It calls damaged for each that does not fit, and
// for each that stands on one that does not.
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
	return nil
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
