package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// served is a running gateway that the test owns.
type served struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.Closer
	errs  bytes.Buffer

	Ready  bool
	PID    int
	Port   int
	Launch string
	Token  string
}

// serve starts serve --owned and waits until it is ready; ok is false where it
// ended instead.
func (d *desk) serve(t *testing.T) (s *served, ok bool) {
	t.Helper()
	s = &served{t: t, cmd: exec.Command(binary, "serve", "--owned")}
	s.cmd.Dir = d.dir
	s.cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data), d.env...)
	s.cmd.Stderr = &s.errs
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = stdin
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() && json.Unmarshal(lines.Bytes(), s) == nil && s.Ready {
		t.Cleanup(func() { s.end() })
		return s, true
	}
	_ = s.stdin.Close()
	_ = s.cmd.Wait() // the state tells
	return s, false
}

// mustServe is serve for a gateway that has to start.
func (d *desk) mustServe(t *testing.T) *served {
	t.Helper()
	s, ok := d.serve(t)
	if !ok {
		t.Fatalf("the gateway did not start: %s\n%s", s.cmd.ProcessState, s.errs.String())
	}
	return s
}

// end lets the gateway end and gives its exit code. It may have ended.
func (s *served) end() int {
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// reply is what the gateway answered.
type reply struct {
	status int
	body   string
}

// ask sends a request with the desktop's token, or with the headers given.
func (s *served) ask(method, path, body string, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequest(method, "http://127.0.0.1:"+strconv.Itoa(s.Port)+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{res.StatusCode, string(b)}
}

// open opens a page over the API and gives its document's id.
func (s *served) open(path string) string {
	s.t.Helper()
	b, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		s.t.Fatal(err)
	}
	r := s.ask("POST", "/v1/documents", string(b))
	if r.status != 200 {
		s.t.Fatalf("%+v", r)
	}
	return decode[struct{ ID string }](s.t, r.body).ID
}

// TestServeAfterKill: a gateway that was killed leaves nothing that keeps the
// next one from starting, and its token opens nothing (R-SEC-2).
func TestServeAfterKill(t *testing.T) {
	d := newDesk(t)
	first := d.mustServe(t)
	if r := first.ask("GET", "/v1/health", ""); r.status != 200 {
		t.Fatalf("%+v", r)
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()
	if _, err := os.Stat(filepath.Join(d.data, "gateway.json")); err != nil {
		t.Errorf("a killed gateway cannot tidy up: %v", err)
	}
	second := d.mustServe(t)
	if second.Launch == first.Launch || second.Token == first.Token {
		t.Error("the second start is not told from the first")
	}
	if r := second.ask("GET", "/v1/health", "", "Authorization", "Bearer "+first.Token); r.status != 401 {
		t.Errorf("the token of a killed gateway: %+v", r)
	}
	if code := second.end(); code != 0 {
		t.Errorf("exit %d: %s", code, second.errs.String())
	}
	if _, err := os.Stat(filepath.Join(d.data, "gateway.json")); !os.IsNotExist(err) {
		t.Errorf("the file of a gateway that ended is there: %v", err)
	}
}

// TestManyServesAtOnce: of many that start at once on a data directory one
// serves, and the others say so.
func TestManyServesAtOnce(t *testing.T) {
	d := newDesk(t)
	type start struct {
		s  *served
		ok bool
	}
	const n = 6
	all := make(chan start, n)
	for range n {
		go func() {
			s, ok := d.serve(t)
			all <- start{s, ok}
		}()
	}
	ready := 0
	for range n {
		switch st := <-all; {
		case st.ok:
			ready++
		case st.s.cmd.ProcessState.ExitCode() != 3 || !strings.Contains(st.s.errs.String(), "running already"):
			t.Errorf("exit %d: %s", st.s.cmd.ProcessState.ExitCode(), st.s.errs.String())
		}
	}
	if ready != 1 {
		t.Errorf("%d gateways serve", ready)
	}
}

// TestKillReachesTheGateway: what kill switched off, from another process, is
// refused by a running gateway from then on; what can be read can be read, and
// unkill brings it back (R-SEC-6, D-113).
func TestKillReachesTheGateway(t *testing.T) {
	d := newDesk(t)
	path := d.write("page.html", small)
	s := d.mustServe(t)
	doc := s.open(path)
	d.want(0, "kill", "documentWorkbenchResources", "--reason", "incident 12")
	h := s.ask("GET", "/v1/health", "")
	if h.status != 200 || strings.Count(h.body, `"on":false`) != 2 || !strings.Contains(h.body, "incident 12") {
		t.Errorf("%+v", h)
	}
	for _, q := range []struct{ method, path, body string }{
		{"POST", "/v1/documents", `{"path":"` + path + `"}`},
		{"POST", "/v1/documents/" + doc + "/previews", `{"version":"","width":0,"height":0,"allowOrigins":[]}`},
	} {
		if r := s.ask(q.method, q.path, q.body); r.status != 403 || !strings.Contains(r.body, `"feature_off"`) {
			t.Errorf("%s %s: %+v", q.method, q.path, r)
		}
	}
	for _, p := range []string{"/v1/documents", "/v1/documents/" + doc, "/v1/documents/" + doc + "/revisions", "/v1/documents/" + doc + "/changes"} {
		if r := s.ask("GET", p, ""); r.status != 200 {
			t.Errorf("GET %s: %+v", p, r)
		}
	}
	d.want(0, "unkill", "documentWorkbenchResources")
	if s.open(path) != doc {
		t.Error("another document")
	}
}
