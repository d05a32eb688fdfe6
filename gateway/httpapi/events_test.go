package httpapi_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
)

// talker says what a test lets it say, piece by piece.
type talker struct {
	pieces chan string // closed at the end of what is said
	asked  chan struct{}
}

func newTalker() *talker { return &talker{make(chan string), make(chan struct{}, 8)} }

func (*talker) Name() string { return "script" }
func (*talker) Vision() bool { return false }

func (m *talker) Complete(ctx context.Context, _ llm.Request, emit func(llm.Event)) (llm.Response, error) {
	m.asked <- struct{}{}
	var all strings.Builder
	for {
		select {
		case p, ok := <-m.pieces:
			if !ok {
				return llm.Response{Text: all.String()}, nil
			}
			all.WriteString(p)
			emit(llm.Event{TextDelta: p})
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		}
	}
}

// message asks for a turn without notes, which needs no browser.
func message(request string) object {
	return object{"session": session, "requestId": request, "message": "what is this page?", "model": "script"}
}

// said gives an event's data.
func (e event) said(t testing.TB) object {
	t.Helper()
	var out object
	if err := json.Unmarshal([]byte(e.data), &out); err != nil {
		t.Fatalf("%v in %q", err, e.data)
	}
	return out
}

func (s *stream) want(t *testing.T, name string) event {
	t.Helper()
	e, err := s.next()
	if err != nil || e.name != name {
		t.Fatalf("event %+v (%v), want %s", e, err, name)
	}
	return e
}

// D10, D-94: what is stored comes first, then what happens; pieces of text have
// no number, the whole text follows; the last event says that it is the last, and
// then the result is there.
func TestStreamOfATurn(t *testing.T) {
	r := newRig(t, setup{})
	m := newTalker()
	r.use(m)
	turn := r.started(message("r1"))
	<-m.asked // so that its first events are stored before anybody listens
	s := r.follow("/v1/turns/"+turn+"/events", 0)
	if s.res.Header.Get("Content-Type") != "text/event-stream" || s.res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("head %v", s.res.Header)
	}
	first := s.want(t, "accepted")
	if d := first.said(t); d["turn"] != turn || d["seq"] != float64(first.id) || first.id == 0 {
		t.Errorf("accepted: %+v", first)
	}
	routed := s.want(t, "routed")
	thinking := s.want(t, "thinking")
	for _, p := range []string{"It is ", "a\nreport."} {
		m.pieces <- p
		e := s.want(t, "text_delta")
		if d := e.said(t); e.id != 0 || d["text"] != p || d["seq"] != float64(thinking.id) {
			t.Errorf("piece: %+v", e)
		}
	}
	if got := r.do("GET", "/v1/turns/"+turn, nil).ok(); got["running"] != true || got["state"] != "running" || got["result"] != nil {
		t.Errorf("meanwhile: %v", got)
	}
	late := r.follow("/v1/turns/"+turn+"/events", routed.id) // it has missed the pieces
	late.want(t, "thinking")                                 // so it listens by now
	m.pieces <- " Yes."
	if d := late.want(t, "text_delta").said(t); d["text"] != " Yes." {
		t.Errorf("the late one reads %v", d)
	}
	s.want(t, "text_delta")
	close(m.pieces)
	for _, one := range []*stream{s, late} {
		var names []string
		last := thinking.id
		for {
			e, err := one.next()
			if err != nil {
				t.Fatalf("behind %v: %v", names, err)
			}
			names = append(names, e.name)
			if e.name == "end" {
				break
			}
			if e.id <= last {
				t.Errorf("event %s has the number %d behind %d", e.name, e.id, last)
			}
			if last = e.id; e.name == "said" && e.said(t)["text"] != "It is a\nreport. Yes." {
				t.Errorf("said: %s", e.data)
			}
		}
		if got := strings.Join(names, " "); got != "usage said ended end" && got != "said usage ended end" {
			t.Errorf("then %s", got)
		}
		if _, err := one.any(); err == nil {
			t.Error("the stream goes on behind its end")
		}
	}
	got := r.do("GET", "/v1/turns/"+turn, nil).ok()
	res, _ := got["result"].(object)
	if got["running"] != false || got["state"] != "answered" || res == nil || res["status"] != "answered" || res["text"] != "It is a\nreport. Yes." {
		t.Errorf("the turn: %v", got)
	}
	// Behind the last one there is nothing but the end.
	r.follow("/v1/turns/"+turn+"/events", 1<<40).want(t, "end")
}

