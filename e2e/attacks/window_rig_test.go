//go:build unix

package attacks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// window is a gateway that runs with the workbench's window, as a person starts
// it. Its calls are an agent's: nobody outside of the window gets another token.
type window struct {
	*gateway
	document string // that is open
	browser  string // where the window's browser is looked on from
	page     *tab   // the workbench
}

// needWindow skips loudly where the workbench cannot be shown.
func needWindow(t testing.TB) {
	t.Helper()
	needChromium(t)
	if _, err := os.Stat(filepath.Join("..", "..", "webui", "static", "app", "index.html")); err == nil {
		return
	}
	if os.Getenv("PROOFMARK_REQUIRE_CHROMIUM") != "" {
		t.Fatal("the workbench is not built (make web), and PROOFMARK_REQUIRE_CHROMIUM is set")
	}
	t.Skip("THE WORKBENCH IS NOT BUILT (make web): this attack is not tried on this machine")
}

// openWindow opens a page in the workbench's window, without a display. name is
// the page's file; its changes wait for a person. The browser is the one the
// program would take, with a port beside its pipe, by which a test looks on and
// moves the mouse.
func openWindow(t testing.TB, name, text string, env ...string) *window {
	t.Helper()
	needWindow(t)
	w := &window{gateway: &gateway{t: t, dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data"), env: env, minted: map[string]string{}}}
	own := t.TempDir()
	script := filepath.Join(own, "chromium")
	real := chromiumPath
	if _, err := os.Stat("/usr/lib/chromium/chromium"); err == nil && os.Getenv("PROOFMARK_CHROMIUM") == "" {
		real = "/usr/lib/chromium/chromium" // what Debian's script would start
	}
	if err := os.WriteFile(script, []byte(`#!/bin/sh
for a in "$@"; do
	case $a in
	--app=*) window=yes ;;
	--user-data-dir=*) profile=${a#--user-data-dir=} ;;
	esac
done
if [ "${window:-}" ]; then
	echo "$profile" >`+own+`/profile.new && mv `+own+`/profile.new `+own+`/profile
	exec `+real+` --remote-debugging-port=0 "$@"
fi
exec `+real+` "$@"
`), 0o755); err != nil {
		t.Fatal(err)
	}
	file := w.write(name, text)
	if err := os.MkdirAll(w.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.data, "preferences.json"), []byte(`{"review":true,"firstRun":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.cmd = exec.Command(binary, "open", file, "--headless", "--json", "--data-dir", w.data)
	w.cmd.Env = append(append(os.Environ(), "PROOFMARK_CHROMIUM="+script), env...)
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	w.cmd.Stderr = &said
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = w.cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	late.Stop()
	var o struct {
		PID, Port        int
		Launch, Document string
		Token            string
	}
	if err != nil || json.Unmarshal(line, &o) != nil || o.Port == 0 {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
		t.Fatalf("the window did not open: %v %q\n%s", err, line, said.String())
	}
	if o.Token != "" || bytes.Contains(line, []byte("eyJ")) {
		t.Errorf("whoever starts the window gets a token: %s", line)
	}
	w.port, w.pid, w.launch, w.document, w.ended = o.Port, o.PID, o.Launch, o.Document, make(chan struct{})
	go func() { _ = w.cmd.Wait(); close(w.ended) }()
	t.Cleanup(w.close)
	w.desktop = w.agent()
	w.browser = w.debugger(own)
	w.page = w.attach("page", "http://127.0.0.1:")
	return w
}

// close ends the program as Ctrl-C does.
func (w *window) close() {
	_ = w.cmd.Process.Signal(os.Interrupt)
	select {
	case <-w.ended:
	case <-time.After(patience):
		_ = w.cmd.Process.Kill()
		<-w.ended
		w.t.Error("the window did not close")
	}
}

func (w *window) debugger(own string) string {
	w.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		profile, err := os.ReadFile(filepath.Join(own, "profile"))
		if err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(profile)), "DevToolsActivePort"))
		if f := strings.Fields(string(b)); err == nil && len(f) == 2 {
			return "ws://127.0.0.1:" + f[0] + f[1]
		}
	}
	w.t.Fatal("the window's browser cannot be looked on")
	return ""
}

// shown is one line of what the window's browser shows.
type shown struct{ ID, Type, Title, URL string }

func (w *window) shows() (list []shown) {
	w.t.Helper()
	res, err := http.Get("http://" + strings.Split(strings.TrimPrefix(w.browser, "ws://"), "/")[0] + "/json/list")
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// attach looks on a page or a frame whose address begins as given.
func (w *window) attach(kind, address string) *tab {
	w.t.Helper()
	var id string
	until(w.t, "a "+kind+" at "+address, func() bool {
		for _, s := range w.shows() {
			if s.Type == kind && strings.HasPrefix(s.URL, address) && !strings.HasSuffix(s.URL, "/.proofmark/blank") {
				id = s.ID
				return true
			}
		}
		return false
	})
	all, cancelAll := remote.NewAllocator(context.Background(), w.browser, remote.NoModifyURL)
	ctx, cancel := chromedp.NewContext(all, chromedp.WithTargetID(target.ID(id)), chromedp.WithDetachOnCancel())
	w.t.Cleanup(func() { cancel(); cancelAll() })
	p := &tab{t: w.t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		w.t.Fatal(err)
	}
	p.js("1")
	return p
}

// loaded waits until the workbench shows the page.
func (w *window) loaded() {
	w.t.Helper()
	until(w.t, "the page is to be shown", func() bool {
		return w.page.js("!!document.querySelector('iframe') && !document.querySelector('.loading')") == "true"
	})
}

// until waits for something to become true.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not in time", what)
		}
	}
}

// tab is a page of a real browser that is looked on.
type tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	troubles []string // what it complained about; guarded by mu
}

func (p *tab) hear(ev any) {
	say := func(format string, args ...any) {
		p.mu.Lock()
		p.troubles = append(p.troubles, fmt.Sprintf(format, args...))
		p.mu.Unlock()
	}
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		say("exception: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			say("log: %s %s", e.Entry.Source, e.Entry.Text)
		}
	}
}

// clean fails the test where the page complained, of its policy above all.
func (p *tab) clean() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.troubles {
		p.t.Errorf("the workbench complains: %.600s", s)
	}
}

// js evaluates an expression, and gives its value as JSON. A tab that is between
// two documents is asked again.
func (p *tab) js(expression string) string {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
		raw, err := chromedp.Run(ctx, chromedp.Evaluate[json.RawMessage](expression))
		cancel()
		if err == nil {
			return string(raw)
		}
		between := strings.Contains(err.Error(), "execution context") || strings.Contains(err.Error(), "Execution context") || strings.Contains(err.Error(), "target navigated")
		if !between || time.Now().After(deadline) {
			p.t.Fatalf("%.200s: %v", expression, err)
		}
	}
}

func (p *tab) do(a chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, a); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) move(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

func (p *tab) click(x, y float64) {
	p.t.Helper()
	p.move(x, y)
	p.do(chromedp.MouseClickXY(x, y))
}

func (p *tab) key(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// middle gives the middle of the first element a selector finds whose text is as
// given; it waits for it.
func (p *tab) middle(selector, text string) (x, y float64) {
	p.t.Helper()
	var at []float64
	until(p.t, selector+" "+text, func() bool {
		s, _ := json.Marshal([]string{selector, text})
		_ = json.Unmarshal([]byte(p.js(`(([s, t]) => { const e = [...document.querySelectorAll(s)].find((e) => e.innerText.includes(t)); if (!e) return []; const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })(`+string(s)+`)`)), &at)
		return len(at) == 2
	})
	return at[0], at[1]
}

// drop lets go of an address, or of a file, over a place of the window.
func (w *window) drop(x, y float64, address, file string) {
	w.t.Helper()
	d := &input.DragData{Items: []*input.DragDataItem{}, DragOperationsMask: 1}
	if file != "" {
		d.Files = []string{file}
	} else {
		d.Items = append(d.Items, &input.DragDataItem{MimeType: "text/uri-list", Data: address}, &input.DragDataItem{MimeType: "text/plain", Data: address})
	}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		w.page.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: x, Y: y, Data: d})
			return chromedp.Void{}, err
		})
	}
}
