//go:build unix

package attacks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds whatever waits for the program; nothing is expected to take
// nearly as long.
const patience = 60 * time.Second

const session = "s"

const plainPage = "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>Plain</title></head>\n" +
	"<body><h1>Old news</h1>\n<p id=a>first</p>\n<p id=b>second</p>\n</body></html>\n"

// gateway is a running program, as the desktop starts it.
type gateway struct {
	t         testing.TB
	dir, data string // of pages, of the program
	env       []string
	port, pid int
	launch    string
	desktop   string            // its owner's token
	minted    map[string]string // others, by scope
	cmd       *exec.Cmd
	stdin     io.Closer
	ended     chan struct{} // closed when the process has ended
}

// start runs a gateway, with the environment widened by env.
func start(t testing.TB, env ...string) *gateway {
	t.Helper()
	g := &gateway{t: t, dir: t.TempDir(), data: filepath.Join(t.TempDir(), "data"), env: env}
	g.begin()
	t.Cleanup(g.stop)
	return g
}

// begin starts the process; it can be called again when it has ended.
func (g *gateway) begin() {
	g.t.Helper()
	g.cmd = exec.Command(binary, "serve", "--owned", "--data-dir", g.data)
	g.cmd.Env = append(os.Environ(), g.env...)
	stdin, err := g.cmd.StdinPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	stdout, err := g.cmd.StdoutPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	var said bytes.Buffer
	g.cmd.Stderr = &said
	if err := g.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = g.cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	late.Stop()
	var r struct {
		PID, Port     int
		Token, Launch string
	}
	if err != nil || json.Unmarshal(line, &r) != nil || r.Token == "" {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
		g.t.Fatalf("the gateway did not start: %v %q\n%s", err, line, said.String())
	}
	g.port, g.pid, g.launch, g.desktop, g.stdin, g.minted = r.Port, r.PID, r.Launch, r.Token, stdin, map[string]string{}
	ended := make(chan struct{})
	g.ended = ended
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(ended) }(g.cmd)
}

// stop ends the process as its owner does, and fails the test where it does not.
func (g *gateway) stop() {
	_ = g.stdin.Close()
	select {
	case <-g.ended:
	case <-time.After(patience):
		_ = g.cmd.Process.Kill()
		<-g.ended
		g.t.Error("the gateway did not end when its owner did")
	}
}

// kill ends the process as nobody should.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill()
	<-g.ended
}

// token gives a token of a scope, the same each time; an agent gets its own by the
// runtime file, see agent.
func (g *gateway) token(scope string) string {
	g.t.Helper()
	switch {
	case scope == "desktop":
		return g.desktop
	case g.minted[scope] == "":
		g.minted[scope] = g.mint(scope, "attack")
	}
	return g.minted[scope]
}

func (g *gateway) mint(scope, subject string) string {
	g.t.Helper()
	if scope == "agent" {
		return g.agent()
	}
	return as[struct{ Token string }](g.call("POST", "/v1/tokens", map[string]string{"scope": scope, "subject": subject}).want(200)).Token
}

// in gives the same gateway to a part of the test.
func (g *gateway) in(t testing.TB) *gateway {
	c := *g
	c.t = t
	return &c
}

// reply is an answer.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   string
	closed bool // the server said nothing and closed
}

// want fails the test unless the status is as wanted.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: %d, want %d: %.400s", r.what, r.status, status, r.body)
	}
	return r
}

// code gives a refusal's code.
func (r reply) code() string {
	var b struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(r.body), &b)
	return b.Error.Code
}

// refused fails the test unless the answer refuses with one of the statuses and
// allows no other origin anything.
func (r reply) refused(statuses ...int) {
	r.t.Helper()
	if !r.closed && !slices.Contains(statuses, r.status) {
		r.t.Errorf("%s: %d, want one of %v: %.200s", r.what, r.status, statuses, r.body)
	}
	r.allowsNothing()
}

func (r reply) allowsNothing() {
	r.t.Helper()
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			r.t.Errorf("%s: another origin is allowed something: %s", r.what, name)
		}
	}
}

func as[T any](r reply) (v T) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		r.t.Fatalf("%s: %v: %.200s", r.what, err, r.body)
	}
	return v
}

