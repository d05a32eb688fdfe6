package document

import (
	"context"
	"database/sql"
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
		"bytes of a version": {"UPDATE blobs SET data = CAST('<p>forged' AS BLOB), encoding = 'raw', parent = NULL, depth = 0 WHERE encoding = 'delta'"},
		"bytes are gone":     {"PRAGMA foreign_keys = 0", "DELETE FROM blobs WHERE encoding = 'delta'"},
		"edits of a change":  {"DROP TRIGGER change_sets_no_update", "UPDATE change_sets SET edits = '[{\"span\":[0,5],\"replacement\":\"forged\"}]'"},
		"not even JSON":      {"DROP TRIGGER change_sets_no_update", "PRAGMA ignore_check_constraints = 1", "UPDATE change_sets SET edits = '[[['"},
		"a change is gone":   {"PRAGMA foreign_keys = 0", "DROP TRIGGER change_sets_no_delete", "DELETE FROM change_sets"},
		"a version is gone":  {"PRAGMA foreign_keys = 0", "DROP TRIGGER revisions_no_delete", "DELETE FROM revisions WHERE generation = 2"},
		"versions reordered": {"DROP TRIGGER revisions_no_update", "UPDATE revisions SET generation = 99 WHERE generation = 2", "UPDATE revisions SET generation = 2 WHERE generation = 3", "UPDATE revisions SET generation = 3 WHERE generation = 99"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			b := newBench(t, page)
			id := b.open().Document.ID
			first := b.commit(id, edit{1, "First", "Opening"})
			b.commit(id, edit{1, "Second", "Closing"})
			b.damage(func(path string) {
				db, err := sql.Open("sqlite", path)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				db.SetMaxOpenConns(1)
				for _, s := range statements {
					if _, err := db.Exec(s); err != nil {
						t.Fatalf("%s: %v", s, err)
					}
				}
			})
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

func TestIntegrityOfADamagedFile(t *testing.T) {
	b := newBench(t, bigPage(400_000, 1))
	editMany(b, 20, 1)
	b.damage(func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(text) / 2; i < len(text)/2+8192; i++ {
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
