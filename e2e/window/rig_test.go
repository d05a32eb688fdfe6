//go:build unix

package window

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	cdptarget "github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// patience bounds what a test waits for; what is right comes much sooner.
const patience = 60 * time.Second

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
	*tab
	*desk
	cmd    *exec.Cmd
	said   *buffer
	exited chan error
}

// open opens a window on a page. The browser is the one the program would take,
// with a port beside its pipe, by which a test looks on and moves the mouse.
func (d *desk) open(args ...string) *window {
	d.t.Helper()
	own := d.t.TempDir()
	script := filepath.Join(own, "chromium")
	text := `#!/bin/sh
for a in "$@"; do
	case $a in
	--app=*) window=yes ;;
	--user-data-dir=*) profile=${a#--user-data-dir=} ;;
	esac
done
if [ "${window:-}" ]; then
	echo "$profile" >` + own + `/profile.new && mv ` + own + `/profile.new ` + own + `/profile
	exec ` + browser + ` --remote-debugging-port=0 "$@"
fi
exec ` + browser + ` "$@"
`
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		d.t.Fatal(err)
	}
	w := &window{desk: d, said: &buffer{}, exited: make(chan error, 1)}
	w.cmd = d.command(append([]string{"open"}, args...)...)
	w.cmd.Env = append(w.cmd.Env, "PROOFMARK_CHROMIUM="+script)
	w.cmd.Stdout, w.cmd.Stderr = w.said, w.said
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() { w.exited <- w.cmd.Wait() }()
	d.t.Cleanup(w.end)
	w.tab = attach(d.t, w.port(own), "page", "http://127.0.0.1:")
	d.t.Cleanup(w.clean)
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
	if b, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot()); err == nil {
		_ = os.WriteFile(filepath.Join(dir, w.desk.t.Name()+".png"), b, 0o644)
	}
}

// port waits for the port of the window's browser.
func (w *window) port(own string) string {
	w.desk.t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		select {
		case err := <-w.exited:
			w.exited <- err
			w.desk.t.Fatalf("the program ended: %v\n%s", err, w.said)
		case <-time.After(20 * time.Millisecond):
		}
		profile, err := os.ReadFile(filepath.Join(own, "profile"))
		if err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(profile)), "DevToolsActivePort"))
		if lines := strings.Fields(string(b)); err == nil && len(lines) == 2 {
			return "ws://127.0.0.1:" + lines[0] + lines[1]
		}
	}
	w.desk.t.Fatalf("no window\n%s", w.said)
	return ""
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

// target is one line of the browser's list.
type target struct {
	ID, Type, URL string
}

// targets lists what a browser shows.
func targets(t testing.TB, ws string) (list []target) {
	t.Helper()
	res, err := http.Get("http://" + strings.Split(strings.TrimPrefix(ws, "ws://"), "/")[0] + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// attach connects to the first target of a kind whose address begins as given. One
// that goes to another document meanwhile is tried again.
func attach(t testing.TB, ws, kind, address string) (p *tab) {
	t.Helper()
	eventually(t, "a "+kind+" at "+address, func() error {
		for _, one := range targets(t, ws) {
			if one.Type != kind || !strings.HasPrefix(one.URL, address) {
				continue
			}
			all, cancelAll := remote.NewAllocator(context.Background(), ws, remote.NoModifyURL)
			ctx, cancel := chromedp.NewContext(all, chromedp.WithTargetID(cdptarget.ID(one.ID)), chromedp.WithDetachOnCancel())
			got, err := newTab(t, ctx, ws)
			if err != nil {
				cancel()
				cancelAll()
				return err
			}
			t.Cleanup(func() { cancel(); cancelAll() })
			p = got
			return nil
		}
		return errNotYet
	})
	return p
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.400s", err, text)
	}
}

var errNotYet = errors.New("not yet")

// eventually waits until f gives nil.
func eventually(t testing.TB, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(30 * time.Millisecond)
	}
}
