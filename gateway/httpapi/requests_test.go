package httpapi_test

import (
	"bufio"
	"context"
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
	"proofmark/gateway/httpapi"
	"proofmark/gateway/router"
	"proofmark/gateway/workbench"
)

// Attack 19, D-89: every route that takes a body takes one strict JSON object
// and nothing else, whatever the route does with it.
func TestBadBodies(t *testing.T) {
	r := newRig(t, setup{})
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	bodies := map[string]string{
		"nothing": "", "blanks": "  \n", "half": `{"path":`, "two": "{}{}", "behind": "{} x", "a list": "[]", "a text": `"x"`, "a number": "1e999", "null twice": "null null",
		"an unknown name": `{"nobody_knows_this": 1}`, "a name twice": `{"write":true,"write":false}`, "a name twice by case": `{"path":"/a","PATH":"/b","session":"s","SESSION":"t"}`,
		"no UTF-8": "{\"a\":\"\xff\"}", "not a number": `{"note":NaN}`, "a comment": "{/* */}", "a comma": `{"write":true,}`, "single quotes": `{'a':1}`,
		"deep": deep[:100_000], "deep in a list": `{"annotations":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}",
	}
	for _, rt := range r.srv.Routes() {
		if rt.MaxBody == 0 {
			if rt.Method != "GET" {
				if detail := r.as(token.Desktop, rt.Method, path(rt.Pattern), "{}").refused(413, core.TooLarge); detail["maxBytes"] != 0.0 {
					t.Errorf("%s %s: detail %v", rt.Method, rt.Pattern, detail)
				}
			} else {
				r.as(token.Desktop, rt.Method, path(rt.Pattern), "{}").refused(400, core.BadRequest)
			}
			continue
		}
		for name, b := range bodies {
			if rt.Pattern == "/v1/preferences" && name == "an unknown name" {
				continue // what stands in there is the workbench's business
			}
			b = b[:min(len(b), int(rt.MaxBody))]
			a := r.as(token.Desktop, rt.Method, strings.ReplaceAll(path(rt.Pattern), "documents/nothing", "documents/"+r.Doc.ID), b)
			if a.status != 400 || a.code() != core.BadRequest {
				t.Errorf("%s %s with %s: %d %s", rt.Method, rt.Pattern, name, a.status, a.body)
			}
			if strings.Contains(string(a.body), "Go struct") || strings.Contains(string(a.body), "invalid character") {
				t.Errorf("%s %s with %s: the decoder's own words: %s", rt.Method, rt.Pattern, name, a.body)
			}
		}
	}
	if d := r.Now(); d != r.Doc {
		t.Errorf("the document is %+v, was %+v", d, r.Doc)
	}
}

// Attack 16, 24: a query has the names of its route, each once; a token there
// opens nothing and is no part of any answer.
func TestQueries(t *testing.T) {
	r := newRig(t, setup{})
	for _, rt := range r.srv.Routes() {
		for _, q := range []string{"token=" + r.tokens[token.UI], "access_token=x", "x", "%zz", "a=1;b=2"} {
			a := r.as(token.Desktop, rt.Method, path(rt.Pattern)+"?"+q, nil)
			if a.code() != core.BadRequest {
				t.Errorf("%s %s?%.20s: %d %s", rt.Method, rt.Pattern, q, a.status, a.body)
			}
			if strings.Contains(string(a.body), r.tokens[token.UI][:20]) {
				t.Errorf("%s %s: the answer holds the token", rt.Method, rt.Pattern)
			}
		}
		for _, name := range rt.Query {
			r.as(token.Desktop, rt.Method, path(rt.Pattern)+"?"+name+"=1&"+name+"=2", nil).refused(400, core.BadRequest)
		}
	}
	r.do("GET", "/v1/documents?"+strings.Repeat("a", 5_000), nil).refused(400, core.BadRequest)
	for _, rest := range []string{"/revisions?limit=0", "/revisions?limit=10001", "/revisions?limit=x", "/revisions?before=-1", "/changes?limit=1001", "/audit?after=1e3", "/diff?context=1001", "/diff?context=-1"} {
		r.do("GET", r.at(rest), nil).refused(400, core.BadRequest)
	}
}

// raw sends bytes as they are and reads an answer.
func (r *rig) raw(text string) (status int, closed bool) {
	r.t.Helper()
	c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(r.port))
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		r.t.Fatal(err)
	}
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_, err = in.ReadByte()
	return res.StatusCode, err == io.EOF
}

// head writes a request's head with a body of that length.
func (r *rig) head(method, path string, length int64) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		method, path, r.port, r.tokens[token.UI], length)
}

// D-89: a body that does not come is waited for as long as it may take, on
// routes that want it and in refusals that do not, and then the connection ends.
func TestSlowBody(t *testing.T) {
	r := newRig(t, setup{server: func(c *httpapi.Config) { c.BodyPatience = 100 * time.Millisecond }})
	if status, closed := r.raw(r.head("POST", r.at("/redo"), 100) + `{"wri`); status != 408 || !closed {
		t.Errorf("half a body: %d, closed %t", status, closed)
	}
	for path, want := range map[string]int{"/v1/shutdown": 403, "/v1/health": 405, "/v1/nothing": 404, "/v1//health": 404, "/v1/documents/x//y": 404} {
		if status, closed := r.raw(r.head("POST", path, 100)); status != want || !closed {
			t.Errorf("no body of a refused request to %s: %d, closed %t", path, status, closed)
		}
	}
	if status, closed := r.raw(strings.Replace(r.head("POST", r.at("/redo"), 100), "Bearer ", "Bearer x", 1)); status != 401 || !closed {
		t.Errorf("no body of a stranger's request: %d, closed %t", status, closed)
	}
	if status, closed := r.raw(r.head("POST", r.at("/redo"), 1<<40)); status != 413 || !closed {
		t.Errorf("a terabyte: %d, closed %t", status, closed)
	}
	tried := map[int64]bool{0: true} // one route of each bound: a cut connection lingers
	for _, rt := range r.srv.Routes() {
		if tried[rt.MaxBody] || rt.Pattern == "/v1/tokens" {
			continue
		}
		tried[rt.MaxBody] = true
		if status, closed := r.raw(r.head(rt.Method, path(rt.Pattern), rt.MaxBody+1)); status != 413 || !closed {
			t.Errorf("%s %s with a byte too many: %d, closed %t", rt.Method, rt.Pattern, status, closed)
		}
	}
}

// The bodies of all requests together are bounded: what is announced beyond is
// refused before any of it is read.
func TestTooManyLargeBodies(t *testing.T) {
	r := newRig(t, setup{})
	const n = 9
	status := make(chan int, n)
	var open []net.Conn
	for range n {
		c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(r.port))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		go func() {
			_, _ = io.WriteString(c, r.head("PUT", r.at("/edits/x"), 2*core.MaxSourceBytes))
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				status <- 0
				return
			}
			_ = res.Body.Close()
			status <- res.StatusCode
		}()
	}
	if got := <-status; got != 429 {
		t.Errorf("the first answer is %d", got)
	}
	for _, c := range open {
		_ = c.Close()
	}
	for range n - 1 {
		<-status
	}
	if a := r.do("PUT", r.at("/edits/x"), object{"text": "", "seen": time.Now()}); a.status != 404 {
		t.Errorf("and then: %d %s", a.status, a.body)
	}
}

