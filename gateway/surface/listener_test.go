package surface

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"proofmark/gateway/core"
)

const pageHTML = "<!doctype html><title>t</title><h1>Page</h1>"

// clock is a clock tests move.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}
func (c *clock) now() time.Time          { return time.Unix(0, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

func specOf(page, dir, name string) Spec {
	return Spec{
		DocumentID: "doc_1", RevisionID: "rev_1", SHA: core.SHA256Hex([]byte(page)), Bytes: []byte(page),
		AssetDir: dir, FileName: name, Width: 800, Height: 600,
	}
}

func testListener(t *testing.T, c *clock) *Listener {
	t.Helper()
	now := time.Now
	if c != nil {
		now = c.now
	}
	l, err := listen(defaultTimeouts(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func testLease(t *testing.T, l *Listener, s Spec) *lease {
	t.Helper()
	b, err := newBinding(s)
	if err != nil {
		t.Fatal(err)
	}
	le, err := l.grant(b, "")
	if err != nil {
		t.Fatal(err)
	}
	return le
}

// send writes raw bytes to the listener and gives the whole answer, "" where
// the connection ends without one.
func send(t *testing.T, l *Listener, raw string) string {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	// The listener may answer and close before it has read everything.
	_, _ = io.WriteString(c, raw)
	out, _ := io.ReadAll(c)
	return string(out)
}

func status(answer string) int {
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	if err != nil {
		return 0
	}
	return resp.StatusCode
}

func get(t *testing.T, l *Listener, host, target string, headers ...string) *http.Response {
	t.Helper()
	raw := send(t, l, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n"+strings.Join(append(headers, ""), "\r\n")+"\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(raw)), nil)
	if err != nil {
		t.Fatalf("answer %q: %v", raw, err)
	}
	return resp
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// HARD_CASES attack 13: loopback only, a random port.
func TestListenerIsOnLoopbackOnly(t *testing.T) {
	a, b := testListener(t, nil), testListener(t, nil)
	host, _, err := net.SplitHostPort(a.ln.Addr().String())
	if err != nil || host != "127.0.0.1" {
		t.Fatalf("listens on %s", a.ln.Addr())
	}
	if a.port == b.port {
		t.Fatal("two listeners on one port")
	}
	if a.ProxyURL() != "http://127.0.0.1:"+a.port {
		t.Fatal(a.ProxyURL())
	}
}

func TestLeaseServesItsDocument(t *testing.T) {
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, "", "page.html"))
	for _, raw := range []string{
		"GET /page.html HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		// As the browser's proxy (D6).
		"GET http://" + le.host + "/page.html HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"GET /page.html?x=1 HTTP/1.1\r\nHost: " + le.host + "\r\nSec-Fetch-Dest: document\r\nRange: bytes=3-5\r\nConnection: close\r\n\r\n",
	} {
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(send(t, l, raw))), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 200 || body(t, resp) != pageHTML {
			t.Fatalf("%q: %d", raw, resp.StatusCode)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": "",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		csp := resp.Header.Get("Content-Security-Policy")
		for _, part := range []string{"sandbox allow-scripts;", "default-src 'none'", "connect-src 'none'", "frame-src 'none'", "object-src 'none'", "form-action 'none'", "worker-src blob:;", "style-src " + le.origin + " 'unsafe-inline';"} {
			if !strings.Contains(csp, part) {
				t.Errorf("policy lacks %q: %s", part, csp)
			}
		}
		for _, f := range []string{"clipboard-read=()", "clipboard-write=()", "fullscreen=()", "geolocation=()", "camera=()", "usb=()"} {
			if !strings.Contains(resp.Header.Get("Permissions-Policy"), f) {
				t.Errorf("Permissions-Policy lacks %s", f)
			}
		}
	}
	if n, number := le.deliveries(); n != 3 || number != 1 {
		t.Fatalf("deliveries %d as %d", n, number)
	}
	if status(send(t, l, "HEAD /page.html HTTP/1.1\r\nHost: "+le.host+"\r\nConnection: close\r\n\r\n")) != 200 {
		t.Fatal("HEAD refused")
	}
	if n, _ := le.deliveries(); n != 3 {
		t.Fatal("HEAD counted as a delivery")
	}
}

// HARD_CASES attacks 6 and 7, T-97: everything but the exact host of a lease is
// refused, before anything is read from the lease.
func TestHostVariantsAreRefused(t *testing.T) {
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, "", "page.html"))
	p := l.port
	hosts := []string{
		"localhost", "localhost.", "LOCALHOST", "localhost:" + p, "127.0.0.1", "127.0.0.1:" + p, "127.1:" + p, "0177.0.0.1:" + p, "2130706433:" + p,
		"[::1]", "[::1]:" + p, "[::ffff:127.0.0.1]:" + p, "0.0.0.0:" + p, "x.localhost:" + p, "127.0.0.1.nip.io:" + p, "evil.test:" + p,
		le.label + ".localhost", le.label + ".localhost:1", le.label + ".localhost:" + p + "0", le.label + ".localhost:0" + p,
		le.label + ".localhost.:" + p, strings.ToUpper(le.label) + ".localhost:" + p, "x" + le.host, "a." + le.host, le.host + ".", le.host + ".evil.test",
		le.label + ".LOCALHOST:" + p, le.label[:25] + ".localhost:" + p, le.label + "%2elocalhost:" + p, "user@" + le.host, le.host + "/", le.host + "#", le.host + " ", "",
	}
	for _, h := range hosts {
		raw := "GET /page.html HTTP/1.1\r\nHost: " + h + "\r\nConnection: close\r\n\r\n"
		if h == le.host+" " {
			continue // outer white space is not part of a header's value
		}
		if got := status(send(t, l, raw)); got != 403 && got != 400 {
			t.Errorf("Host %q: %d", h, got)
		}
	}
	raws := map[string]string{
		"no host, 1.0":        "GET /page.html HTTP/1.0\r\n\r\n",
		"no host, 1.1":        "GET /page.html HTTP/1.1\r\nConnection: close\r\n\r\n",
		"two hosts":           "GET /page.html HTTP/1.1\r\nHost: " + le.host + "\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"two hosts, one evil": "GET /page.html HTTP/1.1\r\nHost: " + le.host + "\r\nHost: evil.test\r\nConnection: close\r\n\r\n",
		"absolute, no lease":  "GET http://127.0.0.1:" + p + "/page.html HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"absolute, other port": "GET http://" + le.label + ".localhost:1/page.html HTTP/1.1\r\nHost: " + le.host +
			"\r\nConnection: close\r\n\r\n",
		"absolute, https":       "GET https://" + le.host + "/page.html HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"absolute, user":        "GET http://u:p@" + le.host + "/page.html HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"absolute, ftp":         "GET ftp://" + le.host + "/page.html HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"absolute, outside":     "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
		"connect, outside":      "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
		"connect, lease":        "CONNECT " + le.host + " HTTP/1.1\r\nHost: " + le.host + "\r\n\r\n",
		"connect, gateway":      "CONNECT 127.0.0.1:" + p + " HTTP/1.1\r\nHost: 127.0.0.1:" + p + "\r\n\r\n",
		"options, star":         "OPTIONS * HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"opaque":                "GET mailto:x HTTP/1.1\r\nHost: " + le.host + "\r\nConnection: close\r\n\r\n",
		"websocket":             "GET /page.html HTTP/1.1\r\nHost: " + le.host + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n",
		"trailing garbage":      "GET /page.html HTTP/1.1 x\r\nHost: " + le.host + "\r\n\r\n",
		"bare line feed target": "GET /page.html\nHost: " + le.host + "\n\n",
		"obs-fold host":         "GET /page.html HTTP/1.1\r\nHost: evil.test\r\n " + le.host + "\r\n\r\n",
	}
	for name, raw := range raws {
		if got := status(send(t, l, raw)); got != 403 && got != 400 && got != 0 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if n, _ := le.deliveries(); n != 0 {
		t.Fatalf("the document went out %d times", n)
	}
	counts, _ := l.Refused()
	for _, origin := range []string{"https://example.com", "http://example.com", "http://localhost", "https://127.0.0.1:" + p} {
		if counts[origin] == 0 {
			t.Errorf("%s is not counted: %v", origin, counts)
		}
	}
}

// HARD_CASES attacks 1, 2 and 19: nothing but GET and HEAD, no bodies, bounded
// request lines and headers.
func TestMethodsAndSizesAreBounded(t *testing.T) {
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, "", "page.html"))
	h := "\r\nHost: " + le.host + "\r\nConnection: close\r\n"
	for _, m := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"} {
		if got := status(send(t, l, m+" /page.html HTTP/1.1"+h+"Content-Length: 0\r\n\r\n")); got != 405 {
			t.Errorf("%s: %d", m, got)
		}
	}
	for name, c := range map[string]struct {
		raw  string
		want int
	}{
		"get with a body":     {"GET /page.html HTTP/1.1" + h + "Content-Length: 5\r\n\r\nhello", 400},
		"get, chunked":        {"GET /page.html HTTP/1.1" + h + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		"length and chunked":  {"GET /page.html HTTP/1.1" + h + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		"url of 8193 bytes":   {"GET /page.html?" + strings.Repeat("a", 8193-len("/page.html?")) + " HTTP/1.1" + h + "\r\n", 414},
		"url of 8192 bytes":   {"GET /page.html?" + strings.Repeat("a", 8192-len("/page.html?")) + " HTTP/1.1" + h + "\r\n", 200},
		"one megabyte header": {"GET /page.html HTTP/1.1" + h + "X: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 431},
		"ten thousand":        {"GET /page.html HTTP/1.1" + h + strings.Repeat("X: aaaa\r\n", 10000) + "\r\n", 431},
	} {
		// A refusal may be lost in the reset that ends an oversized request.
		if got := status(send(t, l, c.raw)); got != c.want && (c.want != 431 || got != 0) {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// HARD_CASES attack 19: a slow request is cut off. The clock is synctest's.
func TestSlowRequestsAreCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		sent  string
		limit time.Duration
	}{
		"header never ends": {"GET /page.html HTTP/1.1\r\nHost: x\r\nX: ", defaultTimeouts().header},
		"nothing is sent":   {"", defaultTimeouts().header},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln := newPipeListener()
				l := newListener(ln, defaultTimeouts(), time.Now)
				go l.serve()
				defer func() { _ = l.Close() }()
				conn := ln.connect()
				start := time.Now()
				go func() { _, _ = io.WriteString(conn, c.sent) }()
				_, _ = io.ReadAll(conn) // until the listener hangs up
				if took := time.Since(start); took < c.limit || took > c.limit+time.Second {
					t.Errorf("cut off after %v, want %v", took, c.limit)
				}
				_ = conn.Close()
			})
		})
	}
}

