package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/bridge/token"
	"proofmark/examples"
	"proofmark/gateway/core"
	"proofmark/gateway/surface"
	"proofmark/gateway/workbench"
)

var openCommand = &command{
	name: "open", args: "[FILE]", summary: "open the workbench on a page, in a window of its own",
	long: `Runs the gateway and shows the workbench in a window: point at the page, say what you
want, see what comes of it. It ends when the window is closed, or with Ctrl-C. Without
FILE it opens a sample page, a copy of its own in the data directory.

The window is a Chromium with a fresh profile. It reaches this program and nothing else.

  proofmark open page.html
  proofmark open

Flags:
  --headless   without a display, for tests: nothing is to be seen`,
	run: runOpen,
}

// opened is what open prints with --json once the window is there.
type opened struct {
	ready
	Document string `json:"document"`
	File     string `json:"file"`
	Browser  int    `json:"browserPid"`
}

func runOpen(ctx context.Context, a *app, args []string) error {
	fs := a.flags("open")
	headless := fs.Bool("headless", false, "")
	pos, err := a.parse(fs, args, 0, 1)
	if err != nil {
		return err
	}
	if _, err := chromium.Locate(a.chromium); err != nil {
		return err
	}
	if !*headless && noDisplay() {
		return core.Errorf(core.NoBrowser, "there is no display to open a window on").
			WithHint("Start it in a desktop session, or set DISPLAY. Without a display, `proofmark serve` shows the workbench to a browser of this machine, and `proofmark edit` needs neither.")
	}
	if _, err := a.documents(ctx); err != nil {
		return err
	}
	path := ""
	if len(pos) > 0 {
		path = pos[0]
	} else if path, err = a.samplePage(); err != nil {
		return err
	}
	doc, err := a.documentToShow(ctx, path)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, err := a.startGateway(ctx, stop, gatewayOptions{})
	if err != nil {
		if core.CodeOf(err) == core.AlreadyExists {
			return core.AsError(err).WithHint("In the window that is open, Ctrl O opens another page. Or end what runs, the window or `proofmark serve`; or name another directory with --data-dir.")
		}
		return err
	}
	served := make(chan error, 1)
	go func() { served <- g.serve(ctx) }()
	w, err := a.openWindow(ctx, g, doc.ID, *headless)
	if err != nil {
		stop()
		return errors.Join(err, <-served)
	}
	g.log.Info("window", "document", doc.ID)
	if a.json {
		a.printJSON(opened{ready: g.ready(), Document: doc.ID, File: doc.Path, Browser: w.Pid()})
	} else {
		a.progress("The workbench is open on %s. Close its window, or press Ctrl-C, to end.", doc.Path)
	}
	select {
	case <-w.Closed():
		stop()
	case <-ctx.Done():
	case err := <-served:
		return err
	}
	return <-served
}

// openWindow opens the workbench's window and tells the gateway's workbench of it.
func (a *app) openWindow(ctx context.Context, g *gatewayRun, document string, headless bool) (*cdp.Window, error) {
	l, err := surface.Listen()
	if err != nil {
		return nil, err
	}
	a.onClose(l.Close)
	origin := "http://127.0.0.1:" + strconv.Itoa(g.port)
	hello := func() ([]byte, error) {
		states, err := g.gates.States(ctx)
		if err != nil {
			return nil, err
		}
		features := map[core.Feature]bool{}
		for _, s := range states {
			features[s.Feature] = s.On
		}
		return json.Marshal(map[string]any{"host": "window", "protocol": contract.Version, "features": features})
	}
	// The page must be able to name the previews' port in its own policy, so the
	// workbench has its window before it is shown.
	lost := make(chan struct{})
	b := &workbench.Browser{Lost: lost, Close: func() error { return nil }}
	late := cdp.NewLateWindow()
	b.Previews = surface.NewFramedManager(l, late, origin)
	g.bench.SetWindow(b)
	w, err := cdp.OpenWindow(ctx, cdp.WindowOptions{
		Path: a.chromium, Proxy: l.ProxyURL(), Origin: origin, Fragment: "/d/" + document, Headless: headless, Width: 1440, Height: 960,
		Hello: hello,
		Token: func() (string, time.Time, error) {
			t, claims, err := g.issuer.Mint(token.UI, "window")
			return t, claims.Expires, err
		},
	})
	if err != nil {
		g.bench.SetWindow(nil)
		return nil, err
	}
	late.Set(w)
	go func() { <-w.Closed(); close(lost) }()
	a.onClose(w.Close)
	a.onClose(b.Previews.Close)
	return w, nil
}

// noDisplay tells that a window cannot be opened here.
func noDisplay() bool {
	return needsDisplay && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == ""
}

// documentToShow opens a page. One that another program has changed under newer
// versions of ours is shown as we know it; the workbench says so.
func (a *app) documentToShow(ctx context.Context, path string) (core.Document, error) {
	o, err := a.docs.Open(ctx, path)
	if core.CodeOf(err) == core.OutsideChange {
		if id, known := core.AsError(err).Detail["document"].(string); known {
			return a.docs.Get(ctx, id)
		}
	}
	return o.Document, err
}

// samplePage gives the copy of the sample page that is the person's to change, and
// makes it where there is none.
func (a *app) samplePage() (string, error) {
	dir := filepath.Join(a.st.Dir(), "sample")
	page := filepath.Join(dir, "landing", "index.html")
	if _, err := os.Stat(page); err == nil {
		return page, nil
	}
	if err := os.CopyFS(dir, examples.Files()); err != nil && !errors.Is(err, os.ErrExist) {
		return "", core.Wrap(core.StorageFull, err, "the sample page cannot be copied to %s", dir)
	}
	return page, nil
}
