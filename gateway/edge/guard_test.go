package edge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

const maxBody = 1 << 20

// server is a real listener behind a guard.
type server struct {
	t      testing.TB
	port   int
	guard  *Guard
	issuer *token.Issuer
	key    token.Key
	pairs  *token.Pairing
	bearer string
	passed atomic.Int64 // requests that came through
}

func newServer(t testing.TB, origin string) *server {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, port: l.Addr().(*net.TCPAddr).Port, issuer: token.NewIssuer("run_1", nil), key: token.NewKey(), pairs: token.NewPairing(nil)}
	if s.bearer, _, err = s.issuer.Mint(token.UI, "test"); err != nil {
		t.Fatal(err)
	}
	s.guard = NewGuard(Config{
		Port: s.port, Origin: origin, MaxBody: maxBody,
		Verifier: Verifier{Bearer: s.issuer.Verify, Handshake: token.NewDoor(s.key, "run_1", s.port, nil).Admit, Pairing: s.pairs.Admit},
		Public:   func(path string) bool { return path == "/" },
	})
	hs := &http.Server{
		Handler: s.guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.passed.Add(1)
			fmt.Fprintf(w, "%s %s", CallerOf(r.Context()).Scope, r.URL.Path)
		}), nil),
		MaxHeaderBytes: 16 << 10, ReadHeaderTimeout: 5 * time.Second,
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = hs.Serve(l) }()
	t.Cleanup(func() { _ = hs.Close(); <-done })
	return s
}

// answer is what came back over a raw socket.
type answer struct {
	status int
	header http.Header
	body   string
	closed bool // the server said nothing and closed
}

func (a answer) code() string {
	var b Body
	_ = json.Unmarshal([]byte(a.body), &b)
	return string(b.Error.Code)
}

// raw sends bytes as they are and reads one answer.
func (s *server) raw(text string) answer {
	s.t.Helper()
	c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(s.port))
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.WriteString(c, text) // the server may close before all is sent
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return answer{closed: true}
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return answer{status: res.StatusCode, header: res.Header, body: string(b)}
}

// request writes a request line and headers; a nil host leaves Host away.
func request(line string, headers ...string) string {
	return line + "\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n"
}

func (s *server) host() string { return "Host: 127.0.0.1:" + strconv.Itoa(s.port) }
func (s *server) auth() string { return "Authorization: Bearer " + s.bearer }

