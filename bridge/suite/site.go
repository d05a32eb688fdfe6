package suite

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"proofmark/gateway/core"
)

// policyHeader is the page policy of the product's preview listener, so that
// the tests see pages as users do.
const policyHeader = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' 'self' blob: data:; " +
	"style-src 'unsafe-inline' 'self'; img-src data: blob: 'self' https:; font-src data: 'self'; media-src data: blob:; worker-src blob:; " +
	"connect-src 'none'; frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'"

// blankPath is what the frame of a workbench shows before a page is loaded in it.
const blankPath = "/.proofmark/blank"

// site is a test origin and the browser's only proxy in one: each page has a
// random host of its own below localhost, everything else is counted and
// refused.
type site struct {
	ln    net.Listener
	label string

	mu      sync.Mutex // guards the following
	files   map[string]file
	foreign []string // requests for anything else
	asked   map[string]int
}

type file struct {
	kind, body string
	loose      bool // without the page policy
	wait       <-chan struct{}
}

func newSite(t testing.TB) *site {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{
		ln: ln, label: strings.TrimPrefix(core.NewID("p"), "p_"),
		files: map[string]file{}, asked: map[string]int{},
	}
	srv := &http.Server{Handler: http.HandlerFunc(s.serve)}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return s
}

// origin is where the pages are.
func (s *site) origin() string {
	return fmt.Sprintf("http://%s.localhost:%d", s.label, s.ln.Addr().(*net.TCPAddr).Port)
}

// proxy is what the browser gets as its proxy.
func (s *site) proxy() string { return "http://" + s.ln.Addr().String() }

func (s *site) put(path, kind, body string) { s.set(path, file{kind: kind, body: body}) }

func (s *site) set(path string, f file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = f
}

// strangers gives the requests for other hosts that reached the proxy.
func (s *site) strangers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.foreign...)
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if "http://"+r.Host != s.origin() || r.Method == http.MethodConnect {
		s.foreign = append(s.foreign, r.Method+" "+r.Host+r.URL.Path)
		s.mu.Unlock()
		http.Error(w, "not here", http.StatusForbidden)
		return
	}
	if r.URL.Path == blankPath {
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
		return
	}
	s.asked[r.URL.Path]++
	f, ok := s.files[r.URL.Path]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-store")
	if !f.loose {
		h.Set("Content-Security-Policy", policyHeader)
	}
	if f.wait != nil {
		w.(http.Flusher).Flush()
		<-f.wait
	}
	fmt.Fprint(w, f.body)
}
