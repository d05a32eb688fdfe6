package selfcheck

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	askPatience    = 10 * time.Second
	maxAnswerBytes = 1 << 20
	jsonType       = "Content-Type: application/json"
)

// answer is what came back of one request.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends one request as it is written, on a connection of its own.
func (t *target) ask(ctx context.Context, method, path, body string, headers ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	return ask(ctx, t.port, method, path, body, headers...)
}

func ask(ctx context.Context, port int, method, path, body string, headers ...string) (answer, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	head := method + " " + path + " HTTP/1.1\r\n" + strings.Join(headers, "\r\n") + "\r\nConnection: close\r\n"
	if body != "" {
		head += "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	_, _ = io.WriteString(c, head+"\r\n"+body) // it may be refused before all of it is sent
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes)) // cut where the rest of the request was not read
	return answer{res.StatusCode, res.Header, string(b)}, nil
}

func (t *target) host() string { return fmt.Sprintf("Host: 127.0.0.1:%d", t.port) }
func (t *target) auth() string { return "Authorization: Bearer " + t.token }

// attempt is a request and the status it should get.
type attempt struct {
	name, method, path, body string
	headers                  []string
	want                     int
}

// try sends all and gives what was not answered as it should be.
func (t *target) try(ctx context.Context, list []attempt) (wrong []string) {
	for _, at := range list {
		a, err := t.ask(ctx, at.method, at.path, at.body, at.headers...)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("%s: no answer (%v)", at.name, err))
		case a.status != at.want:
			wrong = append(wrong, fmt.Sprintf("%s: answered with %d, not %d", at.name, a.status, at.want))
		default:
			for name := range a.header {
				if strings.HasPrefix(name, "Access-Control-") {
					wrong = append(wrong, at.name+": another page is allowed something ("+name+")")
				}
			}
		}
	}
	return wrong
}

const (
	health    = "/v1/health"
	documents = "/v1/documents"
)

// hosts tries other names of this machine: a page whose own name was made to
// point here (DNS rebinding) sends its own.
func (t *target) hosts(ctx context.Context) Check {
	list := []attempt{{"its own address", "GET", health, "", []string{t.host(), t.auth()}, 200}}
	port := strconv.Itoa(t.port)
	for _, h := range []string{
		"evil.test:" + port, "localhost:" + port, "localhost", "x.localhost:" + port, "127.0.0.1", "127.0.0.1:1", "127.0.0.1.:" + port, "127.1:" + port,
		"2130706433:" + port, "0.0.0.0:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "127.0.0.1.nip.io:" + port, "",
	} {
		list = append(list, attempt{"the host " + strconv.Quote(h), "GET", health, "", []string{"Host: " + h, t.auth()}, 421})
	}
	return result("host", t.try(ctx, list), "", "%d other names are refused, with a valid token too", len(list)-1)
}

// origins tries what browsers send for other pages.
func (t *target) origins(ctx context.Context) Check {
	list := []attempt{{"no page", "GET", health, "", []string{t.host(), t.auth()}, 200}}
	port := strconv.Itoa(t.port)
	for _, o := range []string{
		"https://evil.test", "null", "https://127.0.0.1:" + port, "http://localhost:" + port, "http://localhost:3000", "http://127.0.0.1.evil.test",
		"file://", "chrome-extension://abcdefghijklmnop", "vscode-webview://x", "",
	} {
		list = append(list, attempt{"the origin " + strconv.Quote(o), "GET", health, "", []string{t.host(), t.auth(), "Origin: " + o}, 403})
	}
	for _, s := range []string{"cross-site", "same-site"} {
		list = append(list, attempt{"a " + s + " page", "GET", health, "", []string{t.host(), t.auth(), "Sec-Fetch-Site: " + s}, 403})
	}
	list = append(list, attempt{"a preflight", "OPTIONS", documents, "", []string{
		t.host(), "Origin: https://evil.test", "Access-Control-Request-Method: POST", "Access-Control-Request-Private-Network: true",
	}, 403})
	refused := len(list) - 2
	list = append(
		list,
		attempt{"the workbench without a token", "GET", health, "", []string{t.host(), "Origin: http://127.0.0.1:" + port, "Sec-Fetch-Site: same-origin"}, 401},
		attempt{"the workbench's page in another's frame", "GET", "/", "", []string{t.host(), "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: iframe"}, 403},
	)
	return result("origin", t.try(ctx, list), "", "%d kinds of pages and a preflight are refused; no answer allows another origin anything", refused)
}

