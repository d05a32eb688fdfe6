//go:build unix

package desktop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"proofmark/bridge/person"
)

// gatewayPID tells which gateway runs for the desk, 0 for none.
func (d *desk) gatewayPID() int {
	var place struct{ PID int }
	b, err := os.ReadFile(filepath.Join(d.data, "gateway.json"))
	if err != nil || json.Unmarshal(b, &place) != nil {
		return 0
	}
	return place.PID
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// dies waits for the end of a process.
func dies(t testing.TB, pid int) {
	t.Helper()
	person.Eventually(t, fmt.Sprintf("process %d is to end", pid), func() error {
		if alive(pid) {
			return person.ErrNotYet
		}
		return nil
	})
}

// D-79, D-100, attack 48: an app that is killed takes its gateway along, and what was
// being written is there again.
func TestAppIsKilled(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	a.ready()
	a.say("#lead", 0, "say it shorter, please")
	pid := d.gatewayPID()
	if pid == 0 || !alive(pid) {
		t.Fatalf("no gateway: %d", pid)
	}
	if err := syscall.Kill(a.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-a.exited
	dies(t, pid)
	a = d.start(d.path("menu.html"))
	a.ready()
	a.Says("say it shorter, please")
	a.Find("button", "Send 1 note")
	if got := d.read("menu.html"); got != sample {
		t.Errorf("the file holds\n%s", got)
	}
}

// D-100: a gateway that dies is started again, and the workbench comes back with what
// was being written.
func TestGatewayDies(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	a.ready()
	a.say("#lead", 0, "say it shorter, please")
	pid := d.gatewayPID()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	dies(t, pid)
	person.Eventually(t, "another gateway", func() error {
		if now := d.gatewayPID(); now == 0 || now == pid || !alive(now) {
			return person.ErrNotYet
		}
		return nil
	})
	a.again()
	a.Says("say it shorter, please")
	p := a.ready()
	x, y := a.spotOf(p, "h1", 0)
	a.point(x, y) // all of it works
}

// again attaches to the workbench of another gateway.
func (a *app) again() {
	a.desk.t.Helper()
	a.Tab = person.Attach(a.desk.t, a.WS, "page", func(one person.Target) bool {
		return strings.HasPrefix(one.URL, "http://127.0.0.1:") && !strings.HasPrefix(one.URL, a.origin)
	})
}

// D-100: a page that crashes takes nothing along; one press brings it back.
func TestPageCrashes(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	p := a.ready()
	a.say("#lead", 0, "say it shorter, please")
	crash(t, p)
	a.Says("say it shorter, please")
	a.press("button", "Try again")
	p = a.ready()
	x, y := a.spotOf(p, "h1", 0)
	a.point(x, y)
	a.hand.Press(x, y)
	a.card().Says("1 place in the source ✓")
}

func crash(t testing.TB, p *person.Tab) {
	t.Helper()
	// It gives no answer: the page is gone.
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = chromedp.Call(p.Ctx, page.Crash, cdp.Empty{})
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
	}
}

// D-100: a page that would go elsewhere stays; what it opens is not there; and a
// person can go on.
func TestPageStays(t *testing.T) {
	d := newDesk(t)
	opened := filepath.Join(d.dir, "opened")
	bin := t.TempDir()
	for _, name := range []string{"xdg-open", "gio", "x-www-browser", "sensible-browser", "open"} {
		script := "#!/bin/sh\necho \"$0 $*\" >>" + opened + "\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	d.env = append(d.env, "PATH="+bin+":"+os.Getenv("PATH"))
	d.write("menu.html", strings.Replace(sample, "<ul id=\"list\">", `<p><a id="away" href="http://127.0.0.1:9/">away</a> <a id="mail" href="mailto:a@b.c">mail</a> <a id="new" target="_blank" href="https://example.com/">new</a></p>
<iframe src="mailto:frame@b.c" width="10" height="10"></iframe><iframe src="vscode://file/etc/passwd" width="10" height="10"></iframe>
<ul id="list">`, 1))
	a := d.start(d.path("menu.html"))
	p := a.ready()
	before := len(person.Targets(t, a.WS))
	for _, id := range []string{"#mail", "#new", "#away"} {
		x, y := a.spotOf(p, id, 0)
		a.hand.Press(x, y)
	}
	p.JS("window.open('https://example.com/'), window.open('mailto:x@y.z'), setTimeout(() => { location.href = 'http://127.0.0.1:9/script' }, 0), 1")
	time.Sleep(1500 * time.Millisecond) // what would come comes by then
	if got := a.page().JS("document.title"); got != `"Menu"` {
		t.Errorf("the page is %s", got)
	}
	if list := person.Targets(t, a.WS); len(list) != before {
		t.Errorf("it had %d pages, and has %v", before, list)
	}
	if b, err := os.ReadFile(opened); err == nil {
		t.Errorf("another program was started: %s", b)
	}
	x, y := a.spotOf(a.page(), "h1", 0)
	a.point(x, y)
}

// D-48, D-100: a session that ends, or Ctrl-C, ends the app and its gateway, though a turn
// waits for a decision; nobody may be there to be asked. Nothing becomes a version, and
// the last letters of a note are kept.
func TestSessionEnds(t *testing.T) {
	d := newDesk(t)
	d.write("menu.html", sample)
	a := d.start(d.path("menu.html"))
	a.ready()
	a.say("h1", 0, `change the text to "Never"`)
	a.hand.Key("ctrl+Return")
	a.Find("heading", "Review the change")
	a.press("button", "Decide later")
	a.ready()
	x, y := a.spotOf(a.page(), "#lead", 0)
	a.point(x, y)
	a.hand.Press(x, y)
	a.card().Find("textbox", "What should change here?")
	a.hand.Type("last words") // and no pause after them
	pid := d.gatewayPID()
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-a.exited:
	case <-time.After(20 * time.Second):
		t.Fatal("the app goes on")
	}
	dies(t, pid)
	if n := d.versions("menu.html"); n != 1 || d.read("menu.html") != sample {
		t.Errorf("%d versions, the file holds\n%s", n, d.read("menu.html"))
	}
	a = d.start(d.path("menu.html"))
	a.ready()
	a.Says("last words")
}
