package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var dated = regexp.MustCompile(`^\d{4}-\d\d-\d\d-[a-z0-9-]+\.md$`)

// TestDecisionsAreDatedAndIndexed: each decision has a dated file with a
// status line and stands in the index.
func TestDecisionsAreDatedAndIndexed(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "decisions")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if e.Name() == "README.md" {
			continue
		}
		n++
		if !dated.MatchString(e.Name()) {
			t.Errorf("%s: a decision's name is YYYY-MM-DD-words.md", e.Name())
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), "\nStatus: ") {
			t.Errorf("%s has no status line", e.Name())
		}
		if !strings.Contains(string(index), "("+e.Name()+")") {
			t.Errorf("%s is not in the index", e.Name())
		}
	}
	if n == 0 {
		t.Error("no decisions")
	}
}