// tokens tries credentials that open nothing.
func (t *target) tokens(ctx context.Context) Check {
	list := []attempt{{"the valid token", "GET", documents, "", []string{t.host(), t.auth()}, 200}}
	for name, h := range map[string]string{
		"no token": "X-None: 1", "an empty one": "Authorization:", "another word": "Authorization: Bearer x", "one cut short": t.auth()[:len(t.auth())-1],
		"one changed": t.auth() + "x", "a password": "Authorization: Basic dTpw", "a cookie": "Cookie: token=" + t.token,
		"lower case": "Authorization: bearer " + t.token, "two tokens": t.auth() + "\r\n" + t.auth(), "a forged page": "Sec-Fetch-Site: same-origin",
		"no signature": "Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzY29wZSI6ImRlc2t0b3AifQ.",
	} {
		list = append(list, attempt{name, "GET", documents, "", []string{t.host(), h}, 401})
	}
	list = append(
		list,
		attempt{"a token in the address", "GET", documents + "?token=" + t.token, "", []string{t.host()}, 401},
		attempt{"a preview's token for the documents", "GET", documents, "", []string{t.host(), "Authorization: Bearer " + t.preview}, 403},
		attempt{"a preview's token for a new token", "POST", "/v1/tokens", `{"scope":"ui","subject":"x"}`, []string{t.host(), "Authorization: Bearer " + t.preview, jsonType}, 403},
		attempt{"a preview's token to end the gateway", "POST", "/v1/shutdown", "", []string{t.host(), "Authorization: Bearer " + t.preview, "Content-Length: 0"}, 403},
		attempt{"a route that is not there, without a token", "GET", "/v1/nothing", "", []string{t.host()}, 401},
	)
	return result("token", t.try(ctx, list), "", "%d requests without a right to what they ask for are refused", len(list)-1)
}

// bodies tries what a form or a script of another page can send without asking.
func (t *target) bodies(ctx context.Context) Check {
	list := []attempt{}
	for _, ct := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html", "application/json; charset=utf-16"} {
		list = append(list, attempt{"a body as " + ct, "POST", documents, `{"path":"/x.html"}`, []string{t.host(), t.auth(), "Content-Type: " + ct}, 415})
	}
	list = append(
		list,
		attempt{"a packed body", "POST", documents, "x", []string{t.host(), t.auth(), jsonType, "Content-Encoding: gzip"}, 415},
		attempt{"a body of unknown length", "POST", documents, "", []string{t.host(), t.auth(), jsonType, "Transfer-Encoding: chunked"}, 411},
		attempt{"a body without end", "POST", documents, "", []string{t.host(), t.auth(), jsonType, "Content-Length: 1000000000"}, 413},
		attempt{"no JSON", "POST", documents, "{", []string{t.host(), t.auth(), jsonType}, 400},
		attempt{"a name twice", "POST", documents, `{"path":"/a","path":"/b"}`, []string{t.host(), t.auth(), jsonType}, 400},
		attempt{"deep JSON", "POST", documents, strings.Repeat("[", 10_000), []string{t.host(), t.auth(), jsonType}, 400},
		attempt{"a long head", "GET", health, "", []string{t.host(), t.auth(), "X: " + strings.Repeat("x", 64<<10)}, 431},
	)
	return result("bodies", t.try(ctx, list), "", "%d bodies and heads that are no plain, bounded JSON are refused", len(list))
}

// protection are the headers every answer has.
var protection = map[string]string{
	"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer",
	"Content-Security-Policy": "default-src 'none'",
}

// answers looks whether what is answered can be a page, a script or a cache entry.
func (t *target) answers(ctx context.Context) Check {
	var wrong []string
	for name, headers := range map[string][]string{"an answer": {t.host(), t.auth()}, "a refusal": {t.host()}} {
		a, err := t.ask(ctx, "GET", health, "", headers...)
		if err != nil {
			wrong = append(wrong, name+": "+err.Error())
		}
		for h, want := range protection {
			if !strings.Contains(a.header.Get(h), want) {
				wrong = append(wrong, fmt.Sprintf("%s has no %s: %s", name, h, want))
			}
		}
		if len(a.header["Set-Cookie"]) > 0 || a.header.Get("Content-Type") != "application/json" {
			wrong = append(wrong, name+" is more than JSON")
		}
	}
	return result("answers", wrong, "", "answers and refusals are JSON that no page can show, run or keep")
}
