// Package transport is the one way to a model's host: an http.Client that both
// providers' SDKs use. It sends a key to the configured origin alone, follows no
// redirect, bounds what comes back, and says what went wrong as a *core.Error
// that outlives the SDKs' wrapping.
package transport

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"proofmark/gateway/core"
)

const (
	connectTimeout = 15 * time.Second // and the same again for TLS
	// maxErrorBodyBytes of a refused request's answer are read at all;
	// maxExcerptBytes of it are shown.
	maxErrorBodyBytes = 64 << 10
	maxExcerptBytes   = 300
	maxHeaderBytes    = 256 << 10
	userAgent         = "proofmark"
)

// Options say where a client may go.
type Options struct {
	// Base is the provider's base address (see CheckBase). Nothing is ever sent
	// to another origin. Where it is not a base, every request fails with why.
	Base string
	// Idle is how long the host may be silent. 0 means core.ModelIdleTimeout, and
	// on this machine core.ModelCallTimeout: a local model reads a long prompt
	// before it says anything.
	Idle time.Duration
}

// NewClient makes a client for one provider. Answers with a status of 300 and
// more, redirects among them, are errors of the request, not responses.
func NewClient(o Options) *http.Client {
	g := &guard{idle: o.Idle}
	g.origin, g.broken = base(o.Base)
	if g.idle <= 0 {
		g.idle = core.ModelIdleTimeout
		if g.broken == nil && isLoopback(g.origin.Hostname()) {
			g.idle = core.ModelCallTimeout
		}
	}
	g.next = &http.Transport{
		// A proxy sees a tunnel, never the request: net/http uses none for this
		// machine, and all else is https.
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTimeout, Control: g.dials}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTimeout,
		MaxIdleConnsPerHost:    core.MaxProposers + 1,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	return &http.Client{Transport: g}
}

// guard is the RoundTripper around the real one.
type guard struct {
	origin *url.URL
	broken *core.Error // why there is no origin
	idle   time.Duration
	next   http.RoundTripper
}

// dials refuses a connection without TLS that would leave this machine, whatever
// the name "localhost" resolves to.
func (g *guard) dials(_, address string, _ syscall.RawConn) error {
	if g.broken != nil || g.origin.Scheme != "http" {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil || !isLoopback(host) {
		return core.Errorf(core.ModelRefused, "%s is not on this machine, and without https nothing is sent elsewhere", g.origin.Host)
	}
	return nil
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the pool.
func (g *guard) CloseIdleConnections() {
	if c, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip sends one request and gives its response with a guarded body.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.admits(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	out := req.Clone(ctx)
	plain(out.Header)
	w := &watch{outer: req.Context(), ctx: ctx, cancel: cancel, idle: g.idle, host: g.origin.Host, secrets: secrets(req.Header)}
	w.timer = time.AfterFunc(g.idle, func() { cancel(errIdle) })
	resp, err := g.next.RoundTrip(out)
	w.timer.Stop()
	if err != nil {
		w.end()
		return nil, w.explain(err)
	}
	resp.Body = newBody(resp.Body, w)
	if err := g.judge(resp, w); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// admits tells whether a request goes to the configured origin.
func (g *guard) admits(to *url.URL) error {
	if g.broken != nil {
		return g.broken
	}
	if !sameOrigin(g.origin, to) {
		return core.Errorf(core.ModelRefused, "a request to %s was stopped: only %s is configured", origin(to), origin(g.origin)).In("transport")
	}
	return nil
}

// plain takes out of a request what tells about this machine and nothing about
// the request.
func plain(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "X-Stainless-") {
			h.Del(name)
		}
	}
	h.Set("User-Agent", userAgent)
	// With either of these net/http may send a request again by itself.
	h.Del("Idempotency-Key")
	h.Del("X-Idempotency-Key")
}

// judge makes an error of a response that is no answer.
func (g *guard) judge(resp *http.Response, w *watch) error {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return g.redirected(resp)
	case resp.StatusCode >= http.StatusBadRequest:
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBodyBytes))
		if err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
			return err
		}
		return explain(nil, resp.StatusCode, resp.Header, string(text), w.host, w.secrets)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
		return core.Errorf(core.ModelBroken, "%s answers with a web page, not as a model's host", w.host).
			WithHint("check the base address; most end in /v1").In("transport")
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return core.Errorf(core.ModelBroken, "%s sends its answer in the encoding %q, which nothing asked for", w.host, clean(e, 40)).In("transport")
	}
	return nil
}

// redirected says where a redirect leads, without what may be secret in it.
func (g *guard) redirected(resp *http.Response) error {
	e := core.Errorf(core.ModelRefused, "%s answers with a redirect (status %d), and a key is not sent along a redirect", g.origin.Host, resp.StatusCode).In("transport")
	to, err := resp.Location()
	if err != nil {
		return e.WithHint("check the base address")
	}
	if sameOrigin(g.origin, to) {
		return e.WithHint("it leads to another address on the same host; check the base address")
	}
	return e.WithHint("it leads to %s; if that is the host you mean, configure it as the base address", clean(origin(to), 200))
}
