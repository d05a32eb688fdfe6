package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"proofmark/bridge/token"
	"proofmark/gateway/proof"
)

type proofVerified = proof.Verified

// event is a server-sent event as a browser reads it.
type event struct {
	id      int64 // 0 for none
	name    string
	data    string
	comment bool
}

// stream is an open answer of server-sent events.
type stream struct {
	res    *http.Response
	cancel context.CancelFunc
	in     *bufio.Reader
}

// follow opens a stream behind an event; 0 for all of them.
func (r *rig) follow(path string, after int64) *stream {
	r.t.Helper()
	s, res := r.tryFollow(path, after)
	if s == nil {
		b, _ := io.ReadAll(res.Body)
		r.t.Fatalf("GET %s: %d %s", path, res.StatusCode, b)
	}
	return s
}

func (r *rig) tryFollow(path string, after int64) (*stream, *http.Response) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url(path), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+r.tokens[token.UI])
	if after > 0 {
		q.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	}
	res, err := r.client.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { cancel(); _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		return nil, res
	}
	return &stream{res, cancel, bufio.NewReaderSize(res.Body, 512)}, res
}

// next gives the next event; comments are left out.
func (s *stream) next() (event, error) {
	for {
		e, err := s.any()
		if err != nil || !e.comment {
			return e, err
		}
	}
}

// any gives the next event or comment.
func (s *stream) any() (event, error) {
	var e event
	var data []string
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return e, errGone
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "":
			if strings.HasPrefix(line, ": ") {
				e.comment = true
				continue
			}
			e.data = strings.Join(data, "\n")
			return e, nil
		case "id":
			if e.id, err = strconv.ParseInt(value, 10, 64); err != nil {
				return e, err
			}
		case "event":
			e.name = value
		case "data":
			data = append(data, value)
		}
	}
}

// close cuts the connection.
func (s *stream) close() {
	s.cancel()
	_ = s.res.Body.Close()
}
