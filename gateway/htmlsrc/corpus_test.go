package htmlsrc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// corpusCase is one document of the html5lib corpus.
type corpusCase struct {
	ID  string
	Src []byte
}

// html5lib reads the tree-construction documents that come with the x/net
// module, without repeats. Fragment and script-on cases count as documents.
func html5lib(t *testing.T) []corpusCase {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Skipf("SKIPPED, NOT PASSED: the golang.org/x/net module cannot be found: %v", err)
	}
	var files []string
	for _, sub := range []string{"html5lib-tests/tree-construction", "go"} {
		m, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "html/testdata", sub, "*.dat"))
		files = append(files, m...)
	}
	slices.Sort(files)
	var out []corpusCase
	seen := map[string]bool{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, section := range bytes.Split(append([]byte("\n"), b...), []byte("\n#data\n"))[1:] {
			src, _, ok := bytes.Cut(section, []byte("\n#errors"))
			if !ok && !bytes.HasPrefix(section, []byte("#errors")) || seen[string(src)] {
				continue
			}
			if !ok {
				src = nil
			}
			seen[string(src)] = true
			id := strings.TrimSuffix(filepath.Base(f), ".dat") + "#" + strconv.Itoa(i)
			out = append(out, corpusCase{id, bytes.Clone(src)})
		}
	}
	return out
}
