package cdp

import (
	"context"
	"net/url"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

const (
	loadTimeout   = 10 * time.Second       // until the load event
	settleTimeout = time.Second            // more, until the page is quiet
	quietTime     = 100 * time.Millisecond // without a request under way
)

// load is one navigation of ours.
type load struct {
	url       string
	back      *[2]float64 // where the page before it was scrolled to; nil for nowhere
	permitted bool        // the one permission to request the document is used up
	documents int         // new documents in the main frame since it began
	committed protocol.LoaderID
	loaders   []protocol.LoaderID // whose load event has come
	signal    chan struct{}       // has room for one
}

func (l *load) fired(id protocol.LoaderID) {
	if len(l.loaders) < 8 {
		l.loaders = append(l.loaders, id)
	}
	select {
	case l.signal <- struct{}{}:
	default:
	}
}

// Load navigates to path below the lease's origin and waits until the page has
// loaded and is quiet: the load event within 10 s, then 100 ms without a
// request and two frames within 1 s more. Documents over 1 MiB get more time.
func (s *Surface) Load(ctx context.Context, path string) (contract.Loaded, error) {
	if !strings.HasPrefix(path, "/") {
		return contract.Loaded{}, core.Errorf(core.Internal, "a path begins with a slash").In("cdp.Load")
	}
	u, err := url.Parse(s.o.Origin + path)
	if err != nil || fmtOrigin(u) != s.o.Origin {
		return contract.Loaded{}, core.Errorf(core.Internal, "%q is not a path", path).In("cdp.Load")
	}
	ctx, cancel := context.WithTimeout(ctx, 2*core.BridgeLongestTimeout+core.BridgeCommandTimeout) // what it is made of is bounded below
	ctx, done, err := s.takeFor(ctx, cancel, "Load")
	if err != nil {
		return contract.Loaded{}, err
	}
	defer done()
	begun := time.Now()
	at := s.scrolled(ctx)
	if _, err := s.bare(ctx); err != nil {
		return contract.Loaded{}, refuse(err, "the borders could not be taken away").In("cdp.Load")
	}
	l := s.begin(u.String())
	l.back = at
	quiet, err := s.navigate(ctx, l)
	if err := s.finish(l, err); err != nil {
		return contract.Loaded{}, err.In("cdp.Load")
	}
	s.scrollBack(l) // what came late may have made the page longer
	if err := s.resume(ctx); err != nil {
		return contract.Loaded{}, refuse(err, "the page could not be pointed at").In("cdp.Load")
	}
	return contract.Loaded{Epoch: s.currentEpoch(), URL: l.url, Took: time.Since(begun), TimedOut: !quiet}, nil
}

// begin starts a new epoch: handles, register and complaints of the page
// before it are gone.
func (s *Surface) begin(url string) *load {
	l := &load{url: url, signal: make(chan struct{}, 1)}
	s.mu.Lock()
	s.epoch++
	s.loading, s.wandered, s.size = l, false, 0
	s.mu.Unlock()
	s.handles, s.outlined, s.framing = handles{}, nil, false
	s.births, s.rooted, s.watching, s.named = nil, false, false, map[string]bool{}
	s.points.reset()
	s.health.reset()
	s.traffic.init()
	return l
}

// finish ends the load. A page that replaced itself while it loaded is not the
// document that was asked for.
func (s *Surface) finish(l *load, err error) *core.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loading, s.document = nil, l.committed
	if err != nil {
		s.wandered = true
		return refuse(err, "the page could not be loaded")
	}
	s.wandered = s.wandered || l.documents != 1
	return nil
}

func (s *Surface) navigate(ctx context.Context, l *load) (quiet bool, err error) {
	until, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	nav, err := protocol.Call(until, s.session, page.Navigate, page.NavigateParams{URL: l.url})
	if err != nil {
		return false, err
	}
	if nav.ErrorText != "" {
		return false, core.Errorf(core.BrowserFailed, "the page could not be loaded: %s", nav.ErrorText)
	}
	until, cancel = context.WithTimeout(ctx, s.stretch(loadTimeout)) // the size is known now
	defer cancel()
	if !s.awaitLoad(until, l, nav.LoaderID) {
		if ctx.Err() != nil {
			return false, ended(ctx, "Load")
		}
		if s.life.Err() != nil {
			return false, lost()
		}
		return false, nil // loading goes on; what is there can be used
	}
	rest, cancel := context.WithTimeout(ctx, s.stretch(settleTimeout))
	defer cancel()
	quiet = s.traffic.quiet(rest, quietTime)
	return s.settleFrames(rest) && quiet, nil
}

func (s *Surface) awaitLoad(ctx context.Context, l *load, id protocol.LoaderID) bool {
	for {
		s.mu.Lock()
		for _, got := range l.loaders {
			if got == id {
				s.mu.Unlock()
				return true
			}
		}
		s.mu.Unlock()
		select {
		case <-l.signal:
		case <-ctx.Done():
			return false
		case <-s.life.Done():
			return false
		}
	}
}

// settleFrames lets the page paint twice.
func (s *Surface) settleFrames(ctx context.Context) bool {
	in, err := s.top()
	if err != nil {
		return false
	}
	return s.value(ctx, where{world: in, await: true}, "frames", nil) == nil
}
