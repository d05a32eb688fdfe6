package oracle

import (
	"context"
	_ "embed" // for the scripts
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The environment of the tests.
const (
	// EnvChromium names the browser's executable.
	EnvChromium = "PROOFMARK_CHROMIUM"
	// EnvRequire, when set, turns a missing browser from a skip into a failure.
	EnvRequire = "PROOFMARK_REQUIRE_CHROMIUM"
)

// ErrNoBrowser is given where no Chromium is found.
var ErrNoBrowser = errors.New("oracle: no Chromium found; set " + EnvChromium)

//go:embed oracle.js
var script string

// Browser is a running Chromium with two tabs: one, with JavaScript off, that
// navigates to documents, and one that runs the oracle's own script.
type Browser struct {
	nav, lib context.Context
	base     string
	stop     func()

	mu   sync.Mutex
	page []byte // guarded by mu: what the server gives
	n    int    // guarded by mu
}

// Find gives the path of a Chromium.
func Find() (string, error) {
	if p := os.Getenv(EnvChromium); p != "" {
		return p, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", ErrNoBrowser
}

// flags are our own list: chromedp's defaults switch protections off.
func flags(path, profile string) []chromedp.ExecAllocatorOption {
	o := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.Headless,
		chromedp.Env("TMPDIR=" + profile), // what a killed browser leaves goes with its profile
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("deny-permission-prompts", true),
		chromedp.Flag("dns-prefetch-disable", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	}
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox)
	}
	return o
}

// Start starts a headless browser. Close ends it.
func Start() (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "proofmark-oracle-")
	if err != nil {
		return nil, err
	}
	b := &Browser{}
	server, err := b.serve()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), flags(path, profile)...)
	lib, cancelLib := chromedp.NewContext(alloc)
	b.lib = lib
	b.stop = func() {
		cancelLib() // ends the browser, and the other tab with it
		cancelAlloc()
		_ = server.Close()
		_ = os.RemoveAll(profile) // best effort: a temporary directory
	}
	if err := b.prepare(); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

func (b *Browser) prepare() error {
	if err := chromedp.Do(b.lib, chromedp.Navigate("about:blank")); err != nil {
		return err
	}
	if _, err := chromedp.Run(b.lib, chromedp.Evaluate[int](script+";1")); err != nil {
		return err
	}
	// A tab of the same browser, since that runs by now; it ends with it.
	b.nav, _ = chromedp.NewContext(b.lib)
	_, err := chromedp.Call(b.nav, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
}

// Close ends the browser and waits for it.
func (b *Browser) Close() { b.stop() }

// serve starts the server of the documents to navigate to.
func (b *Browser) serve() (*http.Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.base = "http://" + ln.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		page := b.page
		b.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(page) // the browser tells of a page cut short
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(ln) }() // ends with Close
	return s, nil
}

// publish makes src the served page and gives its address.
func (b *Browser) publish(src []byte) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page = src
	b.n++
	return fmt.Sprintf("%s/page/%d", b.base, b.n)
}
