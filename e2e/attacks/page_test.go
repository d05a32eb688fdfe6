//go:build unix

package attacks

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// site is an attacker's web server: it serves one page, over http and https, and
// is told by the page what it got.
type site struct {
	t           testing.TB
	plain, tls  *httptest.Server
	html        string
	done        chan map[string]string
	gatewayPort int
	control     *control
	rules       []string // of the browser's resolver
}

// newSite makes the attacker of a gateway.
func newSite(g *gateway) *site {
	s := &site{t: g.t, done: make(chan map[string]string, 1), gatewayPort: g.port, control: newControl(g.t)}
	quiet := log.New(io.Discard, "", 0)
	s.plain, s.tls = httptest.NewUnstartedServer(s), httptest.NewUnstartedServer(s)
	s.plain.Config.ErrorLog, s.tls.Config.ErrorLog = quiet, quiet
	s.plain.Start()
	s.tls.StartTLS()
	g.t.Cleanup(s.plain.Close)
	g.t.Cleanup(s.tls.Close)
	s.rules = []string{
		"MAP evil.test:80 " + s.plain.Listener.Addr().String(), "MAP evil.test:443 " + s.tls.Listener.Addr().String(),
	}
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == "POST" && r.URL.Path == "/done":
		var got map[string]string
		if err := json.NewDecoder(r.Body).Decode(&got); err == nil {
			select {
			case s.done <- got:
			default:
			}
		}
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, s.html)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// prelude is what every attacking page begins with: G is the gateway, C the
// control, T a token that is valid. tried runs an attempt and keeps what came of
// it: "got …" is what a page must not get.
const prelude = `<!doctype html><meta charset=utf-8><title>evil</title><body><script>
const G = 'http://127.0.0.1:%d', C = 'http://127.0.0.1:%d', T = %q, results = {}, pending = [];
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const tried = (name, f) => pending.push((async () => {
  try { results[name] = await Promise.race([f(), wait(8000).then(() => 'nothing')]); } catch (e) { results[name] = 'error ' + e.name; }
})());
const loads = (e, parent = document.body) => new Promise((r) => { e.onload = () => r('got a load'); e.onerror = () => r('error'); parent.append(e); });
const el = (tag, props = {}) => Object.assign(document.createElement(tag), props);
const finish = async () => { let n; do { n = pending.length; await Promise.all(pending); } while (n !== pending.length); await fetch('/done', { method: 'POST', body: JSON.stringify(results) }); };
addEventListener('error', (e) => { results['the page itself'] = String(e.message); });
</script>
`

// visit shows the page to a person of this machine, whose browser is an
// ordinary one, and gives what the page got.
func (s *site) visit(url, token, html string) map[string]string {
	s.t.Helper()
	needChromium(s.t)
	s.html = fmt.Sprintf(prelude, s.gatewayPort, s.control.port, token) + html
	profile := s.t.TempDir()
	args := []string{
		"--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--ignore-certificate-errors",
		"--disable-component-update", "--disable-background-networking", "--disable-popup-blocking",
		"--host-resolver-rules=" + strings.Join(append(s.rules, "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1", "EXCLUDE localhost"), ","), url,
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.Command(chromiumPath, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, w, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{in, w} // a pipe that is never used keeps it running
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	defer func() {
		for _, f := range []*os.File{r, w, in, out} {
			_ = f.Close()
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its helpers hold the profile
		_ = cmd.Wait()
	}()
	select {
	case got := <-s.done:
		if why := got["the page itself"]; why != "" {
			s.t.Fatalf("the page broke: %s", why)
		}
		return got
	case <-time.After(patience):
		s.t.Fatal("the page did not say what it got")
		return nil
	}
}

// mustNotGet fails the test where an attempt at the gateway got something, or
// the same attempt at the control, whose name begins with "control ", did not.
func mustNotGet(t testing.TB, got map[string]string, least int) {
	t.Helper()
	n := 0
	for name, what := range got {
		arrived := strings.HasPrefix(what, "got ")
		if strings.HasPrefix(name, "control ") {
			if !arrived {
				t.Errorf("%s: %s; the attempt proves nothing", name, what)
			}
			continue
		}
		n++
		if arrived {
			t.Errorf("%s: the page %s", name, what)
		}
	}
	if n < least {
		t.Errorf("only %d attempts were made", n)
	}
}

// control is a server that lets every page do everything.
type control struct {
	port int

	mu      sync.Mutex
	arrived map[string]int // by method and path; guarded by mu
}

func newControl(t testing.TB) *control {
	c := &control{arrived: map[string]int{}}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	c.port = s.Listener.Addr().(*net.TCPAddr).Port
	return c
}

func (c *control) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.arrived[what]
}

var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")

func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.arrived[r.Method+" "+r.URL.Path]++
	c.mu.Unlock()
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Allow-Methods", "*")
	h.Set("Access-Control-Allow-Private-Network", "true")
	h.Set("Access-Control-Allow-Local-Network", "true")
	if key := r.Header.Get("Sec-WebSocket-Key"); key != "" {
		c.upgrade(w, key)
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, ".png"):
		h.Set("Content-Type", "image/png")
		_, _ = w.Write(pixel)
	case strings.HasSuffix(r.URL.Path, ".js"):
		h.Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, "window.script = 'got run';")
	case strings.HasSuffix(r.URL.Path, ".css"):
		h.Set("Content-Type", "text/css")
	case strings.HasSuffix(r.URL.Path, "/events"):
		h.Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: x\n\n")
	default:
		_, _ = io.WriteString(w, "{}")
	}
}

// upgrade begins a WebSocket and leaves it at that.
func (c *control) upgrade(w http.ResponseWriter, key string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}
