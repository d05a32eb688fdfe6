package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// window is a running `proofmark open --headless`.
type window struct {
	t    *testing.T
	cmd  *exec.Cmd
	errs strings.Builder
	done chan error

	Ready      bool
	Port       int
	Document   string
	File       string
	BrowserPID int
}

func (d *desk) openWindow(t *testing.T, args ...string) *window {
	t.Helper()
	w := &window{t: t, cmd: exec.Command(binary, append([]string{"open", "--headless", "--json"}, args...)...), done: make(chan error, 1)}
	w.cmd.Dir = d.dir
	w.cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data, "DISPLAY=", "WAYLAND_DISPLAY="), d.env...)
	w.cmd.Stderr = &w.errs
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	ok := lines.Scan() && json.Unmarshal(lines.Bytes(), w) == nil && w.Ready
	go func() { w.done <- w.cmd.Wait() }()
	t.Cleanup(func() { _ = w.cmd.Process.Kill(); <-w.done })
	if !ok {
		t.Fatalf("no window: %s", w.errs.String())
	}
	return w
}

// ends waits for the program's end and gives its exit code.
func (w *window) ends() int {
	w.t.Helper()
	select {
	case err := <-w.done:
		w.done <- err
		return w.cmd.ProcessState.ExitCode()
	case <-time.After(30 * time.Second):
		w.t.Fatalf("it does not end: %s", w.errs.String())
		return -1
	}
}

// The window opens on a page, one for a data directory; it ends the program when
// it is closed, and with it on Ctrl-C.
func TestOpenAndClose(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	page := d.write("page.html", "<!doctype html><title>x</title><h1>Hello</h1>")
	w := d.openWindow(t, page)
	if w.File != page || !strings.HasPrefix(w.Document, "doc_") {
		t.Errorf("opened %+v", w)
	}
	f := d.fails(3, "already_exists", "open", "--headless", page)
	if f.Hint == "" {
		t.Errorf("without a hint: %+v", f)
	}
	p, err := os.FindProcess(w.BrowserPID)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil { // as a window that is closed, but ruder
		t.Fatal(err)
	}
	if code := w.ends(); code != 0 {
		t.Errorf("closed: exit %d, %s", code, w.errs.String())
	}
	w = d.openWindow(t) // without a file: the sample page, a copy
	if !strings.HasSuffix(w.File, filepath.Join("sample", "landing", "index.html")) {
		t.Errorf("the sample page is %s", w.File)
	}
	if err := os.WriteFile(w.File, []byte("<!doctype html><h1>Mine</h1>"), 0o644); err != nil {
		t.Fatalf("the sample page cannot be changed: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := w.ends(); code != 0 {
		t.Errorf("stopped: exit %d, %s", code, w.errs.String())
	}
	if p, err := os.FindProcess(w.BrowserPID); err == nil && p.Signal(syscall.Signal(0)) == nil {
		t.Error("the window's browser is left over")
	}
	w = d.openWindow(t)
	if b, err := os.ReadFile(w.File); err != nil || !strings.Contains(string(b), "Mine") {
		t.Errorf("the sample page was copied again: %q %v", b, err)
	}
}

// What cannot be opened is told at once, with what to do.
func TestOpenRefuses(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.fails(3, "not_found", "open", "--headless", "missing.html")
	d.env = []string{"DISPLAY=", "WAYLAND_DISPLAY="}
	page := d.write("page.html", "<!doctype html><h1>Hello</h1>")
	if runtime.GOOS == "linux" {
		if f := d.fails(6, "no_browser", "open", page); !strings.Contains(f.Hint, "DISPLAY") {
			t.Errorf("refused: %+v", f)
		}
	}
	d.fails(6, "no_browser", "open", "--headless", "--chromium", "/nowhere/chromium", page)
}