var client = &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}, Timeout: 2 * time.Minute}

// call sends a request as the owner does.
func (g *gateway) call(method, path string, body any) reply {
	g.t.Helper()
	return g.with(g.desktop, method, path, body)
}

// with sends a request with a token.
func (g *gateway) with(token, method, path string, body any) reply {
	g.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, g.url(path), in)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		g.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return reply{t: g.t, what: method + " " + path, status: res.StatusCode, header: res.Header, body: string(b)}
}

func (g *gateway) url(path string) string { return "http://" + g.addr() + path }
func (g *gateway) addr() string           { return "127.0.0.1:" + strconv.Itoa(g.port) }
func (g *gateway) host() string           { return "Host: " + g.addr() }
func (g *gateway) auth() string           { return "Authorization: Bearer " + g.desktop }

// dial opens a connection that ends with the test.
func (g *gateway) dial() net.Conn {
	g.t.Helper()
	c, err := net.Dial("tcp4", g.addr())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return c
}

// raw sends bytes as they are and reads one answer.
func (g *gateway) raw(name, text string) reply {
	g.t.Helper()
	c := g.dial()
	defer c.Close()
	_, _ = io.WriteString(c, text) // the server may close before all is sent
	method, _, _ := strings.Cut(text, " ")
	return g.answer(name, method, bufio.NewReader(c))
}

func (g *gateway) answer(name, method string, in *bufio.Reader) reply {
	g.t.Helper()
	res, err := http.ReadResponse(in, &http.Request{Method: method})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		g.t.Fatalf("%s: no answer and no end", name)
	}
	if err != nil {
		return reply{t: g.t, what: name, closed: true}
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return reply{t: g.t, what: name, status: res.StatusCode, header: res.Header, body: string(b)}
}

// request writes a request's head.
func request(line string, headers ...string) string {
	return line + "\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n"
}

// post writes a request with a body.
func post(path, body string, headers ...string) string {
	return request("POST "+path+" HTTP/1.1", append(headers, "Content-Length: "+strconv.Itoa(len(body)))...) + body
}

// alive fails the test unless the gateway still serves its owner.
func (g *gateway) alive() {
	g.t.Helper()
	g.call("GET", "/v1/health", nil).want(200)
}

// write makes a file among the pages.
func (g *gateway) write(name, text string) string {
	g.t.Helper()
	path := filepath.Join(g.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		g.t.Fatal(err)
	}
	return path
}

func (g *gateway) read(name string) string {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.dir, name))
	if err != nil {
		g.t.Fatal(err)
	}
	return string(b)
}

// open opens a page as a document and gives its id.
func (g *gateway) open(name string) string {
	g.t.Helper()
	return as[struct{ ID string }](g.call("POST", "/v1/documents", map[string]string{"path": filepath.Join(g.dir, name)}).want(200)).ID
}

// state is all that an attack could have changed, as the owner sees it.
func (g *gateway) state() string {
	g.t.Helper()
	var b strings.Builder
	list := g.call("GET", "/v1/documents", nil).want(200)
	b.WriteString(list.body)
	for _, d := range as[struct{ Documents []struct{ ID string } }](list).Documents {
		for _, part := range []string{"/audit", "/revisions", "/changes", "/edits", "/annotations?session=" + session} {
			b.WriteString(g.call("GET", "/v1/documents/"+d.ID+part, nil).want(200).body)
		}
	}
	b.WriteString(g.call("GET", "/v1/previews", nil).want(200).body)
	files, err := os.ReadDir(g.dir)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, f := range files {
		if f.Type().IsRegular() {
			b.WriteString(f.Name() + g.read(f.Name()))
		}
	}
	return b.String()
}

// logged counts lines of the gateway's log by what they tell.
func (g *gateway) logged(msg, code string) (n int) {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.data, "logs", "gateway.log"))
	if err != nil {
		g.t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var l struct{ Msg, Code string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == msg && l.Code == code {
			n++
		}
	}
	return n
}

// run calls another command of the program on the same data directory.
func (g *gateway) run(args ...string) (code int, stdout, stderr string) {
	g.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = g.dir
	cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+g.data), g.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		g.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
