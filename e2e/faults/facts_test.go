//go:build unix

package faults

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // what the database holds is looked at past the binary
)

func sum(text string) string {
	b := sha256.Sum256([]byte(text))
	return hex.EncodeToString(b[:])
}

// revision is a line of history --json.
type revision struct {
	Generation int    `json:"generation"`
	SHA256     string `json:"sha256"`
	Source     string `json:"source"`
	ChangeSet  string `json:"changeSet"`
}

// line gives the document's revisions, the oldest first; none where the document
// is not known yet.
func (p *place) line() []revision {
	p.t.Helper()
	r := p.run("", "history", "page.html", "--json", "--limit", "100000")
	got := decode[struct {
		Revisions []revision `json:"revisions"`
		Error     *failed    `json:"error"`
	}](p.t, r)
	if r.code == 3 && got.Error != nil && got.Error.Code == "unknown_document" {
		return nil
	}
	if r.code != 0 {
		p.t.Fatalf("the history cannot be read: %s", r)
	}
	slices.Reverse(got.Revisions)
	return got.Revisions
}

// text gives a generation's bytes.
func (p *place) text(generation int) string {
	p.t.Helper()
	return p.want(0, "export", "page.html", "--generation", strconv.Itoa(generation), "--out", "-").out
}

// kept names what is never changed or deleted once it is there, as queries that
// give a text a row.
var kept = map[string]string{
	"revisions":          "SELECT id || generation || sha256 || source FROM revisions",
	"change_sets":        "SELECT id || generation || sha_before || sha_after || edits || notes FROM change_sets",
	"audit":              "SELECT * FROM audit",
	"anchors":            "SELECT id FROM anchors",
	"annotations":        "SELECT id FROM annotations",
	"annotation_targets": "SELECT * FROM annotation_targets",
	"turns":              "SELECT id || message || notes FROM turns",
	"turn_events":        "SELECT seq || kind || body FROM turn_events",
	"attempts":           "SELECT key FROM attempts",
	"version_names":      "SELECT * FROM version_names",
}

// lies are queries that find what cannot be true after a start, each a row.
var lies = map[string]string{
	"a change whose outcome was not settled":        "SELECT key FROM attempts WHERE state = 'pending'",
	"a receipt without its change":                  "SELECT key FROM attempts WHERE state = 'applied' AND change_set_id NOT IN (SELECT id FROM change_sets)",
	"a change called failed":                        "SELECT key FROM attempts WHERE state = 'failed' AND change_set_id IN (SELECT id FROM change_sets)",
	"an applied turn without its change":            "SELECT id FROM turns WHERE state = 'applied' AND id NOT IN (SELECT turn_id FROM change_sets WHERE turn_id IS NOT NULL)",
	"a change of a turn that is not applied":        "SELECT turn_id FROM change_sets WHERE turn_id IN (SELECT id FROM turns WHERE state <> 'applied')",
	"a sent note without its turn":                  "SELECT id FROM annotations WHERE state = 'sent' AND (turn_id IS NULL OR turn_id NOT IN (SELECT id FROM turns))",
	"a head that is not the newest":                 "SELECT id FROM documents d WHERE generation <> (SELECT max(generation) FROM revisions WHERE document_id = d.id)",
	"a draft of a turn that has ended":              "SELECT turn_id FROM candidates WHERE turn_id IN (SELECT id FROM turns WHERE state NOT IN ('accepted', 'running'))",
	"a revision that does not follow from its base": "SELECT r.id FROM revisions r JOIN change_sets c ON c.id = r.change_set_id JOIN revisions b ON b.id = r.parent_id WHERE c.sha_before <> b.sha256 OR c.sha_after <> r.sha256 OR b.generation <> r.generation - 1",
}

// database opens the place's database, which no process uses now.
func (p *place) database() *sql.DB {
	p.t.Helper()
	u := url.URL{Scheme: "file", Path: filepath.Join(p.data(), "proofmark.db"), RawQuery: "mode=rw"}
	db, err := sql.Open("sqlite", u.String())
	p.must(err)
	db.SetMaxOpenConns(1)
	return db
}

// column runs a query and gives its rows as text.
func column(db *sql.DB, query string) ([]string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		cells := make([]any, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, c := range cells {
			fmt.Fprintf(&b, "%v|", *c.(*any))
		}
		out = append(out, b.String())
	}
	return out, rows.Err()
}

// facts is what a place holds.
type facts struct {
	file string
	line []revision
	rows map[string][]string // by the names of kept
}

func (f facts) head() revision {
	if len(f.line) == 0 {
		return revision{}
	}
	return f.line[len(f.line)-1]
}

// look starts the binary anew, which settles what was left unfinished, and reads
// what is there. The database is sound, and nothing in it is untrue.
func (p *place) look(label string) facts {
	p.t.Helper()
	f := facts{line: p.line(), rows: map[string][]string{}}
	if b, err := os.ReadFile(p.page()); err == nil {
		f.file = string(b)
	}
	db := p.database()
	defer db.Close()
	for name, query := range kept {
		rows, err := column(db, query)
		if err != nil && !strings.Contains(err.Error(), "no such table") {
			p.t.Fatalf("%s: %s: %v", label, name, err)
		}
		slices.Sort(rows)
		f.rows[name] = rows
	}
	for what, query := range lies {
		rows, err := column(db, query)
		if err != nil || len(rows) > 0 {
			p.t.Fatalf("%s: %s: %v %v", label, what, rows, err)
		}
	}
	for _, check := range []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"} {
		if rows, err := column(db, check); err != nil || strings.Join(rows, "") != "ok|" && len(rows) > 0 {
			p.t.Fatalf("%s: %s: %v %v", label, check, rows, err)
		}
	}
	return f
}

// held fails unless everything a place held before is there now, and the head is
// at most so many revisions further. The page is what it was or a version that was
// made since; the head can be read.
func (p *place) held(label string, before facts, more int) facts {
	p.t.Helper()
	now := p.look(label)
	if n := len(now.line) - len(before.line); n < 0 || n > more || !slices.Equal(now.line[:len(before.line)], before.line) {
		p.t.Fatalf("%s: the history was %v and is %v", label, before.line, now.line)
	}
	for name, rows := range before.rows {
		for _, row := range rows {
			if _, ok := slices.BinarySearch(now.rows[name], row); !ok {
				p.t.Fatalf("%s: %s lost %s", label, name, row)
			}
		}
	}
	if now.file != before.file && sum(now.file) != now.head().SHA256 &&
		!slices.ContainsFunc(now.line[len(before.line):], func(r revision) bool { return r.SHA256 == sum(now.file) }) {
		p.t.Fatalf("%s: the page is neither what it was nor a version made since: %q", label, now.file)
	}
	if len(now.line) > 0 {
		if got := p.text(now.head().Generation); sum(got) != now.head().SHA256 {
			p.t.Fatalf("%s: the newest version is not its SHA-256: %q", label, got)
		}
	}
	return now
}

// tidy fails when a run left something beside the page or in the data directory.
func (p *place) tidy(label string, beside ...string) {
	p.t.Helper()
	for dir, may := range map[string][]string{
		p.folder(): append(beside, "page.html"),
		p.data():   {"proofmark.db", "locks"},
	} {
		entries, err := os.ReadDir(dir)
		p.must(err)
		for _, e := range entries {
			if !slices.Contains(may, e.Name()) {
				p.t.Errorf("%s: left behind: %s", label, e.Name())
			}
		}
	}
}
