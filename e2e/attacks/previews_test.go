//go:build unix

package attacks

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each page pretends that something else is what the person points at. A pick is
// refused, or its bytes are those of the very element.
func TestAttack24ForgedIdentity(t *testing.T) {
	g := start(t)
	for name, c := range map[string]struct{ head, body, target, tag string }{
		"our attributes":               {"", `<div data-proofmark-id="1" data-pm="h1" id=proofmark-overlay><h1 data-proofmark-id="1">Forged</h1></div>`, "#a", "<p id=a>"},
		"the same id twice, by script": {"", `<script>const c = document.getElementById('a').cloneNode(true); document.body.append(c);</script>`, "p:nth-of-type(1)", "<p id=a>"},
		"swapped on hover":             {"", `<script>const h = document.querySelector('h1'); addEventListener('mousemove', () => { const n = document.createElement('h1'); n.textContent = 'Old news'; h.replaceWith(n); }); addEventListener('mouseover', () => h.replaceWith(h.cloneNode(true)));</script>`, "@60,40", ""},
		"swapped always":               {"", `<script>setInterval(() => { const a = document.querySelector('p'), b = a.nextElementSibling; a.before(b); }, 1);</script>`, "#b", "<p id=b>"},
		"a glass pane":                 {"", `<div style="position:fixed;inset:0;pointer-events:none;z-index:9"></div>`, "@60,40", ""},
		"a decoy":                      {"", `<div id=decoy style="position:fixed;left:60px;top:40px;width:1px;height:1px;z-index:9"></div>`, "@60,40", ""},
		"replaced by twins":            {"", `<script>const p = document.getElementById('a'); p.outerHTML = p.outerHTML;</script>`, "#a", ""},
		"a closed shadow":              {"", `<div id=host></div><script>document.getElementById('host').attachShadow({ mode: 'closed' }).innerHTML = '<p id=a>first</p>';</script>`, "#host", "<div id=host>"},
		"a slot":                       {"", `<div id=host><span id=s>in</span></div><script>document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<b><slot></slot></b>';</script>`, "#s", "<span id=s>"},
		"written over":                 {"<script>addEventListener('load', () => { document.body.innerHTML = document.body.innerHTML; })</script>", "", "h1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := g.in(t)
			page := strings.Replace(strings.Replace(plainPage, "</head>", c.head+"</head>", 1), "</body>", c.body+"</body>", 1)
			g.write("forged.html", page)
			prv := g.preview(g.open("forged.html"))
			r := g.point(prv, c.target)
			if r.status != 200 {
				if r.status < 400 || r.status >= 500 || r.code() == "internal" {
					t.Errorf("%d %s", r.status, r.body)
				}
				return
			}
			p := as[picked](r)
			if p.Refusal.Code == "" {
				tag := page[p.StartTag[0]:p.StartTag[1]]
				if tag != p.Tag || c.tag != "" && tag != c.tag || !strings.HasPrefix(tag, "<"+strings.Fields(p.Name)[0]) {
					t.Errorf("%s is taken for %q: %+v", c.target, tag, p)
				}
				if p.Name == "h1" && page[p.StartTag[0]-6:p.StartTag[0]] != "<body>" {
					t.Errorf("another heading: %+v", p)
				}
			} else if c.tag != "" && !strings.HasPrefix(name, "swapped") {
				t.Errorf("what was not touched is refused: %+v", p)
			}
			g.call("DELETE", "/v1/previews/"+prv, nil).want(204)
		})
	}
}

