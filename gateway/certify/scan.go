package certify

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"proofmark/gateway/store"
)

const (
	// minSecretBytes is how long a credential is at least; what is shorter
	// would be found everywhere.
	minSecretBytes = 8
	// pieceBytes is how long a piece of an instruction or a page is that gives
	// it away.
	pieceBytes = 16
)

// credential finds what looks like a key, whoever it is for.
var credential = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\beyJ[A-Za-z0-9_-]{8,}\.eyJ|(?i:\bbearer +[A-Za-z0-9._~+/-]{12,})|(?i:x-api-key)\W`)

func holdsCredential(b []byte, secrets []string) bool {
	for _, s := range secrets {
		if len(s) >= minSecretBytes && bytes.Contains(b, []byte(s)) {
			return true
		}
	}
	return credential.Match(b)
}

// holdsWords tells whether b holds pieceBytes or more of one of the texts in a
// row, as it stands or as JSON writes it.
func holdsWords(b []byte, texts []string) bool {
	plain := strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(string(b))
	for _, t := range texts {
		for i := 0; i+pieceBytes <= len(t); i++ {
			if strings.Contains(plain, t[i:i+pieceBytes]) {
				return true
			}
		}
	}
	return false
}

// scan looks through the temporary folder: no file may hold a credential, and
// there may be no files but the database's and the pages.
func scan(dir string, secrets []string) (Scan, error) {
	var s Scan
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		s.Files++
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() { // what a link leads to is not looked at
			s.Strays = true
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s.Strays = s.Strays || !expected(filepath.ToSlash(rel), len(b))
		s.Credentials = s.Credentials || holdsCredential(b, secrets)
		return nil
	})
	s.Done = err == nil
	return s, err
}

// expected tells whether a file belongs into the folder: a page, the database
// with what SQLite puts beside it, or an empty lock.
func expected(rel string, size int) bool {
	dir, name := path.Split(rel)
	switch dir {
	case "pages/":
		return path.Ext(name) == ".html"
	case "data/":
		return strings.HasPrefix(name, store.FileName)
	}
	return dir == "data/locks/" && size == 0
}
