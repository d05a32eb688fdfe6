//go:build unix

package attacks

import (
	"fmt"
	"strings"
	"testing"
)

// foreign is what a page tries with fetch, with and without a token it stole.
const foreign = `<script>
const paths = ['/v1/health', '/v1/documents', '/v1/documents/' + D, '/v1/documents/' + D + '/source', '/v1/documents/' + D + '/write', '/v1/tokens', '/v1/shutdown', '/', '/v1/settings'];
for (const [who, base] of [['', G], ['control ', C]]) for (const p of paths) for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) for (const stolen of [false, true]) {
  const init = { method, credentials: 'include', headers: {} };
  if (method !== 'GET') { init.body = '{"path":"/x.html"}'; init.headers['Content-Type'] = 'application/json'; }
  if (stolen) init.headers.Authorization = 'Bearer ' + T;
  if (who) init.credentials = 'omit'; // what a wildcard allows
  tried(who + method + ' ' + p + (stolen ? ' with a token' : ''), async () => { const r = await fetch(base + p, init); return 'got ' + r.status + ' ' + (await r.text()).slice(0, 80); });
  if (!who) tried(method + ' ' + p + ' without cors' + stolen, async () => { const r = await fetch(base + p, { ...init, mode: 'no-cors', method: method === 'GET' ? 'GET' : 'POST', headers: stolen ? { Authorization: 'Bearer ' + T } : {} }); return r.type === 'opaque' && !r.status ? 'opaque' : 'got ' + r.status; });
}
finish();
</script>`

func withDocument(html, document string) string {
	return fmt.Sprintf("<script>const D = %q;</script>%s", document, html)
}

// R-SEC-1, D-87.
func TestAttack01ForeignFetch(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	s := newSite(g)
	before := g.state()
	for _, url := range []string{"http://evil.test/", "https://evil.test/"} {
		refused := g.logged("refused", "wrong_origin")
		mustNotGet(t, s.visit(url, g.desktop, withDocument(foreign, id)), 150)
		if n := g.logged("refused", "wrong_origin") - refused; n < 40 {
			t.Errorf("%s: only %d requests arrived; the browser may have stopped them before the gateway did", url, n)
		}
		if g.state() != before {
			t.Errorf("%s: something was changed", url)
		}
	}
}

// The bodies a page can send without asking: they hold valid JSON.
func TestAttack02SimplePost(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	before := g.state()
	body := `{"name":"mine","move":true}`
	for _, ct := range []string{
		"", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/csp-report",
		"text/json", "application/json; charset=utf-16", "application/json, text/plain", "application/json; boundary=x",
	} {
		headers := []string{g.host(), g.auth()}
		if ct != "" {
			headers = append(headers, "Content-Type: "+ct)
		}
		g.raw("with a valid token, as "+ct, post("/v1/documents/"+id+"/restore", body, headers...)).refused(415)
		g.raw("without a token, as "+ct, post("/v1/documents/"+id+"/restore", body, append(headers[:1], headers[2:]...)...)).refused(415)
	}
	g.raw("two types", post("/v1/documents", body, g.host(), g.auth(), "Content-Type: application/json", "Content-Type: text/plain")).refused(415)
	s := newSite(g)
	mustNotGet(t, s.visit("http://evil.test/", g.desktop, withDocument(`<script>
for (const [who, base] of [['', G], ['control ', C]]) for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) for (const p of ['/v1/documents', '/v1/documents/' + D + '/redo', '/v1/shutdown']) {
  tried(who + type + p, async () => 'got ' + (await fetch(base + p, { method: 'POST', headers: { 'Content-Type': type }, body: '{"version":"1","write":true}' })).status);
}
for (const enctype of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
  const f = el('form', { action: G + '/v1/shutdown', method: 'post', enctype, target: 'sink' }), i = el('iframe', { name: 'sink' });
  f.append(el('input', { name: '{"version":"1","x":"', value: '"}' }));
  document.body.append(i, f);
  tried('form ' + enctype, async () => { f.submit(); await wait(300); try { return i.contentDocument.body.textContent ? 'got a frame' : 'empty'; } catch { return 'closed'; } });
}
finish();
</script>`, id)), 12)
	if s.control.count("POST /v1/shutdown") == 0 || g.logged("refused", "wrong_origin") == 0 {
		t.Error("the page's requests did not arrive")
	}
	if g.state() != before {
		t.Error("something was changed")
	}
}

