package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"proofmark/bridge/token"
	"proofmark/gateway/annotate"
	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/gates"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/manual"
	"proofmark/gateway/models"
	"proofmark/gateway/router"
	"proofmark/gateway/workbench"
)

func TestMain(m *testing.M) { testbrowser.Main(m) }

const session = "ses_one"

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>T</title>
<style>body{margin:0;font:16px/20px sans-serif}h1{height:40px;margin:0;font-size:20px}</style></head>
<body>
<h1>Report</h1>
<p id="a" class="lead">First</p>
<p id="b">Second</p>
</body></html>
`

// rig is a gateway's API on a real listener, over a real database.
type rig struct {
	*testbed.Bed
	t      testing.TB
	issuer *token.Issuer
	door   *token.Door
	key    token.Key
	gates  *gates.Gates
	notes  *annotate.Service
	edits  *manual.Service
	bench  *workbench.Workbench
	srv    *httpapi.Server
	port   int
	tokens map[token.Scope]string
	client *http.Client

	before goleak.Option // what ran before the server

	stop  func() // ends the server, and waits for it
	asked chan struct{}

	mu    sync.Mutex
	model llm.Model // what "script" stands for; guarded by mu
}

// setup changes what a rig is made of.
type setup struct {
	html      string
	browser   *testbrowser.Browser // nil: there is none to start
	env       string               // PROOFMARK_FEATURES
	server    func(*httpapi.Config)
	workbench func(*workbench.Config)
}

func newRig(t testing.TB, s setup) *rig {
	t.Helper()
	if s.html == "" {
		s.html = page
	}
	r := &rig{Bed: testbed.New(t, s.html), t: t, tokens: map[token.Scope]string{}, asked: make(chan struct{}, 16)}
	r.before = goleak.IgnoreCurrent()
	r.notes, r.edits = annotate.New(r.Store, r.Documents, nil), manual.New(r.Store, r.Documents, 0)
	var err error
	if r.gates, err = gates.Load(r.Store, func(name string) string { return map[string]string{gates.EnvNames: s.env}[name] }); err != nil {
		t.Fatal(err)
	}
	wc := workbench.Config{
		Store: r.Store, Documents: r.Documents, Notes: r.notes, Check: r.gates.Check, Lineup: r.lineup,
		Start: func(context.Context) (*workbench.Browser, error) {
			if s.browser == nil {
				return nil, core.Errorf(core.NoBrowser, "this test has no browser")
			}
			return &workbench.Browser{Previews: s.browser.Surfaces, Close: func() error { return nil }}, nil
		},
		Closed: func(id string) { r.issuer.RevokeSubject(token.Preview, id) },
	}
	if s.workbench != nil {
		s.workbench(&wc)
	}
	r.bench = workbench.New(wc)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.port = l.Addr().(*net.TCPAddr).Port
	r.issuer, r.key = token.NewIssuer("run_test", nil), token.NewKey()
	r.door = token.NewDoor(r.key, "run_test", r.port, nil)
	catalog, err := models.Load(t.TempDir(), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	c := httpapi.Config{
		Version: "test", Launch: "run_test", Port: r.port, Issuer: r.issuer, Door: r.door, Documents: r.Documents, Notes: r.notes, Edits: r.edits, Reviews: bundle.Taker{Store: r.Store, Documents: r.Documents, Notes: r.notes},
		Workbench: r.bench, Models: catalog, DataDir: r.Store.Dir(), Gates: r.gates, Log: httpapi.NewLog(nil), Stop: func() { r.asked <- struct{}{} },
	}
	if s.server != nil {
		s.server(&c)
	}
	r.srv = httpapi.New(c)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.srv.Serve(ctx, l) }()
	r.client = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		patience, done := context.WithTimeout(context.Background(), time.Minute)
		defer done()
		if err := r.bench.Close(patience); err != nil && s.browser == nil {
			t.Errorf("the workbench closed with %v", err)
		}
		r.client.CloseIdleConnections()
	})
	t.Cleanup(r.stop)
	for _, scope := range []token.Scope{token.Desktop, token.UI, token.Agent, token.Preview} {
		if r.tokens[scope], _, err = r.issuer.Mint(scope, "test"); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *rig) lineup(_ context.Context, name string) (router.Lineup, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case name == "" || name == builtin.Name:
		return router.Direct(builtin.New()), nil
	case name == "script" && r.model != nil:
		return router.Direct(r.model), nil
	}
	return router.Lineup{}, core.Errorf(core.NoModel, "there is no model %q", name)
}

func (r *rig) use(m llm.Model) {
	r.mu.Lock()
	r.model = m
	r.mu.Unlock()
}

func (r *rig) url(path string) string { return "http://127.0.0.1:" + strconv.Itoa(r.port) + path }

// at gives a path below the rig's document.
func (r *rig) at(rest string) string { return "/v1/documents/" + r.Doc.ID + rest }

// reply is an answer.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

// with sends a request with a token and headers, as pairs.
func (r *rig) with(tok, method, path string, body any, headers ...string) reply {
	r.t.Helper()
	return r.auth("Bearer "+tok, method, path, body, headers...)
}

// greet makes the credential of a handshake.
func (r *rig) greet() string { return r.key.Greet("run_test", r.port, time.Now()).Header }

// auth sends a request with a credential and headers, as pairs.
func (r *rig) auth(auth, method, path string, body any, headers ...string) reply {
	r.t.Helper()
	q := r.request(method, path, body)
	q.Header.Set("Authorization", auth)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	res, err := r.client.Do(q.WithContext(ctx))
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{t: r.t, what: method + " " + path, status: res.StatusCode, header: res.Header, body: b}
}

// request makes a request as the workbench does.
func (r *rig) request(method, path string, body any) *http.Request {
	r.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = bytes.NewReader([]byte(b))
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			r.t.Fatal(err)
		}
		in = bytes.NewReader(raw)
	}
	q, err := http.NewRequestWithContext(context.Background(), method, r.url(path), in)
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.tokens[token.UI])
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	return q
}

func (r *rig) as(s token.Scope, method, path string, body any) reply {
	r.t.Helper()
	return r.with(r.tokens[s], method, path, body)
}

// do sends a request as the workbench does.
func (r *rig) do(method, path string, body any) reply {
	r.t.Helper()
	return r.as(token.UI, method, path, body)
}

// object is JSON as it came.
type object = map[string]any

// ok wants success and gives the JSON.
func (a reply) ok() object {
	a.t.Helper()
	if a.status < 200 || a.status > 299 {
		a.t.Fatalf("%s: %d %s", a.what, a.status, a.body)
	}
	if len(a.body) == 0 {
		return nil
	}
	var out object
	if err := json.Unmarshal(a.body, &out); err != nil {
		a.t.Fatalf("%s: %v in %q", a.what, err, a.body)
	}
	return out
}

// code gives the code of a refusal, "" for none.
func (a reply) code() core.Code {
	var b struct{ Error struct{ Code core.Code } }
	_ = json.Unmarshal(a.body, &b)
	return b.Error.Code
}

// refused wants a refusal, in its full form.
func (a reply) refused(status int, code core.Code) object {
	a.t.Helper()
	var b struct{ Error object }
	if err := json.Unmarshal(a.body, &b); err != nil || a.status != status || a.code() != code {
		a.t.Errorf("%s: %d %s; want %d %s", a.what, a.status, a.body, status, code)
		return nil
	}
	if b.Error["message"] == "" || b.Error["hint"] == nil || b.Error["detail"] == nil || a.header.Get("Content-Type") != "application/json" {
		a.t.Errorf("%s: the refusal lacks something: %s", a.what, a.body)
	}
	detail, _ := b.Error["detail"].(object)
	return detail
}

// open opens a preview of the newest version.
func (r *rig) open() string {
	r.t.Helper()
	return r.do("POST", r.at("/previews"), object{"width": 600, "height": 400}).ok()["id"].(string)
}

// pick points at a target in a preview.
func (r *rig) pick(preview, target string) object {
	r.t.Helper()
	return r.do("POST", "/v1/previews/"+preview+"/picks", object{"target": target}).ok()
}

// note makes a draft on a target, without a browser.
func (r *rig) note(name string, n int, say string) object {
	r.t.Helper()
	return r.noteIn(session, name, n, say)
}

func (r *rig) noteIn(session, name string, n int, say string) object {
	r.t.Helper()
	a, err := r.notes.Create(context.Background(), annotate.Draft{
		SessionID: session, DocumentID: r.Doc.ID, Instruction: say, Verified: []proofVerified{r.Verified(r.Element(name, n))},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		r.t.Fatal(err)
	}
	var out object
	if err := json.Unmarshal(raw, &out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// ask is a turn of drafts as the workbench asks for it.
func ask(request string, notes ...any) object {
	return object{"session": session, "requestId": request, "annotations": notes, "width": 600, "height": 400}
}

// started sends a turn and gives its id.
func (r *rig) started(a object) string {
	r.t.Helper()
	return r.do("POST", r.at("/turns"), a).ok()["id"].(string)
}

// ended waits, by the turn's own events, until it has ended, and gives it.
func (r *rig) ended(turn string) object {
	r.t.Helper()
	s := r.follow("/v1/turns/"+turn+"/events", 0)
	defer s.close()
	for {
		e, err := s.next()
		if err != nil {
			r.t.Fatalf("turn %s: %v", turn, err)
		}
		if e.name == "end" {
			break
		}
	}
	got := r.do("GET", "/v1/turns/"+turn, nil).ok()
	if got["result"] == nil {
		r.t.Fatalf("turn %s has ended and no result: %v", turn, got)
	}
	return got
}

// waits waits until a turn waits for a person's decision.
func (r *rig) waits(turn string) {
	r.t.Helper()
	s := r.follow("/v1/turns/"+turn+"/events", 0)
	defer s.close()
	for { // what was looked at is about to be shown
		e, err := s.next()
		if err != nil || e.name == "end" {
			r.t.Fatalf("the turn ended: %+v %v", e, err)
		}
		if e.name == "tool_called" && e.said(r.t)["tool"] == "document_finish" {
			break
		}
	}
	for { // it is, between two lines of code
		got := r.do("GET", "/v1/turns/"+turn, nil).ok()
		if got["waits"] == true {
			return
		}
		if got["result"] != nil {
			r.t.Fatalf("the turn does not wait: %v", got)
		}
	}
}

var errGone = errors.New("the stream is gone")
