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

// parseQuery reads the query of a route, which has these names and no others,
// each once. A token that somebody put there is refused like any other name.
func parseQuery(raw string, names []string) (url.Values, error) {
	q, err := url.ParseQuery(raw)
	if err != nil || len(raw) > maxQueryBytes {
		return nil, core.Errorf(core.BadRequest, "the query cannot be read")
	}
	for name, values := range q {
		if !slices.Contains(names, name) || len(values) != 1 {
			return nil, core.Errorf(core.BadRequest, "the query has a name that is not known, or one twice").With("known", names)
		}
	}
	return q, nil
}

// readBody reads what the head announced, or refuses what is too slow. It takes
// memory for what has come, not for what was announced. The connection has a
// deadline already.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(r.Body)
	if err == nil && int64(len(b)) != r.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, core.Errorf(core.BadRequest, "the body took too long to arrive").With("reason", "slow")
	}
	if err != nil {
		return nil, core.Wrap(core.BadRequest, err, "the body did not arrive")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return b, nil
}
