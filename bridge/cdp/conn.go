package cdp

import (
	"context"
	"errors"
	"sync"

	"github.com/chromedp/cdproto"
	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"proofmark/gateway/core"
)

// conn shares one transport between the browser and its sessions. It is used
// in place of chromedp's own browser type, which mirrors the page's whole tree
// and asks for the document again whenever it changes: node ids would end in
// the middle of our reads.
type conn struct {
	tr   chromedp.Transport
	gone chan struct{} // closed when the transport has ended

	mu       sync.Mutex // guards the following
	next     int64
	pending  map[int64]pending
	sessions map[target.SessionID]*session
}

type pending struct {
	session *session
	reply   chan *cdproto.Message // room for one
}

// session is one target's side of a conn, or the browser's own with an empty
// id. It implements cdp.Session, so that typed calls go through it.
type session struct {
	c  *conn
	id target.SessionID
	// event takes every event of the session in order. It runs on the reading
	// goroutine: it must neither wait nor call the session.
	event func(method string, params jsonv2.Value)
	gone  chan struct{} // closed when the session has ended
	once  sync.Once
}

var _ protocol.Session = (*session)(nil)

// newConn starts to read from tr. Its root session takes the browser's events.
func newConn(tr chromedp.Transport, event func(string, jsonv2.Value)) (*conn, *session) {
	c := &conn{
		tr: tr, gone: make(chan struct{}),
		pending: map[int64]pending{}, sessions: map[target.SessionID]*session{},
	}
	root := c.attach("", event)
	go c.read()
	return c, root
}

// attach makes the session with the id known before its first event comes.
func (c *conn) attach(id target.SessionID, event func(string, jsonv2.Value)) *session {
	s := &session{c: c, id: id, event: event, gone: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[id] = s
	return s
}

// detach ends the session: its calls return, its events are dropped.
func (s *session) detach() {
	s.c.mu.Lock()
	if s.c.sessions[s.id] == s {
		delete(s.c.sessions, s.id)
	}
	s.c.mu.Unlock()
	s.once.Do(func() { close(s.gone) })
}

func (c *conn) read() {
	defer c.end()
	for {
		msg := new(cdproto.Message)
		if err := c.tr.Read(context.Background(), msg); err != nil {
			return
		}
		if msg.Method == "" {
			c.reply(msg)
			continue
		}
		c.mu.Lock()
		s := c.sessions[msg.SessionID]
		c.mu.Unlock()
		if s != nil && s.event != nil {
			s.event(string(msg.Method), msg.Params)
		}
	}
}

func (c *conn) reply(msg *cdproto.Message) {
	c.mu.Lock()
	p, ok := c.pending[msg.ID]
	delete(c.pending, msg.ID)
	c.mu.Unlock()
	if ok {
		p.reply <- msg
	}
}

func (c *conn) end() {
	c.tr.Close()
	c.mu.Lock()
	all := make([]*session, 0, len(c.sessions))
	for _, s := range c.sessions {
		all = append(all, s)
	}
	c.mu.Unlock()
	for _, s := range all {
		s.detach()
	}
	close(c.gone)
}

// Call sends one command and decodes its answer. A call without a deadline
// gets the bridge's own.
func (s *session) Call(ctx context.Context, method string, params, result any) error {
	return s.send(ctx, method, params).wait(ctx, result)
}

// Subscribe is part of cdp.Session. Events go to the session's one handler, so
// nothing ever arrives here.
func (s *session) Subscribe(string) (<-chan jsonv2.Value, func()) {
	ch := make(chan jsonv2.Value)
	close(ch)
	return ch, func() {}
}

// sent is a command on its way, so that many can be sent before the first
// answer is awaited.
type sent struct {
	s      *session
	id     int64
	method string
	reply  chan *cdproto.Message
	err    error
}

func (s *session) send(ctx context.Context, method string, params any) *sent {
	out := &sent{s: s, method: method}
	raw, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		out.err = core.Wrap(core.Internal, err, "%s could not be encoded", method)
		return out
	}
	select {
	case <-s.gone:
		out.err = lost()
		return out
	default:
	}
	out.reply = make(chan *cdproto.Message, 1)
	s.c.mu.Lock()
	s.c.next++
	out.id = s.c.next
	s.c.pending[out.id] = pending{s, out.reply}
	s.c.mu.Unlock()
	err = s.c.tr.Write(ctx, &cdproto.Message{ID: out.id, SessionID: s.id, Method: cdproto.MethodType(method), Params: raw})
	if err != nil {
		out.forget()
		out.err = core.Wrap(core.SurfaceLost, err, "the browser does not take commands any more")
	}
	return out
}

func (o *sent) forget() {
	o.s.c.mu.Lock()
	delete(o.s.c.pending, o.id)
	o.s.c.mu.Unlock()
}

func (o *sent) wait(ctx context.Context, result any) error {
	if o.err != nil {
		return o.err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, core.BridgeCommandTimeout)
		defer cancel()
	}
	select {
	case msg := <-o.reply:
		return o.decode(msg, result)
	case <-o.s.gone:
		select {
		case msg := <-o.reply: // the answer came just before the end
			return o.decode(msg, result)
		default:
		}
		o.forget()
		return lost()
	case <-ctx.Done():
		o.forget()
		return ended(ctx, o.method)
	}
}

func (o *sent) decode(msg *cdproto.Message, result any) error {
	if msg.Error != nil {
		return msg.Error
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(msg.Result, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return core.Wrap(core.Internal, err, "the browser's answer to %s could not be read", o.method)
	}
	return nil
}

func lost() *core.Error {
	return core.Errorf(core.SurfaceLost, "the preview page is gone").WithHint("Open the preview again.")
}

func ended(ctx context.Context, what string) *core.Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return core.Wrap(core.Cancelled, ctx.Err(), "cancelled while waiting for the browser").With("method", what)
	}
	return core.Wrap(core.Timeout, ctx.Err(), "the browser did not answer in time").With("method", what)
}
