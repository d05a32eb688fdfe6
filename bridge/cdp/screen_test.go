package cdp

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"proofmark/bridge/person"
)

// screen gives the test a virtual screen of its own for windows that can be seen.
// make test installs what it needs, so there a missing one is a failure; elsewhere
// it is skipped, loudly. Only Linux has virtual screens: windows open on a
// person's own where there is one, which no test may do.
func screen(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" && runtime.GOOS == "linux" {
			t.Fatal("no Xvfb on this machine, and PROOFMARK_REQUIRE_CHROMIUM is set (make display)")
		}
		t.Skip("SKIPPED, NOT TESTED: windows that can be seen need Xvfb (make display)")
	}
	display, end := person.StartScreen()
	t.Cleanup(end)
	if display == "" {
		t.Fatal("Xvfb does not start")
	}
	t.Setenv("DISPLAY", display)
}