// pipeListener is a net.Listener over in-memory pipes.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (p *pipeListener) connect() net.Conn {
	a, b := net.Pipe()
	p.conns <- a
	return b
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipeListener) Close() error   { close(p.done); return nil }
func (p *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// R-SEC-3: a lease can expire and be revoked; a page's own requests do not keep
// it alive.
func TestLeaseEnds(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.css", "a{}")
	c := newClock()
	l := testListener(t, c)
	le := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	ok := func() bool { return get(t, l, le.host, "/a.css").StatusCode == 200 }
	if !ok() {
		t.Fatal("a fresh lease does not serve")
	}
	c.advance(core.PreviewLeaseIdle - time.Second)
	if !ok() {
		t.Fatal("ended early")
	}
	if !le.touch() {
		t.Fatal("a live lease cannot be touched")
	}
	c.advance(core.PreviewLeaseIdle - time.Second)
	if !ok() {
		t.Fatal("touching did not push the expiry out")
	}
	c.advance(2 * time.Second) // page requests a second ago, none of the gateway's
	if ok() {
		t.Fatal("serves after its expiry")
	}
	if le.touch() {
		t.Fatal("an expired lease came back")
	}
	other := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	l.drop(other)
	if got := get(t, l, other.host, "/page.html").StatusCode; got != 403 {
		t.Fatalf("a revoked lease answers %d", got)
	}
	if other.bind(&binding{}) {
		t.Fatal("a revoked lease can be bound again")
	}
}

// Two leases are two origins with bytes of their own (base and candidate, D5).
func TestLeasesDoNotMix(t *testing.T) {
	l := testListener(t, nil)
	a := testLease(t, l, specOf("<p>a", "", "page.html"))
	b := testLease(t, l, specOf("<p>b", "", "page.html"))
	if a.host == b.host || len(a.label) != 26 {
		t.Fatal(a.host, b.host)
	}
	if body(t, get(t, l, a.host, "/page.html")) != "<p>a" || body(t, get(t, l, b.host, "/page.html")) != "<p>b" {
		t.Fatal("mixed up")
	}
}

// A document goes out to navigations only, and files beside it to what a page
// loads: a page cannot read itself, frame itself, or run as a worker.
func TestFetchDestinations(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.js", "1")
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	for _, dest := range []string{"iframe", "frame", "embed", "object", "empty", "script", "image", "worker", "serviceworker", "sharedworker", "style"} {
		if got := get(t, l, le.host, "/page.html", "Sec-Fetch-Dest: "+dest).StatusCode; got != 403 {
			t.Errorf("document as %s: %d", dest, got)
		}
	}
	for _, dest := range []string{"iframe", "embed", "object", "empty", "worker", "serviceworker", "sharedworker", "document", "manifest", "report"} {
		if got := get(t, l, le.host, "/a.js", "Sec-Fetch-Dest: "+dest).StatusCode; got != 404 {
			t.Errorf("script as %s: %d", dest, got)
		}
	}
}

// Fonts and modules are asked for with CORS from an opaque origin; pictures must
// not become readable, and no other origin gets anything (attacks 1 and 26).
func TestCORS(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []string{"a.js", "a.woff2", "a.png", "a.css"} {
		write(t, dir, n, "x")
	}
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, dir, "page.html"))
	for _, c := range []struct{ path, dest, origin, want string }{
		{"/a.woff2", "font", "null", "null"},
		{"/a.js", "script", "null", "null"},
		{"/a.css", "style", "null", "null"},
		{"/a.png", "image", "null", ""},
		{"/a.woff2", "font", "https://evil.test", ""},
		{"/a.woff2", "font", le.origin, ""},
		{"/a.woff2", "", "null", ""},
		{"/page.html", "document", "null", ""},
	} {
		headers := []string{"Origin: " + c.origin}
		if c.dest != "" {
			headers = append(headers, "Sec-Fetch-Dest: "+c.dest)
		}
		resp := get(t, l, le.host, c.path, headers...)
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != c.want || resp.StatusCode != 200 {
			t.Errorf("%+v: %q, %d", c, got, resp.StatusCode)
		}
		if resp.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Error("credentials allowed")
		}
	}
}

