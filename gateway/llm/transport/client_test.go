package transport

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/internal/modelserver"
)

func TestAnAnswerComesThrough(t *testing.T) {
	for name, f := range map[string]modelserver.Fault{"plain": {}, "byte by byte": {Fragment: 1}, "compressed": {Gzip: true}} {
		t.Run(name, func(t *testing.T) {
			reply := modelserver.Reply{Text: "größer — 漢字", Fault: f}
			each(t, reply, func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error)) {
				text, err := call(t.Context())
				if err != nil || text != reply.Text {
					t.Errorf("%q %v", text, err)
				}
				h := s.Calls()[0].Header
				for name := range h {
					if strings.HasPrefix(name, "X-Stainless") || strings.HasPrefix(name, "Idempotency") {
						t.Errorf("the header %s was sent", name)
					}
				}
				if ua := h.Get("User-Agent"); ua != "proofmark" {
					t.Errorf("User-Agent %q tells about this machine", ua)
				}
				if !strings.Contains(h.Get("Authorization"), secret) {
					t.Error("the key did not arrive")
				}
			})
		})
	}
}

// TestNoCookies: what a host sets is not sent back.
func TestNoCookies(t *testing.T) {
	reply := modelserver.Reply{Text: "hi", Header: map[string]string{"Set-Cookie": "id=1; Path=/"}}
	each(t, reply, func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error)) {
		for range 2 {
			if _, err := call(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if c := s.Calls()[1].Header.Get("Cookie"); c != "" {
			t.Errorf("the cookie %q was sent", c)
		}
	})
}

// TestRedirectsAreNotFollowed (R-MODEL-4): the key reaches the configured origin
// alone; the error names where the redirect leads, without its path and query.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := modelserver.StartT(t, modelserver.Forever(modelserver.Say("stolen")))
	for name, c := range map[string]struct{ to, hint string }{
		"another port": {other.URL() + "/v1/chat/completions?token=abcdefgh", "it leads to " + other.URL() + ";"},
		"another host": {"https://evil.example/path?token=abcdefgh", "it leads to https://evil.example;"},
		"same origin":  {"/v1/elsewhere?token=abcdefgh", "another address on the same host"},
		"no address":   {"http://[::1", "check the base address"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, modelserver.Reply{Fault: modelserver.Fault{Redirect: c.to}}, func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error)) {
				_, err := call(t.Context())
				e := want(t, err, core.ModelRefused, "redirect", c.hint)
				if strings.Contains(err.Error()+e.Hint, "token") || strings.Contains(e.Hint, "/path") {
					t.Errorf("it tells too much: %v, %s", err, e.Hint)
				}
				if s.Count() != 1 || other.Count() != 0 {
					t.Errorf("%d and %d requests", s.Count(), other.Count())
				}
			})
		})
	}
}

// TestOnlyTheConfiguredOrigin (R-MODEL-4): whatever asks for another one.
func TestOnlyTheConfiguredOrigin(t *testing.T) {
	s := modelserver.StartT(t, modelserver.Say("hi"))
	for _, base := range []string{"https://" + strings.TrimPrefix(s.URL(), "http://"), "http://127.0.0.1:1/v1", "http://localhost:" + port(mustURL(t, s.URL()))} {
		client := NewClient(Options{Base: base})
		_, err := throughOpenAI(t.Context(), s.OpenAIBase(), client)
		want(t, err, core.ModelRefused, "was stopped", "is configured")
	}
	if s.Count() != 0 {
		t.Errorf("%d requests came through", s.Count())
	}
	for _, bad := range []string{"", "http://model.test", "https://user:hush-hush@model.test"} {
		_, err := throughOpenAI(t.Context(), s.OpenAIBase(), NewClient(Options{Base: bad}))
		want(t, err, core.Usage, "base address")
	}
}

