package document

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// damage closes the store, changes the database behind its back and opens it
// again.
func (b *bench) damage(fn func(path string)) {
	b.t.Helper()
	if err := b.st.Close(); err != nil {
		b.t.Fatal(err)
	}
	fn(filepath.Join(b.data, store.FileName))
	st, err := store.Open(b.data, store.Options{Now: b.clock.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = st.Close() })
	b.st, b.s = st, New(st, Options{LeaseWait: -1})
}

// Attack 35: someone changes the version store on disk. Each change is found,
// reading what it touches is refused, and nothing is written into the file.
func TestTamperedStore(t *testing.T) {
	for name, statements := range map[string][]string{
		"bytes of a version":       {"UPDATE blobs SET data = CAST('<p>forged' AS BLOB), encoding = 'raw', parent = NULL, depth = 0 WHERE encoding = 'delta'"},
		"bytes are gone":           {"PRAGMA foreign_keys = 0", "DELETE FROM blobs WHERE encoding = 'delta'"},
		"edits of a change":        {"DROP TRIGGER change_sets_no_update", "UPDATE change_sets SET edits = '[{\"span\":[0,5],\"replacement\":\"forged\"}]'"},
		"not even JSON":            {"DROP TRIGGER change_sets_no_update", "PRAGMA ignore_check_constraints = 1", "UPDATE change_sets SET edits = '[[['"},
		"a change is gone":         {"PRAGMA foreign_keys = 0", "DROP TRIGGER change_sets_no_delete", "DELETE FROM change_sets"},
		"a version is gone":        {"PRAGMA foreign_keys = 0", "DROP TRIGGER revisions_no_delete", "DELETE FROM revisions WHERE generation = 2"},
		"a guard is gone":          {"DROP TRIGGER audit_no_update"},
		"a guard was changed":      {"DROP TRIGGER audit_no_update", "CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT 1; END"},
		"an audit row is gone":     {"DROP TRIGGER audit_no_delete", "DELETE FROM audit WHERE generation = 2"},
		"an audit row lies":        {"DROP TRIGGER audit_no_update", "UPDATE audit SET sha_after = sha_before WHERE generation = 2"},
		"what the file held":       {"DROP TRIGGER documents_step", "UPDATE documents SET synced_sha = '" + strings.Repeat("0", 64) + "'"},
		"the head is an older one": {"DROP TRIGGER documents_step", "UPDATE documents SET generation = 2, head_id = (SELECT id FROM revisions WHERE generation = 2)"},
		"the head is another":      {"DROP TRIGGER documents_step", "UPDATE documents SET head_id = (SELECT id FROM revisions WHERE generation = 2)"},
		"bytes on themselves":      {"UPDATE blobs SET parent = sha256 WHERE depth = 2"},
		"a gap of a million":       {"DROP TRIGGER revisions_no_update", "UPDATE revisions SET generation = 1000000000 WHERE generation = 3"},
		"a length":                 {"DROP TRIGGER revisions_no_update", "UPDATE revisions SET bytes = bytes + 1 WHERE generation = 1"},
		"a count of an audit row":  {"DROP TRIGGER audit_no_update", "UPDATE audit SET bytes_inserted = 1 WHERE generation = 3"},
		"who, in an audit row":     {"DROP TRIGGER audit_no_update", "UPDATE audit SET actor = 'eve' WHERE generation = 3"},
		"the import's audit row":   {"DROP TRIGGER audit_no_delete", "DELETE FROM audit WHERE kind = 'import'"},
		"the last audit row":       {"DROP TRIGGER audit_no_delete", "DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)"},
		"an audit row twice":       {"INSERT INTO audit SELECT NULL, at, kind, document_id, 'eve', generation, change_set_id, sha_before, sha_after, 0, 0, 0, 0, 0, 0 FROM audit WHERE generation = 2"},
		"an audit row of nothing":  {"INSERT INTO audit SELECT NULL, at, 'moved', 'doc_none', actor, 1, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 FROM audit WHERE generation = 2"},
		"who made a version":       {"DROP TRIGGER revisions_no_update", "UPDATE revisions SET actor = 'eve' WHERE generation = 2"},
		"when a version was made":  {"DROP TRIGGER revisions_no_update", "UPDATE revisions SET at = at - 1 WHERE generation = 2"},
		"how a change was made":    {"DROP TRIGGER change_sets_no_update", "UPDATE change_sets SET source = 'turn' WHERE generation = 3"},
		"other edits, one result": {"DROP TRIGGER change_sets_no_update", `UPDATE change_sets SET edits = json_insert(edits, '$[#]',
			json_object('span', json_array(0, 1), 'replacement', '<')) WHERE generation = 3`},
		"a name is gone":            {"DROP TRIGGER version_names_no_delete", "DELETE FROM version_names"},
		"a name of another version": {"DROP TRIGGER version_names_no_update", "UPDATE version_names SET generation = 1"},
		"a fencing token goes back": {"DROP TRIGGER leases_fence_grows", "UPDATE leases SET fence = 1"},
		"a lease is gone":           {"DROP TRIGGER leases_no_delete", "DELETE FROM leases"},
		"a stored length":           {"DROP TRIGGER blobs_keep_name", "UPDATE blobs SET bytes = bytes + 1 WHERE depth = 0"},
		"a depth":                   {"UPDATE blobs SET depth = 65 WHERE depth = 2"},
		"a guard named as a table":  {"CREATE TRIGGER blobs AFTER INSERT ON audit BEGIN DELETE FROM settings; END"},
		"a guard named as SQLite's": {"PRAGMA writable_schema = 1", "INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_x', 'audit', 0, 'CREATE TRIGGER sqlite_x AFTER INSERT ON audit BEGIN DELETE FROM settings; END')"},
		"versions reordered":        {"DROP TRIGGER revisions_no_update", "UPDATE revisions SET generation = 99 WHERE generation = 2", "UPDATE revisions SET generation = 2 WHERE generation = 3", "UPDATE revisions SET generation = 3 WHERE generation = 99"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			b := newBench(t, page)
			id := b.open().Document.ID
			first := b.commit(id, edit{1, "First", "Opening"})
			b.commit(id, edit{1, "Second", "Closing"})
			if _, err := b.s.Name(ctx, NameRequest{DocumentID: id, Generation: 2, Name: "a name", Actor: "test"}); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "a guard") {
				b.damage(func(path string) { b.run(path, statements) })
			} else {
				b.outside(statements...)
			}
			r, err := b.s.Integrity(ctx)
			if err != nil || len(r.Problems) == 0 {
				t.Errorf("nothing was found (%v)", err)
			}
			if _, err := b.s.Revert(ctx, id, first.ChangeSet.ID, 0, "test"); err == nil {
				if head := b.head(id); strings.Contains(head, "forged") {
					t.Errorf("forged bytes became a version: %q", head)
				}
			}
			_, _ = b.s.WriteBack(ctx, id)
			if got := b.file(); strings.Contains(got, "forged") {
				t.Errorf("forged bytes reached the file: %q", got)
			}
		})
	}
}

