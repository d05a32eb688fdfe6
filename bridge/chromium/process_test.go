//go:build unix

package chromium

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// envParent makes this test binary the parent that is killed.
const envParent = "PROOFMARK_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(envParent) != "" {
		parent()
		return
	}
	os.Exit(m.Run())
}

// parent starts a browser, says where its profile is, and waits for its death.
func parent() {
	path, err := Locate("")
	if err == nil {
		var p *Process
		if p, err = Start(path, Flags{Proxy: "http://127.0.0.1:9", Headless: true}); err == nil {
			// One answer, so that the browser is really up with all its helpers.
			p.w.Write([]byte(`{"id":1,"method":"Browser.getVersion"}` + "\x00"))
			_, err = bufio.NewReader(p.r).ReadString(0)
			fmt.Printf("%d %s\n", p.Pid(), p.profile.dir)
		}
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	select {}
}

func browser(t *testing.T) string {
	t.Helper()
	path, err := Locate("")
	if err != nil {
		if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
			t.Fatal(err)
		}
		t.Skipf("NO BROWSER, ITS LIFE IS NOT TESTED: %v", err)
	}
	return path
}

// TestKilledParent: a SIGKILL of the parent leaves no browser process, and the
// next start leaves no profile.
func TestKilledParent(t *testing.T) {
	browser(t)
	tmp := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envParent+"=1", "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error") {
		t.Fatalf("%q %v", line, err)
	}
	var pid int
	var dir string
	if _, err := fmt.Sscan(line, &pid, &dir); err != nil {
		t.Fatal(err)
	}
	if n := len(using(t, dir)); n < 2 {
		t.Fatalf("only %d processes use the profile", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	gone(t, func() bool { return len(using(t, dir)) == 0 && syscall.Kill(pid, 0) != nil })

	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the profile of the killed parent: %v", err)
	}
	p, err := newProfile(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
}

// TestClose: an ordinary end leaves neither process nor profile.
func TestClose(t *testing.T) {
	path := browser(t)
	t.Setenv("TMPDIR", t.TempDir())
	p, err := Start(path, Flags{Proxy: "http://127.0.0.1:9", Headless: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.w.Write([]byte(`{"id":1,"method":"Browser.getVersion"}` + "\x00")); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(p.r).ReadString(0)
	if err != nil || !strings.Contains(answer, "Chrome/") {
		t.Fatalf("%q %v", answer, err)
	}
	dir := p.profile.dir
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
	gone(t, func() bool { return len(using(t, dir)) == 0 })
}

// TestPipeEnds: closing the command pipe alone ends the browser.
func TestPipeEnds(t *testing.T) {
	path := browser(t)
	t.Setenv("TMPDIR", t.TempDir())
	p, err := Start(path, Flags{Proxy: "http://127.0.0.1:9", Headless: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := p.WaitExit(ctx); err != nil {
		t.Errorf("the browser goes on without its pipe: %v", err)
	}
}

// TestStartFails: what cannot be started is a missing browser, not a crash.
func TestStartFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := Start("/no/such/browser", Flags{}); core.CodeOf(err) != core.BrowserFailed {
		t.Errorf("%v", err)
	}
	left, _ := filepath.Glob(filepath.Join(profileRoot(), "*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// using gives the processes whose command line names the profile.
func using(t *testing.T, dir string) []string {
	t.Helper()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("SKIPPED: processes can be listed on Linux only")
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range lines {
		if b, err := os.ReadFile(l); err == nil && strings.Contains(string(b), "--user-data-dir="+dir) {
			out = append(out, l)
		}
	}
	return out
}

// gone waits until a condition of the operating system holds.
func gone(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it is still there after 30 s")
		}
	}
}
