package edge

import (
	"encoding/json"
	"net/http"
	"time"

	"proofmark/gateway/core"
)

// protect sets the headers every answer has: it is nobody's page, frame, script
// or cache entry.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
}

// bodyGrace is how long the body of a refused request may go on arriving, so that
// whoever sends it to its end reads the refusal.
const bodyGrace = time.Second

// Body is the JSON of every refusal.
type Body struct {
	Error Refusal `json:"error"`
}

// Refusal is a core.Error as it goes out; the cause stays inside.
type Refusal struct {
	Code    core.Code      `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint"`
	Detail  map[string]any `json:"detail"`
}

// Refuse writes an error as the answer, with the status of its code.
func Refuse(w http.ResponseWriter, err *core.Error) {
	b := Body{Refusal{Code: err.Code, Message: err.Message, Hint: err.Hint, Detail: err.Detail}}
	if b.Error.Detail == nil {
		b.Error.Detail = map[string]any{}
	}
	text, jsonErr := json.Marshal(b)
	if jsonErr != nil { // a detail that is no JSON
		b.Error.Detail = map[string]any{}
		text, _ = json.Marshal(b)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	switch err.Code {
	case core.Unauthenticated:
		h.Set("WWW-Authenticate", "Bearer")
	case core.RateLimited:
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(Status(err))
	_, _ = w.Write(append(text, '\n')) // whoever asked may have gone
}

// Wrap lets only those requests through to next that Admit lets in, with the
// caller in their context. refused, if any, is told of each other one.
func (g *Guard) Wrap(next http.Handler, refused func(*http.Request, *core.Error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		caller, err := g.Admit(r)
		if err != nil {
			if refused != nil {
				refused(r, err)
			}
			w.Header().Set("Connection", "close") // and with it what of the body was not read
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyGrace))
			Refuse(w, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(caller.With(r.Context())))
	})
}
