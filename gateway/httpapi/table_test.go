package httpapi_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/edge"
	"proofmark/gateway/httpapi"
)

// row writes a route as docs/api.md does.
func row(r httpapi.Route) string {
	or := func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	}
	body := ""
	if r.MaxBody > 0 {
		body = strconv.FormatInt(r.MaxBody, 10)
	}
	feature := map[core.Feature]string{core.FeatureWorkbench: "W", core.FeatureAnnotations: "A"}[r.Feature]
	return "| " + strings.Join([]string{
		r.Method, "`" + r.Pattern + "`", strings.Join(r.Scopes, " "), or(body), or(strings.Join(r.Query, " ")), or(feature), r.What,
	}, " | ") + " |"
}

// The document says what the program does: every route in its order, with who
// may call it, how large its body may be and what must be switched on.
func TestDocumentListsTheRoutes(t *testing.T) {
	b, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, r := range newRig(t, setup{}).srv.Routes() {
		want = append(want, row(r))
	}
	for line := range strings.Lines(string(b)) {
		method, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " ")
		if slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) && strings.HasPrefix(line, "| ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			t.Errorf("docs/api.md has a route that is not there:\n%s", got[i])
		case i >= len(got) || got[i] != want[i]:
			t.Fatalf("row %d of docs/api.md should be\n%s", i+1, want[i])
		}
	}
}

// Every code of a refusal stands in the document's table beside its status.
func TestDocumentListsTheRefusals(t *testing.T) {
	b, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "| Status | Codes |")
	table, _, _ := strings.Cut(rest, "\n\n")
	for _, code := range core.Codes() {
		status := edge.Status(core.Errorf(code, "x"))
		if status == 422 { // every other one
			continue
		}
		found := false
		for line := range strings.Lines(table) {
			if strings.Contains(line, "`"+string(code)+"`") && strings.Contains(line, strconv.Itoa(status)) {
				found = true
			}
		}
		if !found {
			t.Errorf("%s is not in the row of %d", code, status)
		}
	}
	known := core.Codes()
	for line := range strings.Lines(table) {
		for i, word := range strings.Split(line, "`") {
			if i%2 == 1 && word != "Allow" && !slices.Contains(known, core.Code(word)) {
				t.Errorf("%s is no code", word)
			}
		}
	}
}

// path gives a path of a pattern, of things that are not there.
func path(pattern string) string {
	out := pattern
	for {
		a, b := strings.Index(out, "{"), strings.Index(out, "}")
		if a < 0 {
			return out
		}
		out = out[:a] + "nothing" + out[b+1:]
	}
}

// Attack 18, R-SEC-2, D-89: every route with a token of every scope. A scope that
// a route does not name gets the same refusal whatever the route, and nothing
// happens; one it names gets past that.
func TestEveryRouteWithEveryScope(t *testing.T) {
	r := newRig(t, setup{})
	before := r.Now()
	routes := r.srv.Routes()
	for _, rt := range routes {
		for _, scope := range []token.Scope{token.Desktop, token.UI, token.Agent, token.Preview} {
			opens := slices.Contains(rt.Scopes, string(scope))
			if opens && rt.Pattern == "/v1/tokens" && rt.Method == "DELETE" {
				continue // which would end the token: TestRevoke
			}
			a := r.as(scope, rt.Method, path(rt.Pattern), nil)
			if !opens {
				a.refused(403, core.WrongScope)
			} else if a.code() == core.WrongScope && scope != token.Preview { // which opens its own preview alone
				t.Errorf("%s %s refuses %s: %s", rt.Method, rt.Pattern, scope, a.body)
			}
		}
		greeting := r.greet()
		if a := r.auth(greeting, rt.Method, path(rt.Pattern), nil); !slices.Contains(rt.Scopes, string(token.Handshake)) {
			a.refused(403, core.WrongScope)
		} else if a.status != 200 {
			t.Errorf("a handshake gets %d %s", a.status, a.body)
		}
		if a := r.with("x"+r.tokens[token.UI], rt.Method, path(rt.Pattern), nil); a.code() != core.Unauthenticated && a.code() != core.RateLimited {
			t.Errorf("%s %s without a valid token: %d %s", rt.Method, rt.Pattern, a.status, a.body)
		}
	}
	if len(r.asked) != 1 { // by the desktop
		t.Errorf("the end was asked for %d times", len(r.asked))
	}
	if now := r.Now(); now != before {
		t.Errorf("the document is %+v, was %+v", now, before)
	}
}

// Every path with the methods it has not, and what no route is for.
func TestNoRoute(t *testing.T) {
	r := newRig(t, setup{})
	methods := map[string][]string{}
	for _, rt := range r.srv.Routes() {
		methods[rt.Pattern] = append(methods[rt.Pattern], rt.Method)
	}
	for pattern, has := range methods {
		if slices.Contains(has, "GET") {
			has = append(has, "HEAD")
		}
		for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if slices.Contains(has, m) {
				continue
			}
			a := r.do(m, path(pattern), nil)
			if a.status != 405 || m != "HEAD" && a.code() != core.BadRequest {
				t.Errorf("%s: %d %s", a.what, a.status, a.body)
			}
			for _, allowed := range has {
				if !slices.Contains(strings.Split(a.header.Get("Allow"), ", "), allowed) {
					t.Errorf("%s: Allow is %q, without %s", a.what, a.header.Get("Allow"), allowed)
				}
			}
		}
	}
	for _, p := range []string{
		"/", "/v1", "/v1/", "/v1/documents/", "/v1/nothing", "/v2/health", "/v1/health/", "/v1/./health", "/v1/x/../health", "/v1//health",
		"/V1/health", "/v1/health%2f", "/v1/%2e%2e/health", "/v1/documents/x/y/z/a", "/debug/pprof/", "/favicon.ico", "/index.html",
	} {
		if a := r.do("GET", p, nil); a.status != 404 || a.code() != core.NoRoute && !strings.Contains(p, "%") {
			t.Errorf("%s: %d %s", a.what, a.status, a.body)
		}
	}
}
