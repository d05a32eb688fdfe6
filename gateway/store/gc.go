package store

import (
	"time"

	"proofmark/gateway/core"
)

// Garbage counts the rows nothing needs any more. Revisions, change sets,
// anchors, sent notes, turns, attempts and audit rows are never among them.
type Garbage struct {
	Candidates   int64 // drafts of turns that have ended
	EditSessions int64 // that were closed long ago, or expired with nothing typed
	Blobs        int64 // bytes that are no version's
	BlobBytes    int64 // of those, as stored
	Repacked     int64 // versions that stand on such bytes, or on too many others, and are stored anew
}

// Any tells whether there is something to collect.
func (g Garbage) Any() bool {
	return g.Candidates+g.EditSessions+g.Blobs+g.Repacked > 0
}

const (
	orphanCandidates = `SELECT c.turn_id FROM candidates c JOIN turns u ON u.id = c.turn_id WHERE u.state NOT IN ('accepted', 'running')`
	idleEditSessions = `SELECT id FROM edit_sessions WHERE (state = 'expired' AND buffer IS NULL) OR (state = 'closed' AND updated_at <= ?)`
	unusedBlobs      = `FROM blobs b WHERE NOT EXISTS (SELECT 1 FROM revisions r WHERE r.sha256 = b.sha256)`
	// badFooting is of a blob c and its parent b.
	badFooting = `(c.depth = ? OR NOT EXISTS (SELECT 1 FROM revisions r WHERE r.sha256 = b.sha256))
		AND EXISTS (SELECT 1 FROM revisions r WHERE r.sha256 = c.sha256)`
)

// Garbage counts what a collection would remove. Edit sessions count when they
// were closed at or before the time.
func (t *Tx) Garbage(closedBefore time.Time) (Garbage, error) {
	return get(t, core.Errorf(core.Internal, "the database cannot be counted"), func(r scanner) (Garbage, error) {
		var g Garbage
		return g, r.Scan(&g.Candidates, &g.EditSessions, &g.Blobs, &g.BlobBytes, &g.Repacked)
	}, `SELECT (SELECT count(*) FROM (`+orphanCandidates+`)), (SELECT count(*) FROM (`+idleEditSessions+`)),
		(SELECT count(*) `+unusedBlobs+`), (SELECT coalesce(sum(length(b.data)), 0) `+unusedBlobs+`),
		(SELECT count(*) FROM blobs c JOIN blobs b ON b.sha256 = c.parent WHERE `+badFooting+`)`, millis(closedBefore), maxDepth+1)
}

// DeleteIdleEditSessions forgets the edit sessions that were closed at or
// before the time, and the expired ones in which nothing was typed, at most
// limit of them, and tells how many. Text that is in no version stays.
func (t *Tx) DeleteIdleEditSessions(closedBefore time.Time, limit int) (int64, error) {
	return t.exec("DELETE FROM edit_sessions WHERE id IN ("+idleEditSessions+" LIMIT ?)", millis(closedBefore), page(limit))
}

// DeleteUnusedBlobs forgets bytes that are no version's and that no other blob
// stands on, at most limit blobs, and tells how many. Those a blob stood on are
// free the next time.
func (t *Tx) DeleteUnusedBlobs(limit int) (int64, error) {
	return t.exec(`DELETE FROM blobs WHERE sha256 IN (SELECT b.sha256 `+unusedBlobs+`
		AND NOT EXISTS (SELECT 1 FROM blobs c WHERE c.parent = b.sha256) LIMIT ?)`, page(limit))
}

// RepackBlobs stores anew the blobs that stand on bytes no version has, or on
// too many deltas, at most limit of them, and tells how many. Each is read and
// checked against its SHA-256 before: damage stops it.
func (t *Tx) RepackBlobs(limit int) (int64, error) {
	shas, err := list(t, scanText, `SELECT c.sha256 FROM blobs c JOIN blobs b ON b.sha256 = c.parent
		WHERE `+badFooting+` LIMIT ?`, maxDepth+1, page(limit))
	if err != nil {
		return 0, err
	}
	for _, sha := range shas {
		if err := t.repack(sha); err != nil {
			return 0, err
		}
	}
	return int64(len(shas)), nil
}

