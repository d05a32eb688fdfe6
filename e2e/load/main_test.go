//go:build linux

// Package load drives the real gateway with very many clients at once, good and
// bad, and looks at what it costs: memory, descriptors, goroutines, and whether
// an honest client is served meanwhile. -args -for 60s runs as long as one likes
// (make load); without, five seconds. It also has the benchmarks of a gateway's
// start, its memory at rest, and its answers.
package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	binary  string
	howLong = flag.Duration("for", 5*time.Second, "how long the load lasts")
)

const patience = 60 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	for _, part := range []string{"gateway", "bridge", "internal", "migrations", "go.mod"} { // what go test does not know the binary is made of
		_ = filepath.WalkDir(filepath.Join("..", "..", part), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
	}
	dir, err := os.MkdirTemp("", "proofmark-load-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "proofmark")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", binary, "proofmark/gateway/cmd/proofmark").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the binary: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// gateway is a running program.
type gateway struct {
	t         testing.TB
	port, pid int
	token     string
	cmd       *exec.Cmd
	stdin     io.Closer
	said      *bytes.Buffer // on standard error; to be read when it has ended
}

// own gives a client a token of its own: what one client asks for holds up no other.
func (g *gateway) own(subject string) string {
	g.t.Helper()
	c, err := g.dial()
	if err != nil {
		g.t.Fatal(err)
	}
	defer c.Close()
	body := `{"scope":"ui","subject":"` + subject + `"}`
	_, _ = io.WriteString(c, g.head("POST /v1/tokens", g.auth(), "Content-Type: application/json", "Connection: close", "Content-Length: "+strconv.Itoa(len(body)))+body)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		g.t.Fatal(err)
	}
	defer res.Body.Close()
	var a struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil || a.Token == "" {
		g.t.Fatalf("no token: %d %v", res.StatusCode, err)
	}
	return a.Token
}

// start runs a gateway in a data directory of its own and waits until it is ready.
func start(t testing.TB, data string) *gateway {
	t.Helper()
	g := &gateway{t: t, cmd: exec.Command(binary, "serve", "--owned", "--data-dir", data), said: &bytes.Buffer{}}
	g.cmd.Env = append(os.Environ(), "GOTRACEBACK=all")
	stdin, err := g.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := g.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g.cmd.Stderr = g.said
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var r struct {
		PID, Port int
		Token     string
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &r) != nil {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
		t.Fatalf("the gateway did not start: %v %s", err, g.said)
	}
	g.port, g.pid, g.token, g.stdin = r.Port, r.PID, r.Token, stdin
	return g
}

func (g *gateway) stop() {
	_ = g.stdin.Close()
	late := time.AfterFunc(patience, func() { _ = g.cmd.Process.Kill() })
	if err := g.cmd.Wait(); err != nil || !late.Stop() {
		g.t.Errorf("the gateway ended with %v", err)
	}
}

func (g *gateway) addr() string { return "127.0.0.1:" + strconv.Itoa(g.port) }

func (g *gateway) dial() (net.Conn, error) { return net.DialTimeout("tcp4", g.addr(), 10*time.Second) }

// head begins a request.
func (g *gateway) head(line string, headers ...string) string {
	return line + " HTTP/1.1\r\nHost: " + g.addr() + "\r\n" + strings.Join(append(headers, ""), "\r\n") + "\r\n"
}

func (g *gateway) auth() string { return "Authorization: Bearer " + g.token }

// cost is what a process holds.
type cost struct{ rssKB, peakKB, sockets, files, threads int }

var statusLine = regexp.MustCompile(`(?m)^(VmRSS|VmHWM|Threads):\s+(\d+)`)

func (g *gateway) cost() (c cost) {
	g.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.pid))
	if err != nil {
		g.t.Fatal(err)
	}
	for _, m := range statusLine.FindAllStringSubmatch(string(b), -1) {
		n, _ := strconv.Atoi(m[2])
		switch m[1] {
		case "VmRSS":
			c.rssKB = n
		case "VmHWM":
			c.peakKB = n
		case "Threads":
			c.threads = n
		}
	}
	dir := fmt.Sprintf("/proc/%d/fd", g.pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, e := range list {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			c.sockets++
		} else if err == nil {
			c.files++
		}
	}
	return c
}

var goroutine = regexp.MustCompile(`(?m)^goroutine (\d+) .*$`)

// goroutines ends the program by SIGQUIT, whereupon it tells what each of its
// goroutines does.
func (g *gateway) goroutines() (list []string, dump string) {
	g.t.Helper()
	_ = g.cmd.Process.Signal(syscall.SIGQUIT)
	_ = g.cmd.Wait() // it ends by the signal
	dump = g.said.String()
	return goroutine.FindAllString(dump, -1), dump
}