// The page draws our button and presses it itself. What waits for a person is
// decided over the API alone, which no page reaches.
func TestAttack25FakeApproval(t *testing.T) {
	g := start(t)
	page := strings.Replace(plainPage, "</body>", fmt.Sprintf(`<button id=approve style="position:fixed;inset:0">Approve the change</button><script>
const turn = new URLSearchParams(location.search).get('turn') || 'trn_x', G = 'http://127.0.0.1:%d';
const press = () => { for (const p of ['/decision', '/cancel']) for (const mode of ['cors', 'no-cors']) fetch(G + '/v1/turns/' + turn + p, { method: 'POST', mode, body: '{"commit":true}' }).catch(() => {});
  for (const t of [parent, top, opener, window]) if (t) t.postMessage({ type: 'approve', turn, commit: true }, '*'); };
approve.onclick = press; setInterval(press, 50); approve.click();
</script></body>`, g.port), 1)
	g.write("page.html", page)
	id := g.open("page.html")
	prv := g.preview(id)
	turn := g.send(id, ask(map[string]any{"review": true}, g.note(id, prv, "h1", `change the text to "Approved"`)))
	sha := g.waits(turn) // both versions have been shown by now
	g.pick(prv, "#approve")
	g.call("GET", "/v1/previews/"+prv+"/picture", nil).want(200)
	if again := g.waits(turn); again != sha || g.read("page.html") != page || g.generation(id) != 1 {
		t.Error("the page approved its own change")
	}
	if n := g.logged("refused", "wrong_origin"); n > 0 {
		t.Errorf("%d of its requests reached the gateway", n)
	}
	g.decide(turn, sha, false).want(204)
	if r := g.ends(turn); r.Result.Status == "applied" || g.read("page.html") != page {
		t.Errorf("%v", r)
	}
}

// P15: the API's origin never shows a page, and a null origin gets nothing.
func TestAttack26PreviewOrigin(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	prv := g.preview(id)
	for _, r := range routes(t) {
		if r.method != "GET" || strings.HasSuffix(r.path, "/events") {
			continue
		}
		a := g.call("GET", r.at(map[string]string{"document": id, "preview": prv}), nil)
		ct, policy := a.header.Get("Content-Type"), a.header.Get("Content-Security-Policy")
		if strings.Contains(ct, "html") || strings.Contains(ct, "svg") || a.header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") || strings.Contains(policy, "allow-") || a.header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", r, a.header)
		}
		if strings.HasSuffix(r.path, "/source") && !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the source is shown: %v", a.header)
		}
	}
	for _, auth := range []string{g.auth(), "Authorization: Bearer " + g.mint("preview", prv), "X-None: 1"} {
		g.raw("null", request("GET /v1/previews/"+prv+" HTTP/1.1", g.host(), auth, "Origin: null")).refused(403)
	}
	refused := g.logged("refused", "wrong_origin")
	s := newSite(g)
	mustNotGet(t, s.visit("http://evil.test/", g.desktop, withDocument(`<script>
const inner = '<script>(async () => { const out = {}; for (const base of ["' + G + '", "' + C + '"]) for (const headers of [{}, { Authorization: "Bearer ' + T + '" }]) for (const p of ["/v1/documents", "/v1/documents/' + D + '/source"]) { try { const r = await fetch(base + p, { headers }); out[(base === "' + C + '" ? "control " : "") + origin + p + Object.keys(headers)] = "got " + r.status; } catch (e) { out[(base === "' + C + '" ? "control " : "") + origin + p + Object.keys(headers)] = e.name; } } parent.postMessage(out, "*"); })();<\/script>';
let frames = 0;
for (const f of [el('iframe', { srcdoc: inner, sandbox: 'allow-scripts' }), el('iframe', { src: 'data:text/html,' + encodeURIComponent(inner) })]) document.body.append(f);
addEventListener('message', (e) => { for (const [k, v] of Object.entries(e.data)) results[frames + k] = v; for (const k in results) if (/^\dcontrol /.test(k)) { results[k.slice(1).replace(/^control /, 'control ' + frames)] = results[k]; delete results[k]; } if (++frames === 2) finish(); });
</script>`, id)), 8)
	if g.logged("refused", "wrong_origin") < refused+8 {
		t.Error("the frames' requests did not arrive")
	}
}

