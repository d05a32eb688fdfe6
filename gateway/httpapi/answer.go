package httpapi

import (
	"encoding/json"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/edge"
)

// file is an answer that is no JSON: a page's bytes, a picture.
type file struct {
	bytes     []byte
	mediaType string
	name      string // offered for saving; "" for none
	etag      string // without quotes; "" for none
}

// tagged is a JSON answer with an entity tag.
type tagged struct {
	value any
	etag  string
}

// accepted is an answer to work that goes on.
type accepted struct{ value any }

// run gives the handler of a route.
func (s *Server) run(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &watched{ResponseWriter: w}
		err := s.serve(seen, r, rt)
		if err != nil && seen.status == 0 {
			edge.Refuse(seen, core.AsError(err))
		}
		s.c.Log.request(r, rt, seen.status, seen.bytes, time.Since(began), err)
	})
}

func (s *Server) serve(w *watched, r *http.Request, rt route) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.c.Log.panicked(rt, p, debug.Stack())
			err = core.Errorf(core.Internal, "something went wrong inside Proofmark")
		}
	}()
	caller := edge.CallerOf(r.Context())
	if !slices.Contains(rt.scopes, caller.Scope) {
		return core.Errorf(core.WrongScope, "this token does not open this")
	}
	done, err := s.enter(caller, rt.stream != nil)
	if err != nil {
		return err
	}
	defer done()
	if rt.feature != "" {
		if err := s.c.Gates.Check(r.Context(), rt.feature); err != nil {
			return err
		}
	}
	query, err := parseQuery(r.URL.RawQuery, rt.query)
	if err != nil {
		return err
	}
	body, release, err := s.takeBody(w.ResponseWriter, r, rt.body)
	if err != nil {
		w.Header().Set("Connection", "close")
		return err
	}
	defer release()
	c := &call{Context: r.Context(), r: r, w: w, caller: caller, body: body, query: query}
	if rt.stream != nil {
		return rt.stream(c)
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Time{}) // the work takes its time
	v, err := rt.handle(c)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(s.c.WritePatience))
	return c.answer(v)
}

// takeBody reads the body of a request, where there is room for it.
func (s *Server) takeBody(w http.ResponseWriter, r *http.Request, most int64) (body []byte, release func(), err error) {
	if r.ContentLength > most {
		return nil, nil, core.Errorf(core.TooLarge, "this takes a body of at most %d bytes", most).With("maxBytes", most)
	}
	if r.ContentLength == 0 {
		return nil, func() {}, nil
	}
	s.mu.Lock()
	fits := s.bodies+r.ContentLength <= maxBodies
	if fits {
		s.bodies += r.ContentLength
	}
	s.mu.Unlock()
	if !fits {
		return nil, nil, core.Errorf(core.RateLimited, "too many large requests are being answered").WithHint("Wait for some of them to end.")
	}
	release = func() {
		s.mu.Lock()
		s.bodies -= r.ContentLength
		s.mu.Unlock()
	}
	if body, err = readBody(w, r); err != nil {
		release()
		return nil, nil, err
	}
	return body, release, nil
}

// answer writes what a handler gave.
func (c *call) answer(v any) error {
	status := http.StatusOK
	if a, ok := v.(accepted); ok {
		v, status = a.value, http.StatusAccepted
	}
	h := c.w.Header()
	switch v := v.(type) {
	case nil:
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	case *file:
		h.Set("Content-Type", v.mediaType)
		if v.name != "" {
			h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+escapeName(v.name))
		}
		return c.send(status, v.etag, v.bytes)
	case tagged:
		return c.json(status, v.etag, v.value)
	default:
		return c.json(status, "", v)
	}
}

func (c *call) json(status int, etag string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return core.Wrap(core.Internal, err, "the answer cannot be written")
	}
	c.w.Header().Set("Content-Type", "application/json")
	return c.send(status, etag, append(b, '\n'))
}

// send writes bytes, or says that the client has them.
func (c *call) send(status int, etag string, b []byte) error {
	h := c.w.Header()
	if etag != "" {
		h.Set("ETag", strconv.Quote(etag))
		h.Set("Cache-Control", "private, no-cache")
		if reads(c.r.Method) && known(etag, c.r.Header.Values("If-None-Match")) {
			h.Del("Content-Type")
			c.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(b)))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(b) // a client that has gone is nobody's error
	return nil
}

func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// known tells whether a client that has these entity tags has this one. Weak
// tags count like strong ones.
func known(etag string, values []string) bool {
	for _, v := range values {
		for t := range strings.SplitSeq(v, ",") {
			t = strings.TrimSpace(t)
			if t == "*" || strings.TrimPrefix(t, "W/") == strconv.Quote(etag) {
				return true
			}
		}
	}
	return false
}

// escapeName writes a file name for a header, as RFC 8187 has it.
func escapeName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(strconv.FormatInt(int64(c)+256, 16)[1:]))
		}
	}
	return b.String()
}

// refuse is the handler of what no route is for; allowed are the methods of the
// path, where it has some.
func (s *Server) refuse(err *core.Error, allowed ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
		}
		edge.Refuse(w, err)
		s.c.Log.request(r, route{}, edge.Status(err), 0, 0, err)
	})
}

// watched remembers what was answered.
type watched struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
