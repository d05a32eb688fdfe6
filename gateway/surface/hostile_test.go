//go:build unix

package surface

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// victim is what a hostile page would like to reach: HTTP and WebSocket, raw
// TCP and UDP on loopback, every arrival written down.
type victim struct {
	httpPort, tcpPort, udpPort int

	mu      sync.Mutex
	arrived map[string]int // guarded by mu
	change  chan struct{}  // has room for one
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{arrived: map[string]int{}, change: make(chan struct{}, 1)}
	web, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v.httpPort = web.Addr().(*net.TCPAddr).Port
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := "http "
		if r.Header.Get("Upgrade") != "" {
			kind = "ws "
		}
		v.note(kind + r.Method + " " + r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(web) }()
	t.Cleanup(func() { _ = srv.Close() })
	if web6, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", v.httpPort)); err == nil {
		go func() { _ = srv.Serve(web6) }()
	}
	raw, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	v.tcpPort = raw.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			c, err := raw.Accept()
			if err != nil {
				return
			}
			v.note("tcp")
			_ = c.Close()
		}
	}()
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = udp.Close() })
	v.udpPort = udp.LocalAddr().(*net.UDPAddr).Port
	go func() {
		buf := make([]byte, 2048)
		for {
			if _, _, err := udp.ReadFrom(buf); err != nil {
				return
			}
			v.note("udp")
		}
	}()
	return v
}

func (v *victim) note(what string) {
	v.mu.Lock()
	v.arrived[what]++
	v.mu.Unlock()
	select {
	case v.change <- struct{}{}:
	default:
	}
}

// kinds gives how much arrived of each kind, and everything that did.
func (v *victim) kinds() (http, ws, tcp, udp int, all []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for what, n := range v.arrived {
		all = append(all, fmt.Sprintf("%d× %s", n, what))
		switch kind, _, _ := strings.Cut(what, " "); kind {
		case "http":
			http += n
		case "ws":
			ws += n
		case "tcp":
			tcp += n
		case "udp":
			udp += n
		}
	}
	slices.Sort(all)
	return
}

// page gives the hostile page aimed at the victim, under every name it has.
func (v *victim) page(t *testing.T, label string, leave time.Duration) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "hostile.html"))
	if err != nil {
		t.Fatal(err)
	}
	var bases []string
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", label + ".localhost", "127.1"} {
		bases = append(bases, fmt.Sprintf("'http://%s:%d'", host, v.httpPort))
	}
	return []byte(strings.NewReplacer(
		"@BASES@", strings.Join(bases, ", "), "@TCP@", strconv.Itoa(v.tcpPort), "@UDP@", strconv.Itoa(v.udpPort),
		"@LEAVE@", strconv.FormatInt(leave.Milliseconds(), 10),
	).Replace(string(src)))
}

// T-99, R-SEC-3, HARD_CASES attacks 23, 26, 27, 28: of everything a hostile page
// tries, nothing arrives anywhere, and it gets nothing it should not.
func TestHostilePageReachesNothing(t *testing.T) {
	m, l := launch(t)
	v := newVictim(t)
	p := show(t, m, Spec{Bytes: v.page(t, "aaaaaaaaaaaaaaaaaaaaaaaaaa", time.Second), FileName: "hostile.html", AssetDir: t.TempDir()})
	// A second time under its own label, which it knows from its address.
	spec := Spec{
		DocumentID: "doc_1", RevisionID: "rev_1", Bytes: v.page(t, p.Lease().Label, time.Second), FileName: "hostile.html",
	}
	spec.SHA = core.SHA256Hex(spec.Bytes)
	if err := p.Rebind(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	picks, _, err := p.Surface().Query(t.Context(), "#go", 1)
	if err != nil || len(picks) != 1 {
		t.Fatal(err, len(picks))
	}
	if err := p.Surface().Act(t.Context(), contract.Action{Kind: "click", Handle: picks[0].Handle}); err != nil {
		t.Fatal(err)
	}
	await(t, p, "#finished")
	_, tried, err := p.Surface().Query(t.Context(), "#tried li", 1)
	if err != nil || tried < 250 {
		t.Fatalf("only %d attempts were made, %v", tried, err)
	}
	if got := texts(t, p, "#got li"); len(got) > 0 {
		t.Errorf("the page got %q", got)
	}
	if h, ws, tcp, udp, all := v.kinds(); h+ws+tcp+udp > 0 {
		t.Errorf("%d requests, %d sockets, %d connections, %d packets arrived: %q", h, ws, tcp, udp, all)
	}
	// It is still where it was: what is picked on it can be claimed.
	picks, _, err = p.Surface().Query(t.Context(), "#finished", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Claim(t.Context(), picks[0]); err != nil {
		t.Errorf("the page is no longer the lease's: %v", err)
	}
	refused, beyond := l.Refused()
	t.Logf("%d attempts; refused at the proxy: %v and %d more; asked: %d origins", tried, refused, beyond, len(p.Asked()))
}

// The control of the test above: the same page in a browser without any of the
// protections does arrive, on every channel. Without it a page whose attempts no
// longer work would pass for a safe one.
func TestHostilePageIsHostile(t *testing.T) {
	path := browser(t)
	v := newVictim(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(v.page(t, "x", 20*time.Second))
	}))
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	profile := t.TempDir()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--user-data-dir=" + profile, srv.URL}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+profile) // what a killed browser leaves goes with it
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.ExtraFiles = []*os.File{in, w} // a pipe that is never used keeps it running
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, f := range []*os.File{r, w, in, out} {
			_ = f.Close()
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its helpers hold the profile
		_ = cmd.Wait()
	}()
	for {
		h, ws, tcp, udp, all := v.kinds()
		if h >= 60 && ws > 0 && tcp > 0 && udp > 0 {
			t.Logf("%d requests, %d sockets, %d connections, %d packets", h, ws, tcp, udp)
			return
		}
		select {
		case <-v.change:
		case <-ctx.Done():
			t.Fatalf("only %d requests, %d sockets, %d connections, %d packets arrived: %q", h, ws, tcp, udp, all)
		}
	}
}
