//go:build unix

package attacks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/person"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// window is a gateway that runs with the workbench's window, as a person starts
// it. Its calls are an agent's: nobody outside of the window gets another token.
type window struct {
	*gateway
	document string      // that is open
	browser  string      // where the window's browser is looked on from
	page     *person.Tab // the workbench
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
	real := chromiumPath
	if _, err := os.Stat("/usr/lib/chromium/chromium"); err == nil && os.Getenv("PROOFMARK_CHROMIUM") == "" {
		real = "/usr/lib/chromium/chromium" // what Debian's script would start
	}
	beside := person.NewBeside(t, real)
	file := w.write(name, text)
	if err := os.MkdirAll(w.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.data, "preferences.json"), []byte(`{"review":true,"firstRun":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.cmd = exec.Command(binary, "open", file, "--headless", "--json", "--data-dir", w.data)
	w.cmd.Env = append(append(os.Environ(), "PROOFMARK_CHROMIUM="+beside.Path), env...)
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
	w.browser = beside.Port(t, nil)
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

// attach looks on a page or a frame whose address begins as given.
func (w *window) attach(kind, address string) *person.Tab {
	w.t.Helper()
	return person.Attach(w.t, w.browser, kind, func(one person.Target) bool {
		return strings.HasPrefix(one.URL, address) && !strings.HasSuffix(one.URL, "/.proofmark/blank")
	})
}

// loaded waits until the workbench shows the page.
func (w *window) loaded() {
	w.t.Helper()
	until(w.t, "the page is to be shown", func() bool {
		return w.page.JS("!!document.querySelector('iframe') && !document.querySelector('.loading')") == "true"
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

// middle gives the middle of the first element a selector finds whose text is as
// given; it waits for it.
func middle(t testing.TB, p *person.Tab, selector, text string) (x, y float64) {
	t.Helper()
	var at []float64
	until(t, selector+" "+text, func() bool {
		s, _ := json.Marshal([]string{selector, text})
		_ = json.Unmarshal([]byte(p.JS(`(([s, t]) => { const e = [...document.querySelectorAll(s)].find((e) => e.innerText.includes(t)); if (!e) return []; const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })(`+string(s)+`)`)), &at)
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
		w.page.Do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: x, Y: y, Data: d})
			return chromedp.Void{}, err
		})
	}
}
