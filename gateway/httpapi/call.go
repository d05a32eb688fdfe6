package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/edge"
	"proofmark/internal/strictjson"
)

// bodyTimeout is how long a body may take to arrive.
const bodyTimeout = 15 * time.Second

// call is one request on its way through a handler.
type call struct {
	context.Context
	r      *http.Request
	w      http.ResponseWriter
	caller edge.Caller
	body   []byte
	query  url.Values
}

// path gives what stands at a name of the route's pattern.
func (c *call) path(name string) string { return c.r.PathValue(name) }

// actor is who an audit row says it was.
func (c *call) actor() string { return string(c.caller.Scope) }

// read takes the body as JSON into v.
func (c *call) read(v any) error {
	if err := strictjson.Unmarshal(c.body, v); err != nil {
		return core.Errorf(core.BadRequest, "the body cannot be read: %v", err)
	}
	return nil
}

// only refuses queries with other names, or one twice.
func (c *call) only(names ...string) error {
	for name, values := range c.query {
		if !slices.Contains(names, name) || len(values) != 1 {
			return core.Errorf(core.BadRequest, "the query has a name that is not known, or one twice").With("known", names)
		}
	}
	return nil
}

// number reads a whole number of the query, from min to max; without it, or.
func (c *call) number(name string, or, least, most int64) (int64, error) {
	text := c.query.Get(name)
	if text == "" {
		return or, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, core.Errorf(core.BadRequest, "%s must be a number from %d to %d", name, least, most)
	}
	return n, nil
}

// readBody reads what the head announced, or refuses what is too slow.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		return nil, core.Errorf(core.TooLarge, "this takes a body of at most %d bytes", most).With("maxBytes", most)
	}
	if r.ContentLength == 0 {
		return nil, nil
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout)) // every real connection has one
	b := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, core.Errorf(core.BadRequest, "the body took too long to arrive").With("reason", "slow")
	}
	if err != nil {
		return nil, core.Wrap(core.BadRequest, err, "the body did not arrive")
	}
	_ = rc.SetReadDeadline(time.Time{})
	return b, nil
}
