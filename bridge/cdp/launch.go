// Package cdp drives the pages of a Chromium over the DevTools protocol: typed
// calls with deadlines, through the allow-list of package policy. Picking uses
// the browser's own inspect mode; everything read from a page is read by fixed
// functions in an isolated world that the page cannot see.
package cdp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/bridge/policy"
	"proofmark/gateway/core"
)

const (
	launchTimeout = 20 * time.Second
	defaultWidth  = 1280 // CSS pixels
	defaultHeight = 800
)

// LaunchOptions say how to start Chromium.
type LaunchOptions struct {
	Path     string // of the executable; empty looks for one
	Proxy    string // of the preview listener, "http://127.0.0.1:<port>"; everything goes through it
	Headless bool
	Width    int // of a new surface that names none, CSS pixels
	Height   int
}

// Host drives the pages of one Chromium.
type Host struct {
	o    LaunchOptions
	info contract.HostInfo
	proc *chromium.Process  // nil where somebody else owns the browser
	raw  chromedp.Transport // under the policy
	pol  *policy.Transport
	conn *conn
	root *session

	hooks hooks // constant

	starting sync.Mutex // held while the browser for hidden pages starts

	mu       sync.Mutex // guards the following
	back     *Host      // the headless one beside a browser with windows
	surfaces map[target.ID]*Surface
	contexts map[protocol.BrowserContextID]*slot
	closed   bool
}

var _ contract.Host = (*Host)(nil)

// Launch starts Chromium and connects to it through its pipe. The browser
// lives until Close; the context bounds the start only.
func Launch(ctx context.Context, o LaunchOptions) (*Host, error) {
	if err := checkProxy(o.Proxy); err != nil {
		return nil, err
	}
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = defaultWidth, defaultHeight
	}
	path, err := chromium.Locate(o.Path)
	if err != nil {
		return nil, err
	}
	o.Path = path
	proc, err := chromium.Start(path, chromium.Flags{Proxy: o.Proxy, Headless: o.Headless, Width: o.Width, Height: o.Height})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	h, err := connect(ctx, newPipe(proc.Pipes()), o)
	if err != nil {
		proc.Close()
		why, hint := chromium.Diagnose(proc.Output())
		return nil, core.Wrap(core.BrowserFailed, err, "Chromium did not start: %s", why).With("output", proc.Output()).
			WithHint("%s", hint).In("cdp.Launch")
	}
	h.proc = proc
	return h, nil
}

// connect sets a host up over any transport.
func connect(ctx context.Context, tr chromedp.Transport, o LaunchOptions) (*Host, error) {
	return connectWith(ctx, tr, o, hooks{})
}

// hooks are for who has a page of its own in the browser.
type hooks struct {
	takes func(*Host, target.EventAttachedToTarget) bool // asked first whether a new page is its own
	lost  func(target.ID)                                // told of every page that is gone
}

// connectWith is connect with hooks.
func connectWith(ctx context.Context, tr chromedp.Transport, o LaunchOptions, k hooks) (*Host, error) {
	h := &Host{
		hooks: k, o: o, raw: tr, pol: policy.Wrap(tr, Policy()),
		surfaces: map[target.ID]*Surface{}, contexts: map[protocol.BrowserContextID]*slot{},
	}
	h.conn, h.root = newConn(h.pol, h.event)
	v, err := protocol.Call(ctx, h.root, browser.GetVersion, protocol.Empty{})
	if err == nil {
		_, err = protocol.Call(ctx, h.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	}
	if err == nil {
		// A page that a page opens stops before its first request.
		_, err = protocol.Call(ctx, h.root, target.SetAutoAttach, target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: ptr(true), Filter: target.Filter{{Type: "page"}},
		})
	}
	if err != nil {
		h.pol.Close()
		return nil, err
	}
	_, version, _ := strings.Cut(v.Product, "/")
	h.info = contract.HostInfo{Kind: "chromium", Version: version, Path: o.Path, Protocol: contract.Version}
	return h, nil
}

// checkProxy refuses to start a browser that could reach anything directly.
func checkProxy(proxy string) error {
	u, err := url.Parse(proxy)
	if err == nil && u.Scheme == "http" && u.Path == "" && u.Port() != "" {
		if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
			return nil
		}
	}
	return core.Errorf(core.Internal, "the preview proxy must be http://127.0.0.1:<port>, not %q", proxy).In("cdp.Launch")
}

// Info says what drives the pages.
func (h *Host) Info() contract.HostInfo { return h.info }

// Close ends the browser and every surface.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	back := h.back
	h.mu.Unlock()
	var err error
	if back != nil {
		err = back.Close()
	}
	if h.proc != nil {
		err = errors.Join(err, h.proc.Close())
	}
	h.pol.Close()
	<-h.conn.gone
	if err != nil {
		return core.Wrap(core.Internal, err, "the browser did not end cleanly").In("cdp.Close")
	}
	return nil
}

// Pid gives the browser's process id, 0 where somebody else owns it.
func (h *Host) Pid() int {
	if h.proc == nil {
		return 0
	}
	return h.proc.Pid()
}

// fmtOrigin writes the origin of a URL.
func fmtOrigin(u *url.URL) string { return fmt.Sprintf("%s://%s", u.Scheme, u.Host) }
