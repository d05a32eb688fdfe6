package cdp

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// screen gives the test a virtual screen of its own for windows that can be seen.
// make test installs what it needs, so there a missing one is a failure; elsewhere
// it is skipped, loudly. Only Linux has virtual screens: windows open on a
// person's own where there is one, which no test may do.
func screen(t *testing.T) {
	t.Helper()
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" && runtime.GOOS == "linux" {
			t.Fatal("no Xvfb on this machine, and PROOFMARK_REQUIRE_CHROMIUM is set (make display)")
		}
		t.Skip("SKIPPED, NOT TESTED: windows that can be seen need Xvfb (make display)")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	x := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", "1300x1000x24", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{w}
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { x.Process.Kill(); x.Wait(); r.Close() })
	display, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(display))
}
