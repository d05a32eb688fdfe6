package surface

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// world is an outside world of one TLS server that answers for example.com:
// every dial is written down and led there, whatever address it was for.
type world struct {
	*fetcher
	server *httptest.Server
	hits   atomic.Int64

	mu     sync.Mutex
	dialed []string                // guarded by mu
	names  map[string][]netip.Addr // guarded by mu
	asked  []string                // names resolved, guarded by mu
}

func newWorld(t *testing.T, handler http.HandlerFunc) *world {
	t.Helper()
	w := &world{names: map[string][]netip.Addr{"example.com": addrs("93.184.215.14")}}
	w.server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.hits.Add(1)
		handler(rw, r)
	}))
	w.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.server.EnableHTTP2 = true
	w.server.StartTLS()
	t.Cleanup(w.server.Close)
	pool := x509.NewCertPool()
	pool.AddCert(w.server.Certificate())
	w.fetcher = &fetcher{
		roots: pool, timeout: 20 * time.Second,
		resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.asked = append(w.asked, host)
			if a, ok := w.names[host]; ok {
				return slices.Clone(a), nil
			}
			return nil, fmt.Errorf("no such host %s", host)
		},
		dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			w.mu.Lock()
			w.dialed = append(w.dialed, address)
			w.mu.Unlock()
			return (&net.Dialer{}).DialContext(ctx, network, w.server.Listener.Addr().String())
		},
	}
	return w
}

func (w *world) name(host string, list ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names[host] = addrs(list...)
}

func (w *world) seen() (dialed, asked []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dialed), slices.Clone(w.asked)
}

func (w *world) fetch(rec *Recording, url, kind string, allowed ...string) (contract.FetchResponse, []string, error) {
	set, err := parseOrigins(allowed)
	if err != nil {
		return contract.FetchResponse{}, nil, err
	}
	var blocked []string
	got, err := w.get(context.Background(), rec, set, contract.FetchRequest{Method: "GET", URL: url, ResourceType: kind}, func(o string) { blocked = append(blocked, o) })
	return got, blocked, err
}

func addrs(list ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

const site = "https://example.com"

// R-PREV-2: a plain GET that says nothing about who asks; of the answer's
// headers only what the page needs.
func TestFetchAsksPlainly(t *testing.T) {
	var got http.Header
	var method, host, uri string
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		got, method, host, uri = r.Header.Clone(), r.Method, r.Host, r.RequestURI
		rw.Header().Set("Content-Type", "text/css")
		rw.Header().Set("Set-Cookie", "a=b")
		rw.Header().Set("Link", "<https://evil.test>; rel=preload")
		rw.Header().Set("Content-Security-Policy", "x")
		_, _ = io.WriteString(rw, "a{}")
	})
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	rec := NewRecording()
	answer, _, err := w.fetch(rec, site+"/a.css?x=1#frag", "Stylesheet", site)
	if err != nil || string(answer.Body) != "a{}" || answer.Status != 200 {
		t.Fatalf("%v %+v", err, answer)
	}
	if method != "GET" || host != "example.com" || uri != "/a.css?x=1" {
		t.Fatal(method, host, uri)
	}
	for name := range got {
		if !slices.Contains([]string{"User-Agent", "Accept", "Accept-Encoding", "Connection"}, name) {
			t.Errorf("sent %s: %s", name, got[name])
		}
	}
	want := map[string]string{"Content-Type": "text/css", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*"}
	if len(answer.Header) != len(want) {
		t.Errorf("headers %v", answer.Header)
	}
	for k, v := range want {
		if answer.Header[k] != v {
			t.Errorf("%s: %q", k, answer.Header[k])
		}
	}
	if _, _, err := w.fetch(rec, site+"/b.woff2", "Font", site); err != nil || got.Get("Origin") != "null" {
		t.Fatalf("a font goes out with origin %q, %v", got.Get("Origin"), err)
	}
	if dialed, asked := w.seen(); !slices.Equal(dialed, []string{"93.184.215.14:443", "93.184.215.14:443"}) || !slices.Equal(asked, []string{"example.com"}) {
		t.Fatalf("dialed %v, resolved %v", dialed, asked)
	}
}

