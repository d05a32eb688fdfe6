//go:build unix

package window

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"proofmark/bridge/person"

	"github.com/chromedp/chromedp"
)

// desk is a person's place: a folder with pages and a data directory.
type desk struct {
	t    testing.TB
	dir  string
	data string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	needWindow(t)
	return &desk{t: t, dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
}

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

func (d *desk) write(name, text string) string {
	d.t.Helper()
	if err := os.WriteFile(d.path(name), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return d.path(name)
}

func (d *desk) read(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *desk) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append(args, "--data-dir", d.data)...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "DISPLAY="+display, "WAYLAND_DISPLAY=")
	return cmd
}

// run runs a command of the program to its end.
func (d *desk) run(args ...string) string {
	d.t.Helper()
	out, err := d.command(args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("proofmark %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// buffer is what a running program has said.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// window is a running `proofmark open` with its window.
type window struct {
	*person.Tab
	*desk
	cmd    *exec.Cmd
	said   *buffer
	exited chan error
}

// open opens a window on a page. The browser is the one the program would take,
// with a port beside its pipe, by which a test looks on and moves the mouse.
func (d *desk) open(args ...string) *window {
	d.t.Helper()
	beside := person.NewBeside(d.t, browser)
	w := &window{desk: d, said: &buffer{}, exited: make(chan error, 1)}
	w.cmd = d.command(append([]string{"open"}, args...)...)
	w.cmd.Env = append(w.cmd.Env, "PROOFMARK_CHROMIUM="+beside.Path)
	w.cmd.Stdout, w.cmd.Stderr = w.said, w.said
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() { w.exited <- w.cmd.Wait() }()
	d.t.Cleanup(w.end)
	w.Tab = person.Attach(d.t, beside.Port(d.t, w.over), "page", person.At("http://127.0.0.1:"))
	d.t.Cleanup(w.Clean)
	d.t.Cleanup(w.look)
	return w
}

// look keeps a picture of the window of a test that failed, where somebody wants
// one.
func (w *window) look() {
	dir := os.Getenv("PROOFMARK_PICTURES")
	if !w.desk.t.Failed() || dir == "" {
		return
	}
	if b, err := chromedp.Run(w.Ctx, chromedp.CaptureScreenshot()); err == nil {
		_ = os.WriteFile(filepath.Join(dir, w.desk.t.Name()+".png"), b, 0o644)
	}
}

// over tells why the program has ended, "" while it runs.
func (w *window) over() string {
	select {
	case err := <-w.exited:
		w.exited <- err
		return fmt.Sprintf("the program ended: %v\n%s", err, w.said)
	default:
		return ""
	}
}

// end ends the program as Ctrl-C does.
func (w *window) end() {
	_ = w.cmd.Process.Signal(os.Interrupt)
	select {
	case <-w.exited:
	case <-time.After(30 * time.Second):
		_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
		w.desk.t.Errorf("the program did not end\n%s", w.said)
	}
	if w.desk.t.Failed() {
		w.desk.t.Logf("the program said:\n%s", w.said)
	}
}
