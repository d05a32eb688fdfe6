package selfcheck

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/surface"
)

var browserNames = []string{"browser", "debugging port", "preview", "preview policy"}

// browserChecks starts a browser and shows a hostile page in it.
func browserChecks(ctx context.Context, c Config) []Check {
	m, end, err := c.Browser(ctx)
	if err != nil {
		e := core.AsError(err)
		return []Check{{Name: "browser", Status: Skipped, Detail: "there is none to look at: " + e.Message, Hint: e.Hint}}
	}
	defer func() { _ = end() }()
	v, err := newVictim()
	if err != nil {
		return failed(err, browserNames...)
	}
	defer v.close()
	mine := []string{m.Listener().Addr(), v.web.Addr().String(), v.raw.Addr().String()}
	p, tried, err := v.attack(ctx, m)
	if err != nil {
		return append([]Check{flags(), ports(mine)}, failed(err, "preview", "preview policy")...)
	}
	defer p.Close()
	return []Check{flags(), ports(mine), v.outcome(ctx, p, tried), policy(ctx, m.Listener().Addr(), p.Lease().Label)}
}

var (
	// needed are arguments without which the browser would reach more, or be reached.
	needed = []string{
		"--remote-debugging-pipe", "--user-data-dir=", "--proxy-server=http://127.0.0.1:", "--proxy-bypass-list=<-loopback>",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp", "--deny-permission-prompts", "--dns-prefetch-disable", "--disable-background-networking",
	}
	// forbidden are arguments that open a door.
	forbidden = []string{
		"--remote-debugging-port", "--remote-debugging-address", "--remote-allow-origins", "--disable-web-security", "--allow-running-insecure-content",
		"--disable-site-isolation-trials", "--allow-file-access", "--load-extension", "--ignore-certificate-errors", "--single-process",
	}
)

// flags looks how the browser below this process was started.
func flags() Check {
	all, ok := commands(os.Getpid())
	if !ok {
		return Check{Name: "browser", Status: Skipped, Detail: "this system does not show how a process was started"}
	}
	var main []string
	for _, args := range all {
		if holds(args, "--remote-debugging-pipe") && !holds(args, "--type=") {
			main = args
		}
	}
	if main == nil {
		return result("browser", []string{"the browser is not found among the processes that were started, or has no pipe"}, "", "")
	}
	var wrong []string
	for _, want := range needed {
		if !holds(main, want) {
			wrong = append(wrong, "it was started without "+want)
		}
	}
	sandbox := "with its sandbox"
	for _, args := range all {
		for _, bad := range forbidden {
			if holds(args, bad) {
				wrong = append(wrong, "a process was started with "+bad)
			}
		}
		if holds(args, "--no-sandbox") {
			sandbox = "without its sandbox, because this is root"
			if os.Geteuid() != 0 {
				wrong = append(wrong, "its sandbox is off")
			}
		}
	}
	c := result("browser", wrong, "", "%d processes, driven over a pipe, %s, behind our proxy", len(all), sandbox)
	if c.Status == OK && sandbox != "with its sandbox" {
		c.Status = Warn
	}
	return c
}

func holds(args []string, prefix string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, prefix) {
			return true
		}
	}
	return false
}

// ports looks whether this process and those it started listen on anything but
// what this check itself opened: the preview's listener and those that count.
func ports(mine []string) Check {
	pids := []int{os.Getpid()}
	below, ok := commands(os.Getpid())
	for pid := range below {
		pids = append(pids, pid)
	}
	var wrong []string
	for _, pid := range pids {
		list, found := listening(pid)
		if pid == os.Getpid() {
			ok = ok && found
		}
		for _, s := range list {
			if !slices.Contains(mine, s.String()) {
				wrong = append(wrong, fmt.Sprintf("process %d listens on %s", pid, s))
			}
		}
	}
	if !ok {
		return Check{Name: "debugging port", Status: Skipped, Detail: "this system does not show who listens where"}
	}
	return result("debugging port", wrong, "", "%d processes, none of which listens but for the preview's own listener (%s)", len(pids), mine[0])
}