// R-PREV-2: private, loopback, link-local, shared, multicast, metadata and every
// form that carries such an address inside is refused before any connection.
func TestFetchRefusesAddressesThatAreNotPublic(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {})
	for _, a := range []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "169.254.0.1",
		"100.64.0.1", "100.100.100.200", "100.127.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1", "2001::1",
		"2001:db8::1", "2001:10::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "100::1", "3fff::1", "5f00::1", "fe80::1%eth0",
	} {
		w.name("example.com", a)
		if _, _, err := w.fetch(NewRecording(), site+"/x", "Image", site); err == nil {
			t.Errorf("%s was asked", a)
		}
		// One good address does not excuse a bad one.
		w.name("example.com", "93.184.215.14", a)
		if _, _, err := w.fetch(NewRecording(), site+"/x", "Image", site); err == nil {
			t.Errorf("%s beside a public address was asked", a)
		}
	}
	w.name("example.com")
	if _, _, err := w.fetch(NewRecording(), site+"/x", "Image", site); err == nil {
		t.Error("a name without an address was asked")
	}
	if dialed, _ := w.seen(); len(dialed) > 0 || w.hits.Load() > 0 {
		t.Fatalf("dialed %v", dialed)
	}
	for _, a := range []string{"93.184.215.14", "1.1.1.1", "172.32.0.1", "100.128.0.1", "198.20.0.1", "2606:4700:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888"} {
		w.name("example.com", a)
		if _, _, err := w.fetch(NewRecording(), site+"/x", "Image", site); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}

// Rebinding: the name is resolved once, the address that was checked is the one
// that is dialed, and a later answer of the name server changes nothing.
func TestFetchPinsTheAddress(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {})
	rec := NewRecording()
	if _, _, err := w.fetch(rec, site+"/a", "Image", site); err != nil {
		t.Fatal(err)
	}
	w.name("example.com", "127.0.0.1")
	if _, _, err := w.fetch(rec, site+"/b", "Image", site); err != nil {
		t.Fatal(err)
	}
	dialed, asked := w.seen()
	if !slices.Equal(dialed, []string{"93.184.215.14:443", "93.184.215.14:443"}) || len(asked) != 1 {
		t.Fatalf("dialed %v, resolved %v", dialed, asked)
	}
	// A second address is tried when the first does not answer.
	w.name("example.com", "93.184.215.14", "93.184.215.15")
	inner := w.dial
	w.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "93.184.215.14:") {
			return nil, errors.New("unreachable")
		}
		return inner(ctx, network, address)
	}
	if _, _, err := w.fetch(NewRecording(), site+"/c", "Image", site); err != nil {
		t.Fatal(err)
	}
}

// Only exact allowed https origins, and the same for every redirect.
func TestFetchStaysWithinTheAllowedOrigins(t *testing.T) {
	to := ""
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/to":
			rw.Header().Set("Location", to)
			rw.WriteHeader(http.StatusFound)
		default:
			_, _ = io.WriteString(rw, "end")
		}
	})
	w.name("cdn.example.com", "93.184.215.20")
	w.name("inside.example.com", "127.0.0.1")
	for _, u := range []string{
		"http://example.com/x", "https://example.com:8443/x", "https://other.example.com/x", "https://example.com.evil.test/x", "https://u:p@example.com/x",
		"https://127.0.0.1/x", "https://[::1]/x", "https://localhost/x", "file:///etc/passwd", "ftp://example.com/x", "//example.com/x", "https:///x", "https://2130706433/", "",
	} {
		if _, _, err := w.fetch(NewRecording(), u, "Image", site); err == nil {
			t.Errorf("%q was asked", u)
		}
	}
	if w.hits.Load() != 0 {
		t.Fatalf("%d requests", w.hits.Load())
	}
	for target, ok := range map[string]bool{
		"/end": true, site + "/end": true, "https://cdn.example.com/end": false, "http://example.com/end": false, "https://127.0.0.1/": false, "https://localhost/": false,
		"https://[::1]/": false, "http://169.254.169.254/latest": false, "file:///etc/passwd": false, "https://u:p@example.com/end": false, "%zz": false,
	} {
		to = target
		rec := NewRecording()
		answer, blocked, err := w.fetch(rec, site+"/to", "Image", site)
		next, named := answer.Header["Location"]
		if (err == nil) != ok || named != ok || ok && (answer.Status != 302 || next != site+"/end" || len(answer.Body) > 0) {
			t.Errorf("redirect to %s: %+v, %v", target, answer, err)
		}
		if strings.Contains(target, "cdn.") && !slices.Equal(blocked, []string{"https://cdn.example.com"}) {
			t.Errorf("redirect to %s: blocked %v", target, blocked)
		}
	}
	// One to an allowed name that leads inside ends at its address.
	if _, _, err := w.fetch(NewRecording(), "https://inside.example.com/", "Image", "https://inside.example.com"); err == nil {
		t.Error("a name of a loopback address was asked")
	}
	if dialed, _ := w.seen(); slices.ContainsFunc(dialed, func(a string) bool { return !strings.HasPrefix(a, "93.184.215.14:443") }) {
		t.Errorf("dialed %v", dialed)
	}
}

