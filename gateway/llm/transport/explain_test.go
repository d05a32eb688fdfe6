package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/internal/modelserver"
)

// TestStatuses: what each status means, through both SDKs; the provider's words
// are told, the key it repeats is not, and Retry-After arrives.
func TestStatuses(t *testing.T) {
	for status, code := range map[int]core.Code{
		400: core.ModelRefused, 401: core.ModelDenied, 402: core.ModelDenied, 403: core.ModelDenied, 404: core.ModelRefused,
		405: core.ModelRefused, 408: core.ModelBusy, 409: core.ModelBusy, 413: core.ModelRefused, 422: core.ModelRefused,
		425: core.ModelBusy, 429: core.ModelBusy, 500: core.ModelBusy, 501: core.ModelRefused, 502: core.ModelBusy, 503: core.ModelBusy,
		529: core.ModelBusy,
	} {
		reply := modelserver.Reply{Status: status, Text: "Not this way,\n\x1b[31mfriend: " + secret, Header: map[string]string{"Retry-After": "7"}}
		each(t, reply, func(t *testing.T, s *modelserver.Server, call func(context.Context) (string, error)) {
			_, err := call(t.Context())
			e := want(t, err, code, "Not this way, [31mfriend: [key]", "127.0.0.1")
			if e.Hint == "" || e.Detail["status"] != status || strings.ContainsAny(e.Message, "\n\x1b") {
				t.Errorf("%q, hint %q, %v", e.Message, e.Hint, e.Detail)
			}
			if ms, ok := e.Detail["retryAfterMs"]; ok != (code == core.ModelBusy) || (ok && ms != int64(7000)) {
				t.Errorf("%d: %v", status, e.Detail)
			}
			if s.Count() != 1 {
				t.Errorf("%d requests", s.Count())
			}
		})
	}
}