// P22: there is no debugging port; what listens gives nothing; the browser dies
// with the program, however that dies.
func TestAttack29NoDebuggingPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the system does not tell who listens")
	}
	g := start(t)
	g.write("page.html", plainPage)
	prv := g.preview(g.open("page.html"))
	g.pick(prv, "h1")
	all := family(t, g.pid)
	if len(all) < 3 {
		t.Fatalf("no browser runs: %v", all)
	}
	var ports []string
	for _, p := range all {
		for _, at := range listening(t, p.pid) {
			if p.pid != g.pid {
				t.Errorf("%v listens on %s", p, at)
			}
			if !slices.Contains(ports, at) {
				ports = append(ports, at)
			}
		}
	}
	if len(ports) != 2 { // the API and the previews' own
		t.Errorf("it listens on %v", ports)
	}
	for _, at := range ports {
		for _, path := range []string{"/json/version", "/json", "/json/list", "/json/new?file:///etc/passwd", "/devtools/browser/x", "http://" + g.addr() + "/v1/health", "http://127.0.0.1:1/", "file:///etc/passwd"} {
			for _, host := range []string{at, g.addr(), "localhost"} {
				c, err := net.Dial("tcp4", at)
				if err != nil {
					t.Fatal(err)
				}
				_ = c.SetDeadline(time.Now().Add(patience))
				_, _ = io.WriteString(c, request("GET "+path+" HTTP/1.1", "Host: "+host, "Connection: close"))
				b, _ := io.ReadAll(c)
				_ = c.Close()
				if s := string(b); strings.Contains(s, " 200 ") || strings.Contains(s, " 101 ") || strings.Contains(s, "root:") || strings.Contains(s, "webSocketDebuggerUrl") {
					t.Errorf("%s%s as %s: %.200s", at, path, host, s)
				}
			}
		}
	}
	profile := ""
	for _, p := range all {
		for _, a := range p.args {
			if dir, ok := strings.CutPrefix(a, "--user-data-dir="); ok {
				profile = dir
			}
		}
	}
	if _, err := os.Stat(filepath.Join(profile, "DevToolsActivePort")); profile == "" || err == nil {
		t.Errorf("in the profile %q stands a debugging port", profile)
	}
	g.kill()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		var left []int
		for _, p := range all {
			if syscall.Kill(p.pid, 0) == nil {
				if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid)); !strings.Contains(string(b), ") Z ") && len(b) > 0 {
					left = append(left, p.pid)
				}
			}
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%v outlive the program", left)
		}
	}
	g.begin()
}

func TestAttack30BrowserFlags(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the system does not tell how the browser was started")
	}
	g := start(t)
	g.write("page.html", plainPage)
	g.preview(g.open("page.html"))
	var browsers int
	for _, p := range family(t, g.pid)[1:] {
		line := strings.Join(p.args, " ")
		for _, bad := range []string{
			"--remote-debugging-port", "--remote-allow-origins", "--disable-web-security", "--disable-site-isolation", "--allow-file-access", "--allow-running-insecure-content", "--ignore-certificate-errors",
			"--no-proxy-server", "--enable-automation", "--load-extension", "--disable-features=IsolateOrigins", "--single-process", "--user-data-dir=" + os.Getenv("HOME"),
		} {
			if strings.Contains(line, bad) {
				t.Errorf("%v was started with %s", p, bad)
			}
		}
		if strings.Contains(line, "--type=") {
			continue
		}
		if strings.Contains(line, "--remote-debugging-pipe") {
			browsers++
			if os.Geteuid() != 0 && strings.Contains(line, "--no-sandbox") {
				t.Errorf("it has no sandbox: %s", line)
			}
			if !strings.Contains(line, "--proxy-server=http://127.0.0.1:") || !strings.Contains(line, "<-loopback>") {
				t.Errorf("there is a way around the proxy: %s", line)
			}
		}
	}
	if browsers == 0 {
		t.Error("no browser was found")
	}
}
