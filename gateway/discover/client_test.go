package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/edge"
)

// gateway is a listener that answers as the gateway does, and writes down what came.
type gateway struct {
	Place
	l      net.Listener
	server *http.Server
	issuer *token.Issuer
	bodies sync.Map // of requests, by path
}

func newGateway(t *testing.T) *gateway {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{Place: somewhere(l.Addr().(*net.TCPAddr).Port), l: l}
	g.issuer = token.NewIssuer(g.Launch, nil)
	door := token.NewDoor(g.Key, g.Launch, g.Port, nil)
	guard := edge.NewGuard(edge.Config{Port: g.Port, MaxBody: 1 << 20, Verifier: edge.Verifier{Bearer: g.issuer.Verify, Handshake: door.Admit}})
	g.server = &http.Server{Handler: guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := edge.CallerOf(r.Context())
		b, _ := io.ReadAll(r.Body)
		g.bodies.Store(r.Method+" "+r.URL.Path, string(b))
		switch {
		case caller.Nonce != "":
			text, claims, err := g.issuer.Mint(token.Agent, "agent")
			if err != nil {
				t.Error(err)
			}
			_ = json.NewEncoder(w).Encode(TokenAnswer{Token: text, Scope: "agent", Expires: claims.Expires, Proof: door.Prove(caller.Nonce, text)})
		case r.Method == http.MethodDelete:
			g.issuer.Revoke(caller.Family)
			w.WriteHeader(http.StatusNoContent)
		case r.URL.Path == "/v1/refused":
			edge.Refuse(w, core.Errorf(core.LeaseHeld, "held").WithHint("wait").With("n", 1))
		case r.URL.Path == "/v1/moved":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		default:
			fmt.Fprintf(w, `{"got":%q}`, b)
		}
	}), nil)}
	done := make(chan struct{})
	go func() { defer close(done); _ = g.server.Serve(l) }()
	t.Cleanup(func() { _ = g.server.Close(); <-done })
	return g
}

func publish(t *testing.T, p Place) (dir string) {
	t.Helper()
	dir = t.TempDir()
	withdraw, err := Publish(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = withdraw() })
	return dir
}

func TestClient(t *testing.T) {
	g := newGateway(t)
	ctx := context.Background()
	c, err := Dial(ctx, publish(t, g.Place))
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Got string }
	if err := c.Do(ctx, "POST", "/v1/x", map[string]string{"a": "b"}, &out); err != nil || out.Got != `{"a":"b"}` {
		t.Errorf("%+v %v", out, err)
	}
	err = c.Do(ctx, "GET", "/v1/refused", nil, nil)
	if e := core.AsError(err); core.CodeOf(err) != core.LeaseHeld || e.Hint != "wait" || e.Detail["n"] != float64(1) {
		t.Errorf("a refusal: %+v", err)
	}
	if err := c.Do(ctx, "GET", "/v1/moved", nil, nil); core.CodeOf(err) != core.NoGateway {
		t.Errorf("a redirect was followed: %v", err)
	}
	res, err := c.Stream(ctx, "/v1/stream")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	if err := c.Do(ctx, "GET", "/v1/x", nil, nil); err != nil {
		t.Errorf("through a proxy: %v", err)
	}
	was := c.token.Token
	c.token.Expires = time.Now()
	if err := c.Do(ctx, "GET", "/v1/x", nil, nil); err != nil || c.token.Token == was {
		t.Errorf("a token that is about to end: %v", err)
	}
	last := c.token.Token
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := g.issuer.Verify(last); core.CodeOf(err) != core.Unauthenticated {
		t.Errorf("the token of a closed client: %v", err)
	}
}

// squatter is another program on a port.
type squatter struct {
	port int
	mu   sync.Mutex
	got  bytes.Buffer // guarded by mu
	came chan struct{}
}

// squat listens; answer is given the head that came.
func squat(t *testing.T, port int, answer func(conn net.Conn, head string)) *squatter {
	t.Helper()
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	s := &squatter{port: l.Addr().(*net.TCPAddr).Port, came: make(chan struct{}, 64)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				b := make([]byte, 64<<10)
				var head string
				for !strings.Contains(head, "\r\n\r\n") {
					n, err := conn.Read(b)
					s.mu.Lock()
					s.got.Write(b[:n])
					s.mu.Unlock()
					if head += string(b[:n]); err != nil {
						return
					}
				}
				s.came <- struct{}{}
				answer(conn, head)
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return s
}

func (s *squatter) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got.String()
}

func say(conn net.Conn, status, more, body string) {
	fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n%s", status, len(body), more, body)
}

