package store

import (
	"fmt"

	"proofmark/gateway/core"
)

// rowChecks are queries for what is wrong, one text a row, and sentences for it.
// Every one holds whatever path a row came in by, at any version of the schema
// from the one that made the tables.
var rowChecks = []struct{ what, query string }{
	// The + keeps the index of a document's audit rows out of it: it would be gone
	// through once for each change.
	{"change %s has no audit row that agrees with it", `SELECT c.id FROM change_sets c LEFT JOIN audit a
		ON a.change_set_id = c.id AND a.kind = 'commit' AND +a.document_id = c.document_id AND a.generation = c.generation
		AND a.actor = c.actor AND a.at = c.at AND a.sha_before = c.sha_before AND a.sha_after = c.sha_after
		AND a.notes = json_array_length(c.notes) AND a.flags = json_array_length(c.flags) AND a.edits = json_array_length(c.edits)
		AND a.bytes_inserted = (SELECT coalesce(sum(octet_length(e.value ->> 'replacement')), 0) FROM json_each(c.edits) e)
		AND a.bytes_removed = (SELECT coalesce(sum((e.value ->> '$.span[1]') - (e.value ->> '$.span[0]')), 0) FROM json_each(c.edits) e)
		WHERE a.seq IS NULL ORDER BY c.document_id, c.generation`},
	{"audit row %s is of a change that is not there, or has another", `SELECT a.seq FROM audit a LEFT JOIN change_sets c ON c.id = a.change_set_id
		WHERE a.kind = 'commit' AND c.id IS NULL
		UNION SELECT max(seq) FROM audit WHERE kind = 'commit' GROUP BY document_id, generation HAVING count(*) > 1`},
	{"audit row %s is of a document that is not there", `SELECT seq FROM audit WHERE document_id NOT IN (SELECT id FROM documents) ORDER BY seq`},
	{"the first version of %s has no audit row with its hash", `SELECT d.path FROM documents d JOIN revisions r ON r.document_id = d.id AND r.generation = 1
		WHERE NOT EXISTS (SELECT 1 FROM audit a WHERE a.document_id = d.id AND a.generation = 1 AND a.sha_after = r.sha256) ORDER BY d.path`},
	{"change %s and the version it made do not agree on who made it, how or when", `SELECT c.id FROM change_sets c JOIN revisions r ON r.id = c.result_id
		WHERE (r.document_id, r.source, r.actor, r.at) IS NOT (c.document_id, c.source, c.actor, c.at) ORDER BY c.document_id, c.generation`},
	{"change %s says that it takes back what it cannot", `SELECT c.id FROM change_sets c JOIN change_sets o ON o.id = c.reverts
		WHERE o.document_id <> c.document_id OR o.generation >= c.generation ORDER BY c.document_id, c.generation`},
	{"change %s is not of a turn of its document that was applied", `SELECT c.id FROM change_sets c WHERE c.source = 'turn' AND c.turn_id IN (SELECT id FROM turns)
		AND NOT EXISTS (SELECT 1 FROM turns u WHERE u.id = c.turn_id AND u.document_id = c.document_id AND u.state = 'applied') ORDER BY c.document_id, c.generation`},
	{"turn %s was applied, but its change is missing", `SELECT id FROM turns u WHERE state = 'applied'
		AND NOT EXISTS (SELECT 1 FROM change_sets c WHERE c.turn_id = u.id) ORDER BY id`},
	{"note %s is not in its turn as it was sent", `SELECT n.id FROM annotations n WHERE n.state = 'sent' AND NOT EXISTS (SELECT 1 FROM turns u, json_each(u.notes) e
		WHERE u.id = n.turn_id AND u.document_id = n.document_id AND e.value ->> 'annotationId' = n.id AND e.value ->> 'instruction' = n.instruction) ORDER BY n.id`},
	{"the stored bytes of generation %s are said to be more or fewer than they are", `SELECT r.generation || ' of ' || d.path FROM revisions r
		JOIN documents d ON d.id = r.document_id JOIN blobs b ON b.sha256 = r.sha256 WHERE b.bytes <> r.bytes ORDER BY d.path, r.generation`},
	{"what the stored bytes %s stand on is counted wrongly", `SELECT b.sha256 FROM blobs b LEFT JOIN blobs p ON p.sha256 = b.parent
		WHERE b.depth <> coalesce(p.depth + 1, 0) OR b.chain <> coalesce(p.chain + length(b.data), 0) ORDER BY b.sha256`},
	{"anchor %s is not the one that was stored", `SELECT id FROM anchors WHERE json_extract(body, '$.id') IS NOT id
		OR json_extract(body, '$.documentId') IS NOT document_id OR json_extract(body, '$.revisionId') IS NOT revision_id
		OR json_extract(body, '$.sourceSha') IS NOT source_sha ORDER BY id`},
	{"anchor %s is not of a version of its document", `SELECT id FROM anchors a WHERE NOT EXISTS (SELECT 1 FROM revisions r
		WHERE r.id = a.revision_id AND r.document_id = a.document_id AND r.sha256 = a.source_sha) ORDER BY id`},
	{"attempt %s was applied, but its change is missing or another", `SELECT key FROM attempts a WHERE state = 'applied'
		AND NOT EXISTS (SELECT 1 FROM change_sets c WHERE c.id = a.change_set_id AND c.document_id = a.document_id AND c.base_id = a.base_id
		AND c.sha_after = a.sha_after) ORDER BY key`},
	{"the right to write %s may be given out a second time", `SELECT d.path FROM documents d LEFT JOIN leases l ON l.document_id = d.id
		WHERE coalesce(l.fence, 0) < (SELECT coalesce(max(a.fence), 0) FROM audit a WHERE a.document_id = d.id) ORDER BY d.path`},
	{"names of generation %s were given or taken away past the audit", `SELECT n.generation || ' of ' || coalesce(d.path, n.document_id) FROM (
			SELECT document_id, generation, kind = 'named' AS given, kind = 'unnamed' AS taken FROM audit
			UNION ALL SELECT document_id, generation, -(name <> ''), -(name = '') FROM version_names) n
		LEFT JOIN documents d ON d.id = n.document_id
		GROUP BY n.document_id, n.generation HAVING sum(given) <> 0 OR sum(taken) <> 0 ORDER BY d.path, n.generation`},
	// Their numbers are given out one by one and the rows are never deleted.
	{"rows of %s are missing", `SELECT name FROM (
			SELECT 'audit' AS name, count(*) AS n, max(seq) AS last FROM audit
			UNION ALL SELECT 'turn_events', count(*), max(seq) FROM turn_events
			UNION ALL SELECT 'version_names', count(*), max(seq) FROM version_names) t
		WHERE n <> coalesce(last, 0) OR n <> coalesce((SELECT s.seq FROM sqlite_sequence s WHERE s.name = t.name), 0)`},
}

// CheckRows compares rows that must agree with each other and gives the
// differences, in sentences.
func (t *Tx) CheckRows() ([]string, error) {
	var out []string
	for _, c := range rowChecks {
		found, err := list(t, scanText, c.query)
		if e := core.AsError(mapError("store.CheckRows", err)); e != nil && e.Code == core.StorageDamaged {
			out = append(out, "the check itself ran into damage: "+e.Err.Error())
			continue
		}
		if err != nil {
			return out, err
		}
		for _, x := range found {
			out = append(out, fmt.Sprintf(c.what, x))
		}
	}
	return out, nil
}
