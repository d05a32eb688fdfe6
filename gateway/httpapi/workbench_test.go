package httpapi_test

import (
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/preferences"
	"proofmark/gateway/webapp"
)

// R-UI-2, R-SEC-2, D-64: the workbench's files are there for any browser of this
// machine, and nothing else is without a token; the code on the terminal gives
// one, once, of the workbench's scope.
func TestPlainBrowser(t *testing.T) {
	pairs := token.NewPairing(nil)
	shown := make(chan string, 4)
	r := newRig(t, setup{server: func(c *httpapi.Config) {
		app, err := webapp.New(fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}, "assets/a.js": {Data: []byte("1")}}, func() int { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		c.App, c.Pairing = app, pairs
		c.Invite = func() { shown <- pairs.Next() }
	}})
	origin := strings.TrimSuffix(r.url("/"), "/")
	for path, status := range map[string]int{"/": 200, "/assets/a.js": 200, "/host/hello": 404, "/v1/health": 401, "/assets/b.js": 401, "/index.html": 401} {
		q := r.request("GET", path, nil)
		q.Header.Del("Authorization")
		res, err := r.client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != status || status == 200 && (len(b) == 0 || strings.Contains(res.Header.Get("Content-Security-Policy"), "sandbox")) {
			t.Errorf("%s: %d %q %s", path, res.StatusCode, b, res.Header.Get("Content-Security-Policy"))
		}
		if len(res.Header.Values("Access-Control-Allow-Origin")) > 0 || len(res.Header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	code := pairs.Next()
	r.auth("Pairing AAAA-AAAA", "POST", "/v1/tokens", nil, "Origin", origin).refused(401, core.Unauthenticated)
	r.auth("Pairing "+code, "POST", "/v1/tokens", nil, "Origin", "http://127.0.0.1:1").refused(403, core.WrongOrigin)
	select {
	case <-shown:
		t.Error("a code that is wrong is followed by another")
	default:
	}
	a := r.auth("Pairing "+strings.ToLower(code), "POST", "/v1/tokens", nil, "Origin", origin).ok()
	if a["scope"] != "ui" {
		t.Fatalf("the code gives %v", a["scope"])
	}
	if next := <-shown; next == code {
		t.Error("the same code again")
	}
	r.auth("Pairing "+code, "POST", "/v1/tokens", nil).refused(401, core.Unauthenticated)
	r.with(a["token"].(string), "GET", "/v1/settings", nil, "Origin", origin, "Sec-Fetch-Site", "same-origin").ok()
	r.with(a["token"].(string), "POST", "/v1/tokens", object{"scope": "ui", "subject": "x"}).refused(403, core.WrongScope)
}

// R-SEC-6: a gateway without a workbench serves no page and lets none call.
func TestNoWorkbench(t *testing.T) {
	r := newRig(t, setup{})
	r.auth("", "GET", "/", nil).refused(401, core.Unauthenticated)
	r.auth("Pairing AAAA-AAAA", "POST", "/v1/tokens", nil).refused(401, core.Unauthenticated)
	r.with(r.tokens[token.UI], "GET", "/v1/health", nil, "Origin", strings.TrimSuffix(r.url("/"), "/")).refused(403, core.WrongOrigin)
}

// R-UI-4: what a person chose comes back, and nothing else is taken for it.
func TestPreferences(t *testing.T) {
	r := newRig(t, setup{})
	if got := r.do("GET", "/v1/preferences", nil).ok(); len(got) != 0 {
		t.Errorf("before: %v", got)
	}
	if a := r.do("PUT", "/v1/preferences", object{"theme": "dark"}); a.status != 204 {
		t.Errorf("put: %d %s", a.status, a.body)
	}
	if got := r.do("GET", "/v1/preferences", nil).ok(); got["theme"] != "dark" {
		t.Errorf("then: %v", got)
	}
	r.do("PUT", "/v1/preferences", []string{"x"}).refused(400, core.BadRequest)
	r.do("PUT", "/v1/preferences", object{"x": strings.Repeat("x", preferences.MaxBytes)}).refused(413, core.TooLarge)
	r.as(token.Agent, "PUT", "/v1/preferences", object{}).refused(403, core.WrongScope)
}
