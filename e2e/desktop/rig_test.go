//go:build unix

package desktop

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
)

// desk is a person's place: a folder with pages, a data directory, and what the app
// keeps of its own.
type desk struct {
	t    testing.TB
	dir  string
	data string
	own  string
	env  []string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	needDesktop(t)
	d := &desk{t: t, dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data"), own: t.TempDir()}
	d.prefers(`{"firstRun":true,"review":true,"language":"en"}`)
	return d
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

// prefers writes what a person has chosen before.
func (d *desk) prefers(json string) {
	d.t.Helper()
	if err := os.MkdirAll(d.data, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.data, "preferences.json"), []byte(json), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// run runs a command of the program to its end.
func (d *desk) run(args ...string) string {
	d.t.Helper()
	cmd := exec.Command(binary, append(args, "--data-dir", d.data)...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), d.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("proofmark %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// holds waits until a file has exactly this text.
func (d *desk) holds(name, text string) {
	d.t.Helper()
	person.Eventually(d.t, name, func() error {
		if got := d.read(name); got != text {
			return fmt.Errorf("it holds\n%s", got)
		}
		return nil
	})
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

// app is the running desktop app. Its Tab is the workbench.
type app struct {
	*person.Tab
	*desk
	hand   *person.Hand
	cmd    *exec.Cmd
	said   *buffer
	exited chan struct{} // closed when it has ended
	left   float64       // of the workbench on the screen, pixels
	top    float64
	origin string // of the workbench
}

// command is how the app is started.
func (d *desk) command(args ...string) *exec.Cmd {
	flags := []string{"--disable-gpu", "--user-data-dir=" + d.own, "--remote-debugging-port=0"}
	if os.Geteuid() == 0 {
		flags = append(flags, "--no-sandbox")
	}
	cmd := exec.Command(electron, append(append(flags, folder), args...)...)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), append([]string{
		"DISPLAY=" + display, "WAYLAND_DISPLAY=", "PROOFMARK_GATEWAY=" + binary, "PROOFMARK_DATA_DIR=" + d.data,
	}, d.env...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// start starts the app with arguments, and waits until the workbench is there.
func (d *desk) start(args ...string) *app {
	d.t.Helper()
	a := &app{desk: d, hand: person.NewHand(d.t, display), said: &buffer{}, exited: make(chan struct{})}
	a.cmd = d.command(args...)
	a.cmd.Stdout, a.cmd.Stderr = a.said, a.said
	_ = os.Remove(filepath.Join(d.own, "DevToolsActivePort"))
	if err := a.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() { _ = a.cmd.Wait(); close(a.exited) }()
	d.t.Cleanup(a.end)
	var ws string
	person.Eventually(d.t, "the app's port", func() error {
		select {
		case <-a.exited:
			d.t.Fatalf("the app ended\n%s", a.said)
		default:
		}
		if ws = person.Port(d.own); ws == "" {
			return person.ErrNotYet
		}
		return nil
	})
	a.Tab = person.Attach(d.t, ws, "page", person.At("http://127.0.0.1:"))
	a.origin = person.Unescape(a.JS("location.origin"))
	d.t.Cleanup(func() { a.Clean() })
	d.t.Cleanup(a.look)
	return a
}

// end ends the app as a session that ends does.
func (a *app) end() {
	select {
	case <-a.exited:
		return
	default:
	}
	_ = a.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-a.exited:
	case <-time.After(8 * time.Second):
		_ = syscall.Kill(-a.cmd.Process.Pid, syscall.SIGKILL)
		<-a.exited
		a.desk.t.Errorf("the app did not end\n%s", a.said)
	}
	if a.desk.t.Failed() {
		a.desk.t.Logf("the app said:\n%s", a.said)
	}
}

// look keeps a picture of the screen of a test that failed, where somebody wants
// one.
func (a *app) look() {
	dir := os.Getenv("PROOFMARK_PICTURES")
	if !a.desk.t.Failed() || dir == "" {
		return
	}
	cmd := exec.Command("import", "-window", "root", filepath.Join(dir, strings.ReplaceAll(a.desk.t.Name(), "/", "-")+".png"))
	cmd.Env = append(os.Environ(), "DISPLAY="+display)
	_ = cmd.Run()
}

// place finds out where the workbench is on the screen, from what a real movement of
// the mouse says in it.
func (a *app) place() {
	a.desk.t.Helper()
	a.JS(`window.seenMouse ??= (addEventListener('mousemove', (e) => { window.mouseAt = [e.screenX - e.clientX, e.screenY - e.clientY] }, true), true)`)
	a.JS("window.mouseAt = null")
	var at []float64
	n := 0.0
	person.Eventually(a.desk.t, "the mouse over the workbench", func() error {
		n++
		// Over the bar at the top, which is the workbench's own everywhere.
		var w []float64
		person.Decode(a.desk.t, a.JS("[screenX, screenY]"), &w)
		a.hand.Move(w[0]+300+float64(int(n)%40), w[1]+50)
		s := a.JS("window.mouseAt")
		if s == "null" {
			return person.ErrNotYet
		}
		person.Decode(a.desk.t, s, &at)
		return nil
	})
	a.left, a.top = at[0], at[1]
}

// screenOf gives a point of the workbench in pixels of the screen.
func (a *app) screenOf(x, y float64) (float64, float64) { return a.left + x, a.top + y }

// press presses an element of the workbench in its middle, at the screen.
func (a *app) press(role, name string) {
	a.desk.t.Helper()
	x, y := a.Enabled(role, name).Middle()
	a.hand.Press(a.screenOf(x, y))
}

// lease tells the pages of leases, the preview and candidates, from the app's own.
func lease(one person.Target) bool {
	return strings.HasPrefix(one.URL, "http://") && strings.Contains(one.URL, ".localhost:") && !strings.Contains(one.URL, "/.proofmark/")
}

// page is the page in its view: the one that is as wide as its place. Candidates are
// drawn elsewhere, and are of other sizes.
func (a *app) page() *person.Tab {
	a.desk.t.Helper()
	return person.AttachTo(a.desk.t, a.WS, "page", lease, func(p *person.Tab) error {
		s, err := p.Try("innerWidth")
		width := a.JS("(() => { const r = document.querySelector('.sheet')?.getBoundingClientRect(); return r ? Math.round(r.width) : -1 })()")
		if err == nil && s != width {
			err = fmt.Errorf("%w: a page %s wide, not %s", person.ErrNotYet, s, width)
		}
		return err
	})
}

// card is the overlay, in which a note is written.
func (a *app) card() *person.Tab {
	a.desk.t.Helper()
	return person.Attach(a.desk.t, a.WS, "page", person.At("proofmark-overlay:"))
}

// slot is where the page stands in the workbench.
func (a *app) slot() (x, y float64) {
	a.desk.t.Helper()
	var r []float64
	person.Eventually(a.desk.t, "the page's place in the workbench", func() error {
		s := a.JS("(() => { const r = document.querySelector('.sheet')?.getBoundingClientRect(); return r ? [r.x, r.y, r.width, r.height] : null })()")
		if s == "null" {
			return person.ErrNotYet
		}
		person.Decode(a.desk.t, s, &r)
		return nil
	})
	return r[0], r[1]
}

// spotOf gives the middle of an element of the page in pixels of the screen.
func (a *app) spotOf(page *person.Tab, selector string, n int) (x, y float64) {
	a.desk.t.Helper()
	var r []float64
	person.Eventually(a.desk.t, selector+" on the page", func() error {
		s, err := page.Try(fmt.Sprintf("(() => { const e = document.querySelectorAll(%s)[%d]; if (!e) return null; const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", person.Quote(selector), n))
		if err != nil || s == "null" {
			return fmt.Errorf("not there: %w %s", person.ErrNotYet, s)
		}
		person.Decode(a.desk.t, s, &r)
		return nil
	})
	sx, sy := a.slot()
	return a.screenOf(sx+r[0], sy+r[1])
}

// shows waits until the page has a text at a selector.
func (a *app) shows(selector, text string) {
	a.desk.t.Helper()
	person.Eventually(a.desk.t, fmt.Sprintf("the page shows %q at %s", text, selector), func() error {
		s, err := a.page().Try("[...document.querySelectorAll(" + person.Quote(selector) + ")].map((e) => e.innerText).join('|')")
		if err != nil || !strings.Contains(person.Unescape(s), text) {
			return fmt.Errorf("it shows %s (%v)", s, err)
		}
		return nil
	})
}

// ready waits until the page is there to be pointed at.
func (a *app) ready() *person.Tab {
	a.desk.t.Helper()
	a.Gone("progressbar", "")
	var p *person.Tab
	person.Eventually(a.desk.t, "the page", func() error {
		p = a.page()
		s, err := p.Try("document.readyState + ' ' + (document.body ? document.body.childElementCount : 0)")
		if err != nil || !strings.Contains(s, "complete") || strings.HasSuffix(s, ` 0"`) {
			return fmt.Errorf("%s %v", s, err)
		}
		return nil
	})
	a.place()
	return p
}

// point begins to point, and waits until hovering at a place of the screen tells
// what is there.
func (a *app) point(x, y float64) {
	a.desk.t.Helper()
	a.press("button", "Point")
	a.Find("button", "Pointing")
	person.Eventually(a.desk.t, "the page is pointed at", func() error {
		a.hand.Move(x-1, y)
		a.hand.Move(x, y)
		time.Sleep(60 * time.Millisecond)
		if s := a.JS("document.querySelector('footer, [role=contentinfo]')?.innerText ?? ''"); !strings.Contains(s, "bytes") && !strings.Contains(s, "script") {
			return fmt.Errorf("the status line says %s", s)
		}
		return nil
	})
}