// TestErrorBodies: every shape in use, from the body alone where it stands in a
// stream.
func TestErrorBodies(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		code   core.Code
		word   string
	}{
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, core.ModelDenied, "current quota"},
		{400, `{"error":{"message":"Incorrect API key provided: sk-ab***wxyz.","code":"invalid_api_key"}}`, core.ModelDenied, "provided: [key]"},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`, core.ModelRefused, "prompt is too long"},
		{500, `{"error":{"type":"authentication_error","message":"x"}}`, core.ModelBusy, "status 500"},
		{404, `{"error":"model 'x' not found"}`, core.ModelRefused, "model 'x' not found"},
		{400, `{"object":"error","message":"too many tokens","type":"BadRequestError","code":400}`, core.ModelRefused, "too many tokens"},
		{422, `{"detail":"field required"}`, core.ModelRefused, "field required"},
		{422, `{"detail":[{"loc":["body"]}]}`, core.ModelRefused, `"loc"`},
		{503, `upstream connect error`, core.ModelBusy, "upstream connect error"},
		{502, `<html><h1>Bad gateway</h1>`, core.ModelBusy, "a web page"},
		{500, ``, core.ModelBusy, "cannot answer now (status 500)"},
		{400, `[1]`, core.ModelRefused, "[1]"},
		{400, `{"error":null}`, core.ModelRefused, "null"},
		{200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, core.ModelBusy, "Overloaded"},
		{200, `{"error":{"message":"The server had an error","type":"server_error","code":null}}`, core.ModelBusy, "had an error"},
		{200, `{"error":{"type":"rate_limit_error","message":"x"}}`, core.ModelBusy, "now"},
		{200, `{"error":{"type":"permission_error","message":"x"}}`, core.ModelDenied, "key"},
		{200, `{"error":{"type":"invalid_request_error","message":"x"}}`, core.ModelRefused, "refuses"},
		{200, `{"error":{"code":502,"message":"Provider returned error"}}`, core.ModelBusy, "Provider returned"},
		{200, `{"error":{"message":"what?"}}`, core.ModelBroken, "reports an error: what?"},
		{0, `{"error":{"type":"overloaded_error","message":"x"}}`, core.ModelBusy, "the model's host"},
	} {
		e := Explain(nil, c.status, nil, c.body)
		want(t, e, c.code, c.word)
		if e.Hint == "" {
			t.Errorf("%s: no hint", c.body)
		}
	}
}

// TestLongErrorBody: at most 300 bytes of it are shown.
func TestLongErrorBody(t *testing.T) {
	reply := modelserver.Reply{Status: 400, Body: strings.Repeat("ß x ", 100_000)}
	each(t, reply, func(t *testing.T, _ *modelserver.Server, call func(context.Context) (string, error)) {
		_, err := call(t.Context())
		e := want(t, err, core.ModelRefused, "ß x ß", "…")
		if _, said, _ := strings.Cut(e.Message, "400): "); len(said) > 300 || len(said) < 250 {
			t.Errorf("%d bytes are shown", len(said))
		}
	})
}

func TestRetryAfter(t *testing.T) {
	date := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, value string
		ms            any
	}{
		{"Retry-After", "0", int64(0)},
		{"Retry-After", "1.5", int64(1500)},
		{"Retry-After", "99999999", int64(24 * 60 * 60 * 1000)},
		{"Retry-After", "1e999", int64(24 * 60 * 60 * 1000)},
		{"Retry-After", "-1", nil},
		{"Retry-After", "NaN", nil},
		{"Retry-After", "soon", nil},
		{"Retry-After", date.Add(9 * time.Second).Format(http.TimeFormat), int64(9000)},
		{"Retry-After", date.Add(-9 * time.Second).Format(http.TimeFormat), int64(0)},
		{"Retry-After-Ms", "250", int64(250)},
		{"X-Other", "1", nil},
	} {
		h := http.Header{}
		h.Set(c.header, c.value)
		h.Set("Date", date.Format(http.TimeFormat))
		if got := Explain(nil, 429, h, "").Detail["retryAfterMs"]; got != c.ms {
			t.Errorf("%s %s: %v, want %v", c.header, c.value, got, c.ms)
		}
	}
	far := http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}} // no Date
	if ms, _ := Explain(nil, 503, far, "").Detail["retryAfterMs"].(int64); ms < 59*60*1000 || ms > 60*60*1000 {
		t.Errorf("%d ms", ms)
	}
}

type slow struct{}

func (slow) Error() string { return "slow" }
func (slow) Timeout() bool { return true }

// TestErrorsWithoutAnAnswer: what came out of the network or of the SDK.
func TestErrorsWithoutAnAnswer(t *testing.T) {
	known := core.Errorf(core.ModelBroken, "known")
	at := func(err error) error { return &url.Error{Op: "Post", URL: "https://model.test/v1/x", Err: err} }
	var syntax error = func() error { var v any; return json.Unmarshal([]byte("{"), &v) }()
	var kind error = func() error { var v []int; return json.Unmarshal([]byte("{}"), &v) }()
	for _, c := range []struct {
		err  error
		code core.Code
		word string
	}{
		{at(known), core.ModelBroken, "known"},
		{at(context.Canceled), core.Cancelled, "cancelled"},
		{at(context.DeadlineExceeded), core.Timeout, "too long"},
		{at(&net.DNSError{Err: "no such host", Name: "model.test", IsNotFound: true}), core.ModelUnreachable, "the name model.test is not known"},
		{at(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}), core.ModelUnreachable, "model.test does not accept"},
		{at(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}), core.ModelUnreachable, "cannot be reached"},
		{at(slow{}), core.ModelUnreachable, "cannot be reached"},
		{at(os.ErrDeadlineExceeded), core.ModelUnreachable, "cannot be reached"},
		{at(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}), core.ModelUnreachable, "broke"},
		{at(io.ErrUnexpectedEOF), core.ModelUnreachable, "broke"},
		{syntax, core.ModelBroken, "cannot be understood"},
		{kind, core.ModelBroken, "cannot be understood"},
		{errors.New("net/http: odd " + secret), core.ModelUnreachable, "failed"},
		{nil, core.ModelBroken, "cannot be understood"},
	} {
		e := Explain(c.err, 0, nil, "")
		want(t, e, c.code, c.word)
	}
}

// TestConnectTimeout: that connecting took too long is not the caller's
// deadline, so it may be tried again.
func TestConnectTimeout(t *testing.T) {
	_, err := (&net.Dialer{Deadline: time.Now().Add(-time.Second)}).DialContext(t.Context(), "tcp", "127.0.0.1:1")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("net says %v", err)
	}
	_, err = through(t, t.Context(), fake(func(*http.Request) (*http.Response, error) { return nil, err }))
	want(t, err, core.ModelUnreachable, "model.test cannot be reached")
}