// repack stores a blob against its nearest ancestor that is a version's, or
// whole, and counts anew what stands on it.
func (t *Tx) repack(sha string) error {
	was, err := get(t, missingBlob(sha), func(r scanner) (storedBlob, error) {
		var b storedBlob
		return b, r.Scan(&b.depth)
	}, "SELECT depth FROM blobs WHERE sha256 = ?", sha)
	if err != nil {
		return err
	}
	ancestors, err := list(t, scanText, `WITH RECURSIVE up (sha256, parent, step) AS (
			SELECT sha256, parent, 0 FROM blobs WHERE sha256 = ?
			UNION ALL
			SELECT b.sha256, b.parent, up.step + 1 FROM up JOIN blobs b ON b.sha256 = up.parent WHERE up.step < ?)
		SELECT sha256 FROM up WHERE step > 0 AND EXISTS (SELECT 1 FROM revisions r WHERE r.sha256 = up.sha256) ORDER BY step LIMIT 1`, sha, 4*maxDepth)
	if err != nil {
		return err
	}
	parent := ""
	if len(ancestors) > 0 && was.depth <= maxDepth {
		parent = ancestors[0]
	}
	b, err := t.readBlob(sha)
	if err != nil {
		return err
	}
	row, err := t.encodeBlob(sha, b, parent, nil)
	if err != nil {
		return err
	}
	return t.reencode(row)
}

// reencode puts another encoding of the same bytes in a blob's place.
func (t *Tx) reencode(row storedBlob) error {
	if err := t.one(missingBlob(row.sha), "UPDATE blobs SET encoding = ?, parent = ?, depth = ?, chain = ?, data = ? WHERE sha256 = ?",
		row.encoding, null(row.parent), row.depth, row.chain, row.data, row.sha); err != nil {
		return err
	}
	return t.recount("sha256 = ?", row.sha)
}

// recount sets how many deltas, and how many bytes of them, lie under the blobs
// that stand on certain ones.
func (t *Tx) recount(under string, args ...any) error {
	_, err := t.exec(`WITH RECURSIVE down (sha256, depth, chain) AS (
			SELECT sha256, depth, chain FROM blobs WHERE `+under+`
			UNION ALL
			SELECT b.sha256, d.depth + 1, d.chain + length(b.data) FROM down d JOIN blobs b ON b.parent = d.sha256 WHERE d.depth < ?)
		UPDATE blobs SET depth = d.depth, chain = d.chain FROM down d
		WHERE blobs.sha256 = d.sha256 AND (blobs.depth <> d.depth OR blobs.chain <> d.chain)`, append(args, 4*maxDepth)...)
	return err
}

// Recount counts anew what all stored bytes stand on.
func (t *Tx) Recount() error {
	if _, err := t.exec("UPDATE blobs SET chain = 0 WHERE parent IS NULL AND chain <> 0"); err != nil {
		return err
	}
	return t.recount("parent IS NULL")
}

// MendBlob stores bytes whole in place of a blob that is damaged or missing;
// one that can be read stays as it is.
func (t *Tx) MendBlob(b []byte) error {
	sha := core.SHA256Hex(b)
	if _, err := t.readBlob(sha); core.CodeOf(err) != core.StorageDamaged {
		return err
	}
	row, err := t.encodeBlob(sha, b, "", nil)
	if err != nil {
		return err
	}
	have, err := list(t, scanText, "SELECT sha256 FROM blobs WHERE sha256 = ?", sha)
	if err != nil {
		return err
	}
	if len(have) > 0 {
		return t.reencode(row)
	}
	_, err = t.exec("INSERT INTO blobs (sha256, bytes, encoding, parent, depth, chain, data) VALUES (?, ?, ?, NULL, 0, 0, ?)",
		row.sha, row.bytes, row.encoding, row.data)
	if err != nil {
		return err
	}
	return t.recount("sha256 = ?", sha)
}
