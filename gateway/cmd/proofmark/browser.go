package main

import (
	"context"

	"proofmark/bridge/cdp"
	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/surface"
)

const protocolVersion = contract.Version

// browser is the running Chromium with the listener it sees the world through.
type browser struct {
	previews *surface.Manager
	host     contract.Host
}

// openBrowser finds and starts a Chromium whose only way out is our preview
// listener.
func (a *app) openBrowser(ctx context.Context, window bool, width, height int) (*browser, error) {
	path, err := chromium.Locate(a.chromium)
	if err != nil {
		return nil, err
	}
	if window && noDisplay() {
		return nil, core.Errorf(core.NoBrowser, "there is no display to open a window on").
			WithHint("leave --keep-open away, or set DISPLAY")
	}
	l, err := surface.Listen()
	if err != nil {
		return nil, err
	}
	a.onClose(l.Close)
	host, err := cdp.Launch(ctx, cdp.LaunchOptions{
		Path: path, Proxy: l.ProxyURL(), Headless: !window, Width: width, Height: height,
	})
	if err != nil {
		return nil, err
	}
	a.onClose(host.Close)
	m := surface.NewManager(l, host)
	a.onClose(m.Close)
	return &browser{previews: m, host: host}, nil
}
