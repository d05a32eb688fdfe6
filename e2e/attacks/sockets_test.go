//go:build unix

package attacks

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Another program without a token gets nothing on any route, and another user of
// the machine cannot read what leads to one (R-SEC-2).
func TestAttack12AnotherUser(t *testing.T) {
	g := start(t)
	for _, r := range routes(t) {
		a := g.raw(r.String()+" without a token", request(r.method+" "+r.at(nil)+" HTTP/1.1", g.host(), "Content-Length: 0"))
		a.refused(401, 429)
		if strings.Contains(a.body, g.dir) || a.header.Get("Server") != "" || len(a.header["Set-Cookie"]) > 0 {
			t.Errorf("%s: the refusal tells something: %v %s", r, a.header, a.body)
		}
	}
	g.alive() // however many have failed
	err := filepath.WalkDir(g.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", filepath.Base(path), info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if os.Geteuid() != 0 {
		return // only root can be somebody else
	}
	// Everything above the data directory is open; it alone keeps the other out.
	for dir := filepath.Dir(g.data); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"cat", filepath.Join(g.data, "gateway.json")}, {"ls", g.data}, {"cat", filepath.Join(g.data, "logs", "gateway.log")}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "ermission denied") {
			t.Errorf("another user can %v: %s", args[0], out)
		}
	}
}

// P7, P13, P16: it listens on 127.0.0.1 and nowhere else, as the system sees it.
func TestAttack13OnlyLoopback(t *testing.T) {
	g := start(t)
	for _, addr := range otherAddresses() {
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(addr, strconv.Itoa(g.port)), 2*time.Second); err == nil {
			_ = c.Close()
			t.Errorf("it is reached on %s", addr)
		}
	}
	if runtime.GOOS == "linux" {
		if got := listening(t, g.pid); len(got) != 1 || got[0] != g.addr() {
			t.Errorf("it listens on %v", got)
		}
	}
	for _, args := range [][]string{
		{"--host", "0.0.0.0"}, {"--bind", "0.0.0.0"}, {"--listen", "0.0.0.0:1"}, {"--addr", ":1"}, {"--port", "80"}, {"--public"}, {"0.0.0.0"}, {"--data-dir"},
	} {
		if code, out, errs := g.run(append([]string{"serve"}, args...)...); code != 2 {
			t.Errorf("serve %v: exit %d %s %s", args, code, out, errs)
		}
	}
}

// otherAddresses lists addresses of this machine that the gateway must not be
// reached on.
func otherAddresses() []string {
	out := []string{"::1"}
	if runtime.GOOS == "linux" {
		out = append(out, "127.0.0.2")
	}
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			out = append(out, n.IP.String())
		}
	}
	return out
}

// listening lists what a process listens on, from the system's own tables.
func listening(t testing.TB, pid int) (out []string) {
	t.Helper()
	inodes := map[string]bool{}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && strings.HasPrefix(to, "socket:[") {
			inodes[strings.Trim(to, "socket:[]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if len(f) < 10 || !inodes[f[9]] || strings.HasPrefix(table, "tcp") && f[3] != "0A" {
				continue
			}
			ip, port, _ := strings.Cut(f[1], ":")
			n, _ := strconv.ParseUint(port, 16, 16)
			if ip == "0100007F" {
				ip = "127.0.0.1"
			}
			out = append(out, ip+":"+strconv.FormatUint(n, 10))
		}
	}
	return out
}

