package surface

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// fakeHost makes surfaces that load pages as a browser would, through the
// listener as their proxy, and nothing else.
type fakeHost struct {
	contract.Host
	listener *Listener
	fail     error

	mu   sync.Mutex
	made []*fakeSurface // guarded by mu
}

func (h *fakeHost) Open(_ context.Context, o contract.OpenOptions) (contract.Surface, error) {
	if h.fail != nil {
		return nil, h.fail
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &fakeSurface{host: h, options: o, lost: make(chan struct{})}
	h.made = append(h.made, s)
	return s, nil
}

type fakeSurface struct {
	contract.Surface
	host    *fakeHost
	options contract.OpenOptions

	epoch    int64
	page     string
	lost     chan struct{}
	loseOnce sync.Once
	closed   int
	idle     bool   // Load does not ask the listener
	onBirths func() // runs while the register is read
	births   error
}

// request asks for a path of the lease as a browser with a proxy does.
func (s *fakeSurface) request(path string) (int, string) {
	proxy, _ := url.Parse(s.host.listener.ProxyURL())
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
	resp, err := client.Get(s.options.Origin + path)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

func (s *fakeSurface) Load(_ context.Context, path string) (contract.Loaded, error) {
	s.epoch++
	if !s.idle {
		var code int
		if code, s.page = s.request(path); code != 200 {
			return contract.Loaded{}, errors.New("load failed")
		}
	}
	return contract.Loaded{Epoch: s.epoch, URL: s.options.Origin + path}, nil
}

func (s *fakeSurface) Births(context.Context) (contract.Births, error) {
	if s.onBirths != nil {
		s.onBirths()
	}
	return contract.Births{Complete: true, List: []contract.Birth{{NS: "html", Name: "html"}}}, s.births
}
func (s *fakeSurface) Lost() <-chan struct{} { return s.lost }
func (s *fakeSurface) lose()                 { s.loseOnce.Do(func() { close(s.lost) }) }
func (s *fakeSurface) Close() error          { s.closed++; return nil }

func (s *fakeSurface) pick() contract.Pick {
	return contract.Pick{Handle: "h", Epoch: s.epoch, Origin: s.options.Origin}
}

func testManager(t *testing.T, c *clock) (*Manager, *fakeHost) {
	t.Helper()
	h := &fakeHost{listener: testListener(t, c)}
	m := NewManager(h.listener, h)
	t.Cleanup(func() { _ = m.Close() })
	return m, h
}

func open(t *testing.T, m *Manager, s Spec) (*Preview, *fakeSurface) {
	t.Helper()
	p, err := m.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p, p.Surface().(*fakeSurface)
}

func load(t *testing.T, p *Preview) contract.Loaded {
	t.Helper()
	got, err := p.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantCode(t *testing.T, what string, err error, code core.Code) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Errorf("%s: %v (%s), want %s", what, err, core.CodeOf(err), code)
	}
}

// D-90: what a claim says about document, revision and bytes comes from the
// lease.
func TestClaimComesFromTheLease(t *testing.T) {
	m, _ := testManager(t, nil)
	s := specOf(pageHTML, "", "a b.html")
	s.CandidateID = "cand_1"
	p, view := open(t, m, s)
	if got := load(t, p); got.Epoch != 1 || view.page != pageHTML {
		t.Fatalf("%+v %q", got, view.page)
	}
	c, err := p.Claim(t.Context(), view.pick())
	if err != nil {
		t.Fatal(err)
	}
	if c.DocumentID != "doc_1" || c.RevisionID != "rev_1" || c.SourceSHA != s.SHA || c.Pick.Handle != "h" || !c.Births.Complete {
		t.Fatalf("%+v", c)
	}
	le := p.Lease()
	if le.DocumentID != "doc_1" || le.CandidateID != "cand_1" || le.SHA != s.SHA || le.Origin != view.options.Origin || le.Path != "/a%20b.html" || le.Binding != 1 {
		t.Fatalf("%+v", le)
	}
}

// T-98, D-89: a pick of another lease, another load, other bytes, or no load.
func TestClaimRefusals(t *testing.T) {
	m, _ := testManager(t, nil)
	p, view := open(t, m, specOf(pageHTML, "", "page.html"))
	other, otherView := open(t, m, specOf("<p>other", "", "page.html"))
	claim := func(pick contract.Pick) error { _, err := p.Claim(t.Context(), pick); return err }

	wantCode(t, "before any load", claim(view.pick()), core.StaleEpoch)
	load(t, p)
	load(t, other)
	wantCode(t, "of another lease", claim(otherView.pick()), core.LeaseMismatch)
	for _, origin := range []string{"", "null", "http://localhost", view.options.Origin + "0", "https" + view.options.Origin[4:]} {
		pick := view.pick()
		pick.Origin = origin
		wantCode(t, "of origin "+origin, claim(pick), core.LeaseMismatch)
	}
	inFrame := view.pick()
	inFrame.Origin, inFrame.Refusal = "null", core.InFrame
	wantCode(t, "in a frame", claim(inFrame), "")
	old := view.pick()
	load(t, p)
	wantCode(t, "of an earlier load", claim(old), core.StaleEpoch)
	wantCode(t, "of this load", claim(view.pick()), "")

	// The page loads itself again behind the host's back.
	view.request("/page.html")
	wantCode(t, "after the page reloaded itself", claim(view.pick()), core.StaleEpoch)
	load(t, p)

	// It goes on while the register is read.
	view.onBirths = func() { view.request("/page.html") }
	wantCode(t, "while the page reloads", claim(view.pick()), core.StaleEpoch)
	view.onBirths = nil
	load(t, p)
	view.births = core.Errorf(core.Timeout, "slow")
	wantCode(t, "with a register that cannot be read", claim(view.pick()), core.Timeout)
	view.births = nil

	if err := p.Rebind(t.Context(), specOf("<p>new", "", "page.html")); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "after other bytes were bound", claim(view.pick()), core.StaleEpoch)
	load(t, p)
	if c, err := p.Claim(t.Context(), view.pick()); err != nil || c.SourceSHA != core.SHA256Hex([]byte("<p>new")) || view.page != "<p>new" {
		t.Fatalf("%+v %v", c, err)
	}
}

