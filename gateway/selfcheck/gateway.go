package selfcheck

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/discover"
)

const (
	startPatience = 30 * time.Second // for a gateway to say that it is ready
	endPatience   = 30 * time.Second // for it to end
	dialPatience  = time.Second      // for a connection that should be refused
)

// target is a gateway that is tried.
type target struct {
	port    int
	token   string // that opens everything
	preview string // that opens one preview and nothing else
	pid     int
	dir     string
}

// child is a gateway of our own.
type child struct {
	target
	cmd   *exec.Cmd
	stdin io.Closer
}

var gatewayNames = []string{"listener", "host", "origin", "token", "bodies", "answers", "handshake", "secrets", "end"}

// gatewayChecks starts a gateway in an empty data directory and tries it.
func gatewayChecks(ctx context.Context, c Config) []Check {
	root, err := os.MkdirTemp("", "proofmark-security-")
	if err != nil {
		return failed(err, gatewayNames...)
	}
	defer os.RemoveAll(root)
	g, err := start(ctx, c, filepath.Join(root, "data"))
	if err != nil {
		return failed(err, gatewayNames...)
	}
	defer g.kill()
	out := []Check{g.listener(ctx), g.hosts(ctx), g.origins(ctx), g.tokens(ctx), g.bodies(ctx), g.answers(ctx), g.handshake(ctx, root), g.secrets()}
	return append(out, g.end(ctx))
}

func start(ctx context.Context, c Config, dir string) (*child, error) {
	cmd := c.Gateway(ctx, dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said := &tail{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g := &child{cmd: cmd, stdin: stdin, target: target{pid: cmd.Process.Pid, dir: dir}}
	late := time.AfterFunc(startPatience, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(io.LimitReader(stdout, 64<<10)).ReadBytes('\n')
	late.Stop()
	var ready struct {
		Port  int
		Token string
	}
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err == nil && (ready.Port == 0 || ready.Token == "") {
		err = errors.New("it did not say where it is")
	}
	if err != nil {
		g.kill() // and with it all it had to say is here
		return nil, fmt.Errorf("the gateway did not start: %w %s", err, bytes.TrimSpace(said.b))
	}
	g.port, g.token = ready.Port, ready.Token
	a, err := g.ask(ctx, "POST", "/v1/tokens", `{"scope":"preview","subject":"prv_selfcheck"}`, g.host(), g.auth(), jsonType)
	var minted struct{ Token string }
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &minted)
	}
	if err != nil || minted.Token == "" {
		g.kill()
		return nil, fmt.Errorf("the gateway gives no token for a preview (%d): %w", a.status, err)
	}
	g.preview = minted.Token
	return g, nil
}

// tail keeps the end of what a program said.
type tail struct{ b []byte }

const tailBytes = 400

func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b...)
	t.b = t.b[max(0, len(t.b)-tailBytes):]
	return len(b), nil
}

func (g *child) kill() {
	_ = g.stdin.Close()
	_ = g.cmd.Process.Kill() // it may have ended
	_ = g.cmd.Wait()
}

// listener looks from where the gateway can be reached.
func (t *target) listener(ctx context.Context) Check {
	var wrong []string
	if !reached(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(t.port))) {
		wrong = append(wrong, "it is not reached on 127.0.0.1")
	}
	others := elsewhere()
	for _, a := range others {
		if reached(ctx, net.JoinHostPort(a, strconv.Itoa(t.port))) {
			wrong = append(wrong, "it is reached on "+a)
		}
	}
	how := fmt.Sprintf("reached on 127.0.0.1, refused on %d other addresses of this machine", len(others))
	if list, ok := listening(t.pid); ok {
		for _, s := range list {
			if s.Addr().String() != "127.0.0.1" {
				wrong = append(wrong, "it listens on "+s.String())
			}
		}
		how += fmt.Sprintf("; %d listening socket, as the system says", len(list))
	}
	return result("listener", wrong, "", "%s", how)
}

// elsewhere lists addresses of this machine on which nothing of ours listens.
func elsewhere() []string {
	out := []string{"::1"}
	if otherLoopback != "" {
		out = append(out, otherLoopback)
	}
	list, _ := net.InterfaceAddrs() // none: there is no other way in
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			out = append(out, n.IP.String())
		}
	}
	return out
}

func reached(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, dialPatience)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// handshake looks whether the command line finds the gateway, and gives nothing
// to one that does not hold the same key.
func (t *target) handshake(ctx context.Context, scratch string) Check {
	var wrong []string
	c, err := discover.Dial(ctx, t.dir)
	if err != nil {
		return result("handshake", []string{"the gateway is not found by its runtime file: " + err.Error()}, "", "")
	}
	if err := c.Close(); err != nil {
		wrong = append(wrong, "a token cannot be given back")
	}
	p := c.Place()
	p.Key[0] ^= 1
	other := filepath.Join(scratch, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		return failed(err, "handshake")[0]
	}
	withdraw, err := discover.Publish(other, p)
	if err != nil {
		return failed(err, "handshake")[0]
	}
	defer func() { _ = withdraw() }()
	if _, err := discover.Dial(ctx, other); core.CodeOf(err) != core.NoGateway {
		wrong = append(wrong, "a gateway with another key is trusted")
	}
	return result("handshake", wrong, "", "both sides prove the key of the runtime file; with another key neither trusts the other")
}

// secrets looks for the tokens where none may be.
func (t *target) secrets() Check {
	var wrong []string
	looked := 0
	has := func(where string, b []byte) {
		looked++
		for _, secret := range []string{t.token, t.preview} {
			if bytes.Contains(b, []byte(secret)) {
				wrong = append(wrong, "a token is in "+where)
			}
		}
	}
	_ = filepath.WalkDir(t.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				wrong = append(wrong, filepath.Base(path)+" cannot be looked through")
			}
			has(filepath.Base(path), b)
		}
		return nil
	})
	for where, b := range processText(t.pid) {
		has(where, b)
	}
	return result("secrets", wrong, "", "no token in %d files and process texts (log, database, runtime file, arguments, environment)", looked)
}

// end looks whether the gateway ends with its owner, and leaves no door.
func (g *child) end(ctx context.Context) Check {
	_ = g.stdin.Close()
	done := make(chan struct{})
	go func() { defer close(done); _ = g.cmd.Wait() }()
	late := time.NewTimer(endPatience)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		_ = g.cmd.Process.Kill()
		<-done
		return result("end", []string{"the gateway did not end with its owner"}, "", "")
	case <-ctx.Done():
		_ = g.cmd.Process.Kill()
		<-done
		return failed(ctx.Err(), "end")[0]
	}
	var wrong []string
	if reached(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(g.port))) {
		wrong = append(wrong, "its port is still open")
	}
	if _, err := discover.Find(g.dir); core.CodeOf(err) != core.NoGateway {
		wrong = append(wrong, "its runtime file is still there")
	}
	return result("end", wrong, "", "the gateway ends with its owner; its port is closed and its runtime file gone")
}