// Another program takes the port of a gateway that was killed. A client that
// knows the runtime file must learn that it is not the gateway, and tell it
// nothing it could use.
func TestAttack14PortSquatting(t *testing.T) {
	g := start(t)
	var place struct {
		Key, Launch string
		Port        int
	}
	b, err := os.ReadFile(filepath.Join(g.data, "gateway.json"))
	if err != nil || json.Unmarshal(b, &place) != nil {
		t.Fatal(err)
	}
	g.kill()
	l, err := net.Listen("tcp4", g.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	heard := make(chan string, 64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 16<<10)
			n, _ := c.Read(buf)
			heard <- string(buf[:n])
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 72\r\n\r\n"+`{"token":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","proof":"bbbbbbbbbbb"}`)
			_ = c.Close()
		}
	}()
	// Whatever other command runs meanwhile works without the gateway, and says
	// nothing to whom it meets there.
	g.write("page.html", plainPage)
	for _, args := range [][]string{{"kill", "--json"}, {"unkill", "--json"}, {"history", "page.html"}, {"models"}, {"doctor"}} {
		_, out, errs := g.run(args...)
		if strings.Contains(out+errs, place.Key) {
			t.Errorf("%v prints the key", args)
		}
	}
	// A greeting is all that a client may say first. This one was made for the
	// gateway that is gone; the next one has another key, port and launch.
	key, _ := base64.RawURLEncoding.DecodeString(place.Key)
	stolen := greeting(key, place.Launch, place.Port, time.Now())
	_ = l.Close()
	for len(heard) > 0 {
		if said := <-heard; strings.Contains(said, place.Key) || strings.Contains(said, "Bearer") || strings.Contains(said, "page.html") {
			t.Errorf("the squatter heard %q", said)
		}
	}
	g.begin()
	if g.port == place.Port {
		t.Errorf("the port is not random: %d again", g.port)
	}
	g.raw("a greeting heard elsewhere", request("POST /v1/tokens HTTP/1.1", g.host(), "Authorization: "+stolen, "Content-Length: 0")).refused(401)
	// A greeting counts once, at its time, at its port.
	b, _ = os.ReadFile(filepath.Join(g.data, "gateway.json"))
	_ = json.Unmarshal(b, &place)
	key, _ = base64.RawURLEncoding.DecodeString(place.Key)
	once := greeting(key, g.launch, g.port, time.Now())
	greet := func(auth string) reply {
		return g.raw("a greeting", request("POST /v1/tokens HTTP/1.1", g.host(), "Authorization: "+auth, "Content-Length: 0"))
	}
	greet(once).want(200)
	greet(once).refused(401)
	greet(greeting(key, g.launch, g.port+1, time.Now())).refused(401)
	greet(greeting(key, g.launch, g.port, time.Now().Add(-time.Minute))).refused(401)
	greet(greeting(key, g.launch, g.port, time.Now().Add(time.Minute))).refused(401)
	key[0] ^= 1
	greet(greeting(key, g.launch, g.port, time.Now())).refused(401)
}

func TestAttack15TokenForms(t *testing.T) {
	g := start(t)
	good := g.desktop
	parts := strings.Split(good, ".")
	b64 := base64.RawURLEncoding.EncodeToString
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	flip := func(s string, i int) string {
		b := []byte(s)
		if b[i] == 'A' {
			b[i] = 'B'
		} else {
			b[i] = 'A'
		}
		return string(b)
	}
	bad := map[string]string{
		"none": "X-None: 1", "empty": "Authorization:", "no token": "Authorization: Bearer", "a blank": "Authorization: Bearer ", "wrong": "Authorization: Bearer x.y.z",
		"cut": "Authorization: Bearer " + good[:len(good)-1], "longer": "Authorization: Bearer " + good + "A", "another signature": "Authorization: Bearer " + flip(good, len(good)-4),
		"another claim":         "Authorization: Bearer " + parts[0] + "." + b64([]byte(strings.Replace(string(claims), "desktop", "desktoq", 1))) + "." + parts[2],
		"no algorithm":          "Authorization: Bearer " + b64([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
		"none with a signature": "Authorization: Bearer " + b64([]byte(`{"alg":"None","typ":"JWT"}`)) + "." + parts[1] + "." + parts[2],
		"another algorithm":     "Authorization: Bearer " + b64([]byte(`{"alg":"HS512","typ":"JWT"}`)) + "." + parts[1] + "." + parts[2],
		"lower case":            "Authorization: bearer " + good, "upper case": "Authorization: BEARER " + good, "two blanks": "Authorization: Bearer  " + good, "a tab": "Authorization: Bearer\t" + good,
		"in quotes": `Authorization: Bearer "` + good + `"`, "basic": "Authorization: Basic " + b64([]byte("u:"+good)), "a list": "Authorization: Bearer " + good + ", Bearer " + good,
		"twice": g.auth() + "\r\n" + g.auth(), "cookie": "Cookie: Authorization=Bearer " + good, "another header": "X-Authorization: Bearer " + good, "proxy": "Proxy-Authorization: Bearer " + good,
		"very long": "Authorization: Bearer " + strings.Repeat("a", 8<<10), "three dots": "Authorization: Bearer " + good + ".x", "a line end": "Authorization: Bearer " + good[:20] + "\r\n " + good[20:],
	}
	for name, h := range bad {
		g.raw(name, request("GET /v1/documents HTTP/1.1", g.host(), h)).refused(401, 429, 400)
	}
	g.raw("in the address", request("GET /v1/documents?token="+good+" HTTP/1.1", g.host())).refused(401, 429)
	g.raw("in the address, too", request("GET /v1/documents?access_token="+good+" HTTP/1.1", g.host(), g.auth())).refused(400)
	// Many failures are held off, and keep nobody out who has a token.
	limited := 0
	for i := range 120 {
		if r := g.raw("a guess", request("GET /v1/documents HTTP/1.1", g.host(), "Authorization: Bearer guess"+strconv.Itoa(i))); r.status == 429 {
			limited++
			if r.header.Get("Retry-After") == "" || r.code() != "rate_limited" {
				t.Errorf("%+v", r)
			}
		}
	}
	if limited < 40 {
		t.Errorf("of 120 guesses only %d were held off", limited)
	}
	g.alive()
	// A token that was given back opens nothing, its descendants neither.
	ui := g.mint("ui", "window 1")
	again := as[struct{ Token string }](g.with(ui, "POST", "/v1/tokens/refresh", nil).want(200)).Token
	g.with(again, "GET", "/v1/documents", nil).want(200)
	g.with(ui, "DELETE", "/v1/tokens", nil).want(204)
	g.with(ui, "GET", "/v1/documents", nil).refused(401, 429)
	g.with(again, "GET", "/v1/documents", nil).refused(401, 429)
	// Each start has its own secret.
	old := g.desktop
	g.stop()
	g.begin()
	g.with(old, "GET", "/v1/documents", nil).refused(401)
	if g.desktop == old {
		t.Error("the token of the last start is valid again")
	}
}

func TestAttack19Parsing(t *testing.T) {
	g := start(t)
	g.write("page.html", plainPage)
	id := g.open("page.html")
	before := g.state()
	head := []string{g.host(), g.auth(), "Content-Type: application/json"}
	smuggled := "GET /v1/documents HTTP/1.1\r\n" + g.host() + "\r\n" + g.auth() + "\r\n\r\n"
	with := func(more ...string) []string { return append(head[:3:3], more...) }
	for name, text := range map[string]string{
		"both lengths":         request("POST /v1/documents HTTP/1.1", with("Content-Length: 4", "Transfer-Encoding: chunked")...) + "0\r\n\r\n" + smuggled,
		"both, the other way":  request("POST /v1/documents HTTP/1.1", with("Transfer-Encoding: chunked", "Content-Length: 4")...) + "0\r\n\r\n" + smuggled,
		"chunked":              request("POST /v1/documents HTTP/1.1", with("Transfer-Encoding: chunked")...) + "2\r\n{}\r\n0\r\n\r\n",
		"chunked, odd":         request("POST /v1/documents HTTP/1.1", with("Transfer-Encoding: xchunked")...) + "0\r\n\r\n",
		"chunked, twice":       request("POST /v1/documents HTTP/1.1", with("Transfer-Encoding: chunked", "Transfer-Encoding: identity")...) + "0\r\n\r\n",
		"two lengths":          request("POST /v1/documents HTTP/1.1", with("Content-Length: 2", "Content-Length: 40")...) + "{}" + smuggled,
		"a list of lengths":    request("POST /v1/documents HTTP/1.1", with("Content-Length: 2, 2")...) + "{}",
		"a signed length":      request("POST /v1/documents HTTP/1.1", with("Content-Length: +2")...) + "{}",
		"a negative length":    request("POST /v1/documents HTTP/1.1", with("Content-Length: -2")...) + "{}",
		"a length of no end":   request("POST /v1/documents HTTP/1.1", with("Content-Length: 99999999999999999999")...) + "{}",
		"a blank in a name":    request("GET /v1/documents HTTP/1.1", with("Content-Length : 2")...) + "{}",
		"a folded line":        request("GET /v1/documents HTTP/1.1", g.host(), "X-A: b\r\n c", "Authorization: Bearer "+g.desktop[:9]+"\r\n "+g.desktop[9:]),
		"a bare CR":            request("GET /v1/documents HTTP/1.1", g.host(), g.auth()+"\rX: y"),
		"a NUL":                request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "X: a\x00b"),
		"a body of a GET":      request("GET /v1/documents HTTP/1.1", with("Content-Length: 2")...) + "{}",
		"a body that is gzip":  request("POST /v1/documents HTTP/1.1", with("Content-Encoding: gzip", "Content-Length: 3")...) + "\x1f\x8b\x08",
		"a path with a blank":  request("GET /v1/docu ments HTTP/1.1", g.host(), g.auth()),
		"a path with a NUL":    request("GET /v1/documents/%00 HTTP/1.1", g.host(), g.auth()),
		"a path that is none":  request("GET /v1/%zz HTTP/1.1", g.host(), g.auth()),
		"a method of no kind":  request("GE\x01T /v1/documents HTTP/1.1", g.host(), g.auth()),
		"a method of a friend": request("get /v1/documents HTTP/1.1", g.host(), g.auth()),
		"another method":       request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "X-HTTP-Method-Override: POST", "Content-Length: 0") + "",
		"TRACE":                request("TRACE /v1/documents HTTP/1.1", g.host(), g.auth()),
		"10,000 headers":       request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), strings.Repeat("X-A: b\r\n", 10_000)+"X-B: c"),
		"1 MB of a header":     request("GET /v1/documents HTTP/1.1", g.host(), g.auth(), "X: "+strings.Repeat("x", 1<<20)),
		"1 MB of a path":       request("GET /"+strings.Repeat("x", 1<<20)+" HTTP/1.1", g.host(), g.auth()),
		"a GB of a body":       request("POST /v1/documents HTTP/1.1", with("Content-Length: 1000000000")...) + strings.Repeat(" ", 1<<16),
		"more than the route":  post("/v1/documents", strings.Repeat(" ", 200_000), head...),
		"expecting":            request("POST /v1/documents HTTP/1.1", with("Expect: 200-maybe", "Content-Length: 2")...) + "{}",
	} {
		r := g.raw(name, text)
		if name == "another method" {
			r.want(200) // and nothing but what GET does
			continue
		}
		r.refused(400, 401, 404, 405, 408, 411, 413, 415, 417, 431, 501)
	}
	// A bare LF ends a line for some servers: whatever it is taken for, what is
	// behind it is no second request.
	c := g.dial()
	_, _ = io.WriteString(c, "POST /v1/documents HTTP/1.1\n"+strings.Join(with("Content-Length: 2"), "\n")+"\n\n{}")
	if b, _ := io.ReadAll(io.LimitReader(c, 1)); len(b) == 0 {
		t.Log("a bare LF: the connection was closed")
	}
	_ = c.Close()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 8<<20))
	_ = z.Close()
	g.raw("a bomb", post("/v1/documents", bomb.String(), with("Content-Encoding: gzip")...)).refused(415)
	g.raw("a bomb without a word", post("/v1/documents", bomb.String(), head...)).refused(400)
	for name, body := range map[string]string{
		"deep": strings.Repeat("[", 100_000), "deep and closed": strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000), "deep in a field": `{"path":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
		"a name twice": `{"path":"/a.html","path":"/b.html"}`, "a name twice, escaped": `{"path":"/a.html","p\u0061th":"/b.html"}`, "another case": `{"PATH":"/a.html"}`, "unknown": `{"path":"/a.html","admin":true}`,
		"NaN": `{"path":NaN}`, "Infinity": `{"path":-Infinity}`, "huge number": `{"path":1e999999}`, "a number": `{"path":1}`, "null": `null`, "an array": `[]`, "two values": `{"path":"/a.html"}{}`,
		"a comment": `{/* x */"path":"/a.html"}`, "a trailing comma": `{"path":"/a.html",}`, "invalid UTF-8": "{\"path\":\"/\xff.html\"}", "half a surrogate": `{"path":"/\ud800.html"}`, "a BOM": "\ufeff{}", "UTF-16": "{\x00}\x00",
		"prototype": `{"__proto__":{"path":"/a.html"}}`, "a NUL": `{"path":"/a\u0000.html"}`, "cut": `{"path":"/a.ht`, "blank": " ", "single quotes": `{'path':'/a.html'}`,
	} {
		g.raw("JSON: "+name, post("/v1/documents", body, head...)).refused(400, 404, 422)
	}
	if r := g.raw("a query twice", request("GET /v1/documents/"+id+"/diff?from=1&from=2 HTTP/1.1", g.host(), g.auth())); r.status != 400 {
		t.Errorf("%+v", r)
	}
	if g.state() != before {
		t.Error("something was changed")
	}
	// Heads that never end are given up by the server, and hold nobody else up.
	slow := g.dial()
	_, _ = io.WriteString(slow, "GET /v1/documents HTTP/1.1\r\n"+g.host()+"\r\nX-A: ")
	g.alive()
	if b, err := io.ReadAll(slow); err != nil || strings.Contains(string(b), " 200 ") {
		t.Errorf("a head without end: %q %v", b, err)
	}
}