// A view that did not fetch the lease's bytes shows something else.
func TestLoadChecksWhatWasDelivered(t *testing.T) {
	m, _ := testManager(t, nil)
	p, view := open(t, m, specOf(pageHTML, "", "page.html"))
	view.idle = true
	_, err := p.Load(t.Context())
	wantCode(t, "nothing was fetched", err, core.LeaseMismatch)
	_, err = p.Claim(t.Context(), view.pick())
	wantCode(t, "claim on it", err, core.StaleEpoch)
}

func TestLeaseEndsUnderAPreview(t *testing.T) {
	c := newClock()
	m, _ := testManager(t, c)
	p, view := open(t, m, specOf(pageHTML, "", "page.html"))
	load(t, p)
	for range 3 { // claims keep it alive
		c.advance(core.PreviewLeaseIdle - time.Minute)
		if _, err := p.Claim(t.Context(), view.pick()); err != nil {
			t.Fatal(err)
		}
	}
	c.advance(core.PreviewLeaseIdle)
	_, err := p.Claim(t.Context(), view.pick())
	wantCode(t, "claim on an expired lease", err, core.LeaseMismatch)
	_, err = p.Load(t.Context())
	wantCode(t, "load of an expired lease", err, core.LeaseMismatch)
	wantCode(t, "rebinding of an expired lease", p.Rebind(t.Context(), specOf("x", "", "page.html")), core.LeaseMismatch)
}

// A crashed view leaves no origin behind, and frees its place.
func TestLostSurfaceEndsTheLease(t *testing.T) {
	m, _ := testManager(t, nil)
	p, view := open(t, m, specOf(pageHTML, "", "page.html"))
	load(t, p)
	view.lose()
	<-p.watched
	_, err := p.Claim(t.Context(), view.pick())
	wantCode(t, "claim", err, core.SurfaceLost)
	_, err = p.Load(t.Context())
	wantCode(t, "load", err, core.SurfaceLost)
	if code, _ := view.request("/page.html"); code != 403 {
		t.Errorf("the lease answers %d", code)
	}
	if err := p.Close(); err != nil || view.closed != 1 {
		t.Fatal(err, view.closed)
	}
}

func TestCloseIsFinal(t *testing.T) {
	m, _ := testManager(t, nil)
	p, view := open(t, m, specOf(pageHTML, t.TempDir(), "page.html"))
	load(t, p)
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if view.closed != 1 {
		t.Errorf("closed %d times", view.closed)
	}
	_, err := p.Load(t.Context())
	wantCode(t, "load", err, core.SurfaceLost)
	if code, _ := view.request("/page.html"); code != 403 {
		t.Errorf("the lease answers %d", code)
	}
}

// D5: base and candidate are open at once; and only so many at all.
func TestPreviewsAreCounted(t *testing.T) {
	m, h := testManager(t, nil)
	var all []*Preview
	for range core.MaxPreviewsPerHost {
		p, _ := open(t, m, specOf(pageHTML, "", "page.html"))
		all = append(all, p)
	}
	_, err := m.Open(t.Context(), specOf(pageHTML, "", "page.html"))
	wantCode(t, "one too many", err, core.TooMany)
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	h.fail = core.Errorf(core.BrowserFailed, "no")
	for range 3 {
		_, err = m.Open(t.Context(), specOf(pageHTML, "", "page.html"))
		wantCode(t, "failing host", err, core.BrowserFailed)
	}
	h.fail = nil
	open(t, m, specOf(pageHTML, "", "page.html"))
	if n := len(m.listener.leases); n != core.MaxPreviewsPerHost {
		t.Fatalf("%d leases", n)
	}
	if err := m.Close(); err != nil || len(m.listener.leases) != 0 {
		t.Fatal(err, len(m.listener.leases))
	}
}

