package provider

import (
	"bufio"
	"io"
	"mime"
	"net/http"
	"strings"
)

// Whole tells whether an answer is one JSON object though a stream was asked
// for, as some hosts send it. Where the content type leaves that open the first
// character decides; it is not taken out of the body.
func Whole(res *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch {
	case kind == "text/event-stream":
		return false
	case kind == "application/json", strings.HasSuffix(kind, "+json"):
		return true
	}
	in := bufio.NewReader(res.Body)
	res.Body = struct {
		io.Reader
		io.Closer
	}{in, res.Body}
	for n := 1; n <= in.Size(); n++ {
		head, err := in.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c == '{'
		}
	}
	return false
}
