//go:build unix

package desktop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"proofmark/bridge/person"
)

var (
	binary   string // the gateway
	electron string // what runs the app
	folder   string // the app
	display  string // of the virtual screen, "" where there is none
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pm-desktop-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "proofmark")
	if out, err := exec.Command("go", "build", "-o", binary, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		os.Exit(1)
	}
	if folder, err = filepath.Abs("../../desktop"); err != nil {
		panic(err)
	}
	electron = filepath.Join(folder, ".electron", "electron")
	screen, end := person.StartScreen()
	display = screen
	code := m.Run()
	end()
	os.RemoveAll(dir)
	os.Exit(code)
}

// needDesktop skips loudly where the app cannot be run, unless the environment says
// that it must.
func needDesktop(t testing.TB) {
	t.Helper()
	missing := ""
	switch {
	case !there(electron):
		missing = "NO ELECTRON (make test-electron)"
	case !there(filepath.Join(folder, "dist", "main.cjs")):
		missing = "THE DESKTOP IS NOT BUILT (scripts/desktop.sh)"
	case !there("../../webui/static/app/index.html"):
		missing = "THE WORKBENCH IS NOT BUILT (make web)"
	case display == "":
		missing = "NO SCREEN (Debian: apt-get install xvfb)"
	case !person.HasHand():
		missing = "NO HAND AT THE SCREEN (Debian: apt-get install xdotool)"
	}
	if missing == "" {
		return
	}
	if os.Getenv("PROOFMARK_REQUIRE_ELECTRON") != "" {
		t.Fatal(missing + ", and PROOFMARK_REQUIRE_ELECTRON is set")
	}
	t.Skip(missing + ": THE DESKTOP IS NOT TESTED ON THIS MACHINE")
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
