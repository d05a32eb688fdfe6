//go:build unix

package window

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var invitation = regexp.MustCompile(`(http://127\.0\.0\.1:\d+/) .*?([A-Z2-7]{4}-[A-Z2-7]{4})`)

// visit opens an address in an ordinary browser of the person.
func visit(t *testing.T, address string) *tab {
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
	eventually(t, "the browser's port", func() error {
		b, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if lines := strings.Fields(string(b)); err == nil && len(lines) == 2 {
			ws = "ws://127.0.0.1:" + lines[0] + lines[1]
			return nil
		}
		return errNotYet
	})
	return attach(t, ws, "page", address)
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
			case <-time.After(patience):
				t.Fatal("no code on the terminal")
			}
		}
	}
	at := invited()
	p := visit(t, at[1])
	p.find("textbox", "Code")
	p.tabTo("textbox", "Code")
	p.types("AAAA-AAAA")
	p.key(kb.Enter)
	p.says("not valid")
	p.js("document.querySelector('input').select(), 1")
	p.types(strings.ToLower(at[2]))
	p.key(kb.Enter)
	p.find("textbox", "Path of the file")
	p.tabTo("textbox", "Path of the file")
	p.types(path)
	p.key(kb.Enter)
	p.says("menu.html")
	if next := invited(); next[2] == at[2] {
		t.Error("the code is shown again")
	}
	p.click("button", "Point")
	p.says("Desktop required")
	p.types("3")
	p.says("Opened menu.html")
	p.types("2")
	p.tabTo("textbox", "Source of")
	p.types("<!-- here, too -->")
	p.key("s", chromedp.ModifierCtrl)
	eventually(t, "the file", func() error {
		if d.read("menu.html") != "<!-- here, too -->"+sample {
			return errNotYet
		}
		return nil
	})
}
