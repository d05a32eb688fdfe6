package store

import (
	"database/sql"

	"proofmark/gateway/core"
)

const (
	// maxDepth bounds how many deltas are applied to read a blob; the next blob
	// is stored whole. docs/decisions/2026-11-30-compact-history.md has the
	// figures.
	maxDepth = 64
	// cacheBytes bounds the bytes of blobs kept in memory.
	cacheBytes = 48 << 20
)

// storedBlob is a row of the table.
type storedBlob struct {
	sha      string
	bytes    int
	encoding string
	parent   string
	depth    int
	chain    int
	data     []byte
}

// PutBlob stores bytes under their SHA-256 and gives it. parent names a blob
// of similar bytes, normally the revision before, or is empty. The caller must
// not change the bytes afterwards.
func (t *Tx) PutBlob(b []byte, parent string) (string, error) {
	sha := core.SHA256Hex(b)
	return sha, t.PutBlobAs(sha, b, parent, nil)
}

// PutBlobAs is PutBlob for a caller that knows the SHA-256 of the bytes, and
// stands for it, and may know the edits that make them from the parent's.
func (t *Tx) PutBlobAs(sha string, b []byte, parent string, edits []core.Edit) error {
	if have, err := list(t, scanText, "SELECT encoding FROM blobs WHERE sha256 = ?", sha); err != nil || len(have) > 0 {
		return err
	}
	row, err := t.encodeBlob(sha, b, parent, edits)
	if err != nil {
		return err
	}
	if _, err := t.exec("INSERT INTO blobs (sha256, bytes, encoding, parent, depth, chain, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
		row.sha, row.bytes, row.encoding, null(row.parent), row.depth, row.chain, row.data); err != nil {
		return err
	}
	t.onCommit = append(t.onCommit, func() { t.s.cache.add(sha, b) })
	return nil
}

// encodeBlob chooses between a delta and a whole copy. A delta is taken while
// the chain stays short and the bytes of all its deltas together stay below
// half of the whole blob.
func (t *Tx) encodeBlob(sha string, b []byte, parent string, edits []core.Edit) (storedBlob, error) {
	if parent != "" {
		p, err := get(t, missingBlob(parent), func(r scanner) (storedBlob, error) {
			var p storedBlob
			return p, r.Scan(&p.depth, &p.chain)
		}, "SELECT depth, chain FROM blobs WHERE sha256 = ?", parent)
		if err != nil {
			return p, err
		}
		if p.depth < maxDepth && p.chain < len(b)/2 {
			before, err := t.Blob(parent)
			if err != nil {
				return p, err
			}
			var delta []byte
			if len(edits) > 1 {
				delta = encodeEdits(before, b, edits)
			}
			if delta == nil {
				if delta, err = encodeDelta(before, b); err != nil {
					return p, err
				}
			}
			if chain := p.chain + len(delta); chain < len(b)/2 {
				return storedBlob{sha: sha, bytes: len(b), encoding: "delta", parent: parent, depth: p.depth + 1, chain: chain, data: delta}, nil
			}
		}
	}
	if len(b) > rawMiddleBytes {
		packed, err := zstdAgainst(nil, nil, b)
		if err != nil {
			return storedBlob{}, err
		}
		if len(packed) < len(b) {
			return storedBlob{sha: sha, bytes: len(b), encoding: "zstd", data: packed}, nil
		}
	}
	return storedBlob{sha: sha, bytes: len(b), encoding: "raw", data: append([]byte{}, b...)}, nil
}

// Blob gives the bytes with the SHA-256. They are checked against it when they
// come from disk; what does not fit gives StorageDamaged. The caller must not
// change them.
func (t *Tx) Blob(sha string) ([]byte, error) {
	if b, ok := t.s.cache.get(sha); ok {
		return b, nil
	}
	b, err := t.readBlob(sha)
	if err != nil {
		return nil, err
	}
	t.s.cache.add(sha, b)
	return b, nil
}

// readBlob reads and checks a blob, past the cache.
func (t *Tx) readBlob(sha string) ([]byte, error) {
	chain, err := t.blobChain(sha)
	if err != nil {
		return nil, err
	}
	var out, room []byte
	for i := len(chain) - 1; i >= 0; i-- { // from the whole copy to the blob itself
		next, err := chain[i].decode(room, out)
		if err != nil {
			return nil, damagedBlob(sha, err)
		}
		out, room = next, out
	}
	if core.SHA256Hex(out) != sha {
		return nil, damagedBlob(sha, nil)
	}
	return out, nil
}

// blobChain gives the blob and its ancestors up to the first whole copy.
func (t *Tx) blobChain(sha string) ([]storedBlob, error) {
	chain, err := list(t, func(r scanner) (storedBlob, error) {
		var b storedBlob
		var parent sql.NullString
		err := r.Scan(&b.sha, &b.bytes, &b.encoding, &parent, &b.depth, &b.data)
		b.parent = parent.String
		return b, err
	}, `WITH RECURSIVE up (sha256, parent, step) AS (
			SELECT sha256, parent, 0 FROM blobs WHERE sha256 = ?
			UNION ALL
			SELECT b.sha256, b.parent, up.step + 1 FROM up JOIN blobs b ON b.sha256 = up.parent WHERE up.step < ?)
		SELECT b.sha256, b.bytes, b.encoding, b.parent, b.depth, b.data FROM up JOIN blobs b ON b.sha256 = up.sha256 ORDER BY up.step`,
		sha, 4*maxDepth)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return nil, missingBlob(sha)
	}
	if chain[len(chain)-1].encoding == "delta" {
		return nil, damagedBlob(sha, errBadDelta)
	}
	return chain, nil
}

// decode unpacks a blob; a delta into the room of a buffer no longer needed.
func (b storedBlob) decode(room, parent []byte) ([]byte, error) {
	if b.bytes > maxBlobBytes {
		return nil, errBadDelta
	}
	switch b.encoding {
	case "raw":
		return b.data, nil
	case "zstd":
		return unzstdAgainst(make([]byte, 0, b.bytes), nil, b.data)
	default:
		return applyDelta(room, parent, b.data, b.bytes)
	}
}

// BlobList lists the SHA-256 of all stored blobs after `after`, in order, at
// most limit (0 for all).
func (t *Tx) BlobList(after string, limit int) ([]string, error) {
	return list(t, scanText, "SELECT sha256 FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?", after, page(limit))
}

// CheckBlob reads a blob from disk, past the cache, and compares it with its
// SHA-256.
func (t *Tx) CheckBlob(sha string) error {
	_, err := t.readBlob(sha)
	return err
}

func missingBlob(sha string) *core.Error {
	return damagedBlob(sha, nil)
}

func damagedBlob(sha string, cause error) *core.Error {
	e := damaged(cause)
	e.Message = "the stored bytes of a version are damaged or missing"
	return e.With("sha256", sha)
}