// Elements and events that send a request wherever they point.
func TestAttack03Elements(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	before := g.state()
	s := newSite(g)
	got := s.visit("http://evil.test/", g.desktop, withDocument(`<script>
const run = (who, base, tail) => {
  tried(who + 'img', () => loads(el('img', { src: base + '/v1/a' + tail.png })));
  tried(who + 'script', async () => { const r = await loads(el('script', { src: base + '/v1/a' + tail.js })); return who ? window.script || 'nothing' : r; });
  tried(who + 'stylesheet', () => loads(el('link', { rel: 'stylesheet', href: base + '/v1/a' + tail.css }), document.head));
  tried(who + 'event source', () => new Promise((r) => { const e = new EventSource(base + '/v1/documents/' + D + '/events'); e.onopen = () => r('got events'); e.onerror = () => r('error'); }));
};
run('', G, { png: '.png', js: '.js', css: '.css' });
run('control ', C, { png: '.png', js: '.js', css: '.css' });
for (const p of ['/v1/health', '/v1/documents', '/v1/documents/' + D + '/source', '/v1/documents/' + D + '/events', '/v1/shutdown', '/v1/documents/' + D + '/write']) {
  tried('beacon' + p, async () => { navigator.sendBeacon(G + p, new Blob(['{"write":true}'], { type: 'text/plain' })); return 'sent'; });
  tried('prefetch' + p, () => loads(el('link', { rel: 'prefetch', href: G + p }), document.head));
  tried('preload' + p, () => loads(el('link', { rel: 'preload', as: 'fetch', href: G + p }), document.head));
  tried('video' + p, async () => { const v = el('video', { src: G + p, preload: 'auto' }); return new Promise((r) => { v.onloadedmetadata = () => r('got a video'); v.onerror = () => r('error'); document.body.append(v); }); });
  for (const tag of ['iframe', 'object', 'embed']) tried(tag + p, async () => {
    const e = el(tag); e[tag === 'object' ? 'data' : 'src'] = G + p; await loads(e);
    try { return e.contentDocument && e.contentDocument.body.textContent ? 'got ' + e.contentDocument.body.textContent : 'closed'; } catch { return 'closed'; }
  });
  tried('window' + p, async () => { const w = open(G + p); await wait(500); try { const text = w.document.body.textContent; w.close(); return text ? 'got ' + text : 'empty'; } catch { w.close(); return 'closed'; } });
}
tried('form', async () => { const f = el('form', { action: G + '/v1/documents/' + D + '/source', method: 'get', target: '_blank' }); document.body.append(f); f.submit(); return 'sent'; });
tried('download', async () => { el('a', { href: G + '/v1/documents/' + D + '/source', download: 'x', target: '_blank' }).click(); return 'sent'; });
finish();
</script>`, id))
	mustNotGet(t, got, 45)
	if n := g.logged("refused", "wrong_origin"); n < 25 {
		t.Errorf("only %d requests arrived", n)
	}
	for name, text := range map[string]string{
		"events without a token":         request("GET /v1/documents/"+id+"/events HTTP/1.1", g.host(), "Accept: text/event-stream"),
		"events with one in the address": request("GET /v1/documents/"+id+"/events?token="+g.desktop+" HTTP/1.1", g.host(), "Accept: text/event-stream"),
		"events with one in a cookie":    request("GET /v1/documents/"+id+"/events HTTP/1.1", g.host(), "Cookie: token="+g.desktop),
	} {
		g.raw(name, text).refused(401)
	}
	if g.state() != before {
		t.Error("something was changed")
	}
}