// Sizes and times are bounded: endless bodies, gzip bombs, headers that never
// end, servers that say nothing.
func TestFetchIsBounded(t *testing.T) {
	release := make(chan struct{})
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			chunk := make([]byte, 64<<10)
			for {
				if _, err := rw.Write(chunk); err != nil {
					return
				}
			}
		case "/bomb":
			rw.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(rw)
			chunk := make([]byte, 1<<20)
			for range 64 {
				if _, err := z.Write(chunk); err != nil {
					return
				}
			}
			_ = z.Close()
		case "/limit":
			_, _ = rw.Write(make([]byte, maxFetchBytes))
		case "/headers":
			for i := range 4000 {
				rw.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", 100))
			}
		case "/silent":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
	})
	defer close(release)
	for _, p := range []string{"/endless", "/bomb", "/headers"} {
		if _, _, err := w.fetch(NewRecording(), site+p, "Image", site); err == nil {
			t.Errorf("%s was taken", p)
		}
	}
	if answer, _, err := w.fetch(NewRecording(), site+"/limit", "Image", site); err != nil || len(answer.Body) != maxFetchBytes {
		t.Errorf("a body at the limit: %v, %d bytes", err, len(answer.Body))
	}
	w.timeout = 50 * time.Millisecond
	if _, _, err := w.fetch(NewRecording(), site+"/silent", "Image", site); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silent server: %v", err)
	}
}

// A server whose certificate is for another name is not believed.
func TestFetchChecksTheCertificate(t *testing.T) {
	w := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	w.name("unlisted.org", "93.184.215.14")
	if _, _, err := w.fetch(NewRecording(), "https://unlisted.org/x", "Script", "https://unlisted.org"); err == nil {
		t.Error("a foreign certificate was taken")
	}
	w.roots = x509.NewCertPool()
	if _, _, err := w.fetch(NewRecording(), site+"/x", "Script", site); err == nil {
		t.Error("an unknown authority was taken")
	}
}

func TestOriginsThatCanBeAllowed(t *testing.T) {
	for in, want := range map[string]string{
		"https://fonts.googleapis.com": "https://fonts.googleapis.com", "https://Cdn.Example.COM/": "https://cdn.example.com",
		"https://a.example.com:8443": "https://a.example.com:8443", "https://a.example.com:443": "https://a.example.com", "https://xn--bcher-kva.example.org": "https://xn--bcher-kva.example.org",
	} {
		got, err := parseOrigins([]string{in})
		if err != nil || !got[want] || len(got) != 1 {
			t.Errorf("%s: %v %v", in, got, err)
		}
	}
	for _, in := range []string{
		"", "fonts.googleapis.com", "http://fonts.googleapis.com", "https://", "https://*", "https://*.googleapis.com", "https:fonts.googleapis.com", "https://a.example.com/x", "https://a.example.com?x",
		"https://a.example.com#x", "https://u@a.example.com", "https://a.example.com:", "https://a.example.com:x", "https://localhost", "https://LOCALHOST", "https://x.localhost", "https://127.0.0.1",
		"https://[::1]", "https://127.1", "https://0x7f.1", "https://2130706433", "https://intranet", "https://printer.local", "https://db.internal", "https://a.example.com.", "https://a..b.com", "https://a b.com",
		"https://a.example.com;script-src", "https://a.example.com 'unsafe-inline'", "https://a.example.com\r\nX: y", "data:", "blob:", "https://ex%61mple.com", "https://bücher.example.org", "wss://a.example.com",
	} {
		if got, err := parseOrigins([]string{in}); core.CodeOf(err) != core.Usage {
			t.Errorf("%q: %v %v", in, got, err)
		}
	}
	many := make([]string, maxAllowedOrigins+1)
	for i := range many {
		many[i] = fmt.Sprintf("https://h%d.example.org", i)
	}
	if _, err := parseOrigins(many); core.CodeOf(err) != core.TooMany {
		t.Errorf("%d origins: %v", len(many), err)
	}
}

// What goes into the policy is an origin and nothing more: no other directive
// can be written through it.
func FuzzAllowedOriginCannotChangeThePolicy(f *testing.F) {
	for _, s := range []string{"https://a.example.com", "https://a.b;script-src *", "https://a.b,c", "https://é.com", "https://a.b:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		set, err := parseOrigins([]string{s})
		if err != nil {
			return
		}
		for o := range set {
			if !strings.HasPrefix(o, "https://") || strings.ContainsAny(o, " ;,'*\r\n\t%") {
				t.Fatalf("%q became %q", s, o)
			}
		}
		a, b := documentPolicy("http://x.localhost:1", nil, ""), documentPolicy("http://x.localhost:1", set, "")
		if strings.Count(a, ";") != strings.Count(b, ";") {
			t.Fatalf("%q adds directives: %s", s, b)
		}
	})
}
