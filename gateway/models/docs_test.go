package models

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// TestDocumentShowsWhatWorks: the file that docs/models.md shows is one, its
// tables name every field and every code there is.
func TestDocumentShowsWhatWorks(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(doc, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d files are shown", len(blocks))
	}
	if c := mustLoad(t, blocks[0][1], noenv); len(c.entries) != 5 {
		t.Errorf("%+v", c.entries)
	}
	for _, name := range []string{"name", "provider", "model", "baseUrl", "key", "vision", "maxTokens", "mode", "tiers", "proposers", "aggregator"} {
		if !strings.Contains(doc, "| `"+name+"`") && !strings.Contains(doc, ", `"+name+"` |") {
			t.Errorf("the field %s is in no table", name)
		}
	}
	for _, code := range core.Codes() {
		if s := string(code); (strings.HasPrefix(s, "model_") || code == core.NoModel) && !strings.Contains(doc, "| `"+s+"` |") {
			t.Errorf("the code %s is in no table", s)
		}
	}
}