// Attack 14: whatever another program on the port answers, the client refuses,
// and it was told nothing it could use: not the key, no token, and its greeting
// opens no other gateway.
func TestSquatterLearnsNothing(t *testing.T) {
	real := newGateway(t)
	forged, _, err := token.NewIssuer("run_x", nil).Mint(token.Agent, "agent")
	if err != nil {
		t.Fatal(err)
	}
	other := token.NewDoor(token.NewKey(), real.Launch, real.Port, nil)
	proof := func(nonce string) string {
		return fmt.Sprintf(`{"token":%q,"scope":"agent","expires":"2099-01-01T00:00:00Z","proof":%q}`, forged, other.Prove(nonce, forged))
	}
	nonceOf := func(head string) string { return strings.Split(head, ".")[1] }
	for name, answer := range map[string]func(net.Conn, string){
		"closes":              func(net.Conn, string) {},
		"no HTTP":             func(c net.Conn, _ string) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n") },
		"a forged token":      func(c net.Conn, h string) { say(c, "200 OK", "", proof(nonceOf(h))) },
		"no proof":            func(c net.Conn, _ string) { say(c, "200 OK", "", fmt.Sprintf(`{"token":%q}`, forged)) },
		"an empty object":     func(c net.Conn, _ string) { say(c, "200 OK", "", `{}`) },
		"no body":             func(c net.Conn, _ string) { say(c, "204 No Content", "", "") },
		"a refusal":           func(c net.Conn, _ string) { say(c, "401 Unauthorized", "", `{"error":{"code":"unauthenticated"}}`) },
		"asks for a password": func(c net.Conn, _ string) { say(c, "401 Unauthorized", "WWW-Authenticate: Basic\r\n", "") },
		"sends it elsewhere":  func(c net.Conn, _ string) { say(c, "307 Temporary Redirect", "Location: http://127.0.0.1:1/\r\n", "") },
		"sends it to the other": func(c net.Conn, _ string) {
			say(c, "307 Temporary Redirect", fmt.Sprintf("Location: http://127.0.0.1:%d/v1/tokens\r\n", real.Port), "")
		},
		"a head without end": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(c, "X: "+strings.Repeat("x", 8<<10)+"\r\n"); err != nil {
					return
				}
			}
		},
		"a body without end": func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			for {
				if _, err := io.WriteString(c, strings.Repeat(" ", 8<<10)); err != nil {
					return
				}
			}
		},
		"passes it on": func(c net.Conn, h string) { // to a gateway on another port, even with the right host
			up, err := net.Dial("tcp4", real.l.Addr().String())
			if err != nil {
				return
			}
			defer up.Close()
			line, _, _ := strings.Cut(h[strings.Index(h, "Authorization:"):], "\r\n")
			fmt.Fprintf(up, "POST /v1/tokens HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", real.Port, line)
			b, _ := io.ReadAll(up)
			if !strings.HasPrefix(string(b), "HTTP/1.1 401") {
				t.Errorf("a greeting that was passed on: %s", b)
			}
			_, _ = c.Write(b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := squat(t, 0, answer)
			p := Place{PID: 1, Port: s.port, Launch: real.Launch, Key: real.Key, Started: time.Now()}
			c, err := Dial(context.Background(), publish(t, p))
			if core.CodeOf(err) != core.NoGateway || core.AsError(err).Hint == "" {
				t.Errorf("%v %v", c, err)
			}
			got := s.text()
			if strings.Contains(got, p.Key.Reveal()) || strings.Contains(got, "Bearer") || strings.Count(got, "HTTP/1.1\r\n") != 1 || !strings.HasPrefix(got, "POST "+TokensPath) {
				t.Errorf("it was told %q", got)
			}
		})
	}
}

// A program that says nothing is waited for as long as the caller wants to.
func TestSilentSquatter(t *testing.T) {
	end := make(chan struct{})
	s := squat(t, 0, func(net.Conn, string) { <-end })
	t.Cleanup(func() { close(end) })
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-s.came; cancel() }()
	p := somewhere(s.port)
	if _, err := Dial(ctx, publish(t, p)); core.CodeOf(err) != core.NoGateway {
		t.Error(err)
	}
}

// Attack 14, later: a program that takes the port when the gateway has died gets
// neither the token nor a word of what a client asks for.
func TestSquatterAfterTheGateway(t *testing.T) {
	g := newGateway(t)
	ctx := context.Background()
	dir := publish(t, g.Place)
	c, err := Dial(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(ctx, "POST", "/v1/x", "a note", nil); err != nil { // a connection is kept
		t.Fatal(err)
	}
	if err := g.server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(ctx, "POST", "/v1/x", "a note", nil); core.CodeOf(err) != core.NoGateway {
		t.Errorf("nobody is there: %v", err)
	}
	s := squat(t, g.Port, func(c net.Conn, _ string) { say(c, "200 OK", "", `{"got":"it"}`) })
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		if err := c.Do(ctx, method, "/v1/x", "a note", nil); core.CodeOf(err) != core.NoGateway {
			t.Errorf("%s: %v", method, err)
		}
	}
	if _, err := c.Stream(ctx, "/v1/stream"); core.CodeOf(err) != core.NoGateway {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	got := s.text()
	if got == "" || strings.Contains(got, "a note") || strings.Contains(got, "Bearer") || strings.Contains(got, "/v1/x") || strings.Contains(got, g.Key.Reveal()) {
		t.Errorf("it was told %q", got)
	}
}

// Nobody is there any more, or the file is an earlier start's.
func TestStaleFile(t *testing.T) {
	g := newGateway(t)
	for name, change := range map[string]func(*Place){
		"another launch": func(p *Place) { p.Launch = core.NewID("run") },
		"another key":    func(p *Place) { p.Key = token.NewKey() },
	} {
		p := g.Place
		change(&p)
		if _, err := Dial(context.Background(), publish(t, p)); core.CodeOf(err) != core.NoGateway {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := publish(t, g.Place)
	if err := g.server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(context.Background(), dir); core.CodeOf(err) != core.NoGateway || core.AsError(err).Hint == "" {
		t.Error(err)
	}
}

// Attack 16: neither a place nor a client says its key or token when it is printed.
func TestPrintsNoSecret(t *testing.T) {
	g := newGateway(t)
	c, err := Dial(context.Background(), publish(t, g.Place))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	key := strings.Trim(fmt.Sprint([32]byte(g.Key)), "[]")
	for _, verb := range []string{"%v", "%+v", "%s"} {
		text := fmt.Sprintf(verb+" "+verb, c, g.Place)
		if strings.Contains(text, key) || strings.Contains(text, g.Key.Reveal()) || strings.Contains(text, c.token.Token) {
			t.Errorf("%s: %s", verb, text)
		}
	}
}
