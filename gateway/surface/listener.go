package surface

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"proofmark/gateway/core"
)

// Listener is the preview listener: origin server and forward proxy of every
// surface, on loopback only.
type Listener struct {
	ln     net.Listener
	server *http.Server
	port   string
	now    func() time.Time

	refused *tally
	done    chan struct{} // closed when the server has stopped

	mu     sync.Mutex
	leases map[string]*lease // by host, guarded by mu
	closed bool              // guarded by mu
}

// Listen opens the preview listener on a random port of 127.0.0.1. There is no
// way to widen it.
func Listen() (*Listener, error) { return listen(defaultTimeouts(), time.Now) }

func listen(t timeouts, now func() time.Time) (*Listener, error) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, core.Wrap(core.Internal, err, "the preview listener could not be opened").In("surface.Listen")
	}
	l := newListener(ln, t, now)
	go l.serve()
	return l, nil
}

func newListener(ln net.Listener, t timeouts, now func() time.Time) *Listener {
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	l := &Listener{
		ln: &cappedListener{Listener: ln, slots: make(chan struct{}, maxConnections), done: make(chan struct{})}, port: port, now: now,
		refused: newTally(maxRefusedOrigins), done: make(chan struct{}), leases: map[string]*lease{},
	}
	l.server = &http.Server{
		Handler: l, ReadHeaderTimeout: t.header, ReadTimeout: t.read, WriteTimeout: t.write, IdleTimeout: t.idle,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: log.New(io.Discard, "", 0),
		DisableGeneralOptionsHandler: true,
	}
	return l
}

func (l *Listener) serve() {
	defer close(l.done)
	if err := l.server.Serve(l.ln); !errors.Is(err, http.ErrServerClosed) {
		_ = l.ln.Close() // the accept loop failed; every lease is dead, and surfaces say so
	}
}

// Port gives the listener's port.
func (l *Listener) Port() int {
	n, _ := strconv.Atoi(l.port) // it is what the system gave
	return n
}

// Addr gives the listener's address, "127.0.0.1:<port>".
func (l *Listener) Addr() string { return "127.0.0.1:" + l.port }

// ProxyURL gives what the browser takes as its one proxy.
func (l *Listener) ProxyURL() string { return "http://" + l.Addr() }

// Refused gives how often which origin was asked for through the proxy and
// refused, and how many refusals did not fit the list.
func (l *Listener) Refused() (byOrigin map[string]int, beyond int) { return l.refused.snapshot() }

// Close revokes every lease and ends the listener; it can be called again.
func (l *Listener) Close() error {
	l.mu.Lock()
	leases := l.leases
	l.leases, l.closed = map[string]*lease{}, true
	l.mu.Unlock()
	for _, le := range leases {
		le.revoke()
	}
	err := l.server.Close()
	<-l.done
	return err
}

// grant makes a lease for what b holds, in a frame of a page on ancestor or, where
// that is "", in a page of its own.
func (l *Listener) grant(b *binding, ancestor string) (*lease, error) {
	label := newLabel()
	host := fmt.Sprintf("%s.localhost:%s", label, l.port)
	le := &lease{
		label: label, host: host, origin: "http://" + host, ancestor: ancestor, now: l.now,
		missing: newTally(maxMissing), asked: newTally(maxAsked), expiresAt: l.now().Add(core.PreviewLeaseIdle),
	}
	b.policy = documentPolicy(le.origin, b.allowed, ancestor)
	le.bind(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		le.revoke()
		return nil, core.Errorf(core.SurfaceLost, "the preview listener is closed").In("surface.Open")
	}
	l.leases[host] = le
	return le, nil
}

// drop revokes a lease and forgets it.
func (l *Listener) drop(le *lease) {
	l.mu.Lock()
	delete(l.leases, le.host)
	l.mu.Unlock()
	le.revoke()
}

// lookup finds the live lease of an exact host.
func (l *Listener) lookup(host string) (*lease, bool) {
	l.mu.Lock()
	le, ok := l.leases[host]
	l.mu.Unlock()
	if !ok {
		return nil, false
	}
	if le.over() {
		l.drop(le)
		return nil, false
	}
	return le, true
}

// ServeHTTP refuses before it routes: everything but a plain request for a
// leased host ends here.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		l.refuse(w, "https://"+strings.ToLower(clip(strings.TrimSuffix(r.Host, ":443"), 260)))
		return
	}
	if len(r.RequestURI) > maxURLBytes {
		plain(w, http.StatusRequestURITooLong)
		return
	}
	host, ok := requestHost(r)
	if !ok {
		l.refuse(w, "")
		return
	}
	le, ok := l.lookup(host)
	if !ok {
		l.refuse(w, "http://"+strings.ToLower(clip(host, 260)))
		return
	}
	if r.Header.Get("Upgrade") != "" {
		l.refuse(w, "ws://"+host)
		return
	}
	le.serve(w, r)
}

// requestHost gives the host a request is for: the Host header of an ordinary
// request, the URL's host of one to a proxy. Any other form of request line is
// refused.
func requestHost(r *http.Request) (string, bool) {
	u := r.URL
	if u.User != nil || u.Opaque != "" || u.Fragment != "" {
		return "", false
	}
	if u.IsAbs() {
		return u.Host, u.Scheme == "http" && u.Host != "" && u.Host == r.Host
	}
	return r.Host, u.Host == "" && strings.HasPrefix(r.RequestURI, "/") && r.Host != ""
}

func (l *Listener) refuse(w http.ResponseWriter, origin string) {
	if origin != "" {
		l.refused.add(origin)
	}
	plain(w, http.StatusForbidden)
}

// plain answers without a page, without a reason, and ends the connection. There
// is nothing in it to keep from anyone, and a stricter resource policy would turn
// a missing file into another fault in the eyes of an opaque origin.
func plain(w http.ResponseWriter, status int) {
	setHeaders(w.Header(), refusalPolicy, "cross-origin")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// cappedListener lets only so many connections live at once; the next one waits
// in the kernel's queue.
type cappedListener struct {
	net.Listener
	slots chan struct{}
	once  sync.Once
	done  chan struct{}
}

func (c *cappedListener) Accept() (net.Conn, error) {
	select {
	case c.slots <- struct{}{}:
	case <-c.done:
		return nil, net.ErrClosed
	}
	conn, err := c.Listener.Accept()
	if err != nil {
		<-c.slots
		return nil, err
	}
	return &cappedConn{Conn: conn, release: sync.OnceFunc(func() { <-c.slots })}, nil
}

func (c *cappedListener) Close() error {
	c.once.Do(func() { close(c.done) })
	return c.Listener.Close()
}

type cappedConn struct {
	net.Conn
	release func()
}

func (c *cappedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
