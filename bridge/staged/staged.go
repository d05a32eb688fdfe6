// Package staged starts the desktop's relay for tests of whoever talks to it: in
// front of a headless Chromium, or in a real Electron with the app's own views.
package staged

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/bridge/chromium"
	"proofmark/bridge/person"
)

// Relay is a relay that runs, with the pages behind it.
type Relay struct {
	URL   string `json:"url"`
	Token string `json:"token"`

	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	once  sync.Once
	said  strings.Builder // its standard error
}

// RequireElectron is set where a test must not be skipped for want of an Electron,
// or of what is needed to build the relay.
const RequireElectron = "PROOFMARK_REQUIRE_ELECTRON"

// startWait is how long a relay may take to start, on a busy machine.
const startWait = 30 * time.Second

// desktop is the folder of the app.
func desktop() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "desktop")
}

// OverChromium starts a relay whose pages are those of a headless Chromium.
func OverChromium(t testing.TB) *Relay {
	t.Helper()
	browser, err := chromium.Locate("")
	if err != nil {
		missing(t, "PROOFMARK_REQUIRE_CHROMIUM", "NO BROWSER")
	}
	program := filepath.Join(t.TempDir(), "stage.mjs")
	node := build(t, "test/chromiumstage.node.ts", program)
	return start(t, exec.Command(node, program, browser))
}

// InElectron starts a real Electron with the app's own views on a screen of its own.
func InElectron(t testing.TB) *Relay {
	t.Helper()
	electron := filepath.Join(desktop(), ".electron", "electron")
	if _, err := os.Stat(electron); err != nil {
		missing(t, RequireElectron, "NO ELECTRON (make test-electron)")
	}
	display, end := person.StartScreen()
	if display == "" {
		missing(t, RequireElectron, "NO SCREEN (Xvfb)")
	}
	t.Cleanup(end)
	app, profile := t.TempDir(), t.TempDir()
	build(t, "test/electronstage/main.main.ts", filepath.Join(app, "main.cjs"))
	if err := os.WriteFile(filepath.Join(app, "package.json"), []byte(`{"name":"stage","version":"0.0.0","main":"main.cjs"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{app, "--disable-gpu", "--user-data-dir=" + profile}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(electron, args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	return start(t, cmd)
}

// missing skips a test loudly, or fails it where it must run.
func missing(t testing.TB, require, what string) {
	t.Helper()
	if os.Getenv(require) != "" {
		t.Fatalf("%s, and %s is set", what, require)
	}
	t.Skipf("%s, THE DESKTOP'S RELAY IS NOT TESTED", what)
}

// build bundles a test program of the desktop's, and gives the node that does it.
func build(t testing.TB, input, output string) (node string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, RequireElectron, "NO NODE")
	}
	if _, err := os.Stat(filepath.Join(desktop(), "node_modules", "rolldown")); err != nil {
		missing(t, RequireElectron, "NOTHING IS INSTALLED IN desktop/ (npm ci)")
	}
	cmd := exec.Command(node, "test/build.mjs", input, output)
	cmd.Dir = desktop()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", input, err, out)
	}
	return node
}

func start(t testing.TB, cmd *exec.Cmd) *Relay {
	t.Helper()
	r := &Relay{t: t, cmd: cmd}
	cmd.Stderr = &r.said
	var err error
	if r.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.End)
	late := time.AfterFunc(startWait, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, r)
	}
	if err != nil {
		r.End()
		t.Fatalf("the relay did not start: %v\n%s", err, r.said.String())
	}
	return r
}

// Crash kills the page with the frame, as a fault of the browser would.
func (r *Relay) Crash(frame string) {
	r.t.Helper()
	if _, err := io.WriteString(r.stdin, "crash "+frame+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// Kill ends the relay as a fault of the app would.
func (r *Relay) Kill() {
	_ = r.cmd.Process.Kill()
	r.End()
}

// End ends the relay and everything behind it.
func (r *Relay) End() {
	r.once.Do(func() {
		_ = r.stdin.Close()
		late := time.AfterFunc(startWait, func() { _ = r.cmd.Process.Kill() })
		defer late.Stop()
		_ = r.cmd.Wait()
	})
}
