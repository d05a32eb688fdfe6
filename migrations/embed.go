// Package migrations holds the numbered SQL files of the database and their
// checksums. Migrations only go forward; a file that was released is never
// changed, because every database remembers the checksum of what it ran.
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed *.sql
var files embed.FS

// Migration is one step of the schema.
type Migration struct {
	Version int    // from 1, without gaps
	Name    string // the file's name, such as "0001_documents.sql"
	SQL     string
	SHA256  string // of SQL, lower-case hexadecimal
}

// All gives every migration in order.
func All() ([]Migration, error) { return Read(files) }

// Read gives the migrations of a file system in order: every *.sql file in its
// root, named NNNN_what.sql, numbered from 1 without gaps.
func Read(fsys fs.FS) ([]Migration, error) {
	names, err := fs.Glob(fsys, "*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	out := make([]Migration, 0, len(names))
	for i, name := range names {
		number, _, ok := strings.Cut(name, "_")
		version, err := strconv.Atoi(number)
		if !ok || err != nil || len(number) != 4 || version != i+1 {
			return nil, fmt.Errorf("migrations: %q: want the name %04d_what.sql", name, i+1)
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		out = append(out, New(version, name, string(text)))
	}
	return out, nil
}

// New makes a Migration and its checksum. Line ends count as LF, so that a
// checkout on Windows gives the same checksums.
func New(version int, name, sql string) Migration {
	sql = strings.ReplaceAll(sql, "\r\n", "\n")
	sum := sha256.Sum256([]byte(sql))
	return Migration{Version: version, Name: name, SQL: sql, SHA256: hex.EncodeToString(sum[:])}
}
