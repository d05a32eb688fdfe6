package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"proofmark/gateway/core"
)

// Explain says what went wrong with a call: err as it came out of the SDK, or
// the status, header and body of an answer, or (status 200) the body of an error
// event inside a stream. An err that already is a *core.Error stays as it is.
// Where the host says how long to wait, Detail "retryAfterMs" holds it, an int64
// in milliseconds. At most 300 bytes of the body are shown, on one line, with
// what looks like a key taken out; Scrub takes out one that is known.
func Explain(err error, status int, header http.Header, body string) *core.Error {
	return explain(err, status, header, body, "", nil)
}

func explain(err error, status int, header http.Header, body, host string, secrets []string) *core.Error {
	var known *core.Error
	if errors.As(err, &known) {
		return known
	}
	if e := ended(err); e != nil {
		return e
	}
	host = hostOf(err, host)
	if status >= 300 || (err == nil && body != "") {
		return answered(status, header, body, host, secrets)
	}
	if err == nil {
		return core.Errorf(core.ModelBroken, "the answer of %s cannot be understood", host).In("transport")
	}
	return network(err, host, secrets)
}

// hostOf names the host in a sentence: the one known, else the one err tells.
func hostOf(err error, host string) string {
	if host != "" {
		return host
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		if u, perr := url.Parse(ue.URL); perr == nil && u.Host != "" {
			return u.Host
		}
	}
	return "the model's host"
}

// ended tells of a call that the caller ended.
func ended(err error) *core.Error {
	switch {
	case errors.Is(err, context.Canceled):
		return core.Wrap(core.Cancelled, context.Canceled, "the call of the model was cancelled").In("transport")
	case errors.Is(err, context.DeadlineExceeded):
		return core.Wrap(core.Timeout, context.DeadlineExceeded, "the model took too long").In("transport").
			WithHint("try again, or use a faster model")
	}
	return nil
}

// network says what an error without an answer was.
func network(err error, host string, secrets []string) *core.Error {
	cause := errors.New(clean(Scrub(err.Error(), secrets...), maxExcerptBytes))
	unreachable := func(hint, format string, args ...any) *core.Error {
		return core.Wrap(core.ModelUnreachable, cause, format, args...).In("transport").WithHint("%s", hint)
	}
	var (
		dns     *net.DNSError
		op      *net.OpError
		cert    *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		record  tls.RecordHeaderError
		syntax  *json.SyntaxError
		kind    *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &dns):
		return unreachable("check the base address, and that this machine is online", "the name %s is not known", host)
	case errors.As(err, &cert), errors.As(err, &unknown):
		return unreachable("check the base address; a certificate of your own must be known to the system", "the certificate of %s is not trusted", host)
	case errors.As(err, &record):
		return unreachable("check the base address: http and https may be mixed up", "%s does not speak https", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return unreachable("check that the model's server is running, and the base address", "%s does not accept connections", host)
	case errors.As(err, &op) && op.Op == "dial", errors.Is(err, os.ErrDeadlineExceeded), timedOut(err):
		return unreachable("check the base address, and that this machine is online", "%s cannot be reached", host)
	case errors.As(err, &syntax), errors.As(err, &kind):
		return core.Wrap(core.ModelBroken, cause, "the answer of %s cannot be understood", host).In("transport").
			WithHint("check that the base address is one of the wire format configured")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.As(err, &op):
		return unreachable("try again", "the connection to %s broke", host)
	}
	return unreachable("try again", "the call to %s failed", host)
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// problem is what an error body says.
type problem struct {
	status        int // where the body names one
	kind, message string
}

// words of providers, in type or code, and what they mean.
var words = []struct {
	word string
	code core.Code
}{
	{"insufficient_quota", core.ModelDenied},
	{"billing", core.ModelDenied},
	{"authentication", core.ModelDenied},
	{"invalid_api_key", core.ModelDenied},
	{"permission", core.ModelDenied},
	{"overloaded", core.ModelBusy},
	{"rate_limit", core.ModelBusy},
	{"server_error", core.ModelBusy},
	{"api_error", core.ModelBusy},
	{"timeout_error", core.ModelBusy},
	{"unavailable", core.ModelBusy},
	{"invalid_request", core.ModelRefused},
	{"not_found", core.ModelRefused},
	{"too_large", core.ModelRefused},
	{"context_length", core.ModelRefused},
	{"content_filter", core.ModelRefused},
}

// answered says what an error answer, or an error event in a stream, means.
func answered(status int, header http.Header, body, host string, secrets []string) *core.Error {
	p := parse(body)
	if status < 300 && p.status >= 300 {
		status = p.status
	}
	code := codeOf(status, p.kind)
	said := clean(Scrub(p.message, secrets...), maxExcerptBytes)
	e := core.Errorf(code, "%s", sentence(code, status, host, said)).In("transport")
	if status >= 300 {
		e.With("status", status)
	}
	if ms, ok := retryAfter(header); ok && code == core.ModelBusy {
		e.With("retryAfterMs", ms)
	}
	switch code {
	case core.ModelDenied:
		return e.WithHint("check the key, and that its account may use this model: proofmark models --check")
	case core.ModelBusy:
		return e.WithHint("try again in a moment")
	case core.ModelRefused:
		if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			return e.WithHint("check the model's name and the base address: proofmark models --check")
		}
		return e.WithHint("the request does not suit this model; try another one")
	}
	return e.WithHint("try again, or another model")
}

