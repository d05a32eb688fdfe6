package httpapi

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

// Bounds of a body in bytes, by what it holds.
const (
	noBody      = 0
	smallBody   = 128 << 10                     // names, choices, notes
	messageBody = 512 << 10                     // what a model reads, escaped
	sourceBody  = 2*core.MaxSourceBytes + 1<<10 // a page's text, escaped
	// MaxBody bounds every body, before a route is known.
	MaxBody = sourceBody
)

// Scopes that open most routes.
var (
	people   = []token.Scope{token.Desktop, token.UI}
	everyone = []token.Scope{token.Desktop, token.UI, token.Agent}
)

// route is one line of the table.
type route struct {
	method  string
	pattern string // of http.ServeMux, without the method
	scopes  []token.Scope
	body    int64    // bytes at most
	query   []string // names of the query, each at most once
	what    string
	// feature, where it is set, must not be switched off.
	feature core.Feature
	// handle gives what is answered: a value for JSON, a *file, or nil for nothing.
	handle func(*call) (any, error)
	// stream, in place of handle, writes the answer itself, as long as it takes.
	stream func(*call) error
}

// table is all routes, in the order of docs/api.md.
func (s *Server) table() []route {
	return slices.Concat(s.tokenRoutes(), s.healthRoutes(), s.documentRoutes(), s.historyRoutes(), s.takeBackRoutes(),
		s.previewRoutes(), s.directRoutes(), s.noteRoutes(), s.reviewRoutes(), s.turnRoutes(), s.sourceRoutes())
}

// Route describes a route to those who compare it with its documentation.
type Route struct {
	Method, Pattern string
	Scopes          []string
	MaxBody         int64 // bytes
	Query           []string
	Feature         core.Feature // that must not be switched off; "" for none
	Streams         bool         // it answers with server-sent events
	What            string
}

// Routes lists the table.
func (s *Server) Routes() []Route {
	var out []Route
	for _, r := range s.table() {
		d := Route{Method: r.method, Pattern: r.pattern, MaxBody: r.body, Query: r.query, Feature: r.feature, Streams: r.stream != nil, What: r.what}
		for _, sc := range r.scopes {
			d.Scopes = append(d.Scopes, string(sc))
		}
		out = append(out, d)
	}
	return out
}

// mux routes what the edge let in. What no route is for gets the same error
// body as every other refusal.
func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, r := range s.table() {
		mux.Handle(r.method+" "+r.pattern, s.run(r))
		methods[r.pattern] = append(methods[r.pattern], r.method)
	}
	for pattern, list := range methods {
		if slices.Contains(list, http.MethodGet) {
			list = append(list, http.MethodHead)
		}
		mux.Handle(pattern, s.refuse(core.Errorf(core.BadRequest, "this takes %s", strings.Join(list, ", ")).With("reason", "method"), list...))
	}
	nothing := s.refuse(core.Errorf(core.NoRoute, "there is nothing here").WithHint("docs/api.md lists what there is."))
	mux.Handle("/", nothing)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.c.App != nil && s.c.App.Owns(r.URL.Path) {
			s.c.App.ServeHTTP(w, r)
			return
		}
		if r.ContentLength > 0 { // whether it is read, or refused, by a route or because there is none, and thrown away
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.c.BodyPatience))
		}
		if p := r.URL.EscapedPath(); path.Clean(p) != p { // which the mux would answer with a redirect
			nothing.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