// There is no WebSocket; what one would be flooded with ends the connection, and
// half-open ones hold nobody up.
func TestAttack20SocketAbuse(t *testing.T) {
	g := start(t)
	upgrade := request("GET /v1/previews HTTP/1.1", g.host(), g.auth(), "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
	for name, frame := range map[string][]byte{
		"a huge frame": append([]byte{0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, make([]byte, 64<<10)...),
		"fragments":    bytes.Repeat([]byte{0x01, 0x81, 0, 0, 0, 0, 'x'}, 10_000),
		"pings":        bytes.Repeat([]byte{0x89, 0x80, 0, 0, 0, 0}, 10_000),
		"reserved":     {0xf3, 0x80, 0, 0, 0, 0},
	} {
		c := g.dial()
		_, _ = io.WriteString(c, upgrade)
		_, _ = c.Write(frame) // which may be refused before it is sent
		b, err := io.ReadAll(c)
		if strings.Contains(string(b), " 101 ") || strings.Count(string(b), "HTTP/1.1 200") > 1 || os.IsTimeout(err) {
			t.Errorf("%s: %.300q %v", name, b, err)
		}
		_ = c.Close()
	}
	// Connections that say nothing, half of a line, or go away in the middle.
	for i := range 150 {
		c := g.dial()
		switch i % 4 {
		case 0:
		case 1:
			_, _ = io.WriteString(c, "GET /v1/heal")
		case 2:
			_, _ = io.WriteString(c, post("/v1/documents", "", g.host(), g.auth())[:60])
			_ = c.(*net.TCPConn).CloseWrite()
		case 3:
			_, _ = io.WriteString(c, request("POST /v1/documents HTTP/1.1", g.host(), g.auth(), "Content-Type: application/json", "Content-Length: 100")+"{")
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
	}
	g.alive()
	if g.logged("panic", "") > 0 {
		t.Error("it panicked")
	}
}
