package edge

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/time/rate"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

// Verifier knows credentials: bearer tokens, the greetings of clients that have
// none yet, and the code a person types into a browser. Handshake gives the nonce
// the answer must prove; Pairing is nil where no browser is let in.
type Verifier struct {
	Bearer    func(token string) (token.Claims, error)
	Handshake func(credentials string) (nonce string, err error)
	Pairing   func(code string) error
}

// Config says what a guard lets in.
type Config struct {
	Port int // of our listener on 127.0.0.1
	// Origin is the one page that may call, as a browser writes it in the Origin
	// header; empty: no page may.
	Origin   string
	Verifier Verifier
	MaxBody  int64 // bytes, of any request; routes may allow less
	// Public tells of a path that anybody on this machine may read without a
	// credential: the workbench's own files, which are the same for all. nil for
	// none. Everything else a guard looks at holds for them too.
	Public func(path string) bool
}

// Guard decides who comes in. It is safe for concurrent use.
type Guard struct {
	host   string
	c      Config
	failed *failures
	codes  *rate.Limiter // of codes that are looked at
}

// NewGuard makes the guard of a listener.
func NewGuard(c Config) *Guard {
	return &Guard{host: "127.0.0.1:" + strconv.Itoa(c.Port), c: c, failed: newFailures(), codes: rate.NewLimiter(codesPerSecond, codesAtOnce)}
}

// Caller is who sent a request that was let in.
type Caller struct {
	token.Claims
	Nonce string // of a handshake, which the answer must prove
}

// Admit looks at a request's head and gives its caller. The error's code tells
// what is wrong with it; see Status. It reads nothing of the body.
func (g *Guard) Admit(r *http.Request) (Caller, *core.Error) {
	for _, check := range []func(*http.Request) *core.Error{g.plain, g.near, g.addressed, g.noPage, g.body} {
		if err := check(r); err != nil {
			return Caller{}, err.In("edge.Admit")
		}
	}
	if g.public(r) {
		return Caller{}, nil
	}
	c, err := g.credential(r)
	if err != nil {
		return Caller{}, core.AsError(err).In("edge.Admit")
	}
	return c, nil
}

// public tells of a request that needs no credential, and has none: one that
// brings a credential is judged by it.
func (g *Guard) public(r *http.Request) bool {
	return g.c.Public != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) && len(r.Header["Authorization"]) == 0 && g.c.Public(r.URL.Path)
}

// plain wants HTTP/1.1 in origin form: a path, and nothing a proxy would take.
func (g *Guard) plain(r *http.Request) *core.Error {
	switch {
	case r.ProtoMajor != 1 || r.ProtoMinor != 1:
		return core.Errorf(core.BadRequest, "only HTTP/1.1 is spoken here")
	case r.Method == http.MethodConnect || !strings.HasPrefix(r.RequestURI, "/") || strings.HasPrefix(r.RequestURI, "//") || r.URL.Host != "" || r.URL.Scheme != "" || r.URL.User != nil:
		return core.Errorf(core.BadRequest, "the request line must name a path of this server and nothing else")
	}
	return nil
}

// near wants both ends of the connection on the loopback interface.
func (g *Guard) near(r *http.Request) *core.Error {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() {
		return core.Errorf(core.WrongHost, "only programs of this machine are answered")
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if at, err := netip.ParseAddrPort(local.String()); err != nil || !at.Addr().Unmap().IsLoopback() {
			return core.Errorf(core.WrongHost, "only programs of this machine are answered")
		}
	}
	return nil
}

// addressed wants the one name this server has: a page that made its own name
// point here sends another.
func (g *Guard) addressed(r *http.Request) *core.Error {
	if r.Host != g.host {
		return core.Errorf(core.WrongHost, "this server is known by its loopback address and port alone")
	}
	return nil
}

// noPage refuses what a browser sends for any page but our own. Requests that
// no page made have none of these headers; they are no credential either way.
func (g *Guard) noPage(r *http.Request) *core.Error {
	if origin, ok := r.Header["Origin"]; ok && (g.c.Origin == "" || len(origin) != 1 || origin[0] != g.c.Origin) {
		return core.Errorf(core.WrongOrigin, "no other page may call this server")
	}
	if site, ok := r.Header["Sec-Fetch-Site"]; ok && (len(site) != 1 || site[0] != "same-origin" && site[0] != "none") {
		return core.Errorf(core.WrongOrigin, "no other page may call this server")
	}
	return nil
}

// body wants a stated length, JSON, and no coding: without chunks and without
// compression, what is announced is what comes.
func (g *Guard) body(r *http.Request) *core.Error {
	switch {
	case len(r.TransferEncoding) > 0 || r.ContentLength < 0 || len(r.Header["Transfer-Encoding"]) > 0:
		return core.Errorf(core.BadRequest, "the length of a body must be stated").With("reason", "length")
	case len(r.Header["Content-Encoding"]) > 0:
		return core.Errorf(core.BadRequest, "bodies must not be compressed").With("reason", "type")
	case r.ContentLength > g.c.MaxBody:
		return core.Errorf(core.TooLarge, "a request may have %d bytes", g.c.MaxBody)
	case r.ContentLength == 0:
		return nil
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return core.Errorf(core.BadRequest, "a request that only reads has no body")
	}
	if t := r.Header["Content-Type"]; len(t) != 1 || !slices.Contains([]string{"application/json", "application/json; charset=utf-8", "application/json;charset=utf-8"}, strings.ToLower(t[0])) {
		return core.Errorf(core.BadRequest, "a body must be application/json").With("reason", "type")
	}
	return nil
}

// credential wants exactly one, in exactly one form.
func (g *Guard) credential(r *http.Request) (Caller, error) {
	h := r.Header["Authorization"]
	if len(h) > 1 {
		return Caller{}, g.fail(core.Errorf(core.Unauthenticated, "a request has one credential").With("reason", "malformed"))
	}
	var scheme, rest string
	if len(h) == 1 {
		scheme, rest, _ = strings.Cut(h[0], " ")
	}
	switch scheme {
	case "Bearer":
		claims, err := g.c.Verifier.Bearer(rest)
		if err != nil {
			return Caller{}, g.fail(core.AsError(err))
		}
		return Caller{Claims: claims}, nil
	case token.Scheme:
		nonce, err := g.c.Verifier.Handshake(rest)
		if err != nil {
			return Caller{}, g.fail(core.AsError(err))
		}
		return Caller{Claims: token.Claims{Scope: token.Handshake}, Nonce: nonce}, nil
	case token.PairingScheme:
		if g.c.Verifier.Pairing == nil {
			break
		}
		if !g.codes.Allow() {
			return Caller{}, core.Errorf(core.RateLimited, "too many codes were tried").WithHint("Wait a second and type the code again.")
		}
		if err := g.c.Verifier.Pairing(rest); err != nil {
			return Caller{}, g.fail(core.AsError(err))
		}
		return Caller{Claims: token.Claims{Scope: token.Paired}}, nil
	}
	_, err := g.c.Verifier.Bearer("") // says what it says of a request without one
	return Caller{}, g.fail(core.AsError(err))
}

// fail counts a refused credential.
func (g *Guard) fail(err *core.Error) *core.Error {
	if g.failed.tooMany() {
		return core.Errorf(core.RateLimited, "too many requests without a valid token").WithHint("Wait a second and ask for a new token.")
	}
	return err
}

type callerKey struct{}

// With gives a context that holds the caller.
func (c Caller) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf gives the caller of a request that came through Wrap.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