// D-89: one client has 32 requests in flight; the next one is told to wait, and
// another client is not.
func TestTooManyInFlight(t *testing.T) {
	in, out := make(chan struct{}), make(chan struct{})
	r := newRig(t, setup{workbench: func(c *workbench.Config) {
		lineup := c.Lineup
		c.Lineup = func(ctx context.Context, name string) (router.Lineup, error) {
			in <- struct{}{}
			<-out
			return lineup(ctx, "none")
		}
	}})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			r.do("POST", r.at("/turns"), ask("r")).refused(503, core.NoModel)
		})
		<-in
	}
	a := r.do("GET", "/v1/health", nil)
	a.refused(429, core.RateLimited)
	if a.header.Get("Retry-After") == "" {
		t.Error("nothing says when to come back")
	}
	r.as(token.Agent, "GET", "/v1/health", nil).ok()
	close(out)
	wg.Wait()
	r.do("GET", "/v1/health", nil).ok()
}

// Of the requests in flight, 16 are streams.
func TestTooManyStreams(t *testing.T) {
	r := newRig(t, setup{})
	var open []*stream
	for range 16 {
		open = append(open, r.follow(r.at("/events"), 0))
	}
	if s, res := r.tryFollow(r.at("/events"), 0); s != nil || res.StatusCode != 429 {
		t.Errorf("the 17th stream: %d", res.StatusCode)
	}
	r.do("GET", "/v1/health", nil).ok()
	for _, s := range open {
		s.close()
	}
}

