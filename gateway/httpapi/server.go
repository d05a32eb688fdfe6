package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"proofmark/bridge/token"
	"proofmark/gateway/annotate"
	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/edge"
	"proofmark/gateway/gates"
	"proofmark/gateway/manual"
	"proofmark/gateway/models"
	"proofmark/gateway/preferences"
	"proofmark/gateway/webapp"
	"proofmark/gateway/workbench"
)

// Bounds of the server.
const (
	maxConnections   = 512
	maxPerCaller     = 32       // requests in flight of one family of tokens
	maxStreams       = 16       // of these, streams of events
	maxHeaderBytes   = 16 << 10 // and Go's own 4 KiB of slack
	headTimeout      = 5 * time.Second
	idleTimeout      = 60 * time.Second
	maxBodies        = 128 << 20 // bytes of the bodies that are being worked on
	maxQueryBytes    = 4 << 10
	bodyPatience     = 15 * time.Second
	writePatience    = 30 * time.Second
	heartbeat        = 15 * time.Second
	shutdownPatience = 10 * time.Second
	cutPatience      = 5 * time.Second // for requests that were cut
)

// Config is what a Server works with.
type Config struct {
	Version   string // of the program
	Launch    string // of the process
	Port      int
	Issuer    *token.Issuer
	Door      *token.Door
	Documents *document.Service
	Notes     *annotate.Service
	Edits     *manual.Service
	Reviews   bundle.Taker
	Workbench *workbench.Workbench
	Models    models.Catalog
	DataDir   string
	Gates     *gates.Gates
	Log       *Log
	// App is the workbench's own files, which anybody on this machine may read;
	// nil: they are not served, and no page may call.
	App *webapp.App
	// Pairing lets in the browser in which a person types its code; nil: none.
	Pairing *token.Pairing
	// Invite shows a person the next code, when one was used or has expired.
	Invite func()
	// Stop ends the program, for a shell that owns it.
	Stop func()

	// BodyPatience is how long a body may take to arrive; 0 for 15 seconds.
	BodyPatience time.Duration
	// WritePatience is how long a client may take to read one piece of an answer;
	// 0 for 30 seconds.
	WritePatience time.Duration
	// Heartbeat is how often a silent stream says that it lives; 0 for 15 seconds.
	Heartbeat time.Duration
	// Patience is how long requests in flight are waited for at the end, before
	// they are cut; 0 for 10 seconds.
	Patience time.Duration
}

// Server answers the API's requests.
type Server struct {
	c      Config
	began  time.Time
	chosen *preferences.File

	mu       sync.Mutex
	inFlight map[string]int // by family of tokens; guarded by mu
	streams  map[string]int // of these; guarded by mu
	bodies   int64          // bytes of bodies that are being worked on; guarded by mu
	ended    bool           // nothing new is begun; guarded by mu
	work     sync.WaitGroup // requests that are being worked on
	closing  chan struct{}  // closed when streams have to end
	once     sync.Once
}

// New makes a Server.
func New(c Config) *Server {
	for _, d := range []struct {
		field *time.Duration
		or    time.Duration
	}{{&c.BodyPatience, bodyPatience}, {&c.WritePatience, writePatience}, {&c.Heartbeat, heartbeat}, {&c.Patience, shutdownPatience}} {
		if *d.field <= 0 {
			*d.field = d.or
		}
	}
	return &Server{c: c, began: time.Now(), chosen: preferences.New(c.DataDir), inFlight: map[string]int{}, streams: map[string]int{}, closing: make(chan struct{})}
}

// Serve answers what comes in on the listener until ctx is done. Then it takes
// nothing new, ends streams, and waits for the requests in flight; those that take
// longer than Config.Patience are cut.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ec := edge.Config{
		Port: s.c.Port, MaxBody: MaxBody, Verifier: edge.Verifier{Bearer: s.c.Issuer.Verify, Handshake: s.c.Door.Admit},
	}
	if s.c.App != nil {
		ec.Origin, ec.Public = "http://127.0.0.1:"+strconv.Itoa(s.c.Port), s.c.App.Owns
	}
	if s.c.Pairing != nil {
		ec.Verifier.Pairing = s.pair
	}
	guard := edge.NewGuard(ec)
	hs := &http.Server{
		Handler:        guard.Wrap(s.mux(), s.c.Log.refused),
		MaxHeaderBytes: maxHeaderBytes, ReadHeaderTimeout: headTimeout, IdleTimeout: idleTimeout,
		// The HTTP server would answer "OPTIONS *" itself, before the guard.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     s.c.Log.stdlib(),
	}
	hs.Protocols = new(http.Protocols)
	hs.Protocols.SetHTTP1(true)
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(netutil.LimitListener(l, maxConnections)) }()
	select {
	case err := <-ended:
		return core.Wrap(core.Internal, err, "the listener broke")
	case <-ctx.Done():
	}
	err := s.end(context.WithoutCancel(ctx), hs)
	if e := <-ended; e != nil && !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// end ends a running server: streams at once, requests in flight when they are
// done or, after a while, cut. What they work on is theirs until it returns.
func (s *Server) end(ctx context.Context, hs *http.Server) error {
	s.once.Do(func() { close(s.closing) })
	patience, cancel := context.WithTimeout(ctx, s.c.Patience)
	defer cancel()
	if hs.Shutdown(patience) == nil {
		return nil
	}
	err := hs.Close() // which ends the requests' contexts
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(cutPatience):
		err = errors.Join(err, core.Errorf(core.Timeout, "a request did not end in time"))
	}
	return err
}

// enter counts a request of a caller; done counts it off.
func (s *Server) enter(c edge.Caller, stream bool) (done func(), err error) {
	key := c.Family
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, core.Errorf(core.ShuttingDown, "the gateway is ending")
	}
	if s.inFlight[key] >= maxPerCaller || stream && s.streams[key] >= maxStreams {
		return nil, core.Errorf(core.RateLimited, "too many requests of this client are being answered").
			WithHint("Wait for some of them to end.")
	}
	s.work.Add(1)
	s.inFlight[key]++
	if stream {
		s.streams[key]++
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.work.Done()
		countOff(s.inFlight, key)
		if stream {
			countOff(s.streams, key)
		}
	}, nil
}

func countOff(m map[string]int, key string) {
	if m[key]--; m[key] <= 0 {
		delete(m, key)
	}
}