// codeOf names the code: what the body says of money and keys weighs more than
// the status, the status more than the rest.
func codeOf(status int, kind string) core.Code {
	word := core.ModelBroken
	for _, w := range words {
		if strings.Contains(kind, w.word) {
			word = w.code
			break
		}
	}
	switch {
	case status < 300:
		return word
	case word == core.ModelDenied && status < 500:
		return core.ModelDenied
	}
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired:
		return core.ModelDenied
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return core.ModelBusy
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return core.ModelRefused
	}
	if status >= http.StatusInternalServerError {
		return core.ModelBusy
	}
	return core.ModelRefused
}

func sentence(code core.Code, status int, host, said string) string {
	what := map[core.Code]string{
		core.ModelDenied:  "does not let this key use the model",
		core.ModelBusy:    "cannot answer now",
		core.ModelRefused: "refuses the request",
		core.ModelBroken:  "reports an error",
	}[code]
	s := host + " " + what
	if status >= 300 {
		s += " (status " + strconv.Itoa(status) + ")"
	}
	if said != "" {
		s += ": " + said
	}
	return s
}

// parse reads an error body of any of the shapes in use:
// {"error":{"message","type","code"}}, {"error":"…"}, {"message":"…","type"},
// {"detail":"…"}, and plain text.
func parse(body string) problem {
	body = strings.TrimSpace(body)
	var top map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &top) != nil {
		if strings.HasPrefix(body, "<") {
			return problem{message: "it sent a web page"}
		}
		return problem{message: body}
	}
	inner := top
	var nested map[string]json.RawMessage
	if json.Unmarshal(top["error"], &nested) == nil && nested != nil {
		inner = nested
	}
	p := problem{}
	for _, name := range []string{"type", "code", "status"} {
		p.kind += " " + str(inner[name])
	}
	p.kind = strings.ToLower(p.kind)
	var number int
	if json.Unmarshal(inner["code"], &number) == nil {
		p.status = number
	}
	for _, m := range []string{str(inner["message"]), str(top["error"]), str(inner["detail"]), body} {
		if m != "" {
			p.message = m
			break
		}
	}
	return p
}

func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// retryAfter reads how long the host asks to wait, in milliseconds.
func retryAfter(h http.Header) (int64, bool) {
	if ms, ok := number(h.Get("Retry-After-Ms")); ok {
		return wait(ms)
	}
	v := h.Get("Retry-After")
	if s, ok := number(v); ok {
		return wait(s * 1000)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(h.Get("Date")) // by the host's own clock
	if err != nil {
		now = time.Now()
	}
	return wait(float64(at.Sub(now).Milliseconds()))
}

// number reads a number that is not negative; one too large is infinite.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, n >= 0 && (err == nil || errors.Is(err, strconv.ErrRange))
}

// wait bounds a wait in milliseconds to a day.
func wait(ms float64) (int64, bool) {
	const longest = 24 * 60 * 60 * 1000
	return int64(max(0, min(ms, longest))), true
}