// Answers have tags; whoever has one is not sent the same again, and HEAD is
// GET without the body.
func TestTagsAndHead(t *testing.T) {
	r := newRig(t, setup{})
	r.Commit(core.SourceManual, strings.Replace(page, "First", "Once", 1), []core.Edit{{Span: spanOf(page, "First"), Replacement: "Once"}})
	change := r.do("GET", r.at("/changes"), nil).ok()["changes"].([]any)[0].(object)["id"].(string)
	for _, p := range []string{r.at(""), r.at("/source"), r.at("/source?version=1"), r.at("/changes/" + change), r.at("/diff"), r.at("/diff?from=1&to=2&context=0")} {
		full := r.do("GET", p, nil)
		tag := full.header.Get("ETag")
		if full.status != 200 || len(full.body) == 0 || tag == "" || full.header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %d, tag %q, %v", p, full.status, tag, full.header)
			continue
		}
		for _, have := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			for _, m := range []string{"GET", "HEAD"} {
				a := r.with(r.tokens[token.UI], m, p, nil, "If-None-Match", have)
				if a.status != 304 || len(a.body) != 0 || a.header.Get("ETag") != tag {
					t.Errorf("%s %s with %s: %d, %d bytes", m, p, have, a.status, len(a.body))
				}
			}
		}
		for _, have := range []string{`"x"`, strings.Trim(tag, `"`), ""} {
			if a := r.with(r.tokens[token.UI], "GET", p, nil, "If-None-Match", have); a.status != 200 {
				t.Errorf("%s with %q: %d", p, have, a.status)
			}
		}
		bare := r.do("HEAD", p, nil)
		if bare.status != 200 || len(bare.body) != 0 || bare.header.Get("Content-Length") != strconv.Itoa(len(full.body)) || bare.header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %d, %v", p, bare.status, bare.header)
		}
	}
	for _, p := range []string{"/v1/health", "/v1/documents", "/v1/models", "/v1/settings"} {
		if a := r.do("HEAD", p, nil); a.status != 200 || len(a.body) != 0 {
			t.Errorf("HEAD %s: %d", p, a.status)
		}
	}
	if a := r.do("HEAD", r.at("/events"), nil); a.status != 200 || a.header.Get("Content-Type") != "text/event-stream" { // and does not go on
		t.Errorf("HEAD of a stream: %d %v", a.status, a.header)
	}
	tag := r.do("GET", r.at(""), nil).header.Get("ETag")
	r.do("PUT", r.at("/names/2"), object{"name": "before the sale"}).ok()
	if a := r.with(r.tokens[token.UI], "GET", r.at(""), nil, "If-None-Match", tag); a.status != 200 {
		t.Errorf("the document has another name now, and the answer is %d", a.status)
	}
}

func spanOf(src, text string) core.Span {
	at := strings.Index(src, text)
	return core.Span{Start: at, End: at + len(text)}
}
