//go:build unix

package window

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"proofmark/bridge/person"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var invitation = regexp.MustCompile(`(http://127\.0\.0\.1:\d+/) .*?([A-Z2-7]{4}-[A-Z2-7]{4})`)

// visit opens an address in an ordinary browser of the person.
func visit(t *testing.T, address string) *person.Tab {
	t.Helper()
	profile := t.TempDir()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--disable-component-update", "--disable-background-networking", "--window-size=1440,900", address}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.Command(browser, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	var ws string
	person.Eventually(t, "the browser's port", func() error {
		if ws = person.Port(profile); ws == "" {
			return person.ErrNotYet
		}
		return nil
	})
	return person.Attach(t, ws, "page", person.At(address))
}

// R-SEC-6, D-64, R-UI-2: in a plain browser a person types the code from the
// gateway's terminal, and everything works but pointing, which says what it needs.
func TestPlainBrowser(t *testing.T) {
	d := newDesk(t)
	path := d.write("menu.html", sample)
	ctx, stop := context.WithCancel(context.Background())
	cmd := d.command("serve")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := make(chan string, 16)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan() && ctx.Err() == nil; {
			lines <- s.Text()
		}
	}()
	invited := func() []string {
		t.Helper()
		for {
			select {
			case line, ok := <-lines:
				if !ok {
					t.Fatal("the gateway ended")
				}
				if m := invitation.FindStringSubmatch(line); m != nil {
					return m
				}
			case <-time.After(person.Patience):
				t.Fatal("no code on the terminal")
			}
		}
	}
	at := invited()
	p := visit(t, at[1])
	p.Find("textbox", "Code")
	p.TabTo("textbox", "Code")
	p.Types("AAAA-AAAA")
	p.Key(kb.Enter)
	p.Says("not valid")
	p.JS("document.querySelector('input').select(), 1")
	p.Types(strings.ToLower(at[2]))
	p.Key(kb.Enter)
	p.Find("textbox", "Path of the file")
	p.TabTo("textbox", "Path of the file")
	p.Types(path)
	p.Key(kb.Enter)
	p.Says("menu.html")
	if next := invited(); next[2] == at[2] {
		t.Error("the code is shown again")
	}
	p.Click("button", "Point")
	p.Says("Desktop required")
	p.Types("3")
	p.Says("Opened menu.html")
	p.Types("2")
	p.TabTo("textbox", "Source of")
	p.Types("<!-- here, too -->")
	p.Key("s", chromedp.ModifierCtrl)
	person.Eventually(t, "the file", func() error {
		if d.read("menu.html") != "<!-- here, too -->"+sample {
			return person.ErrNotYet
		}
		return nil
	})
}
