package store

import (
	"math"
	"time"

	"proofmark/gateway/core"
)

// VersionName is a name that a person gave to a version of a document. An empty
// Name took the version's name away.
type VersionName struct {
	Seq        int64
	DocumentID string
	Generation int64
	Name       string
	Actor      string
	At         time.Time
}

const versionNameColumns = "seq, document_id, generation, name, actor, at"

// standing picks the rows that count now: no later one gives the version
// another name or the name to another version.
const standing = ` FROM version_names v WHERE name <> ''
	AND NOT EXISTS (SELECT 1 FROM version_names w WHERE w.document_id = v.document_id AND w.generation = v.generation AND w.seq > v.seq)
	AND NOT EXISTS (SELECT 1 FROM version_names w WHERE w.document_id = v.document_id AND w.name = v.name AND w.seq > v.seq)`

func scanVersionName(r scanner) (VersionName, error) {
	var v VersionName
	var at int64
	err := r.Scan(&v.Seq, &v.DocumentID, &v.Generation, &v.Name, &v.Actor, &at)
	v.At = fromMillis(at)
	return v, err
}

// InsertVersionName gives a version a name, or takes it away; its number and
// time are the transaction's. Rows are immutable: the newest one counts.
func (t *Tx) InsertVersionName(v VersionName) (VersionName, error) {
	v.At = t.now
	return get(t, core.Errorf(core.Internal, "the name was not stored"), scanVersionName, `INSERT INTO version_names
		(document_id, generation, name, actor, at) VALUES (?, ?, ?, ?, ?) RETURNING `+versionNameColumns,
		v.DocumentID, v.Generation, v.Name, v.Actor, millis(v.At))
}

// VersionNames lists the names that the versions of a document have now, the
// newest version first: those of generations in [from, before), where 0 means
// no bound.
func (t *Tx) VersionNames(documentID string, from, before int64) ([]VersionName, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return list(t, scanVersionName, "SELECT "+versionNameColumns+standing+
		" AND document_id = ? AND generation >= ? AND generation < ? ORDER BY generation DESC", documentID, from, before)
}

// VersionNamed gives the version that has a name now, or UnknownRevision.
func (t *Tx) VersionNamed(documentID, name string) (VersionName, error) {
	return get(t, core.Errorf(core.UnknownRevision, "the document has no version named “%s”", name), scanVersionName,
		"SELECT "+versionNameColumns+standing+" AND document_id = ? AND name = ?", documentID, name)
}

// ChangeSetsBefore lists change sets, the newest first: those whose result
// comes before the generation `before` (0 for all), at most limit (0 for all).
func (t *Tx) ChangeSetsBefore(documentID string, before int64, limit int) ([]core.ChangeSet, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return list(t, scanChangeSet, "SELECT "+changeSetColumns+` FROM change_sets
		WHERE document_id = ? AND generation < ? ORDER BY generation DESC LIMIT ?`, documentID, before, page(limit))
}
