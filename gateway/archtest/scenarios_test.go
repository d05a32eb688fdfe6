package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// later names the scenarios of REQUIREMENTS section 6 whose subject does not
// exist yet, by what they wait for. Everything else from T-30 to T-103 has to
// be cited by a test.
var later = map[int]string{
	51: "plans belong to workspace turns", 53: "diff review in the workbench", 54: "workspace files", 55: "workspace files",
	56: "workspace files", 57: "workspace files", 58: "commands", 59: "commands", 60: "workspace trust",
	94: "the workbench", 95: "feature gates of the gateway", 100: "the overlay of the desktop app",
}

var cited = regexp.MustCompile(`\b[Tt]-?(\d+)(?:(?:\.\.|…|-T-| to T-)T?-?(\d+))?`)

// TestEveryScenarioIsCited: a scenario is done when a test cites it.
func TestEveryScenarioIsCited(t *testing.T) {
	seen := map[int]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "scenarios_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range cited.FindAllSubmatch(b, -1) {
			from, _ := strconv.Atoi(string(m[1]))
			to := from
			if len(m[2]) > 0 {
				to, _ = strconv.Atoi(string(m[2]))
			}
			for n := from; n <= to; n++ {
				seen[n] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 30; n <= 103; n++ {
		if later[n] == "" && !seen[n] {
			t.Errorf("no test cites T-%d", n)
		}
	}
}