// TestWithoutTLSOnlyThisMachine: a name that says localhost and leads elsewhere
// is caught where the connection is made.
func TestWithoutTLSOnlyThisMachine(t *testing.T) {
	plain := &guard{origin: mustURL(t, "http://localhost:11434/v1")}
	for _, a := range []string{"127.0.0.1:11434", "[::1]:11434"} {
		if err := plain.dials("tcp", a, nil); err != nil {
			t.Error(a, err)
		}
	}
	for _, a := range []string{"192.0.2.1:11434", "[2001:db8::1]:11434", "0.0.0.0:1", "nonsense"} {
		want(t, plain.dials("tcp", a, nil), core.ModelRefused, "not on this machine")
	}
	secure := &guard{origin: mustURL(t, "https://model.test")}
	if err := secure.dials("tcp", "192.0.2.1:443", nil); err != nil {
		t.Error(err)
	}
	// And the client uses it.
	real := NewClient(Options{Base: "http://localhost:11434/v1"}).Transport.(*guard).next.(*http.Transport)
	_, err := real.DialContext(t.Context(), "tcp", "192.0.2.1:11434")
	want(t, err, core.ModelRefused, "not on this machine")
}

// TestProxySeesATunnel (R-MODEL-4): a proxy of the environment is asked for a
// tunnel, without the key; this machine is reached without it. net/http reads
// the environment once, so that the calls are made in a process of their own.
func TestProxySeesATunnel(t *testing.T) {
	if base := os.Getenv("PROOFMARK_TEST_BASE"); base != "" {
		client := NewClient(Options{Base: base})
		defer client.CloseIdleConnections()
		text, err := throughOpenAI(t.Context(), base, client)
		t.Logf("answered %q, %s", text, core.CodeOf(err))
		return
	}
	asked := make(chan *http.Request, 10)
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer p.Close()
	s := modelserver.StartT(t, modelserver.Say("here"))
	for base, answer := range map[string]string{s.OpenAIBase(): `answered "here", `, "https://model.test/v1": `answered "", model_unreachable`} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestProxySeesATunnel$")
		cmd.Env = append(os.Environ(), "PROOFMARK_TEST_BASE="+base, "HTTP_PROXY="+p.URL, "HTTPS_PROXY="+p.URL, "NO_PROXY=", "no_proxy=")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), answer) {
			t.Errorf("%v:\n%s", err, out)
		}
	}
	if len(asked) != 1 {
		t.Fatalf("the proxy was asked %d times", len(asked))
	}
	if r := <-asked; r.Method != http.MethodConnect || r.Host != "model.test:443" || r.Header.Get("Authorization") != "" {
		t.Errorf("%s %s %v", r.Method, r.Host, r.Header)
	}
}

// TestTLS: a certificate nobody vouches for is refused with a reason; one that
// is trusted works; a host that does not speak TLS is told apart.
func TestTLS(t *testing.T) {
	seen := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		seen++
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"safe\"}}]}\n\ndata: [DONE]\n\n"))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of the handshake that is refused
	s.StartTLS()
	defer s.Close()
	client := NewClient(Options{Base: s.URL})
	defer client.CloseIdleConnections()
	_, err := throughOpenAI(t.Context(), s.URL, client)
	want(t, err, core.ModelUnreachable, "certificate", "not trusted")
	if seen != 0 {
		t.Error("the request was sent all the same")
	}
	client.Transport.(*guard).next.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	if text, err := throughOpenAI(t.Context(), s.URL, client); err != nil || text != "safe" {
		t.Error(text, err)
	}
	plain := modelserver.StartT(t)
	base := "https://" + strings.TrimPrefix(plain.URL(), "http://")
	_, err = throughOpenAI(t.Context(), base, NewClient(Options{Base: base}))
	want(t, err, core.ModelUnreachable, "does not speak https")
}

func TestNobodyListens(t *testing.T) {
	s := modelserver.StartT(t)
	s.Close()
	for wire, send := range sdks {
		client := NewClient(Options{Base: baseOf(s, wire)})
		_, err := send(t.Context(), baseOf(s, wire), client)
		want(t, err, core.ModelUnreachable, "does not accept connections", "running")
	}
}

// TestWhatIsNoAnswer: a web page, and an encoding nobody asked for.
func TestWhatIsNoAnswer(t *testing.T) {
	each(t, modelserver.Reply{Fault: modelserver.Fault{HTML: true}}, func(t *testing.T, _ *modelserver.Server, call func(context.Context) (string, error)) {
		_, err := call(t.Context())
		want(t, err, core.ModelBroken, "web page", "/v1")
	})
	br := modelserver.Reply{Body: "xx", Header: map[string]string{"Content-Encoding": "br"}}
	each(t, br, func(t *testing.T, _ *modelserver.Server, call func(context.Context) (string, error)) {
		_, err := call(t.Context())
		want(t, err, core.ModelBroken, `encoding "br"`)
	})
}
