package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"proofmark/gateway/core"
)

// lastEvent gives the number a stream goes on behind: of the header
// Last-Event-ID, or 0.
func (c *call) lastEvent() (int64, error) {
	v := c.r.Header.Values("Last-Event-ID")
	if len(v) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseInt(v[0], 10, 64)
	if err != nil || n < 0 || len(v) > 1 {
		return 0, core.Errorf(core.BadRequest, "Last-Event-ID is the number of an event")
	}
	return n, nil
}

// stream answers with server-sent events: whatever follow sends, until it ends,
// the client goes away or is too slow, or the gateway ends. The last event is
// "end" where all there is was sent.
func (s *Server) stream(c *call, follow func(ctx context.Context, send func(id int64, event string, data []byte) error) error) error {
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	go func() {
		select {
		case <-s.closing:
			cancel(core.Errorf(core.ShuttingDown, "the gateway is ending"))
		case <-ctx.Done():
		}
	}()
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	out := &events{w: c.w, rc: http.NewResponseController(c.w), patience: s.c.WritePatience}
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	if err := out.comment("proofmark events"); err != nil {
		return nil
	}
	beat := make(chan struct{})
	go func() {
		defer close(beat)
		tick := time.NewTicker(s.c.Heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := out.comment("still here"); err != nil {
					cancel(err)
					return
				}
			}
		}
	}()
	err := follow(ctx, out.send)
	over := ctx.Err() != nil
	cancel(nil)
	<-beat
	switch {
	case err == nil:
		_ = out.send(0, "end", []byte("{}"))
		return nil
	case over || out.lost: // the gateway ends, or the client is gone or does not read
		return nil
	}
	return err
}

// events writes server-sent events, one at a time.
type events struct {
	mu sync.Mutex // of the connection: an event and a heartbeat do not mix
	w  http.ResponseWriter
	rc *http.ResponseController

	patience time.Duration // for each piece: a client that does not read is let go
	lost     bool          // a piece was not taken; guarded by mu
}

func (e *events) send(id int64, event string, data []byte) error {
	var b bytes.Buffer
	if id > 0 {
		b.WriteString("id: " + strconv.FormatInt(id, 10) + "\n")
	}
	b.WriteString("event: " + event + "\n")
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		b.WriteString("data: ")
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return e.write(b.Bytes())
}

func (e *events) comment(text string) error { return e.write([]byte(": " + text + "\n\n")) }

func (e *events) write(b []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.rc.SetWriteDeadline(time.Now().Add(e.patience))
	_, err := e.w.Write(b)
	if err == nil {
		err = e.rc.Flush()
	}
	e.lost = e.lost || err != nil
	return err
}
