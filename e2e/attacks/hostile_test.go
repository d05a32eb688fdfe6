//go:build unix

package attacks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/hostile"
)

// absent fails the test where the page shows an element.
func (g *gateway) absent(preview, target string) {
	g.t.Helper()
	if r := g.point(preview, target); r.code() != "selector_no_match" {
		g.t.Errorf("%s: %d %s", target, r.status, r.body)
	}
}

// Attacks 23 and 27 in one page: see gateway/surface for the same page with a
// person's click behind it, and for the control that it does arrive elsewhere.
func TestAttack23HostilePage(t *testing.T) {
	g := start(t)
	v := hostile.New(t)
	at := func(host string) string { return fmt.Sprintf("http://%s:%d", host, g.port) }
	g.write("hostile.html", string(v.Page("aaaaaaaaaaaaaaaaaaaaaaaaaa", 500*time.Millisecond, at("127.0.0.1"), at("localhost"))))
	id := g.open("hostile.html")
	prv := g.preview(id)
	g.appears(prv, "#finished")
	if p := g.pick(prv, "#tried li:nth-child(300)"); p.Refusal.Code == "" {
		t.Errorf("an element that a script made can be edited: %+v", p)
	}
	g.absent(prv, "#got li")
	v.Zero(t)
	if n := g.logged("refused", "wrong_origin") + g.logged("refused", "unauthenticated") + g.logged("refused", "wrong_host"); n > 0 {
		t.Errorf("%d of the page's requests reached the gateway", n)
	}
	// What stands in the file is still proven.
	if p := g.pick(prv, "#go"); p.Refusal.Code != "" || !strings.HasPrefix(p.Tag, `<button id="go"`) {
		t.Errorf("%+v", p)
	}
	g.call("GET", "/v1/previews/"+prv+"/picture", nil).want(200)
}

// A page that overwrites what a picker would call, calls what it finds, floods,
// opens dialogs without end, or never gives the processor back.
func TestAttack23PageAgainstItsHost(t *testing.T) {
	g := start(t)
	g.write("lies.html", strings.Replace(plainPage, "</head>", `<script>
Element.prototype.getAttribute = () => 'lie'; Element.prototype.matches = () => true; Element.prototype.closest = () => document.body;
Document.prototype.elementFromPoint = Document.prototype.elementsFromPoint = () => [document.body];
Document.prototype.querySelector = Document.prototype.querySelectorAll = () => [document.body];
JSON.stringify = () => '{"lie":1}'; JSON.parse = () => ({}); Object.keys = () => []; Map.prototype.get = () => 1;
for (const k of ['push', 'map', 'indexOf', 'join', 'forEach', 'filter', 'slice', 'concat', Symbol.iterator]) Array.prototype[k] = () => { throw new Error('no'); };
Object.defineProperty(Node.prototype, 'parentNode', { get: () => null }); Object.defineProperty(Element.prototype, 'tagName', { get: () => 'LIE' });
Element.prototype.getBoundingClientRect = () => ({ x: 1, y: 1, width: 1, height: 1 });
for (const k of Object.getOwnPropertyNames(window)) if (/binding|proofmark|cdp|pick|report/i.test(k)) try { window[k]('{"forged":true}'); document.title = 'got ' + k; } catch {}
for (let i = 0; i < 5000; i++) postMessage({ type: 'picked', handle: 'pick_forged', source: 'proofmark' }, '*');
</script></head>`, 1))
	prv := g.preview(g.open("lies.html"))
	for target, tag := range map[string]string{"h1": "<h1>", "#a": "<p id=a>", "#b": "<p id=b>"} {
		p := g.pick(prv, target)
		if p.Refusal.Code != "" || p.Tag != tag || g.read("lies.html")[p.StartTag[0]:p.StartTag[1]] != tag {
			t.Errorf("%s: %+v", target, p)
		}
	}
	for _, forged := range []string{"pick_forged", "x", strings.Repeat("p", 500)} {
		if r := g.call("POST", "/v1/previews/"+prv+"/picks/"+forged+"/step", map[string]string{"direction": "up"}); r.status < 400 || r.status >= 500 {
			t.Errorf("a forged pick steps: %d %s", r.status, r.body)
		}
	}
	for name, script := range map[string]string{
		"dialogs.html": "for (let i = 0; i < 1000; i++) { alert(i); confirm(i); prompt(i); } print(); onbeforeunload = () => 'stay';",
		"flood.html":   "const f = () => { for (let i = 0; i < 1000; i++) console.log('x'.repeat(1000), i); setTimeout(f, 0); }; f();",
		"grow.html":    "setInterval(() => { for (let i = 0; i < 20; i++) document.body.append(document.createElement('i')); }, 20);",
	} {
		t.Run(name, func(t *testing.T) {
			g := g.in(t)
			g.write(name, strings.Replace(plainPage, "</body>", "<script>"+script+"</script></body>", 1))
			other := g.preview(g.open(name))
			switch r := g.point(other, "h1"); {
			case r.status == 200 && as[picked](r).Tag == "<h1>":
			case name == "flood.html" && r.code() == "timeout": // it is too busy to be asked, and that is said
			default:
				t.Errorf("%d %s", r.status, r.body)
			}
			g.call("DELETE", "/v1/previews/"+other, nil).want(204)
		})
	}
	g.write("loop.html", strings.Replace(plainPage, "</body>", "<script>setTimeout(() => { for (;;) {} }, 200)</script></body>", 1))
	r := g.call("POST", "/v1/documents/"+g.open("loop.html")+"/previews", map[string]any{})
	if r.status == 200 {
		time.Sleep(300 * time.Millisecond) // until the page no longer answers
		r = g.call("GET", "/v1/previews/"+as[struct{ ID string }](r).ID+"/picture", nil)
	}
	if r.status != 504 && r.status != 503 && r.status != 422 || r.code() == "internal" {
		t.Errorf("a page that never ends: %d %s", r.status, r.body)
	}
	if p := g.pick(prv, "h1"); p.Tag != "<h1>" { // the other view goes on
		t.Errorf("%+v", p)
	}
}

