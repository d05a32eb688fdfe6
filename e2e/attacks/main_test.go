//go:build unix

// Package attacks fires attacks at the real program: from pages of other
// origins in a real Chromium where the attack is a page, from raw sockets where
// it is not, from hostile files and a hostile model's answers. Each is one test,
// named after its number in the list of hard cases; TestEveryAttack says which
// wait, and for what.
//
// What is under test is a gateway as the desktop starts it, in a data directory
// of its own. An attack that must not arrive has a control beside it: the same
// attempt at a server that lets everything in, so that one which stopped working
// does not pass for one that is refused.
package attacks

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	binary string
	// chromiumPath is the browser of this machine, "" where there is none.
	chromiumPath string
)

func TestMain(m *testing.M) {
	noticeSources()
	dir, err := os.MkdirTemp("", "proofmark-attacks-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "proofmark")
	if out, err := exec.Command("go", "build", "-o", binary, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		os.Exit(1)
	}
	for _, name := range []string{os.Getenv("PROOFMARK_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil && chromiumPath == "" {
			chromiumPath = path
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// noticeSources looks at what the binary is made of, which go test does not
// know: without it, an earlier run's result would be given after a change.
func noticeSources() {
	for _, part := range []string{"gateway", "bridge", "internal", "migrations", "webui/static", "docs", "go.mod"} {
		_ = filepath.WalkDir(filepath.Join("..", "..", part), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
	}
}

// needChromium skips loudly where there is no browser, unless the environment
// says that there must be one.
func needChromium(t testing.TB) {
	t.Helper()
	if chromiumPath != "" {
		return
	}
	if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
		t.Fatal("no Chromium on this machine, and PROOFMARK_REQUIRE_CHROMIUM is set")
	}
	t.Skip("NO CHROMIUM: this attack is not tried on this machine")
}
