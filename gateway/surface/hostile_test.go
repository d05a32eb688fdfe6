//go:build unix

package surface

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/contract"
	"proofmark/bridge/hostile"
	"proofmark/bridge/staged"
	"proofmark/gateway/core"
)

// T-99, R-SEC-3, HARD_CASES attacks 23, 26, 27, 28: of everything a hostile page
// tries, nothing arrives anywhere, and it gets nothing it should not; the same in
// the app's own views (R-SEC-4), where no program of the machine is started either.
func TestHostilePageReachesNothing(t *testing.T) {
	for name, start := range map[string]func(*testing.T) (*Manager, *Listener){"Chromium": launch, "Electron": inElectron} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			started := filepath.Join(dir, "started")
			fake := "#!/bin/sh\necho \"$@\" >>" + started + "\n"
			if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(fake), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			reachesNothing(t, start)
			if b, err := os.ReadFile(started); err == nil {
				t.Errorf("a program was started: %s", b)
			}
		})
	}
}

// inElectron is launch for the desktop's pages.
func inElectron(t *testing.T) (*Manager, *Listener) {
	t.Helper()
	r := staged.InElectron(t)
	host, err := cdp.DialRelay(t.Context(), r.URL, r.Token)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	m := NewManager(l, host)
	t.Cleanup(func() { _, _, _ = m.Close(), host.Close(), l.Close() })
	return m, l
}

func reachesNothing(t *testing.T, start func(*testing.T) (*Manager, *Listener)) {
	m, l := start(t)
	v := hostile.New(t)
	p := show(t, m, Spec{Bytes: v.Page("aaaaaaaaaaaaaaaaaaaaaaaaaa", time.Second), FileName: "hostile.html", AssetDir: t.TempDir()})
	// A second time under its own label, which it knows from its address.
	spec := Spec{
		DocumentID: "doc_1", RevisionID: "rev_1", Bytes: v.Page(p.Lease().Label, time.Second), FileName: "hostile.html",
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
	v.Zero(t)
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
	v := hostile.New(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(v.Page("x", 20*time.Second))
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
		h, ws, tcp, udp, all := v.Kinds()
		if h >= 60 && ws > 0 && tcp > 0 && udp > 0 {
			t.Logf("%d requests, %d sockets, %d connections, %d packets", h, ws, tcp, udp)
			return
		}
		select {
		case <-v.Change:
		case <-ctx.Done():
			t.Fatalf("only %d requests, %d sockets, %d connections, %d packets arrived: %q", h, ws, tcp, udp, all)
		}
	}
}