// Nothing of a page leaves the machine, or arrives on it. The attempts are those
// of TestAttack23HostilePage; these are what no script makes.
func TestAttack27NothingLeaves(t *testing.T) {
	g := start(t)
	v := hostile.New(t)
	u := fmt.Sprintf("http://127.0.0.1:%d/", v.HTTPPort)
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="%simage"/><style>@import url(%sstyle);</style><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="%sframe"/></foreignObject></svg>`, u, u, u)
	g.write("a.svg", svg.String())
	g.write("a.css", fmt.Sprintf(`@import "%[1]scss"; @font-face { font-family: F; src: url(%[1]sfont) } h1 { font-family: F; background: image-set(url(%[1]sset) 1x), url(%[1]surl); cursor: url(%[1]scursor), auto } :root { --x: url(%[1]svar) }`, u))
	g.write("page.html", strings.NewReplacer("@U@", u).Replace(`<!doctype html><html lang=en manifest="@U@manifest"><head><meta charset=utf-8><title>t</title>
<meta http-equiv="Content-Security-Policy-Report-Only" content="default-src 'none'; report-uri @U@report">
<meta http-equiv="refresh" content="1;url=@U@refresh"><base href="@U@">
<link rel=dns-prefetch href="//evil.test"><link rel=preconnect href="@U@"><link rel=prefetch href="@U@prefetch"><link rel=preload as=font href="@U@preload" crossorigin><link rel=icon href="@U@icon"><link rel=manifest href="@U@webmanifest"><link rel=modulepreload href="@U@module"><link rel=stylesheet href="@U@sheet">
<link rel=stylesheet href="a.css"></head><body background="@U@bg" onload="document.forms[0].submit()"><h1>t</h1>
<img src="@U@img" srcset="@U@srcset 1x" lowsrc="@U@low"><picture><source srcset="@U@source"><img src=a.svg></picture><object data="a.svg"></object><embed src="@U@embed"><iframe src="@U@frame"></iframe><iframe srcdoc="<img src='@U@srcdoc'>"></iframe>
<video poster="@U@poster" src="@U@video" autoplay></video><audio src="@U@audio" autoplay></audio><input type=image src="@U@input"><form action="@U@form" method=post><input name=a value=b></form>
<svg><image href="@U@svg"/><use href="@U@use#a"/></svg><a href="@U@a" ping="@U@ping" id=link>x</a><p style="background:url(@U@inline)">x</p></body></html>`))
	prv := g.preview(g.open("page.html"))
	g.appears(prv, "h1")
	time.Sleep(1500 * time.Millisecond) // until the refresh has had its second
	r := g.call("GET", "/v1/previews/"+prv, nil).want(200)
	v.Zero(t)
	if !strings.Contains(r.body, `"offline":["`) {
		t.Errorf("the person is not told what the page asked for: %s", r.body)
	}
}