// P17: asking politely opens nothing, neither for the private network of old nor
// for the local network of today.
func TestAttack04Preflight(t *testing.T) {
	g := start(t)
	for _, origin := range []string{"https://evil.test", "http://evil.test", "null", "http://localhost:3000", "http://127.0.0.1:3000"} {
		for _, path := range []string{"/v1/documents", "/v1/tokens", "/v1/health", "/", "*"} {
			for _, extra := range []string{"Access-Control-Request-Private-Network: true", "Access-Control-Request-Local-Network: true", "X-None: 1"} {
				for _, auth := range []string{"X-None: 2", g.auth()} {
					g.raw("preflight of "+path+" from "+origin, request("OPTIONS "+path+" HTTP/1.1", g.host(), auth, "Origin: "+origin,
						"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, content-type", extra)).refused(403, 400)
				}
			}
		}
	}
	// Its own page, the workbench, needs no preflight, and gets no answer to one that
	// would allow anything.
	own := g.raw("from the workbench", request("OPTIONS /v1/documents HTTP/1.1", g.host(), g.auth(), "Origin: "+g.url(""), "Access-Control-Request-Method: POST"))
	own.refused(405)
	for name := range own.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the workbench is told %s", name)
		}
	}
	g.raw("without an origin", request("OPTIONS /v1/documents HTTP/1.1", g.host(), g.auth(), "Access-Control-Request-Method: POST")).refused(405)
	s := newSite(g)
	mustNotGet(t, s.visit("https://evil.test/", g.desktop, `<script>
for (const [who, base] of [['', G], ['control ', C]]) for (const targetAddressSpace of ['loopback', 'local', 'private', 'public', 'unknown']) for (const method of ['GET', 'PUT']) {
  if (who && targetAddressSpace !== 'loopback') continue;
  tried(who + targetAddressSpace + method, async () => 'got ' + (await fetch(base + '/v1/health', { method, targetAddressSpace, headers: { 'X-Mine': '1' } })).status);
}
finish();
</script>`), 10)
	if g.logged("refused", "wrong_origin") < 120 {
		t.Error("the preflights did not arrive")
	}
}

// P5: there is no WebSocket to upgrade to, whoever asks and whatever they hold.
func TestAttack05WebSocketUpgrade(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	ws := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}
	for _, path := range []string{"/", "/v1/documents/" + id + "/events", "/v1/health", "/v1/previews", "/json/version", "/devtools/browser"} {
		for _, origin := range []string{"https://evil.test", "null", "http://localhost:3000", "http://127.0.0.1:3000", ""} {
			headers := append([]string{g.host()}, ws...)
			if origin != "" {
				headers = append(headers, "Origin: "+origin)
			}
			r := g.raw("without a token from "+origin, request("GET "+path+" HTTP/1.1", headers...))
			if origin == "" && path == "/" { // the workbench, which is no secret and no socket
				if r.status != 200 || r.header.Get("Upgrade") != "" {
					t.Errorf("the workbench: %d", r.status)
				}
			} else if origin == "" {
				r.refused(401, 429)
			} else {
				r.refused(403)
			}
			if strings.HasSuffix(path, "/events") && origin == "" {
				continue // an ordinary stream, which goes on
			}
			r = g.raw("with a token from "+origin, request("GET "+path+" HTTP/1.1", append(headers, g.auth())...))
			if r.status == 101 || r.header.Get("Upgrade") != "" || origin != "" && r.status != 403 {
				t.Errorf("%s from %q: %d", path, origin, r.status)
			}
		}
	}
	s := newSite(g)
	mustNotGet(t, s.visit("http://evil.test/", g.desktop, withDocument(`<script>
const dial = (url, protocols) => new Promise((r) => { const w = new WebSocket(url.replace('http', 'ws'), protocols); w.onopen = () => r('got a socket'); w.onerror = () => r('error'); });
tried('control socket', () => dial(C + '/v1/documents/x/socket'));
for (const p of ['/', '/v1/documents/' + D + '/events', '/v1/health']) {
  tried('socket ' + p, () => dial(G + p));
  tried('socket with a token ' + p, () => dial(G + p, ['bearer', T]));
  tried('socket with one in the address ' + p, () => dial(G + p + '?token=' + T));
}
finish();
</script>`, id)), 9)
	g.alive()
}
