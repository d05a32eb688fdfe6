package surface

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"proofmark/bridge/contract"
)

// fetcher asks allowed origins on behalf of a page: GET over https, nothing in
// the request that says who asks, addresses resolved once, checked and pinned.
// Its fields are constant; tests replace the outside world.
type fetcher struct {
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	roots   *x509.CertPool // nil for the system's
	timeout time.Duration
}

func newFetcher() *fetcher {
	dialer := &net.Dialer{Timeout: fetchTimeout, KeepAlive: -1}
	return &fetcher{
		resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		},
		dial: dialer.DialContext, timeout: fetchTimeout,
	}
}

var errRefused = errors.New("refused")

// get fetches one URL. A redirect is not followed but handed to the page, whose
// browser then asks for the new URL like for any other, so that relative URLs in
// what it gets are right; one to an origin that is not allowed is refused here.
// blocked is called with every origin that was not allowed.
func (f *fetcher) get(ctx context.Context, world *Recording, allowed origins, ask contract.FetchRequest, blocked func(origin string)) (contract.FetchResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	at, err := permitted(ask.URL, allowed, blocked)
	if err != nil {
		return contract.FetchResponse{}, err
	}
	resp, err := f.request(ctx, world, at, ask.ResourceType)
	if err != nil {
		return contract.FetchResponse{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer := contract.FetchResponse{Status: resp.StatusCode, Header: answerHeaders(resp.Header, ask.ResourceType)}
	if to := resp.Header.Get("Location"); to != "" && isRedirect(resp.StatusCode) {
		next, err := at.Parse(to)
		if err != nil {
			return contract.FetchResponse{}, err
		}
		if _, err := permitted(next.String(), allowed, blocked); err != nil {
			return contract.FetchResponse{}, err
		}
		answer.Header["Location"] = next.String()
		return answer, nil
	}
	limit := min(maxFetchBytes, world.room())
	answer.Body, err = io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return contract.FetchResponse{}, err
	}
	if int64(len(answer.Body)) > limit {
		return contract.FetchResponse{}, errFull
	}
	return answer, nil
}

// permitted reads a URL that may be asked for: https, of an allowed origin,
// without a user in it.
func permitted(raw string, allowed origins, blocked func(origin string)) (*url.URL, error) {
	at, err := url.Parse(raw)
	if err != nil || len(raw) > maxURLBytes {
		return nil, errors.Join(errRefused, err)
	}
	if origin, ok := httpsOrigin(at); !ok || at.User != nil || !allowed[origin] {
		if o, ok := askedOrigin(raw); ok && !allowed[o] {
			blocked(o)
		}
		return nil, errRefused
	}
	at.Fragment, at.RawFragment = "", ""
	return at, nil
}

// request sends one GET to the pinned addresses of the URL's host.
func (f *fetcher) request(ctx context.Context, world *Recording, at *url.URL, kind string) (*http.Response, error) {
	addrs, err := world.addresses(ctx, strings.ToLower(at.Hostname()), f.publicAddresses)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	requestHeaders(req.Header, kind)
	return f.transport(addrs).RoundTrip(req)
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// publicAddresses resolves host and refuses it when any of its addresses is not
// public: a name that points at both is an attempt to get in.
func (f *fetcher) publicAddresses(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := f.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	for i, a := range addrs {
		// The resolver gives IPv4 answers in mapped form on some systems; a
		// mapped address that an AAAA record carries is the same address.
		addrs[i] = a.Unmap()
		if !publicAddress(addrs[i]) {
			return nil, fmt.Errorf("%s resolves to %s, which is not a public address", host, a)
		}
	}
	return addrs, nil
}

// transport makes a transport that can reach the pinned addresses and no other:
// the host in the URL is used for the certificate only, and no proxy of the
// environment is asked.
func (f *fetcher) transport(addrs []netip.Addr) *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxFetchHeader,
		TLSClientConfig:        &tls.Config{RootCAs: f.roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			var errs []error
			for _, a := range addrs {
				conn, err := f.dial(ctx, network, net.JoinHostPort(a.String(), port))
				if err == nil {
					return conn, nil
				}
				errs = append(errs, err)
			}
			return nil, errors.Join(errs...)
		},
	}
}

// requestHeaders says what a browser would, and nothing about the page, the
// person or the machine. Fonts and fetches always go out with an origin; that of
// a file, and of a sandboxed page, is "null".
func requestHeaders(h http.Header, kind string) {
	h.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36")
	h.Set("Accept", "*/*")
	switch kind {
	case "Stylesheet":
		h.Set("Accept", "text/css,*/*;q=0.1")
	case "Image":
		h.Set("Accept", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8")
	case "Font", "XHR", "Fetch":
		h.Set("Origin", "null")
	}
}

// passedHeaders are what the page gets to see of an answer's headers: no cookie,
// no policy, no hint to load more.
var passedHeaders = []string{
	"Content-Type", "Content-Language", "Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy",
	"X-Content-Type-Options", "Timing-Allow-Origin",
}

func answerHeaders(from http.Header, kind string) map[string]string {
	out := map[string]string{"Cache-Control": "no-store"}
	for _, name := range passedHeaders {
		if v := from.Get(name); v != "" {
			out[name] = v
		}
	}
	// Scripts and stylesheets went out without an origin, so a server that
	// answers "*" only when asked with one has said nothing.
	if _, ok := out["Access-Control-Allow-Origin"]; !ok && (kind == "Script" || kind == "Stylesheet") {
		out["Access-Control-Allow-Origin"] = "*"
	}
	return out
}