// R-PREV-1: files that are not beside the page, by any name.
func TestAttack28LocalFiles(t *testing.T) {
	g := start(t)
	outside := t.TempDir()
	for name, b := range map[string][]byte{"secret.png": pixel, "secret.css": []byte("body{}"), "secret.js": []byte("document.body.append(Object.assign(document.createElement('p'), { id: 'ran' }))")} {
		if err := os.WriteFile(filepath.Join(outside, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, name), filepath.Join(g.dir, "link-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(g.dir, "folder")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, "beside.png"), pixel, 0o644); err != nil {
		t.Fatal(err)
	}
	up := strings.Repeat("../", 12)
	var list []string
	for _, file := range []string{"secret.png"} {
		abs := filepath.Join(outside, file)
		for _, u := range []string{
			"file://" + abs, abs, up + abs[1:], strings.ReplaceAll(up, "../", "..%2f") + abs[1:], strings.ReplaceAll(up, "../", "%2e%2e/") + abs[1:], strings.ReplaceAll(up, "../", `..\`) + abs[1:],
			"link-" + file, "folder/" + file, "./folder/../folder/" + file, `\\127.0.0.1\share\` + file, "//127.0.0.1/share/" + file, "view-source:file://" + abs, "filesystem:file://" + abs, "blob:file://" + abs,
			"beside.png%00.html", "beside.png::$DATA", "folder%2f" + file, "/proc/self/root" + abs, "proc/self/root" + abs, "file://localhost" + abs, "FILE://" + abs,
		} {
			list = append(list, strconv.Quote(u))
		}
	}
	g.write("page.html", strings.Replace(plainPage, "</body>", `<ul id=got></ul><ul id=control></ul><script>
const say = (l, what) => document.getElementById(l).append(Object.assign(document.createElement('li'), { textContent: what }));
let left = 0; const done = () => { if (!--left) document.body.append(Object.assign(document.createElement('p'), { id: 'finished' })); };
const img = (u, l) => { left++; const i = new Image(); i.onload = () => { say(l, u); done(); }; i.onerror = done; i.src = u; };
for (const u of [`+strings.Join(list, ", ")+`]) {
  img(u, 'got');
  left++; fetch(u).then((r) => { if (r.ok) say('got', 'fetch ' + u); }).catch(() => {}).finally(done);
  left++; const f = document.createElement('iframe'); f.onload = () => { try { if (f.contentDocument.body.textContent) say('got', 'frame ' + u); } catch {} done(); }; f.src = u; document.body.append(f); setTimeout(() => { if (!f.seen) f.seen = true; }, 0);
}
img('beside.png', 'control');
for (const u of ['link-secret.js', 'folder/secret.js']) { left++; const s = document.createElement('script'); s.onload = s.onerror = done; s.src = u; document.body.append(s); }
setTimeout(() => { left = 1; done(); }, 4000);
</script></body>`, 1))
	prv := g.preview(g.open("page.html"))
	g.appears(prv, "#finished")
	if r := g.point(prv, "#got li"); r.code() != "selector_no_match" {
		t.Errorf("the page read %s", r.body)
	}
	g.absent(prv, "#ran")
	if r := g.point(prv, "#control li"); r.status != 200 {
		t.Errorf("the picture beside the page is not shown: %s", r.body)
	}
}