// The browser's reports of what the policy blocked name the origins a page asked
// for; nothing else can be posted, and reports are bounded.
func TestPolicyReports(t *testing.T) {
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, "", "page.html"))
	post := func(path, kind, body string) int {
		return status(send(t, l, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", path, le.host, kind, len(body), body)))
	}
	report := func(uri string) string { return `{"csp-report":{"blocked-uri":"` + uri + `"}}` }
	const kind = "application/csp-report"
	if got := post(reportPath, kind, report("https://fonts.example.org/css?family=A")); got != 204 {
		t.Fatalf("report: %d", got)
	}
	for _, uri := range []string{"inline", "eval", "data", "blob", le.origin + "/x.html", "about", "", "file:///etc/passwd", "https://"} {
		if got := post(reportPath, kind, report(uri)); got != 204 {
			t.Errorf("%q: %d", uri, got)
		}
	}
	if got := le.asked.keys(); len(got) != 1 || got[0] != "https://fonts.example.org" {
		t.Fatalf("asked %v", got)
	}
	for name, got := range map[string]int{
		"other path":  post("/.proofmark/x", kind, report("https://a.org")),
		"other type":  post(reportPath, "text/plain", report("https://a.org")),
		"too large":   post(reportPath, kind, strings.Repeat(" ", maxReportBytes+1)),
		"to the page": post("/page.html", kind, report("https://a.org")),
	} {
		if got < 400 {
			t.Errorf("%s: %d", name, got)
		}
	}
	for i := range maxAsked + 20 {
		post(reportPath, kind, report(fmt.Sprintf("https://h%d.example.org/", i)))
	}
	if got := len(le.asked.keys()); got != maxAsked {
		t.Fatalf("%d origins listed", got)
	}
	le.mu.Lock()
	le.reports = maxReportsPerLease
	le.mu.Unlock()
	if got := post(reportPath, kind, report("https://z.org")); got != 403 {
		t.Fatalf("report beyond the limit: %d", got)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	l := testListener(t, nil)
	le := testLease(t, l, specOf(pageHTML, "", "page.html"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if le.current() != nil {
		t.Fatal("a lease outlived its listener")
	}
	if _, err := net.Dial("tcp", l.Addr()); err == nil {
		t.Fatal("still accepts")
	}
	b, _ := newBinding(specOf(pageHTML, "", "page.html"))
	if _, err := l.grant(b, ""); core.CodeOf(err) != core.SurfaceLost {
		t.Fatalf("grant after close: %v", err)
	}
}

// More connections than the limit wait until others end.
func TestConnectionsAreCapped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes := newPipeListener()
		capped := &cappedListener{Listener: pipes, slots: make(chan struct{}, 1), done: make(chan struct{})}
		go func() { _ = pipes.connect(); _ = pipes.connect() }()
		first, err := capped.Accept()
		if err != nil {
			t.Fatal(err)
		}
		var accepted atomic.Bool
		go func() {
			if c, err := capped.Accept(); err == nil {
				accepted.Store(true)
				_ = c.Close()
			}
		}()
		synctest.Wait()
		if accepted.Load() {
			t.Fatal("a second connection was accepted beyond the limit")
		}
		_ = first.Close()
		_ = first.Close() // a second close gives no second slot back
		synctest.Wait()
		if !accepted.Load() {
			t.Fatal("the waiting connection was not accepted")
		}
		capped.slots <- struct{}{}
		ended := make(chan error)
		go func() { _, err := capped.Accept(); ended <- err }()
		synctest.Wait()
		_ = capped.Close()
		if err := <-ended; err == nil {
			t.Fatal("accepts after close")
		}
	})
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
