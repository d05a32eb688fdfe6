// Package cdp is the protocol over Chromium, through a pipe and an allow-list.
package cdp

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// LaunchOptions say how to start Chromium.
type LaunchOptions struct {
	Path     string // of the executable
	Proxy    string // of the preview listener, "http://127.0.0.1:<port>"; everything goes through it
	Headless bool
	Width    int // of a new surface that names none, CSS pixels
	Height   int
}

// Host drives the pages of one Chromium.
type Host struct{}

// Launch starts Chromium and connects to it through its pipe.
func Launch(ctx context.Context, o LaunchOptions) (*Host, error) {
	return nil, core.Errorf(core.BrowserFailed, "not connected").In("cdp.Launch")
}

// Open makes a surface.
func (h *Host) Open(ctx context.Context, o contract.OpenOptions) (contract.Surface, error) {
	return nil, core.Errorf(core.SurfaceLost, "not connected").In("cdp.Open")
}

// Info says what drives the pages.
func (h *Host) Info() contract.HostInfo { return contract.HostInfo{Kind: "chromium"} }

// Close ends the browser.
func (h *Host) Close() error { return nil }

var _ contract.Host = (*Host)(nil)
