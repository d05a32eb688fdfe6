package store

import (
	"fmt"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// names gives "generation name" for each name that counts now.
func names(t *testing.T, s *Store, documentID string, from, before int64) string {
	t.Helper()
	var out []string
	mustRead(t, s, func(tx *Tx) error {
		list, err := tx.VersionNames(documentID, from, before)
		for _, v := range list {
			out = append(out, fmt.Sprint(v.Generation, " ", v.Name))
		}
		return err
	})
	return strings.Join(out, ", ")
}

func give(t *testing.T, s *Store, documentID string, generation int64, name string) VersionName {
	t.Helper()
	var v VersionName
	mustWrite(t, s, func(tx *Tx) (err error) {
		v, err = tx.InsertVersionName(VersionName{DocumentID: documentID, Generation: generation, Name: name, Actor: "test"})
		return err
	})
	return v
}

// D-47: a name is a row that never changes; renaming, moving and taking away are
// later rows, and the newest one counts.
func TestVersionNames(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := seed(t, s, "/page.html", []byte("<p>1"))
	other := seed(t, s, "/other.html", []byte("<p>1"))
	mustWrite(t, s, func(tx *Tx) (err error) {
		for i := range 3 {
			if d, _, err = advance(tx, d, fmt.Appendf(nil, "<p>%d", i+2)); err != nil {
				return err
			}
		}
		return nil
	})
	first := give(t, s, d.ID, 2, "draft")
	if first.Seq == 0 || first.At.IsZero() || first.Actor != "test" {
		t.Errorf("%+v", first)
	}
	give(t, s, other.ID, 1, "draft") // names of another document stand apart
	for _, c := range []struct {
		generation int64
		name, want string
	}{
		{3, "final", "3 final, 2 draft"},
		{3, "draft", "3 draft"}, // moved: generation 2 has none now, and final names nothing
		{4, "final", "4 final, 3 draft"},
		{3, "", "4 final"},
		{2, "草稿", "4 final, 2 草稿"},
		{3, "draft", "4 final, 3 draft, 2 草稿"},
	} {
		give(t, s, d.ID, c.generation, c.name)
		if got := names(t, s, d.ID, 0, 0); got != c.want {
			t.Errorf("after %q for %d: %s, want %s", c.name, c.generation, got, c.want)
		}
	}
	if got := names(t, s, d.ID, 3, 4); got != "3 draft" {
		t.Errorf("a page of them: %s", got)
	}
	if got := names(t, s, other.ID, 0, 0); got != "1 draft" {
		t.Errorf("the other document's: %s", got)
	}
	mustRead(t, s, func(tx *Tx) error {
		v, err := tx.VersionNamed(d.ID, "draft")
		if err != nil || v.Generation != 3 {
			t.Errorf("%+v %v", v, err)
		}
		for _, gone := range []string{"", "Draft", "draft ", "none"} {
			if v, err := tx.VersionNamed(d.ID, gone); core.CodeOf(err) != core.UnknownRevision {
				t.Errorf("%q: %+v %v", gone, v, err)
			}
		}
		return nil
	})
	for _, statement := range []string{
		"UPDATE version_names SET name = 'x'", "UPDATE version_names SET generation = 1", "DELETE FROM version_names",
		"INSERT OR REPLACE INTO version_names SELECT seq, document_id, generation, 'x', actor, at FROM version_names",
		"INSERT INTO version_names VALUES (NULL, '" + d.ID + "', 9, 'x', 'test', 0)",
		"INSERT INTO version_names VALUES (NULL, 'doc_x', 1, 'x', 'test', 0)",
		"INSERT INTO version_names VALUES (NULL, '" + d.ID + "', 1, ' x', 'test', 0)",
		"INSERT INTO version_names VALUES (NULL, '" + d.ID + "', 1, '" + strings.Repeat("x", core.MaxVersionNameRunes+1) + "', 'test', 0)",
	} {
		if _, err := s.write.Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}

// Pages of change sets join without a gap or a double.
func TestChangeSetsBefore(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{})
	d := seed(t, s, "/page.html", []byte("<p>1"))
	mustWrite(t, s, func(tx *Tx) (err error) {
		for i := range 6 {
			if d, _, err = advance(tx, d, fmt.Appendf(nil, "<p>%d", i+2)); err != nil {
				return err
			}
		}
		return nil
	})
	mustRead(t, s, func(tx *Tx) error {
		all, err := tx.ChangeSetsBefore(d.ID, 0, 0)
		if err != nil || len(all) != 6 || all[0].ResultID != d.HeadID {
			t.Fatalf("%d %v", len(all), err)
		}
		var pages []string
		for before := int64(0); ; {
			page, err := tx.ChangeSetsBefore(d.ID, before, 4)
			if err != nil {
				return err
			}
			for _, c := range page {
				pages = append(pages, c.ID)
			}
			if len(page) < 4 {
				break
			}
			r, err := tx.Revision(page[len(page)-1].ResultID)
			if err != nil {
				return err
			}
			before = r.Generation
		}
		for i, c := range all {
			if i >= len(pages) || pages[i] != c.ID {
				t.Fatalf("pages give %v", pages)
			}
		}
		return nil
	})
}
