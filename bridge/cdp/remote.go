package cdp

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"proofmark/bridge/contract"
	"proofmark/bridge/policy"
	"proofmark/gateway/core"
)

// Remote drives pages that the desktop app makes. The app's relay gives out
// sessions; what is said in them is what is said to any page.
type Remote struct {
	info contract.HostInfo
	pol  *policy.Transport
	conn *conn
	root *session

	mu       sync.Mutex                    // guards the following
	surfaces map[target.SessionID]*Surface // that are open
	opening  int                           // that are on their way
	early    map[target.SessionID]bool     // that ended while they were on their way
}

var _ contract.Host = (*Remote)(nil)

// The messages of a relay itself.
var (
	bridgeHello = protocol.Command[hello, welcome]{Method: "Bridge.hello"}
	bridgeOpen  = protocol.Command[openPage, openedPage]{Method: "Bridge.open"}
	bridgeClose = protocol.Command[closePage, protocol.Empty]{Method: "Bridge.close"}
)

type hello struct {
	Protocol int `json:"protocol"`
}

type welcome struct {
	Protocol int    `json:"protocol"`
	Kind     string `json:"kind"`
	Product  string `json:"product"`
	Browser  string `json:"browser"`
}

type openPage struct {
	Place  string `json:"place"`
	Origin string `json:"origin"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type openedPage struct {
	SessionID target.SessionID `json:"sessionId"`
	FrameID   target.ID        `json:"frameId"`
}

type closePage struct {
	SessionID target.SessionID `json:"sessionId"`
}

type closedPage struct {
	SessionID target.SessionID `json:"sessionId"`
	Reason    string           `json:"reason"`
}

// DialRelay connects to the relay of a desktop app on this machine. The context
// bounds the start only.
func DialRelay(ctx context.Context, address, bearer string) (*Remote, error) {
	const op = "cdp.DialRelay"
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" || u.Hostname() != "127.0.0.1" || u.Port() == "" || u.User != nil || u.RawQuery != "" || bearer == "" {
		return nil, core.Errorf(core.Usage, "a relay is at ws://127.0.0.1:<port>/<path> and has a token").In(op)
	}
	ctx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	tr, err := remote.DialContext(ctx, address, remote.WithConnHTTPHeader(http.Header{"Authorization": {"Bearer " + bearer}}))
	if err != nil {
		return nil, core.Wrap(core.BrowserFailed, err, "the desktop app's relay cannot be reached").In(op)
	}
	return connectRemote(ctx, tr)
}

// connectRemote says hello over any transport.
func connectRemote(ctx context.Context, tr chromedp.Transport) (*Remote, error) {
	r := &Remote{pol: policy.Wrap(tr, RemotePolicy()), surfaces: map[target.SessionID]*Surface{}, early: map[target.SessionID]bool{}}
	r.conn, r.root = newConn(r.pol, r.event)
	w, err := protocol.Call(ctx, r.root, bridgeHello, hello{policy.Protocol})
	_, version, ok := strings.Cut(w.Browser, "/")
	if err == nil && (w.Protocol != policy.Protocol || w.Kind != "electron" || !ok) {
		err = core.Errorf(core.Unsupported, "it speaks protocol %d of a host of the kind %.40q", w.Protocol, w.Kind)
	}
	if err != nil {
		_ = r.pol.Close()
		return nil, core.Wrap(core.BrowserFailed, err, "the desktop app's relay does not speak as it should").In("cdp.DialRelay")
	}
	r.info = contract.HostInfo{Kind: w.Kind, Version: version, Protocol: contract.Version}
	return r, nil
}

// Info says what drives the pages.
func (r *Remote) Info() contract.HostInfo { return r.info }

// Lost is closed when the relay is gone.
func (r *Remote) Lost() <-chan struct{} { return r.conn.gone }

// Close lets the relay go, which ends every page.
func (r *Remote) Close() error {
	_ = r.pol.Close() // it may have ended by itself
	<-r.conn.gone
	return nil
}

// Backstage gives the same pages to those who never show one: every surface of it
// is hidden. It is closed with r.
func (r *Remote) Backstage() contract.Host { return backstage{r} }

type backstage struct{ *Remote }

func (b backstage) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	o.Hidden = true
	return b.Remote.Open(ctx, o)
}

func (backstage) Close() error { return nil }

// event takes the relay's own events, on the reading goroutine.
func (r *Remote) event(method string, params jsonv2.Value) {
	if method != "Bridge.closed" {
		return
	}
	on(params, func(e closedPage) {
		r.mu.Lock()
		s := r.surfaces[e.SessionID]
		if s == nil && r.opening > 0 {
			r.early[e.SessionID] = true
		}
		r.mu.Unlock()
		if s != nil {
			s.lose()
		}
	})
}

// Open makes a surface: a hidden one where nobody sees it, any other in the
// window's one place, from which it ends the one before.
func (r *Remote) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	const op = "cdp.Open"
	u, err := url.Parse(o.Origin)
	if err != nil || u.Scheme != "http" || u.Host == "" || fmtOrigin(u) != o.Origin {
		return nil, core.Errorf(core.Internal, "the surface's origin is not http://<host>:<port>").In(op)
	}
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = defaultWidth, defaultHeight
	}
	r.mu.Lock()
	full := o.Hidden && r.hidden()+r.opening >= core.MaxPreviewsPerHost
	if !full {
		r.opening++
	}
	r.mu.Unlock()
	if full {
		return nil, core.Errorf(core.TooMany, "%d previews are open already, which is the limit", core.MaxPreviewsPerHost).In(op)
	}
	ctx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	s, err := r.open(ctx, o)
	if err != nil {
		return nil, refuse(err, "the preview page could not be made").In(op)
	}
	return s, nil
}

func (r *Remote) open(ctx context.Context, o contract.OpenOptions) (*Surface, error) {
	place := policy.PlacePreview
	if o.Hidden {
		place = policy.PlaceCandidate
	}
	made, err := protocol.Call(ctx, r.root, bridgeOpen, openPage{Place: place, Origin: o.Origin, Width: o.Width, Height: o.Height})
	if err != nil {
		r.mu.Lock()
		r.opened()
		r.mu.Unlock()
		return nil, err
	}
	r.pol.Bind(made.SessionID, o.Origin)
	s := newSurface(r, made.FrameID, o)
	s.shown = !o.Hidden
	s.session = r.conn.attach(made.SessionID, s.event)
	r.mu.Lock()
	r.surfaces[made.SessionID] = s
	ended := r.early[made.SessionID]
	r.opened()
	r.mu.Unlock()
	go s.watch()
	if ended {
		s.lose()
		return nil, lost()
	}
	if err := s.prepare(ctx); err != nil {
		_ = r.leave(s)
		return nil, err
	}
	return s, nil
}

// hidden counts the surfaces that nobody sees. The caller holds mu.
func (r *Remote) hidden() int {
	n := 0
	for _, s := range r.surfaces {
		if !s.shown {
			n++
		}
	}
	return n
}

// opened takes one off what is on its way. The caller holds mu.
func (r *Remote) opened() {
	if r.opening--; r.opening == 0 {
		clear(r.early)
	}
}

func (r *Remote) forget(s *Surface) {
	r.mu.Lock()
	delete(r.surfaces, s.session.id)
	r.mu.Unlock()
	r.pol.Unbind(s.session.id)
}

func (r *Remote) leave(s *Surface) error {
	s.lose()
	select {
	case <-r.conn.gone:
		return nil // with everything
	default:
	}
	_, _ = protocol.Call(context.Background(), r.root, bridgeClose, closePage{s.session.id}) // it may have ended by itself
	return nil
}
