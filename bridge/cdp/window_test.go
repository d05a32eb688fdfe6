package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// leaser is the preview listener of these tests: one origin a page, and a count of
// everything else.
type leaser struct {
	ln net.Listener

	mu    sync.Mutex
	pages map[string]string // by label
	other []string          // requests for anything else
}

func newLeaser(t testing.TB) *leaser {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &leaser{ln: ln, pages: map[string]string{}}
	srv := &http.Server{Handler: http.HandlerFunc(l.serve)}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return l
}

func (l *leaser) proxy() string { return "http://" + l.ln.Addr().String() }

// put serves a page on an origin of its own.
func (l *leaser) put(label, body string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages[label] = body
	return fmt.Sprintf("http://%s.localhost:%d", label, l.ln.Addr().(*net.TCPAddr).Port)
}

func (l *leaser) strangers() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, s := range l.other {
		if !strings.Contains(s, "google") { // Chromium's own, refused like the rest
			out = append(out, s)
		}
	}
	return out
}

func (l *leaser) serve(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	label, _, _ := strings.Cut(r.Host, ".")
	body, ok := l.pages[label]
	if !ok || r.Method != "GET" || (r.URL.Path != "/" && r.URL.Path != BlankPath) {
		if r.URL.Path != "/favicon.ico" {
			l.other = append(l.other, r.Method+" "+r.Host+r.URL.Path)
		}
		l.mu.Unlock()
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	l.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'")
	if r.URL.Path == BlankPath {
		body = ""
	}
	fmt.Fprint(w, "<!doctype html>"+body)
}

// mouse sends real pointer input to the window, past the allow-list, which has no
// such command for it: a person's own hand.
func (w *Window) mouse(t testing.TB, kind string, x, y float64) {
	t.Helper()
	button, count := "none", 0
	if kind != "mouseMoved" {
		button, count = "left", 1
	}
	b, err := json.Marshal(map[string]any{"type": kind, "x": x, "y": y, "button": button, "clickCount": count})
	if err != nil {
		t.Fatal(err)
	}
	w.raw(t, w.session, "Input.dispatchMouseEvent", b)
}

// rawIDs number what is sent past the allow-list, beyond the session's own.
var rawIDs atomic.Int64

// raw sends a command past the allow-list; its answer is nobody's.
func (w *Window) raw(t testing.TB, s *session, method string, params []byte) {
	t.Helper()
	msg := &cdproto.Message{ID: 1<<30 + rawIDs.Add(1), SessionID: s.id, Method: cdproto.MethodType(method), Params: params}
	if err := w.host.raw.Write(context.Background(), msg); err != nil {
		t.Fatal(err)
	}
}

func (w *Window) press(t testing.TB, x, y float64) {
	t.Helper()
	w.mouse(t, "mouseMoved", x, y)
	w.mouse(t, "mousePressed", x, y)
	w.mouse(t, "mouseReleased", x, y)
}

// next gives the next thing of a kind that is pointed at.
func next(t testing.TB, s contract.Surface, kind contract.PointedKind) contract.Pointed {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	for {
		p, err := s.Pointed(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", kind, err)
		}
		if p.Kind == kind {
			return p
		}
	}
}

func elementID(p contract.Pick) string {
	if len(p.Chain) == 0 {
		return ""
	}
	for _, a := range p.Chain[0].Attrs {
		if a.Name == "id" {
			return a.Value
		}
	}
	return ""
}

// show puts a page into a frame of the window and loads it.
func show(t testing.TB, f *framer, l *leaser, label, body string) contract.Surface {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s, err := f.Open(ctx, contract.OpenOptions{Origin: l.put(label, body), Width: 600, Height: 400})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.Load(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	return s
}

// counting is a page that tells what pointer events it sees.
const counting = `<style>body{margin:0;height:3000px}#a,#b{position:absolute;left:10px;width:200px;height:50px}#a{top:10px}#b{top:100px}</style>
<button id=a>One</button><button id=b>Two</button>
<script>for (const e of ['mousemove','mouseover','mousedown','mouseup','click','pointerdown','pointermove','pointerover']) addEventListener(e, () => console.error('saw ' + e), true)</script>`

func TestWindowPointing(t *testing.T) {
	d, l := newDesk(t), newLeaser(t)
	f := &framer{Window: d.window(l.proxy()), desk: d}
	s := show(t, f, l, "aaaa", counting)
	ctx := context.Background()
	if err := s.Inspect(ctx, true); err != nil {
		t.Fatal(err)
	}
	f.mouse(t, "mouseMoved", 50, 30)
	if p := next(t, s, contract.Hovered); elementID(p.Pick) != "a" || p.Pick.Handle != "" || p.Pick.Rect.Width != 200 {
		t.Errorf("hovered %+v", p.Pick)
	}
	f.mouse(t, "mouseMoved", 50, 120)
	if p := next(t, s, contract.Hovered); elementID(p.Pick) != "b" {
		t.Errorf("hovered %+v", p.Pick)
	}
	f.press(t, 50, 30)
	picked := next(t, s, contract.Picked).Pick
	if elementID(picked) != "a" || picked.Handle == "" {
		t.Errorf("picked %+v", picked)
	}
	// It stays armed, also over a load.
	if _, err := s.Load(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	f.mouse(t, "mouseMoved", 50, 30)
	if p := next(t, s, contract.Hovered); elementID(p.Pick) != "a" || p.Pick.Epoch != 2 {
		t.Errorf("after a load: %+v", p.Pick)
	}
	f.press(t, 50, 120)
	if p := next(t, s, contract.Picked).Pick; elementID(p) != "b" {
		t.Errorf("picked %+v", p)
	}
	h, err := s.Health(ctx)
	if err != nil || len(h.ConsoleErr) > 0 {
		t.Errorf("the page saw %v, %v", h.ConsoleErr, err)
	}
	// Off again, it is the page's.
	if err := s.Inspect(ctx, false); err != nil {
		t.Fatal(err)
	}
	f.press(t, 50, 30)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if h, err = s.Health(ctx); err != nil || slices.Contains(h.ConsoleErr, "saw click") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the page sees nothing: %v", h.ConsoleErr)
		}
	}
	// Movements are told, and not without end.
	if err := s.Act(ctx, contract.Action{Kind: "scroll", DY: 100}); err != nil {
		t.Fatal(err)
	}
	next(t, s, contract.Moved)
	// What was said before a load does not count again.
	if _, err := s.Load(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	if h, err = s.Health(ctx); err != nil || len(h.ConsoleErr) > 0 {
		t.Errorf("after a load: %v %v", h.ConsoleErr, err)
	}
	// The pointer rests on the page: inspect mode knows what it is over at once.
	f.mouse(t, "mouseMoved", 50, 120)
	f.mouse(t, "mouseMoved", 50, 30)
	time.Sleep(200 * time.Millisecond)
	if err := s.Inspect(ctx, true); err != nil {
		t.Fatal(err)
	}
	f.mouse(t, "mousePressed", 50, 30)
	f.mouse(t, "mouseReleased", 50, 30)
	if p := next(t, s, contract.Picked).Pick; elementID(p) != "b" { // it stands there since the page was scrolled
		t.Errorf("without a movement: picked %+v", p)
	}
	if err := s.Inspect(ctx, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Act(ctx, contract.Action{Kind: "scroll", DY: 100}); err != nil {
		t.Fatal(err)
	}
	// The next load is shown where this one was scrolled to.
	before, err := s.Places(ctx, []contract.Spot{{Path: []int{1, 2, 2}}})
	if err != nil || before[0].Y >= 100 {
		t.Fatalf("scrolled: %+v %v", before[0], err)
	}
	if _, err := s.Load(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	if after, err := s.Places(ctx, []contract.Spot{{Path: []int{1, 2, 2}}}); err != nil || *after[0] != *before[0] {
		t.Errorf("loaded again: %+v, before %+v, %v", after[0], before[0], err)
	}
}

// TestWindowHost: what the workbench asks its host is answered in the window, and
// reaches nobody else.
func TestWindowHost(t *testing.T) {
	d, l := newDesk(t), newLeaser(t)
	d.window(l.proxy())
	ask := func(id, method, url string) string {
		d.tell(map[string]any{"do": "fetch", "id": id, "method": method, "url": url})
		return d.heard(id + " ")
	}
	if got := ask("one", "GET", "/host/hello"); got != `200 {"host":"window","protocol":4}` {
		t.Errorf("hello: %s", got)
	}
	if got := ask("two", "POST", "/host/token"); got != `200 {"expires":"2001-09-09T01:46:40Z","token":"secret-1"}` {
		t.Errorf("token: %s", got)
	}
	if got := ask("three", "POST", "/host/token"); !strings.Contains(got, "secret-2") {
		t.Errorf("token: %s", got)
	}
	for i, c := range [][2]string{{"GET", "/host/token"}, {"GET", "/host/"}, {"POST", "/host/hello"}, {"GET", "/host/hello?x"}} {
		if got := ask(fmt.Sprintf("no%d", i), c[0], c[1]); !strings.HasPrefix(got, "404 ") {
			t.Errorf("%v: %s", c, got)
		}
	}
	if got := d.requests("/host/"); len(got) != 0 {
		t.Errorf("the gateway was asked %v", got)
	}
	// The workbench stays where it is, and opens nothing.
	for i, url := range []string{"http://stranger.test/", d.origin() + "/other", "http://localhost:1/", "data:text/html,x"} {
		d.tell(map[string]any{"do": "leave", "id": fmt.Sprintf("leave%d", i), "url": url})
		d.heard(fmt.Sprintf("done leave%d", i))
	}
	d.tell(map[string]any{"do": "open", "id": "open", "url": d.origin() + "/popup"})
	d.heard("done open")
	time.Sleep(300 * time.Millisecond)
	if got := ask("last", "GET", "/host/hello"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("after all that: %s", got)
	}
	if got := append(d.requests("/other"), d.requests("/popup")...); len(got) != 0 {
		t.Errorf("asked for %v", got)
	}
	if s := l.strangers(); len(s) != 0 {
		t.Errorf("strangers were asked: %v", s)
	}
}

// TestFrameEscapes: a page in a frame reaches neither the workbench's address, by
// any of its names, nor a server beside it, and stays where it is.
func TestFrameEscapes(t *testing.T) {
	d, l := newDesk(t), newLeaser(t)
	var hits atomic.Int64
	side, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer side.Close()
	go func() {
		for {
			c, err := side.Accept()
			if err != nil {
				return
			}
			hits.Add(1)
			c.Close()
		}
	}()
	f := &framer{Window: d.window(l.proxy()), desk: d}
	_, port, _ := net.SplitHostPort(d.ln.Addr().String())
	before := len(d.requests(""))
	for i, target := range []string{
		d.origin() + "/evil", "http://localhost:" + port + "/evil", "http://127.0.0.2:" + port + "/evil", "http://[::1]:" + port + "/evil",
		"http://0.0.0.0:" + port + "/evil", "http://x.localhost:" + port + "/evil", "http://" + side.Addr().String() + "/evil",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			label := fmt.Sprintf("esc%d", i)
			s := show(t, f, l, label, fmt.Sprintf(`<p id=p>here</p><script>
const to = %q;
fetch(to, {method:'POST', mode:'no-cors'}).catch(() => {}); fetch(to + '/../host/token', {method:'POST'}).then((r) => r.text()).then((x) => console.error('GOT ' + x), () => {});
new Image().src = to; navigator.sendBeacon(to); try { new WebSocket(to.replace('http', 'ws')) } catch {} try { new EventSource(to) } catch {}
const f = document.createElement('iframe'); f.src = to; document.body.append(f);
const o = document.createElement('form'); o.action = to; o.method = 'post'; o.target = '_top'; document.body.append(o); try { o.submit() } catch {}
try { window.open(to) } catch {} try { top.location = to } catch {} try { parent.location.href = to } catch {}
try { parent.document.title } catch { console.error('no parent') }
const pc = new RTCPeerConnection({iceServers: [{urls: 'turn:' + new URL(to).host + '?transport=tcp', username: 'u', credential: 'p'}]}); pc.createDataChannel('x'); pc.createOffer().then((x) => pc.setLocalDescription(x));
</script>`, target))
			time.Sleep(300 * time.Millisecond)
			h, err := s.Health(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range h.ConsoleErr {
				if strings.HasPrefix(c, "GOT") {
					t.Errorf("it got %s", c)
				}
			}
			if picks, _, err := s.Query(context.Background(), "#p", 1); err != nil || len(picks) != 1 || picks[0].Text != "here" {
				t.Errorf("the page is gone: %v %v", picks, err)
			}
		})
	}
	// Links that a person follows.
	s := show(t, f, l, "link", `<a id=a href="https://stranger.test/x" style="display:block;width:300px;height:40px">go</a><a id=b href="/elsewhere" style="display:block;width:300px;height:40px">go</a>`)
	for _, y := range []float64{28, 68} {
		f.press(t, 50, y)
		time.Sleep(300 * time.Millisecond)
		if picks, _, err := s.Query(context.Background(), "#a", 1); err != nil || len(picks) != 1 {
			t.Errorf("after a link: %v %v", picks, err)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server beside it was reached %d times", n)
	}
	if got := d.requests("evil"); len(got) != 0 {
		t.Errorf("the workbench's server was asked %v", got)
	}
	for _, r := range d.requests("")[before:] {
		if !strings.HasSuffix(r, "/say") && !strings.HasSuffix(r, "/tells") {
			t.Errorf("the workbench's server was asked %s", r)
		}
	}
	for _, r := range l.strangers() { // the proxy refuses what the lock does not see
		if !strings.HasPrefix(r, "CONNECT ") {
			t.Errorf("the proxy was asked %s", r)
		}
	}
	if d.tokens.Load() != 0 {
		t.Error("a page got a token")
	}
}

// TestFrameEnds: a frame that crashes, is taken away, or whose workbench is loaded
// again, is gone; so is everything when the window is closed.
func TestFrameEnds(t *testing.T) {
	d, l := newDesk(t), newLeaser(t)
	f := &framer{Window: d.window(l.proxy()), desk: d}
	lost := func(what string, s contract.Surface) {
		t.Helper()
		select {
		case <-s.Lost():
		case <-time.After(15 * time.Second):
			t.Fatalf("%s: not lost", what)
		}
		if _, err := s.Load(context.Background(), "/"); core.CodeOf(err) != core.SurfaceLost {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := s.Pointed(context.Background()); core.CodeOf(err) != core.SurfaceLost {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := show(t, f, l, "one", "<p>x")
	other := show(t, f, l, "two", "<p id=p>y")
	f.raw(t, s.(*framedView).Surface.(*Surface).session, "Page.crash", nil)
	lost("crashed", s)
	if picks, _, err := other.Query(context.Background(), "#p", 1); err != nil || picks[0].Text != "y" {
		t.Errorf("the other page: %v %v", picks, err)
	}
	d.tell(map[string]any{"do": "remove", "id": other.(*framedView).id})
	lost("taken away", other)
	// A page that waits for a frame nobody makes.
	waiting, err := f.Window.Open(context.Background(), contract.OpenOptions{Origin: l.put("three", "x")})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := waiting.Query(context.Background(), "p", 1); core.CodeOf(err) != core.SurfaceChanged {
		t.Errorf("before a frame: %v", err)
	}
	if _, err := waiting.Load(context.Background(), "/"); core.CodeOf(err) != core.Timeout {
		t.Errorf("without a frame: %v", err)
	}
	last := show(t, f, l, "four", "<p>x")
	d.mu.Lock()
	d.said = nil
	d.mu.Unlock()
	f.raw(t, f.session, "Page.reload", nil)
	lost("loaded again", last)
	lost("loaded again, waiting", waiting)
	d.heard("ready")
	f.raw(t, f.session, "Page.close", nil)
	select {
	case <-f.Closed():
	case <-time.After(15 * time.Second):
		t.Fatal("the window's end was not told")
	}
	if _, err := f.Window.Open(context.Background(), contract.OpenOptions{Origin: "http://x.localhost:1"}); core.CodeOf(err) != core.SurfaceLost {
		t.Errorf("on a closed window: %v", err)
	}
}

// TestWindowVisible: the same in a window that can be seen.
func TestWindowVisible(t *testing.T) {
	screen(t)
	d, l := newDesk(t), newLeaser(t)
	f := &framer{Window: d.window(l.proxy(), func(o *WindowOptions) { o.Headless = false }), desk: d}
	s := show(t, f, l, "aaaa", counting)
	if err := s.Inspect(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	f.mouse(t, "mouseMoved", 50, 30)
	if p := next(t, s, contract.Hovered); elementID(p.Pick) != "a" {
		t.Errorf("hovered %+v", p.Pick)
	}
	f.press(t, 50, 120)
	if p := next(t, s, contract.Picked).Pick; elementID(p) != "b" {
		t.Errorf("picked %+v", p)
	}
	if h, err := s.Health(context.Background()); err != nil || len(h.ConsoleErr) > 0 {
		t.Errorf("the page saw %v, %v", h.ConsoleErr, err)
	}
}

// TestFrameTakesNoKeys: what a person types in the workbench is not the page's,
// however it grabs for the keyboard, and also right after it was pointed at.
func TestFrameTakesNoKeys(t *testing.T) {
	d, l := newDesk(t), newLeaser(t)
	f := &framer{Window: d.window(l.proxy()), desk: d}
	s := show(t, f, l, "aaaa", `<style>body{margin:0}</style><input id=i autofocus style="width:300px;height:40px"><script>
setInterval(() => { window.focus(); document.getElementById('i').focus() }, 10);
addEventListener('keydown', (e) => console.error('key ' + e.key)); addEventListener('focus', () => console.error('focus'))</script>`)
	if err := s.Inspect(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	f.press(t, 100, 200)
	next(t, s, contract.Picked)
	d.tell(map[string]any{"do": "input", "id": "input"})
	d.heard("done input")
	key, err := json.Marshal(map[string]any{"type": "keyDown", "key": "a", "text": "a"})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		f.raw(t, f.session, "Input.dispatchKeyEvent", key)
		time.Sleep(50 * time.Millisecond)
	}
	d.tell(map[string]any{"do": "value", "id": "value"})
	if got := d.heard("value "); got != "aaaaa INPUT" {
		t.Errorf("typed in the workbench: %s", got)
	}
	h, err := s.Health(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range h.ConsoleErr {
		if strings.HasPrefix(line, "key ") || line == "focus" {
			t.Errorf("the page got %q", line)
		}
	}
}
