package selfcheck

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// careless is a server that does all that a gateway must not.
func careless(t *testing.T, addr string) *target {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("SKIPPED: %s cannot be listened on here: %v", addr, err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Set-Cookie", "token=x")
		_, _ = io.WriteString(w, "<p>hello")
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return &target{port: l.Addr().(*net.TCPAddr).Port, token: "secret-of-everything", preview: "secret-of-a-preview", pid: os.Getpid(), dir: t.TempDir()}
}

// R-SEC-8: each check fails where what it looks for is not so. A check that a
// careless server passes is none.
func TestChecksFailOnACarelessServer(t *testing.T) {
	g := careless(t, "127.0.0.1:0")
	ctx := context.Background()
	if err := os.WriteFile(filepath.Join(g.dir, "x.log"), []byte("token: "+g.preview), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Check{g.hosts(ctx), g.origins(ctx), g.tokens(ctx), g.bodies(ctx), g.answers(ctx), g.handshake(ctx, t.TempDir()), g.secrets()} {
		if c.Status != Fail || c.Detail == "" {
			t.Errorf("%+v", c)
		}
	}
	if wrong := g.try(ctx, []attempt{{"x", "GET", "/", "", []string{g.host()}, 200}}); len(wrong) != 1 || !strings.Contains(wrong[0], "Access-Control") {
		t.Errorf("an answer that allows another origin something: %q", wrong)
	}
	if c := g.listener(ctx); c.Status != OK && !strings.Contains(c.Detail, "listens on") {
		t.Errorf("it is on 127.0.0.1 alone: %+v", c)
	}
}

// Attack 13: a listener on every interface is seen, by reaching it and, where
// the system tells, by asking it.
func TestListenerOnEveryInterface(t *testing.T) {
	g := careless(t, "0.0.0.0:0")
	if c := g.listener(context.Background()); c.Status != Fail {
		t.Errorf("%+v", c)
	}
	list, ok := listening(os.Getpid())
	if !ok {
		t.Skip("SKIPPED: this system does not tell who listens where")
	}
	if !slices.ContainsFunc(list, func(a netip.AddrPort) bool { return int(a.Port()) == g.port && a.Addr().IsUnspecified() }) {
		t.Errorf("%v", list)
	}
}

// Attack 12: files and folders that others could read or write are seen.
func TestFilesOfOthers(t *testing.T) {
	if !hasModes {
		t.Skip("SKIPPED: files have no mode here")
	}
	dir := filepath.Join(t.TempDir(), "data")
	if c := files(dir); c[0].Status != OK || c[1].Status != OK {
		t.Errorf("nothing is there: %+v", c)
	}
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"proofmark.db", "proofmark.db-wal", "config.json", "models.json", "logs/gateway.log"} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c := files(dir); c[0].Status != OK || c[1].Status != OK {
		t.Fatalf("all is as it should be: %+v", c)
	}
	for _, bad := range []struct {
		name string
		mode os.FileMode
		want string
	}{
		{"", 0o755, Warn},
		{"", 0o770, Fail},
		{"", 0o777, Fail},
		{"proofmark.db", 0o640, Fail},
		{"proofmark.db-wal", 0o604, Fail},
		{"logs", 0o755, Fail},
		{"logs/gateway.log", 0o644, Fail},
		{"config.json", 0o644, OK},
		{"config.json", 0o664, Fail},
		{"models.json", 0o602, Fail},
	} {
		path := filepath.Join(dir, bad.name)
		was, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, bad.mode); err != nil {
			t.Fatal(err)
		}
		if c := files(dir)[0]; c.Status != bad.want || bad.want == Fail && c.Hint == "" {
			t.Errorf("%s %v: %+v", bad.name, bad.mode, c)
		}
		if err := os.Chmod(path, was.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	for _, put := range []func(path string) error{
		func(path string) error { return os.WriteFile(path, []byte(`{}`), 0o600) },
		func(path string) error { return os.WriteFile(path, []byte(`{}`), 0o644) },
		func(path string) error { return os.Symlink("/nowhere", path) },
	} {
		path := filepath.Join(dir, "gateway.json")
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		if c := files(dir)[1]; c.Status != Fail || c.Hint == "" {
			t.Errorf("%+v", c)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A gateway that does not start fails every check that needs one, and says why.
func TestGatewayThatDoesNotStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := gatewayChecks(context.Background(), Config{Gateway: func(ctx context.Context, _ string) *exec.Cmd {
		return exec.CommandContext(ctx, self, "-no-such-flag")
	}})
	if len(list) != len(gatewayNames) {
		t.Fatalf("%+v", list)
	}
	for i, c := range list {
		if c.Name != gatewayNames[i] || c.Status != Fail || !strings.Contains(c.Detail, "no-such-flag") && !strings.Contains(c.Detail, "-test.") {
			t.Errorf("%+v", c)
		}
	}
}