// A request as our own clients make it comes through; it is what all refusals
// below differ from in one thing.
func TestLetsIn(t *testing.T) {
	const origin = "http://127.0.0.1:4711"
	s := newServer(t, origin)
	for name, text := range map[string]string{
		"a program":      request("GET /v1/x HTTP/1.1", s.host(), s.auth()),
		"our page":       request("GET /v1/x HTTP/1.1", s.host(), s.auth(), "Origin: "+origin, "Sec-Fetch-Site: same-origin"),
		"with a body":    request("POST /v1/x HTTP/1.1", s.host(), s.auth(), "Content-Type: application/json", "Content-Length: 2") + "{}",
		"with a charset": request("PUT /v1/x HTTP/1.1", s.host(), s.auth(), "Content-Type: application/json; charset=UTF-8", "Content-Length: 2") + "{}",
		"no body at all": request("POST /v1/x HTTP/1.1", s.host(), s.auth(), "Content-Length: 0"),
	} {
		if a := s.raw(text); a.status != 200 || a.body != "ui /v1/x" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a := s.raw(request("POST /v1/tokens HTTP/1.1", s.host(), "Authorization: "+s.key.Greet("run_1", s.port, time.Now()).Header, "Content-Length: 0"))
	if a.status != 200 || !strings.HasPrefix(a.body, "handshake ") {
		t.Errorf("a handshake: %+v", a)
	}
	code := s.pairs.Next()
	pair := request("POST /v1/tokens HTTP/1.1", s.host(), "Authorization: Pairing "+code, "Content-Length: 0")
	if a := s.raw(pair); a.status != 200 || !strings.HasPrefix(a.body, "paired ") {
		t.Errorf("a code: %+v", a)
	}
	if a := s.raw(pair); a.status != 401 {
		t.Errorf("the code again: %+v", a)
	}
}

// The workbench's own files need no credential, and nothing else is different
// about them: a page of another origin does not get them, and a credential that
// is not valid is not overlooked.
func TestPublic(t *testing.T) {
	s := newServer(t, "http://127.0.0.1:4711")
	for text, want := range map[string]int{
		request("GET / HTTP/1.1", s.host()):                                         200,
		request("HEAD / HTTP/1.1", s.host()):                                        200,
		request("GET / HTTP/1.1", s.host(), "Sec-Fetch-Site: none"):                 200,
		request("GET / HTTP/1.1", s.host(), s.auth()):                               200,
		request("GET / HTTP/1.1", s.host(), "Sec-Fetch-Site: cross-site"):           403,
		request("GET / HTTP/1.1", s.host(), "Sec-Fetch-Site: same-site"):            403,
		request("GET / HTTP/1.1", s.host(), "Origin: null"):                         403,
		request("GET / HTTP/1.1", "Host: localhost:"+strconv.Itoa(s.port)):          421,
		request("GET / HTTP/1.1", s.host(), "Authorization: Bearer x"):              401,
		request("GET /x HTTP/1.1", s.host()):                                        401,
		request("GET //x HTTP/1.1", s.host()):                                       400,
		request("POST / HTTP/1.1", s.host(), "Content-Length: 0"):                   401,
		request("DELETE / HTTP/1.1", s.host()):                                      401,
		request("GET / HTTP/1.1", s.host(), "Content-Length: 2") + "{}":             400,
		request("GET / HTTP/1.1", s.host(), "Transfer-Encoding: chunked") + "0\r\n": 400,
	} {
		got := s.raw(text)
		if got.status != want && !(want == 400 && got.status == 411) {
			t.Errorf("%q: %d, want %d", text, got.status, want)
		}
		if got.status == 200 && !strings.HasPrefix(text, "HEAD") && got.body != " /" && got.body != "ui /" {
			t.Errorf("%q: %q", text, got.body)
		}
	}
}

// Attacks 1 to 9, 11, 15, 19, R-SEC-1: one thing that is wrong is enough, on any
// path and method, and what is said does not tell whether a route exists.
func TestRefuses(t *testing.T) {
	s := newServer(t, "")
	s.guard.failed.limit.SetLimit(rate.Inf) // see TestManyFailures
	port := strconv.Itoa(s.port)
	good := []string{s.host(), s.auth()}
	var cases []struct {
		name, text string
		status     int
	}
	add := func(status int, name, text string) {
		cases = append(cases, struct {
			name, text string
			status     int
		}{name, text, status})
	}
	for _, h := range []string{
		"localhost", "localhost:" + port, "localhost.:" + port, "LOCALHOST:" + port, "127.1:" + port, "0177.0.0.1:" + port,
		"2130706433:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port, "x.localhost:" + port,
		"127.0.0.1.nip.io:" + port, "evil.test:" + port, "evil.test", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:0" + port, "127.0.0.1:" + port + "0",
		"127.0.0.1.:" + port, "127.0.0.2:" + port, "",
	} {
		add(421, "host "+h, request("GET /v1/documents HTTP/1.1", "Host: "+h, s.auth()))
	}
	for _, h := range []string{"user@127.0.0.1:" + port, "127.0.0.1:" + port + "/", "127.0.0.1:" + port + "#", "127.0.0.1:" + port + " x"} {
		add(400, "host "+h, request("GET /v1/documents HTTP/1.1", "Host: "+h, s.auth())) // by Go's own server
	}
	for _, o := range []string{
		"null", "http://127.0.0.1:" + port, "http://127.0.0.1.evil.test", "http://127.0.0.1:" + port + ".evil.test", "http://localhost:3000", "http://localhost:" + port,
		"file://", "chrome-extension://abcdefghijklmnop", "vscode-webview://x", "https://127.0.0.1:" + port, "HTTP://127.0.0.1:" + port, "http://evil.local", "",
		"http://" + strings.Repeat("a", 10_000), "http://\xff\xfe",
	} {
		add(403, "origin "+o[:min(len(o), 40)], request("GET /v1/documents HTTP/1.1", append(good, "Origin: "+o)...))
	}
	for _, v := range []string{"cross-site", "same-site", "", "Same-Origin", "same-origin, none"} {
		add(403, "fetch site "+v, request("GET /v1/documents HTTP/1.1", append(good, "Sec-Fetch-Site: "+v)...))
	}
	add(403, "two fetch sites", request("GET /v1/documents HTTP/1.1", append(good, "Sec-Fetch-Site: none", "Sec-Fetch-Site: none")...))
	add(401, "a forged fetch site and no token", request("GET /v1/documents HTTP/1.1", s.host(), "Sec-Fetch-Site: same-origin"))
	add(403, "a preflight", request("OPTIONS /v1/documents HTTP/1.1", s.host(), "Origin: http://evil.test", "Access-Control-Request-Method: POST", "Access-Control-Request-Private-Network: true"))
	add(401, "a preflight without an origin", request("OPTIONS /v1/documents HTTP/1.1", s.host()))
	for name, v := range map[string]string{
		"none": "X-None: 1", "empty": "Authorization:", "no scheme": "Authorization: " + s.bearer, "cut": s.auth()[:len(s.auth())-1],
		"longer": s.auth() + "x", "lower case": "Authorization: bearer " + s.bearer, "upper case": "Authorization: BEARER " + s.bearer,
		"two blanks": "Authorization: Bearer  " + s.bearer, "a tab": "Authorization: Bearer\t" + s.bearer, "two": s.auth() + "\r\n" + s.auth(),
		"in a list": s.auth() + ", " + "x", "basic": "Authorization: Basic dTpw", "in a cookie": "Cookie: token=" + s.bearer, "an old line fold": "Authorization: Bearer\r\n " + s.bearer + "x",
	} {
		add(401, "credential "+name, request("GET /v1/documents HTTP/1.1", s.host(), v))
	}
	add(401, "in the address", request("GET /v1/documents?token="+s.bearer+"&access_token="+s.bearer+" HTTP/1.1", s.host()))
	post := func(extra ...string) []string { return append(append([]string{}, good...), extra...) }
	for _, ct := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "application/json; charset=latin1", "application/jsonx", "", "application/json, text/plain"} {
		add(415, "content type "+ct, request("POST /v1/documents HTTP/1.1", post("Content-Type: "+ct, "Content-Length: 2")...)+"{}")
	}
	add(415, "no content type", request("POST /v1/documents HTTP/1.1", post("Content-Length: 2")...)+"{}")
	add(415, "compressed", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: 2")...)+"{}")
	add(411, "in chunks", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Transfer-Encoding: chunked")...)+"2\r\n{}\r\n0\r\n\r\n")
	add(413, "too large", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Content-Length: "+strconv.Itoa(maxBody+1))...))
	add(413, "a gigabyte", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Content-Length: 1073741824")...))
	add(400, "a body of a GET", request("GET /v1/documents HTTP/1.1", post("Content-Type: application/json", "Content-Length: 2")...)+"{}")
	add(400, "HTTP/1.0", request("GET /v1/documents HTTP/1.0", good...))
	add(400, "absolute form", request("GET http://127.0.0.1:"+port+"/v1/documents HTTP/1.1", good...))
	add(400, "absolute form of another", request("GET http://evil.test/v1/documents HTTP/1.1", good...))
	add(400, "two slashes", request("GET //evil.test/v1/documents HTTP/1.1", good...))
	add(400, "CONNECT", request("CONNECT 127.0.0.1:"+port+" HTTP/1.1", good...))
	// These Go's own server refuses, or cannot read at all.
	add(400, "two hosts", request("GET /v1/documents HTTP/1.1", s.host(), s.host(), s.auth()))
	add(400, "no host", request("GET /v1/documents HTTP/1.1", s.auth()))
	add(400, "two lengths", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Content-Length: 2", "Content-Length: 3")...)+"{}")
	add(400, "a length with a sign", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Content-Length: +2")...)+"{}")
	add(501, "an unknown coding", request("POST /v1/documents HTTP/1.1", post("Content-Type: application/json", "Transfer-Encoding: gzip, chunked")...))
	add(400, "a blank before the colon", request("GET /v1/documents HTTP/1.1", s.host(), "Authorization : Bearer "+s.bearer))
	add(400, "a NUL", request("GET /v1/documents HTTP/1.1", s.host(), s.auth(), "X: a\x00b"))
	add(431, "a megabyte of headers", request("GET /v1/documents HTTP/1.1", append(good, "X: "+strings.Repeat("a", 1<<20))...))
	add(431, "10,000 headers", request("GET /v1/documents HTTP/1.1", append(good, strings.Split(strings.Repeat("X: y\n", 10_000), "\n")[:9_999]...)...))
	add(400, "HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

	for _, c := range cases {
		a := s.raw(c.text)
		if a.status != c.status && !(a.closed && c.status == 431) {
			t.Errorf("%s: %d %s, want %d", c.name, a.status, a.body, c.status)
		}
		if strings.Contains(a.body, s.bearer[:20]) {
			t.Errorf("%s: the answer holds the token", c.name)
		}
		for h := range a.header {
			if strings.HasPrefix(h, "Access-Control-") {
				t.Errorf("%s: the answer has %s", c.name, h)
			}
		}
	}
	if n := s.passed.Load(); n != 0 {
		t.Errorf("%d requests came through", n)
	}
}

// Attack 15: guessing is slowed down, and cannot keep a valid token out.
func TestManyFailures(t *testing.T) {
	s := newServer(t, "")
	counts := map[int]int{}
	for range 3 * failuresAtOnce {
		counts[s.raw(request("GET /v1/x HTTP/1.1", s.host(), "Authorization: Bearer x")).status]++
	}
	if counts[401] < failuresAtOnce || counts[429] == 0 || counts[401]+counts[429] != 3*failuresAtOnce {
		t.Errorf("answers: %v", counts)
	}
	a := s.raw(request("GET /v1/x HTTP/1.1", s.host(), "Authorization: Bearer x"))
	if a.status == 429 && (a.header.Get("Retry-After") == "" || a.code() != string(core.RateLimited)) {
		t.Errorf("the refusal: %+v", a)
	}
	if a := s.raw(request("GET /v1/x HTTP/1.1", s.host(), s.auth())); a.status != 200 {
		t.Errorf("a valid request meanwhile: %+v", a)
	}
}

// Every code has a status that fits its exit code: what is a conflict on the
// command line is one over HTTP.
func TestStatuses(t *testing.T) {
	for _, c := range core.Codes() {
		s := Status(core.Errorf(c, "x"))
		if s < 400 || s > 599 || http.StatusText(s) == "" {
			t.Errorf("%s: %d", c, s)
		}
		if conflict := s == 409 || s == 503; c.Exit() == core.ExitConflict && !conflict {
			t.Errorf("%s is a conflict with the status %d", c, s)
		}
		if c.Exit() == core.ExitRefused && s >= 500 && c != core.SurfaceLost && c != core.StorageForeign && c != core.StorageNewer {
			t.Errorf("%s is a refusal with the status %d", c, s)
		}
	}
	for c := range statuses {
		if !slices.Contains(core.Codes(), c) {
			t.Errorf("%q is no code", c)
		}
	}
}

// P19: whatever can be read as a request is let in or refused, without a panic,
// and let in only with everything in order.
func FuzzAdmit(f *testing.F) {
	issuer := token.NewIssuer("run_1", nil)
	good, _, err := issuer.Mint(token.Agent, "test")
	if err != nil {
		f.Fatal(err)
	}
	g := NewGuard(Config{Port: 80, MaxBody: maxBody, Verifier: Verifier{Bearer: issuer.Verify, Handshake: token.NewDoor(token.NewKey(), "run_1", 80, nil).Admit}})
	g.failed.limit.SetLimit(rate.Inf)
	f.Add("GET", "/v1/x", "127.0.0.1:80", "Authorization: Bearer TOKEN\r\n")
	f.Add("POST", "/", "127.0.0.1:80", "Authorization: Bearer TOKEN\r\nContent-Length: 2\r\nContent-Type: application/json\r\n")
	f.Add("GET", "http://a/", "[::1", "Origin: \xff\r\nSec-Fetch-Site: same-origin\r\n")
	f.Add("OPTIONS", "*", "", "Transfer-Encoding: chunked\r\n")
	f.Fuzz(func(t *testing.T, method, target, host, headers string) {
		text := method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + strings.ReplaceAll(headers, "TOKEN", good) + "\r\n"
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		r.RemoteAddr = "127.0.0.1:4711"
		_, refusal := g.Admit(r)
		if refusal != nil {
			if Status(refusal) < 400 || refusal.Message == "" {
				t.Fatalf("refused with %+v", refusal)
			}
			return
		}
		if r.Host != "127.0.0.1:80" || r.Header.Get("Authorization") != "Bearer "+good || len(r.Header["Origin"]) > 0 || r.ContentLength < 0 || r.ContentLength > maxBody {
			t.Fatalf("let in: %q", text)
		}
	})
}

// The peer must be of this machine, in whatever form its address comes.
func TestPeer(t *testing.T) {
	s := newServer(t, "")
	for addr, ok := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::ffff:127.0.0.1]:1": true, "[::1]:1": true,
		"192.168.0.1:1": false, "[::ffff:10.0.0.1]:1": false, "0.0.0.0:1": false, "@": false, "": false, "localhost:1": false,
	} {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(request("GET / HTTP/1.1", s.host(), s.auth()))))
		if err != nil {
			t.Fatal(err)
		}
		r.RemoteAddr = addr
		if _, refusal := s.guard.Admit(r); (refusal == nil) != ok {
			t.Errorf("from %q: %v", addr, refusal)
		}
	}
}

// Codes are short: only few are looked at, even where one of them is right, and
// nobody with a token is kept out by that.
func TestManyCodes(t *testing.T) {
	looked := 0
	g := NewGuard(Config{Port: 1, MaxBody: maxBody, Verifier: Verifier{
		Bearer:  func(string) (token.Claims, error) { return token.Claims{Scope: token.UI}, nil },
		Pairing: func(string) error { looked++; return core.Errorf(core.Unauthenticated, "no") },
	}})
	try := func(auth string) *core.Error {
		r := httptest.NewRequest("POST", "/v1/tokens", nil)
		r.Host, r.RemoteAddr = "127.0.0.1:1", "127.0.0.1:2"
		r.Header.Set("Authorization", auth)
		_, err := g.Admit(r)
		return err
	}
	var last *core.Error
	for range 200 {
		last = try("Pairing AAAA-AAAA")
	}
	if looked < codesAtOnce || looked > codesAtOnce+codesPerSecond || last == nil || last.Code != core.RateLimited {
		t.Errorf("%d codes were looked at; the last: %v", looked, last)
	}
	if err := try("Bearer x"); err != nil {
		t.Errorf("a token meanwhile: %v", err)
	}
}
