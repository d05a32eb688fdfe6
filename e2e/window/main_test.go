//go:build unix

package window

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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
	endScreen := startScreen()
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

// startScreen starts a virtual screen of its own, so that windows are real and
// nobody's own screen is in the way.
func startScreen() (end func()) {
	end = func() {}
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		return end
	}
	r, w, err := os.Pipe()
	if err != nil {
		return end
	}
	cmd := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", "1680x1050x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		return end
	}
	_ = w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err == nil {
		display = ":" + strings.TrimSpace(line)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
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
