package suite

import (
	"context"
	"strings"
	"sync"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// escapes are ways out of the page. The page must still be there afterwards,
// and nobody else may have heard of it: R-SEC-3, R-SEC-8.
var escapes = map[string]string{
	"LocationHref":   `<script>onload = () => { location.href = '/elsewhere.html' }</script>`,
	"LocationOther":  `<script>onload = () => { location.href = 'http://stranger.test/' }</script>`,
	"LocationReload": `<script>onload = () => { if (!window.name) { location.reload() } }</script>`,
	"WhileParsing":   `<script>location.replace('/elsewhere.html')</script>`,
	"MetaRefresh":    `<meta http-equiv=refresh content="0;url=/elsewhere.html">`,
	"Form":           `<form action="/elsewhere.html"><button id=go>go</button></form><script>onload = () => document.querySelector('form').submit()</script>`,
	"Link":           `<a id=go href="/elsewhere.html">go</a>`,
	"Blank":          `<a id=go target=_blank href="/elsewhere.html">go</a>`,
	"NamedTarget":    `<a id=go target=other href="http://stranger.test/">go</a>`,
	"WindowOpen":     `<button id=go onclick="window.open('/elsewhere.html'); window.open('http://stranger.test/', 'x', 'popup')">go</button>`,
	"Download":       `<a id=go download=x.txt href="/elsewhere.html">go</a><a id=blob download=y.txt>b</a><script>document.getElementById('go').onclick = () => { const a = document.getElementById('blob'); a.href = URL.createObjectURL(new Blob(['x'])); a.click() }</script>`,
	"History":        `<script>onload = () => { history.pushState({}, '', '#a'); history.back(); history.go(-5) }</script>`,
	"Dialogs":        `<script>onload = () => { alert('x'); console.error('answer ' + confirm('y')); print(); onbeforeunload = () => 'stay' }</script>`,
	"Frames":         `<iframe src="/elsewhere.html"></iframe><iframe src="http://stranger.test/"></iframe><object data="/elsewhere.html"></object><embed src="http://stranger.test/">`,
	"Requests":       `<script>fetch('http://stranger.test/f'); new Image().src = 'http://stranger.test/i.png'; navigator.sendBeacon('http://stranger.test/b'); try { new WebSocket('ws://stranger.test/') } catch (e) {} try { new EventSource('http://stranger.test/e') } catch (e) {}</script><link rel=stylesheet href="http://stranger.test/s.css"><link rel=preload as=script href="http://stranger.test/p.js"><link rel=prefetch href="http://stranger.test/p.html"><link rel=dns-prefetch href="//stranger.test">`,
	"Permissions":    `<script>for (const name of ['geolocation','notifications','camera','microphone','clipboard-read']) navigator.permissions.query({ name }).then((s) => console.error('permission ' + name + ' ' + s.state), () => {})</script>`,
}

func testLock(t *testing.T, b *bench) {
	b.site.put("/elsewhere.html", "text/html", `<!doctype html><h1 id=elsewhere>elsewhere</h1>`)
	for name, body := range escapes {
		// The page's own policy stops most of it; the lock has to hold alone too.
		for _, loose := range []bool{false, true} {
			kind := name
			if loose {
				kind += "/Loose"
			}
			t.Run(kind, func(t *testing.T) { escape(t, b, body, loose) })
		}
	}
	t.Run("Replaced", func(t *testing.T) { replaced(t, b) })
	t.Run("Fetch", func(t *testing.T) { fulfilled(t, b) })
}

func escape(t *testing.T, b *bench, body string, loose bool) {
	if loose && b.Prints {
		body = strings.ReplaceAll(body, "print(); ", "")
	}
	v := b.blank(t, "")
	b.site.set(v.path, file{kind: "text/html", loose: loose, body: `<!doctype html><p id=here>here</p>` + body})
	before, strangers := b.site.count("/elsewhere.html"), len(b.site.strangers())
	v.load()
	if _, n, err := v.Query(v.ctx, "#go", 1); err == nil && n == 1 {
		v.click("#go")
	}
	v.press("Escape") // settles
	if p := v.first("#here"); p.Text != "here" {
		t.Errorf("the page is another one: %+v", p)
	}
	if n := b.site.count("/elsewhere.html") - before; n != 0 && !strings.Contains(body, "<iframe") {
		t.Errorf("it was asked for %d times", n)
	}
	for _, s := range b.site.strangers()[strangers:] {
		// A socket is not a request that the lock sees: the proxy refuses it.
		if strings.Contains(s, "stranger.test") && !(loose && s == "CONNECT stranger.test:80") {
			t.Errorf("a stranger was asked: %s", s)
		}
	}
	if !loose {
		// Nor can it keep the gateway from loading it again.
		if l := v.load(); l.Epoch != 2 || v.first("#here").Text != "here" {
			t.Errorf("the second load: %+v", l)
		}
	}
	for _, s := range v.said("permission ") {
		if strings.HasSuffix(s, "granted") {
			t.Errorf("granted: %s", s)
		}
	}
}

// replaced: a page that throws its own document away cannot be picked in.
func replaced(t *testing.T, b *bench) {
	for name, code := range map[string]string{
		"Blank":      `location.href = 'about:blank'`,
		"Javascript": `location.href = "javascript:'<p id=here>new</p>'"`,
		"Blob":       `location.href = URL.createObjectURL(new Blob(['<p id=here>new</p>'], {type: 'text/html'}))`,
	} {
		t.Run(name, func(t *testing.T) {
			v := b.blank(t, "")
			b.site.set(v.path, file{kind: "text/html", loose: true, body: `<!doctype html><p id=here>here</p><button id=go style="width:90px;height:30px">go</button><script>document.getElementById('go').onclick = () => { ` + code + ` }</script>`})
			v.load()
			v.click("#go")
			picks, _, err := v.Query(v.ctx, "#here", 1)
			switch {
			case err != nil:
				wantCode(t, err, core.SurfaceChanged)
			case len(picks) != 1 || picks[0].Text != "here":
				t.Errorf("the new document is read: %+v", picks)
			}
			v.load()
			if p := v.first("#here"); p.Text != "here" {
				t.Errorf("after another load: %+v", p)
			}
		})
	}
}

// fulfilled: R-PREV-2, allowed origins are answered by the gateway, nothing
// else is.
func fulfilled(t *testing.T, b *bench) {
	var mu sync.Mutex
	var asked []string
	hook := func(o *contract.OpenOptions) {
		o.Fetch = func(_ context.Context, r contract.FetchRequest) (contract.FetchResponse, bool) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, r.Method+" "+r.ResourceType+" "+r.URL)
			if r.URL != "https://cdn.test/style.css" {
				return contract.FetchResponse{}, false
			}
			return contract.FetchResponse{Status: 200, Header: map[string]string{"Content-Type": "text/css"}, Body: []byte("#here{width:123px;height:45px}")}, true
		}
	}
	v := b.blank(t, "", hook)
	b.site.set(v.path, file{kind: "text/html", loose: true, body: `<!doctype html><link rel=stylesheet href="https://cdn.test/style.css"><img src="https://cdn.test/no.png">
<p id=here>here</p><script>fetch('https://cdn.test/post', { method: 'POST', mode: 'no-cors', body: 'x' }).catch(() => console.error('no post'))</script>`})
	v.load()
	if r := v.first("#here").Rect; r.Width != 123 || r.Height != 45 {
		t.Errorf("the style sheet is not there: %+v", r)
	}
	if got := v.health().Missing; !strings.Contains(strings.Join(got, " "), "https://cdn.test/no.png") {
		t.Errorf("missing %v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, a := range asked {
		if !strings.HasPrefix(a, "GET ") {
			t.Errorf("the gateway was asked for %s", a)
		}
	}
	for _, s := range b.site.strangers() {
		if strings.Contains(s, "cdn.test") {
			t.Errorf("the proxy was asked: %s", s)
		}
	}
}
