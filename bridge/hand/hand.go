// Package hand moves the mouse in a window that a program under test has opened, as
// a person does: the program's own connection has no command for that. It is
// imported by tests only.
package hand

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// Hand is a person's hand at one window.
type Hand struct {
	// Browser is what the program is to take for a browser: the real one, with a port
	// beside its pipe. It works on Unix only.
	Browser string

	t   testing.TB
	dir string
	ctx context.Context
}

// New makes a hand for one window of the browser at a path.
func New(t testing.TB, browser string) *Hand {
	t.Helper()
	dir := t.TempDir()
	h := &Hand{Browser: filepath.Join(dir, "chromium"), t: t, dir: dir}
	script := `#!/bin/sh
for a in "$@"; do
	case $a in --user-data-dir=*) echo "${a#--user-data-dir=}" >` + dir + `/profile ;; esac
done
exec ` + browser + ` --remote-debugging-port=0 "$@"
`
	if err := os.WriteFile(h.Browser, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

// Reach finds the window's page, at an address that begins as given.
func (h *Hand) Reach(address string) {
	h.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		profile, err := os.ReadFile(filepath.Join(h.dir, "profile"))
		if err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(profile)), "DevToolsActivePort"))
		lines := strings.Fields(string(b))
		if err != nil || len(lines) != 2 {
			continue
		}
		if id := page(lines[0], address); id != "" {
			all, cancelAll := remote.NewAllocator(context.Background(), "ws://127.0.0.1:"+lines[0]+lines[1], remote.NoModifyURL)
			ctx, cancel := chromedp.NewContext(all, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
			h.t.Cleanup(func() { cancel(); cancelAll() })
			if _, err := chromedp.Run(ctx, chromedp.Evaluate[int]("1")); err != nil {
				h.t.Fatal(err)
			}
			h.ctx = ctx
			return
		}
	}
	h.t.Fatalf("there is no window at %s", address)
}

func page(port, address string) target.ID {
	res, err := http.Get("http://127.0.0.1:" + port + "/json/list")
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var list []struct{ ID, Type, URL string }
	if json.NewDecoder(res.Body).Decode(&list) != nil {
		return ""
	}
	for _, one := range list {
		if one.Type == "page" && strings.HasPrefix(one.URL, address) {
			return target.ID(one.ID)
		}
	}
	return ""
}

// Move moves the mouse to a point of the window's page.
func (h *Hand) Move(x, y float64) {
	h.t.Helper()
	h.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Button: input.MouseButtonNone})
}

// Press moves the mouse there and presses its button.
func (h *Hand) Press(x, y float64) {
	h.t.Helper()
	h.Move(x, y)
	h.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
	h.mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
}

func (h *Hand) mouse(p input.DispatchMouseEventParams) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.ctx, 10*time.Second)
	defer cancel()
	if _, err := cdp.Call(ctx, chromedp.FromContext(h.ctx).Target, input.DispatchMouseEvent, p); err != nil {
		h.t.Fatal(err)
	}
}
