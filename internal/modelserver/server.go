package modelserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// maxBody bounds a request's body, bytes. Pictures count.
const maxBody = 64 << 20

// Server is a running provider. Its methods are safe for concurrent use.
type Server struct {
	url    string
	http   *http.Server
	served chan struct{} // closed when Serve has returned
	active sync.WaitGroup
	tokens counter

	mu     sync.Mutex
	script queue
	calls  []Request
	lists  int
	key    string
	models []string
	listed *Reply
}

// Start runs a server that answers with one step a request, in order.
func Start(steps ...Step) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("modelserver: %w", err)
	}
	s := &Server{
		url: "http://" + l.Addr().String(), served: make(chan struct{}),
		script: queue{steps: steps}, models: []string{"test-model"},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, openaiWire{}) })
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, anthropicWire{}) })
	mux.HandleFunc("GET /v1/models", s.list)
	s.http = &http.Server{Handler: mux}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // it always returns an error: that it was closed
	}()
	return s, nil
}

// StartT runs a server that closes when the test ends.
func StartT(t testing.TB, steps ...Step) *Server {
	t.Helper()
	s, err := Start(steps...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// URL gives the server's address, "http://127.0.0.1:PORT".
func (s *Server) URL() string { return s.url }

// OpenAIBase gives the base address an OpenAI client wants.
func (s *Server) OpenAIBase() string { return s.url + "/v1" }

// AnthropicBase gives the base address an Anthropic client wants.
func (s *Server) AnthropicBase() string { return s.url }

// Calls gives the calls so far, those the server refused itself included.
func (s *Server) Calls() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.calls...)
}

// Count tells how many calls reached the server: one for each physical call.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// Lists tells how many times the list of models was asked for.
func (s *Server) Lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// Left tells how many steps have not answered yet.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script.steps)
}

// Add appends steps to the script.
func (s *Server) Add(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script.steps = append(s.script.steps, steps...)
}

// RequireKey refuses from now on, as the provider would, what does not bring
// this key.
func (s *Server) RequireKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// SetModels says which models the server lists. It answers for any.
func (s *Server) SetModels(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = names
}

// SetModelsReply answers from now on with reply where the list of models is
// asked for: its Status, Header, Body and Fault.
func (s *Server) SetModelsReply(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = &reply
}

// Close ends the server and every connection, and with it whatever hangs, and
// waits for them.
func (s *Server) Close() {
	_ = s.http.Close() // an error says that it is closed already
	<-s.served
	s.active.Wait()
}

// complete answers one call.
func (s *Server) complete(w http.ResponseWriter, r *http.Request, wire wire) {
	s.active.Add(1)
	defer s.active.Done()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return // the client is gone
	}
	req, reply := s.take(r, body, wire)
	p := post{s: s, w: w, r: r, wire: wire, req: req, reply: reply}
	p.send()
}

// take reads a call, keeps it, and finds its answer.
func (s *Server) take(r *http.Request, body []byte, wire wire) (Request, Reply) {
	req, bad := wire.read(body)
	req.Header, req.Raw = r.Header.Clone(), body
	req.PromptTokens = s.tokens.request(&req)
	s.mu.Lock()
	defer s.mu.Unlock()
	if bad == nil && len(body) > maxBody {
		bad = &refusal{http.StatusRequestEntityTooLarge, "the request is too large"}
	}
	if denied := wire.admit(r.Header, s.key); denied != nil {
		bad = denied
	}
	if bad != nil {
		req.Refused = bad.message
		s.calls = append(s.calls, req)
		return req, Reply{Status: bad.status, Text: bad.message}
	}
	s.calls = append(s.calls, req)
	return req, s.script.answer(req)
}

// list answers with the models.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	s.active.Add(1)
	defer s.active.Done()
	var wire wire = openaiWire{}
	if r.Header.Get("Anthropic-Version") != "" {
		wire = anthropicWire{}
	}
	s.mu.Lock()
	s.lists++
	reply := Reply{Body: wire.models(s.models), Header: map[string]string{"Content-Type": "application/json"}}
	if s.listed != nil {
		reply = *s.listed
	}
	if denied := wire.admit(r.Header, s.key); denied != nil {
		reply = Reply{Status: denied.status, Text: denied.message}
	}
	s.mu.Unlock()
	p := post{s: s, w: w, r: r, wire: wire, reply: reply}
	p.send()
}
