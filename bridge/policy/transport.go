// Package policy is the one allow-list of what the gateway may say to a
// browser. It wraps the transport: what is not in its tables is answered here
// and never sent, and events that nobody needs are dropped. The desktop app's
// relay keeps the same list on the other side, as Describe writes it; this one
// also holds for a Chromium we started ourselves.
package policy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"proofmark/gateway/core"
)

// Error codes of refusals, as JSON-RPC has them.
const (
	CodeDenied    = -32601 // the method is not in the table
	CodeParameter = -32000 // the method is, a parameter is not
)

// largest is the one command that may be larger than core.BridgeRequestBytes: a
// fulfilled response in base64.
const (
	largest   = "Fetch.fulfillRequest"
	maxFulfil = core.MaxAssetBytes*4/3 + core.BridgeRequestBytes
)

// Config names the functions and the script the bridge may run in a page.
type Config struct {
	World     string   // name of the isolated world
	Functions []string // declarations for Runtime.callFunctionOn
	Scripts   []string // sources for Page.addScriptToEvaluateOnNewDocument
	Remote    bool     // the other side is a relay of the desktop's, not a browser
}

// Transport is a chromedp.Transport that keeps to the tables.
type Transport struct {
	inner chromedp.Transport
	base  lease
	host  table           // of what is said to the other side itself
	tells map[string]bool // the other side's own events

	start  sync.Once
	in     chan *cdproto.Message // from inner, after the filter
	local  chan *cdproto.Message // answers given here
	closed chan struct{}
	close  sync.Once
	failed chan struct{} // closed when inner has ended
	err    error         // why; read after failed is closed

	mu     sync.Mutex // guards the following
	leases map[target.SessionID]*lease
}

var _ chromedp.Transport = (*Transport)(nil)

// Wrap puts the tables in front of inner.
func Wrap(inner chromedp.Transport, c Config) *Transport {
	host, tells := hostTable, hostEvents
	if c.Remote {
		host, tells = remoteTable, remoteEvents
	}
	return &Transport{
		inner: inner, host: host, tells: tells,
		base:   lease{functions: hashes(c.Functions), scripts: hashes(c.Scripts), world: c.World},
		in:     make(chan *cdproto.Message),
		local:  make(chan *cdproto.Message, 64),
		closed: make(chan struct{}),
		failed: make(chan struct{}),
		leases: map[target.SessionID]*lease{},
	}
}

func hashes(texts []string) map[[32]byte]bool {
	m := make(map[[32]byte]bool, len(texts))
	for _, t := range texts {
		m[sha256.Sum256([]byte(t))] = true
	}
	return m
}

// Bind opens a page session for a lease's origin. A session that is not bound
// can send nothing.
func (t *Transport) Bind(id target.SessionID, origin string) {
	l := t.base
	l.origin = origin
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leases[id] = &l
}

// BindWindow opens the session of a window's own page, the workbench on origin.
func (t *Transport) BindWindow(id target.SessionID, origin string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leases[id] = &lease{origin: origin, window: true}
}

// Unbind ends a page session's permission.
func (t *Transport) Unbind(id target.SessionID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.leases, id)
}

// Write sends what the tables allow and answers everything else itself.
func (t *Transport) Write(ctx context.Context, msg *cdproto.Message) error {
	result, refusal := t.judge(msg)
	if refusal == nil && result == nil {
		return t.inner.Write(ctx, msg)
	}
	answer := &cdproto.Message{ID: msg.ID, SessionID: msg.SessionID, Result: result, Error: refusal}
	select {
	case t.local <- answer:
		return nil
	case <-t.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// judge gives the stub result, or the refusal, or neither for what is sent.
func (t *Transport) judge(msg *cdproto.Message) (jsonv2.Value, *cdproto.Error) {
	method := string(msg.Method)
	limit := core.BridgeRequestBytes
	if method == largest {
		limit = maxFulfil
	}
	if len(msg.Params) > limit {
		return nil, &cdproto.Error{Code: CodeParameter, Message: "command too large"}
	}
	rules, l := t.host, &t.base
	if msg.SessionID != "" {
		t.mu.Lock()
		l = t.leases[msg.SessionID]
		t.mu.Unlock()
		rules = pageTable
		if l != nil && l.window {
			rules = windowTable
		}
	}
	r, ok := rules[method]
	if !ok || l == nil {
		return nil, &cdproto.Error{Code: CodeDenied, Message: fmt.Sprintf("'%s' is not allowed by the preview bridge", clip(method))}
	}
	if err := r.check(msg.Params, l); err != nil {
		return nil, &cdproto.Error{Code: CodeParameter, Message: fmt.Sprintf("%s: %s", method, err)}
	}
	if r.stub != "" {
		return jsonv2.Value(r.stub), nil
	}
	return nil, nil
}

// Read gives the next answer or allowed event.
func (t *Transport) Read(ctx context.Context, msg *cdproto.Message) error {
	t.start.Do(func() { go t.pump() })
	select {
	case m := <-t.local:
		*msg = *m
		return nil
	case m := <-t.in:
		*msg = *m
		return nil
	case <-t.failed:
		return t.err
	case <-t.closed:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Transport) pump() {
	defer close(t.failed)
	for {
		m := new(cdproto.Message)
		if t.err = t.inner.Read(context.Background(), m); t.err != nil {
			return
		}
		if !t.passes(m) {
			continue
		}
		select {
		case t.in <- m:
		case <-t.closed:
			t.err = io.EOF
			return
		}
	}
}

// passes drops events that are not in the table.
func (t *Transport) passes(m *cdproto.Message) bool {
	if m.Method == "" {
		return true
	}
	if m.SessionID == "" {
		return t.tells[string(m.Method)]
	}
	t.mu.Lock()
	l := t.leases[m.SessionID]
	t.mu.Unlock()
	if l != nil && l.window {
		return windowEvents[string(m.Method)]
	}
	return pageEvents[string(m.Method)]
}

// Close ends the transport. It can be called again.
func (t *Transport) Close() error {
	var err error
	t.close.Do(func() {
		close(t.closed)
		err = t.inner.Close()
	})
	return err
}