// A stream that is cut at any place and resumed there loses nothing and repeats
// nothing, for a reader who reads at once and for one who does not, of one
// document and of no other.
func TestResume(t *testing.T) {
	r := newRig(t, setup{})
	var stored []int64
	big := strings.Repeat("A long answer, which fills the buffers between the two. ", 1_000)
	for i := range 24 {
		r.use(script.New(script.Say(big)))
		turn := r.started(message("r" + strconv.Itoa(i)))
		s := r.follow("/v1/turns/"+turn+"/events", 0)
		for {
			e, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			if e.name == "end" {
				break
			}
			if e.name != "text_delta" {
				stored = append(stored, e.id)
			}
		}
	}
	whole := r.follow(r.at("/events"), 0)
	cut := []int64{}
	last := int64(0)
	s := r.follow(r.at("/events"), 0)
	for n := 1; len(cut) < len(stored); n++ {
		e, err := s.next()
		if err != nil {
			t.Fatalf("behind %d: %v", last, err)
		}
		cut, last = append(cut, e.id), e.id
		if n%7 == 0 || n%11 == 0 {
			s.close()
			s = r.follow(r.at("/events"), last)
		}
	}
	if !slices.Equal(cut, stored) {
		t.Errorf("read %v, stored %v", cut, stored)
	}
	var slow []int64 // it was not read until now
	for range stored {
		e, err := whole.next()
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, e.id)
	}
	if !slices.Equal(slow, stored) {
		t.Errorf("the slow reader has %v, stored %v", slow, stored)
	}
	r.use(script.New(script.Say("x"))) // and both go on with what comes
	turn := r.started(message("more"))
	if d := whole.want(t, "accepted").said(t); d["turn"] != turn {
		t.Errorf("the next event is of %v", d)
	}
	s.want(t, "accepted")

	first := r.Doc.ID
	r.Open("other.html", page)
	other := r.follow(r.at("/events"), 0)
	r.use(script.New(script.Say("y")))
	turn = r.started(message("other"))
	if d := other.want(t, "accepted").said(t); d["turn"] != turn {
		t.Errorf("an event of another document: %v", d)
	}
	for _, id := range []string{"x", "-1", "1.5", "9223372036854775808"} {
		r.with(r.tokens["ui"], "GET", "/v1/documents/"+first+"/events", nil, "Last-Event-ID", id).refused(400, core.BadRequest)
	}
	r.do("GET", "/v1/turns/nothing/events", nil).refused(404, core.NotFound)
}

// A silent stream says that it lives.
func TestHeartbeat(t *testing.T) {
	r := newRig(t, setup{server: func(c *httpapi.Config) { c.Heartbeat = time.Millisecond }})
	s := r.follow(r.at("/events"), 0)
	for range 3 {
		if e, err := s.any(); err != nil || !e.comment || e.name != "" {
			t.Fatalf("event %+v (%v)", e, err)
		}
	}
}

// logged is a log that tells of each request that has been answered.
type logged struct {
	slog.Handler
	routes chan string
}

func (h logged) Handle(_ context.Context, rec slog.Record) error {
	rec.Attrs(func(a slog.Attr) bool {
		if a.Key == "route" {
			h.routes <- a.Value.String()
		}
		return true
	})
	return nil
}

// A client that does not read is let go, and keeps nobody waiting meanwhile.
func TestStreamNobodyReads(t *testing.T) {
	log := logged{slog.DiscardHandler, make(chan string, 1_000)}
	enabled := enabledHandler{log}
	r := newRig(t, setup{server: func(c *httpapi.Config) {
		c.WritePatience, c.Log = 100*time.Millisecond, httpapi.NewLog(slog.New(enabled))
	}})
	c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(r.port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := c.Write([]byte("GET " + r.at("/events") + " HTTP/1.1\r\nHost: 127.0.0.1:" + strconv.Itoa(r.port) + "\r\nAuthorization: Bearer " + r.tokens["ui"] + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", 60_000)
	gone := false
	for i := 0; i < 400 && !gone; i++ { // more than the machine keeps for one connection
		r.use(script.New(script.Say(big)))
		r.ended(r.started(message("r" + strconv.Itoa(i))))
		for len(log.routes) > 0 {
			if route := <-log.routes; route == "/v1/documents/{document}/events" {
				gone = true
			}
		}
	}
	if !gone {
		t.Error("who does not read is still written to")
	}
}

type enabledHandler struct{ logged }

func (enabledHandler) Enabled(context.Context, slog.Level) bool { return true }

// The gateway's end ends streams, without saying that this was all; what a
// client has by then it goes on behind.
func TestEndOfStreams(t *testing.T) {
	r := newRig(t, setup{})
	m := newTalker()
	r.use(m)
	turn := r.started(message("r1"))
	<-m.asked
	of := r.follow("/v1/turns/"+turn+"/events", 0)
	all := r.follow(r.at("/events"), 0)
	of.want(t, "accepted")
	all.want(t, "accepted")
	r.stop()
	for _, s := range []*stream{of, all} {
		for {
			e, err := s.next()
			if err != nil {
				break
			}
			if e.name == "end" {
				t.Error("the stream says it was all")
			}
		}
	}
}