// policy looks what a preview is served with, and that nothing else is.
func policy(ctx context.Context, addr, label string) Check {
	_, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	var wrong []string
	own := "Host: " + label + ".localhost:" + port
	a, err := ask(ctx, n, "GET", "/"+pageName, "", own)
	csp := a.header.Get("Content-Security-Policy")
	switch {
	case err != nil || a.status != 200:
		wrong = append(wrong, fmt.Sprintf("the page is not served (%d, %v)", a.status, err))
	case !strings.HasPrefix(csp, "sandbox allow-scripts;") || strings.Contains(csp, "allow-same-origin"):
		wrong = append(wrong, "the page is served without its sandbox")
	}
	for _, want := range []string{"default-src 'none'", "connect-src 'none'", "frame-src 'none'", "object-src 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(csp, want) {
			wrong = append(wrong, "the page is served without "+want)
		}
	}
	for h, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Permissions-Policy": "clipboard-read=()"} {
		if !strings.Contains(a.header.Get(h), want) {
			wrong = append(wrong, "the page is served without "+h)
		}
	}
	for name, at := range map[string]attempt{
		"another host":      {"", "GET", "/" + pageName, "", []string{"Host: evil.test:" + port}, 403},
		"its address":       {"", "GET", "/" + pageName, "", []string{"Host: 127.0.0.1:" + port}, 403},
		"a tunnel":          {"", "CONNECT", "127.0.0.1:443", "", []string{"Host: 127.0.0.1:443"}, 403},
		"as a proxy":        {"", "GET", "http://127.0.0.1:" + port + "/", "", []string{"Host: 127.0.0.1:" + port}, 403},
		"another method":    {"", "POST", "/" + pageName, "", []string{own, "Content-Length: 0"}, 405},
		"a file outside it": {"", "GET", "/../../etc/passwd", "", []string{own}, 404},
	} {
		a, err := ask(ctx, n, at.method, at.path, "", at.headers...)
		if err != nil || a.status < 400 {
			wrong = append(wrong, fmt.Sprintf("%s: answered with %d (%v)", name, a.status, err))
		}
	}
	return result("preview policy", wrong, "", "the page is sandboxed and may load nothing from elsewhere; the listener serves leased pages alone")
}

const (
	pageName      = "selfcheck.html"
	pagePatience  = 60 * time.Second
	pagePoll      = 100 * time.Millisecond
	leastAttempts = 40
)

// attack shows the hostile page until it has tried everything.
func (v *victim) attack(ctx context.Context, m *surface.Manager) (p *surface.Preview, tried int, err error) {
	ctx, cancel := context.WithTimeout(ctx, pagePatience)
	defer cancel()
	spec := surface.Spec{
		DocumentID: core.NewID("doc"), RevisionID: core.NewID("rev"), Bytes: v.page(), FileName: pageName, Width: 800, Height: 600,
	}
	spec.SHA = core.SHA256Hex(spec.Bytes)
	if p, err = m.Open(ctx, spec); err != nil {
		return nil, 0, err
	}
	if _, err = p.Load(ctx); err == nil {
		tried, err = finished(ctx, p.Surface())
	}
	if err != nil {
		_ = p.Close()
		return nil, 0, err
	}
	return p, tried, nil
}

// finished waits until the page says that it is, and gives how much it tried.
func finished(ctx context.Context, s contract.Surface) (tried int, err error) {
	tick := time.NewTicker(pagePoll)
	defer tick.Stop()
	for {
		_, done, err := s.Query(ctx, "#finished", 1)
		if err != nil && core.CodeOf(err) != core.SelectorNoMatch {
			return 0, err
		}
		if done > 0 {
			_, tried, err = s.Query(ctx, "#tried li", 1)
			return tried, err
		}
		select {
		case <-ctx.Done():
			return 0, core.Wrap(core.Timeout, ctx.Err(), "the page did not come to its end")
		case <-tick.C:
		}
	}
}

// outcome says what arrived of what the page tried.
func (v *victim) outcome(ctx context.Context, p *surface.Preview, tried int) Check {
	var wrong []string
	for _, what := range v.arrivals() {
		wrong = append(wrong, "the page reached "+what)
	}
	if tried < leastAttempts {
		wrong = append(wrong, fmt.Sprintf("the page made %d attempts only", tried))
	}
	if _, got, err := p.Surface().Query(ctx, "#got li", 1); got > 0 || err != nil && core.CodeOf(err) != core.SelectorNoMatch {
		wrong = append(wrong, fmt.Sprintf("the page got %d things it must not have (%v)", got, err))
	}
	return result("preview", wrong, "Do not open pages you do not trust, and report this.",
		"a hostile page made %d attempts; nothing arrived over HTTP, WebSocket, TCP or UDP", tried)
}
