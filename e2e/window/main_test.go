//go:build unix

package window

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"proofmark/bridge/person"
)

var (
	binary  string // the program
	browser string // the browser it starts
	display string // of the virtual screen, "" where there is none
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pm-window-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "proofmark")
	if out, err := exec.Command("go", "build", "-o", binary, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		os.Exit(1)
	}
	browser = findBrowser()
	screen, endScreen := person.StartScreen()
	display = screen
	code := m.Run()
	endScreen()
	os.RemoveAll(dir)
	os.Exit(code)
}

func findBrowser() string {
	for _, name := range []string{os.Getenv("PROOFMARK_CHROMIUM"), "/usr/lib/chromium/chromium", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); name != "" && err == nil {
			return p
		}
	}
	return ""
}

// needWindow skips loudly where there is no browser, no built workbench or no
// screen, unless the environment says that there must be.
func needWindow(t testing.TB) {
	t.Helper()
	missing := ""
	switch {
	case browser == "":
		missing = "NO CHROMIUM"
	case !built():
		missing = "THE WORKBENCH IS NOT BUILT (make web)"
	case display == "" && runtime.GOOS == "linux": // elsewhere a window opens on the screen there is
		missing = "NO SCREEN (Debian: apt-get install xvfb)"
	}
	if missing == "" {
		return
	}
	if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
		t.Fatal(missing + ", and PROOFMARK_REQUIRE_CHROMIUM is set")
	}
	t.Skip(missing + ": the workbench is not tested on this machine")
}

func built() bool {
	_, err := os.Stat("../../webui/static/app/index.html")
	return err == nil
}