// outside runs SQL on the database behind the store's back, and puts the
// triggers back that it drops: what they guard must be found without them.
func (b *bench) outside(statements ...string) {
	b.t.Helper()
	b.damage(func(path string) {
		triggers := b.triggers(path)
		b.run(path, statements)
		left := b.triggers(path)
		var back []string
		for name, text := range triggers {
			if left[name] == "" {
				back = append(back, text)
			}
		}
		b.run(path, back)
	})
}

func (b *bench) run(path string, statements []string) {
	b.t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			b.t.Fatalf("%s: %v", s, err)
		}
	}
}

// triggers gives the triggers' SQL by their names.
func (b *bench) triggers(path string) map[string]string {
	b.t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			b.t.Fatal(err)
		}
		out[name] = text
	}
	return out
}

// The report names the generations that cannot be read and those that the
// changes still make; Repair stores exactly those, and nothing that was not
// there.
func TestRepair(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, bigPage(20_000, 3))
	editMany(b, 12, 1)
	id := b.open().Document.ID
	var want [][]byte
	for g := int64(1); g <= 13; g++ {
		r, err := b.s.Revision(ctx, id, g)
		if err != nil {
			t.Fatal(err)
		}
		text, err := b.s.Bytes(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
	}
	// Generation 5 is damaged, and with it all that stands on it.
	b.outside("UPDATE blobs SET data = x'000000' WHERE sha256 = (SELECT sha256 FROM revisions WHERE generation = 5)")
	r, err := b.s.Integrity(ctx)
	if err != nil || len(r.Documents) != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	h := r.Documents[0]
	if len(h.Unreadable) != 9 || h.Unreadable[0] != 5 || h.NewestReadable() != 4 || len(h.Remade) != 9 || h.Generation != 13 {
		t.Errorf("%+v", h)
	}
	e := wantCode(t, r.Err(""), core.StorageDamaged)
	if e.Hint == "" || e.Detail["problems"] == nil {
		t.Errorf("%+v", e)
	}
	after, n, err := b.s.Repair(ctx)
	if err != nil || n != 9 || len(after.Problems) > 0 {
		t.Fatalf("%+v %d %v", after, n, err)
	}
	b.outside() // opened anew, past the cache
	for i, text := range want {
		r, err := b.s.Revision(ctx, id, int64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.s.Bytes(ctx, r.ID); err != nil || !bytes.Equal(got, text) {
			t.Errorf("generation %d: %v", i+1, err)
		}
	}
	if _, n, err := b.s.Repair(ctx); n != 0 || err != nil {
		t.Errorf("a sound database was repaired: %d %v", n, err)
	}

	// Bytes that are gone, and counts of what bytes stand on.
	b.outside("PRAGMA foreign_keys = 0", "DELETE FROM blobs WHERE sha256 = (SELECT sha256 FROM revisions WHERE generation = 7)",
		"UPDATE blobs SET depth = depth + 1, chain = 0 WHERE depth > 1")
	if r, err = b.s.Integrity(ctx); err != nil || len(r.Documents[0].Remade) == 0 || r.Documents[0].Unreadable[0] != 7 {
		t.Errorf("%+v %v", r, err)
	}
	if after, n, err = b.s.Repair(ctx); err != nil || n == 0 || len(after.Problems) > 0 {
		t.Errorf("%+v %d %v", after, n, err)
	}

	// The first version has no change that makes it, nor then have the others.
	b.outside("UPDATE blobs SET data = x'00' WHERE depth = 0")
	r, n, err = b.s.Repair(ctx)
	if err != nil || n != 0 || len(r.Problems) == 0 || len(r.Documents[0].Remade) != 0 || r.Documents[0].NewestReadable() != 0 {
		t.Errorf("%d %v %+v", n, err, r.Documents)
	}
}

// A trigger that somebody put into the database does not get its way through a
// repair.
func TestRepairRunsNoForeignTrigger(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	b.outside("UPDATE blobs SET data = x'00' WHERE depth = 1",
		"CREATE TRIGGER blobs AFTER UPDATE ON blobs BEGIN INSERT INTO settings VALUES ('was', 'here'); END")
	r, n, err := b.s.Repair(context.Background())
	if err != nil || n != 0 || len(r.Documents[0].Remade) != 1 {
		t.Errorf("%+v %d %v", r, n, err)
	}
	if err := b.st.Read(context.Background(), func(tx *store.Tx) error {
		if _, was, err := tx.Setting("was"); err != nil || was {
			t.Errorf("the trigger ran (%v)", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A revert of the edits of a damaged change is never taken for a repair: what
// does not make the version's SHA-256 is not stored.
func TestRepairStoresNothingForged(t *testing.T) {
	ctx := context.Background()
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	b.outside("DROP TRIGGER change_sets_no_update", `UPDATE change_sets SET edits = '[{"span":[0,5],"replacement":"forged"}]'`,
		"UPDATE blobs SET data = x'00', encoding = 'raw', parent = NULL, depth = 0 WHERE encoding = 'delta'")
	r, n, err := b.s.Repair(ctx)
	if err != nil || n != 0 || len(r.Problems) == 0 {
		t.Errorf("%d %v %+v", n, err, r)
	}
}

func TestIntegrityOfADamagedFile(t *testing.T) {
	b := newBench(t, bigPage(400_000, 1))
	editMany(b, 20, 1)
	b.damage(func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 3 * len(text) / 4; i < 3*len(text)/4+8192; i++ { // behind the tables that opening reads
			text[i] ^= 0xff
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r, err := b.s.Integrity(context.Background())
	if err != nil || len(r.Problems) == 0 {
		t.Errorf("nothing was found (%v)", err)
	}
	// Where it lies in tables nothing is repaired; where it lies in bytes, they are.
	after, n, err := b.s.Repair(context.Background())
	if err != nil || n == 0 && len(after.Problems) == 0 {
		t.Errorf("%d repaired, %d problems left (%v)", n, len(after.Problems), err)
	}
}

// A sound store has no problems, and is told apart from one that cannot be
// read.
func TestIntegrityOfASoundStore(t *testing.T) {
	b := newBench(t, page)
	id := b.open().Document.ID
	b.commit(id, edit{1, "First", "Opening"})
	r, err := b.s.Integrity(context.Background())
	if err != nil || len(r.Problems) != 0 || r.Usage.Revisions != 2 || r.Usage.Blobs != 2 {
		t.Errorf("%+v %v", r, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = b.s.Integrity(ctx)
	wantCode(t, err, core.Cancelled)
}

// D-84: a database three migrations old, with all that one can do in it, is
// sound in every respect once it is brought up to date, and goes on.
func TestIntegrityOfSchema3(t *testing.T) {
	ctx := context.Background()
	f, err := os.Open("../store/testdata/schema3.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	old, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, page)
	b.damage(func(path string) {
		if err := os.WriteFile(path, old, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r, err := b.s.Integrity(ctx)
	if err != nil || len(r.Problems) > 0 || len(r.Documents) != 1 || r.Usage.Revisions != 10 {
		t.Fatalf("%+v %v", r, err)
	}
	id := r.Documents[0].DocumentID
	changes, err := b.s.Changes(ctx, id, 0)
	if err != nil || len(changes) != 9 {
		t.Fatalf("%d changes (%v)", len(changes), err)
	}
	if res, err := b.s.Revert(ctx, id, changes[0].ID, 0, "test"); err != nil || res.Revision.Generation != 11 {
		t.Errorf("%+v %v", res, err)
	}
	if r, err := b.s.Integrity(ctx); err != nil || len(r.Problems) > 0 {
		t.Errorf("%+v %v", r, err)
	}
}

// An anchor that no longer lies on its tag, or is not the one that was stored,
// is found.
func TestIntegrityOfAnchors(t *testing.T) {
	ctx := context.Background()
	for name, statement := range map[string]string{
		"":              "",
		"moved":         "UPDATE anchors SET body = json_set(body, '$.startTag', json('[1,5]'))",
		"out of bounds": "UPDATE anchors SET body = json_set(body, '$.startTag', json('[4,999999]'))",
		"another hash":  "UPDATE anchors SET body = json_set(body, '$.tagHash', 'x')",
		"another body":  "UPDATE anchors SET body = json_set(body, '$.sourceSha', 'x')",
		"another page":  "UPDATE anchors SET source_sha = printf('%064d', 0), body = json_set(body, '$.sourceSha', printf('%064d', 0))",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, page)
			o := b.open()
			tag := spanOf(page, "<h1>")
			a := core.Anchor{
				ID: "anc_1", DocumentID: o.Document.ID, RevisionID: o.Head.ID, SourceSHA: o.Head.SHA256, Name: "h1", StartTag: tag,
				TagHash: core.SHA256Hex([]byte("<h1>")),
			}
			if err := b.st.Write(ctx, func(tx *store.Tx) error { return tx.InsertAnchor(a) }); err != nil {
				t.Fatal(err)
			}
			if statement != "" {
				b.outside("DROP TRIGGER anchors_no_update", statement)
			}
			r, err := b.s.Integrity(ctx)
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Contains(strings.Join(r.Problems, "\n"), "anchor anc_1")
			if found != (statement != "") {
				t.Errorf("%q", r.Problems)
			}
		})
	}
}
