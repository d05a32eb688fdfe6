package modelserver

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// post is one answer on its way out.
type post struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	wire  wire
	req   Request
	reply Reply
}

// mark stands in a text where the byte that is no UTF-8 will be.
const mark = "\ue000"

// badByte takes the mark's place: the first byte of a character without the rest.
const badByte = "\xc3("

func (p *post) send() {
	f := p.reply.Fault
	p.name()
	if f.Delay != nil && !p.wait(f.Delay) {
		return
	}
	if f.Hang && f.HangAfter == 0 {
		p.wait(nil)
		return
	}
	if f.CutAfter < 0 {
		panic(http.ErrAbortHandler)
	}
	for k, v := range p.reply.Header {
		p.w.Header().Set(k, v)
	}
	switch {
	case f.Redirect != "":
		p.w.Header().Set("Location", f.Redirect)
		p.w.WriteHeader(http.StatusTemporaryRedirect)
	case f.HTML:
		p.text("text/html; charset=utf-8", p.status(), "<!DOCTYPE html><title>Welcome</title><h1>It works!</h1>")
	case p.reply.Body != "":
		kind := "text/event-stream; charset=utf-8"
		if p.status() >= http.StatusBadRequest {
			kind = "application/json"
		}
		p.text(kind, p.status(), p.reply.Body)
	case p.status() >= http.StatusBadRequest:
		p.text("application/json", p.status(), marshal(p.wire.errorBody(p.status(), p.reply.Text)))
	case !p.req.Stream || p.reply.Odd.PlainJSON:
		p.text("application/json", p.status(), p.spoil(marshal(p.wire.whole(p.req, p.reply, p.usage()))))
	default:
		p.stream()
	}
}

// name gives calls without an id one that is unique in the conversation.
func (p *post) name() {
	prefix := "call_"
	if p.req.Wire == Anthropic {
		prefix = "toolu_"
	}
	calls := make([]Call, len(p.reply.Calls))
	for i, c := range p.reply.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("%s%03d%02d", prefix, len(p.req.Messages), i+1)
		}
		calls[i] = c
	}
	p.reply.Calls = calls
	if !p.reply.Fault.InvalidUTF8 {
		return
	}
	if t := &p.reply.Text; *t != "" || len(calls) == 0 {
		*t += mark
	} else {
		calls[0].Arguments += mark
	}
}

// spoil puts the bad byte where the mark is.
func (p *post) spoil(data string) string {
	if !p.reply.Fault.InvalidUTF8 {
		return data
	}
	return strings.ReplaceAll(data, mark, badByte)
}

func (p *post) status() int {
	if p.reply.Status == 0 {
		return http.StatusOK
	}
	return p.reply.Status
}

func (p *post) usage() usage {
	return usage{prompt: p.req.PromptTokens, completion: p.s.tokens.reply(p.reply)}
}

// wait blocks until c is closed, or the connection: then it gives false. A nil c
// is never closed.
func (p *post) wait(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-p.r.Context().Done():
		return false
	}
}

// text sends a body that is known whole.
func (p *post) text(contentType string, status int, body string) {
	k := p.open(contentType, status)
	defer k.close()
	k.write([]byte(body))
}

func (p *post) stream() {
	kind := "text/event-stream; charset=utf-8"
	if p.reply.Odd.TextType {
		kind = "text/plain; charset=utf-8"
	}
	f := p.reply.Fault
	events := p.events()
	k := p.open(kind, p.status())
	defer k.close()
	var all []byte
	for _, e := range events {
		b := []byte(p.spoil(string(e.encode(p.reply.Odd))))
		if f.Fragment > 0 {
			all = append(all, b...)
			continue
		}
		if !k.write(b) {
			return
		}
	}
	if !k.write(all) {
		return
	}
	for again := bytes.Repeat(p.wire.endless().encode(p.reply.Odd), 100); f.EndlessText && k.write(again); {
	}
	if f.EndlessLine {
		k.write([]byte("data: {\"x\":\""))
		for run := []byte(strings.Repeat("a", 64<<10)); k.write(run); {
		}
	}
}

// events are the reply's events with the faults that are about whole events.
func (p *post) events() []event {
	f := p.reply.Fault
	var body, end []event
	for _, e := range p.wire.stream(p.req, p.reply, p.usage()) {
		switch {
		case !e.end:
			body = append(body, e)
		case f.NoFinish, e.done && f.NoDone:
		default:
			end = append(end, e)
		}
	}
	middle := max(1, len(body)/2)
	switch {
	case f.EndlessText, f.EndlessLine:
		return body[:middle]
	case f.ErrorEvent != "":
		return append(body[:middle:middle], p.wire.errorEvent(f.ErrorEvent, "The server had an error while processing your request."))
	case f.BrokenJSON:
		broken := body[middle-1]
		broken.data = broken.data[:len(broken.data)-3]
		body = append(body[:middle:middle], append([]event{broken}, body[middle:]...)...)
	}
	return append(body, end...)
}

// sink writes a body with the faults that are about bytes.
type sink struct {
	p    *post
	out  io.Writer
	zip  *gzip.Writer
	sent int
}

func (p *post) open(contentType string, status int) *sink {
	h := p.w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", contentType)
	}
	h.Set("X-Request-Id", requestID)
	k := &sink{p: p, out: p.w}
	if p.reply.Fault.Gzip {
		h.Set("Content-Encoding", "gzip")
		k.zip = gzip.NewWriter(p.w)
		k.out = k.zip
	}
	p.w.WriteHeader(status)
	return k
}

// write sends bytes, in the fragments asked for, up to where the reply is cut or
// hangs. False tells that the client is gone.
func (k *sink) write(b []byte) bool {
	f := k.p.reply.Fault
	for len(b) > 0 {
		n := len(b)
		if f.Fragment > 0 {
			n = min(n, f.Fragment)
		}
		for _, stop := range []int{f.CutAfter, f.HangAfter} {
			if stop > k.sent {
				n = min(n, stop-k.sent)
			}
		}
		if _, err := k.out.Write(b[:n]); err != nil || !k.flush() {
			return false
		}
		b = b[n:]
		k.sent += n
		if f.CutAfter > 0 && k.sent == f.CutAfter {
			panic(http.ErrAbortHandler)
		}
		if f.Hang && k.sent == f.HangAfter {
			k.p.wait(nil)
			return false
		}
	}
	return true
}

func (k *sink) flush() bool {
	if k.zip != nil && k.zip.Flush() != nil {
		return false
	}
	return http.NewResponseController(k.p.w).Flush() == nil
}

func (k *sink) close() {
	if k.zip != nil {
		_ = k.zip.Close() // the client may be gone
	}
}