func TestOpenRefusesBadSpecs(t *testing.T) {
	m, h := testManager(t, nil)
	bad := specOf(pageHTML, "", "page.html")
	bad.AllowOrigins = []string{"http://a.example.com"}
	_, err := m.Open(t.Context(), bad)
	wantCode(t, "origin", err, core.Usage)
	if len(h.made) != 0 || len(m.open) != 0 {
		t.Fatal("something was opened")
	}
}

// R-PREV-2: nothing leaves without permission; what was allowed is fetched once
// and is the same for base and candidate; the rest is listed.
func TestFetchHook(t *testing.T) {
	m, _ := testManager(t, nil)
	var n int
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {
		n++
		_, _ = io.WriteString(rw, string(rune('0'+n)))
	})
	m.fetcher = w.fetcher
	s := specOf(pageHTML, "", "page.html")
	s.AllowOrigins, s.Record = []string{site}, NewRecording()
	base, a := open(t, m, s)
	_, b := open(t, m, s)
	alone := s
	alone.Record = nil
	own, c := open(t, m, alone)
	ask := func(v *fakeSurface, u, kind string) string {
		got, ok := v.options.Fetch(t.Context(), contract.FetchRequest{Method: "GET", URL: u, ResourceType: kind})
		if !ok {
			return "-"
		}
		return string(got.Body)
	}
	if got := ask(a, site+"/x.css", "Stylesheet") + ask(b, site+"/x.css#f", "Stylesheet") + ask(a, site+"/y.css", "Stylesheet"); got != "112" {
		t.Fatalf("base and candidate see %q", got)
	}
	if got := ask(c, site+"/x.css", "Stylesheet"); got != "3" {
		t.Fatalf("a preview of its own sees %q", got)
	}
	load(t, own)
	if got := ask(c, site+"/x.css", "Stylesheet"); got != "4" {
		t.Fatalf("after another load it sees %q", got)
	}
	for _, r := range []contract.FetchRequest{
		{Method: "POST", URL: site + "/x", ResourceType: "Fetch"},
		{Method: "HEAD", URL: site + "/x", ResourceType: "Fetch"},
		{Method: "GET", URL: site + "/x", ResourceType: "Document"},
		{Method: "GET", URL: site + "/x", ResourceType: "Ping"},
		{Method: "GET", URL: site + "/x", ResourceType: "WebSocket"},
		{Method: "GET", URL: "http://example.com/x", ResourceType: "Image"},
		{Method: "GET", URL: "https://u:p@example.com/x", ResourceType: "Image"},
		{Method: "GET", URL: "https://other.org/x", ResourceType: "Image"},
		{Method: "GET", URL: "http://127.0.0.1:1/x", ResourceType: "Image"},
		{Method: "GET", URL: site + "/" + string(make([]byte, maxURLBytes)), ResourceType: "Image"},
		{Method: "GET", URL: a.options.Origin + "/x.html", ResourceType: "Document"},
		{Method: "GET", URL: "file:///etc/passwd", ResourceType: "Image"},
	} {
		if _, ok := a.options.Fetch(t.Context(), r); ok {
			t.Errorf("%s %s as %s was fulfilled", r.Method, r.URL, r.ResourceType)
		}
	}
	if got := base.Asked(); !slices.Equal(got, []string{"http://127.0.0.1:1", "http://example.com", "https://other.org"}) {
		t.Errorf("asked %q", got)
	}
	if w.hits.Load() != 4 {
		t.Errorf("%d requests went out", w.hits.Load())
	}
	if err := base.Close(); err != nil {
		t.Fatal(err)
	}
	if got := ask(a, site+"/x.css", "Stylesheet"); got != "-" {
		t.Error("a closed preview fetches")
	}
}

// Rebinding changes what may be fetched, and what is missing, with the bytes.
func TestRebindChangesTheWorld(t *testing.T) {
	m, _ := testManager(t, nil)
	dir := t.TempDir()
	write(t, dir, "a.css", "x")
	p, view := open(t, m, specOf(pageHTML, dir, "page.html"))
	load(t, p)
	view.request("/gone.css")
	if got := p.Missing(); !slices.Equal(got, []string{"gone.css"}) {
		t.Fatalf("missing %v", got)
	}
	next := specOf("<p>2", "", "page.html")
	next.AllowOrigins = []string{site}
	if err := p.Rebind(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if p.Lease().Binding != 2 || len(p.Missing()) != 0 {
		t.Fatalf("%+v %v", p.Lease(), p.Missing())
	}
	if code, _ := view.request("/a.css"); code != 404 {
		t.Errorf("the old folder is still served: %d", code)
	}
	bad := next
	bad.SHA = "x"
	wantCode(t, "rebinding to foreign bytes", p.Rebind(t.Context(), bad), core.Internal)
	load(t, p)
	if view.page != "<p>2" {
		t.Errorf("shows %q", view.page)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	l, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	h := &fakeHost{listener: l}
	m := NewManager(l, h)
	a, view := open(t, m, specOf(pageHTML, t.TempDir(), "page.html"))
	open(t, m, specOf(pageHTML, "", "page.html"))
	load(t, a)
	view.lose()
	if err := errors.Join(m.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
}
