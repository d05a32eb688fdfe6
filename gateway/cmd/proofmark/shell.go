package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"proofmark/bridge/cdp"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/gates"
	"proofmark/gateway/surface"
	"proofmark/gateway/workbench"
	"proofmark/internal/strictjson"
)

const (
	maxGreeting   = 4096 // bytes of the first line, its end included
	greetingWait  = 10 * time.Second
	relayWait     = 5 * time.Second
	sourceOnly    = 3 // the protocol of a shell without pages to drive
	noRelay       = 0 // said where the relay could not be used
	relayTokenLen = 32
)

// greeting is the one line that a shell says on standard input.
type greeting struct {
	Protocol int `json:"protocol"`
	Relay    *struct {
		URL   string `json:"url"`
		Token string `json:"token"`
	} `json:"relay"`
}

// shell is the desktop app that has started this gateway.
type shell struct {
	greeting greeting
	protocol int // that is spoken

	remote   *cdp.Remote // nil below contract.Version
	listener *surface.Listener
	shown    *workbench.Browser
}

// readGreeting reads the first line of r. It stands for a credential: no error
// has any of it.
func readGreeting(r *bufio.Reader, wait time.Duration) (*shell, error) {
	type read struct {
		line []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // ends with the process where nothing comes
		line, err := readLine(r, maxGreeting)
		done <- read{line, err}
	}()
	var got read
	select {
	case got = <-done:
	case <-time.After(wait):
		got.err = fmt.Errorf("it did not come within %v", wait)
	}
	s := &shell{}
	if got.err == nil {
		got.err = strictjson.Unmarshal(got.line, &s.greeting)
	}
	if got.err == nil {
		got.err = s.greeting.check()
	}
	if got.err != nil {
		return nil, core.Wrap(core.Usage, got.err, "the shell's first line cannot be used: %v", got.err).
			WithHint("--bridge is for the desktop app, which says on standard input how to reach its pages.")
	}
	s.protocol = s.greeting.Protocol
	return s, nil
}

// readLine reads up to a line's end, which the line must have.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for len(line) < most {
		b, err := r.ReadByte()
		if err != nil {
			return nil, errors.New("it has no end")
		}
		if b == '\n' {
			return line, nil
		}
		line = append(line, b)
	}
	return nil, fmt.Errorf("it has more than %d bytes", most)
}

func (g greeting) check() error {
	switch {
	case g.Protocol == sourceOnly && g.Relay == nil:
		return nil
	case g.Protocol != contract.Version:
		return fmt.Errorf("its protocol is neither %d nor %d", contract.Version, sourceOnly)
	case g.Relay == nil || g.Relay.URL == "":
		return errors.New("it names no relay")
	}
	if b, err := hex.DecodeString(g.Relay.Token); err != nil || len(b) != relayTokenLen {
		return errors.New("its token is none")
	}
	return nil
}

// connect reaches the shell's pages, and says what can be done in them. A shell
// without them, or one that cannot be reached, leaves what needs no page.
func (s *shell) connect(ctx context.Context, a *app, g *gates.Gates, log *slog.Logger) error {
	if s.protocol == contract.Version {
		ctx, cancel := context.WithTimeout(ctx, relayWait)
		defer cancel()
		remote, err := cdp.DialRelay(ctx, s.greeting.Relay.URL, s.greeting.Relay.Token)
		if err != nil {
			log.Warn("the desktop app's pages cannot be reached", "error", core.CodeOf(err))
			s.protocol = noRelay
		} else {
			a.onClose(remote.Close)
			s.remote = remote
		}
	}
	s.greeting = greeting{} // its token is of no more use
	if err := g.Host(core.FeatureAnnotations, s.remote != nil); err != nil || s.remote == nil {
		return err
	}
	l, err := surface.Listen()
	if err != nil {
		return err
	}
	a.onClose(l.Close)
	s.listener = l
	s.shown = s.browser(s.remote)
	a.onClose(s.shown.Previews.Close)
	return nil
}

// browser gives the shell's pages as the workbench uses them.
func (s *shell) browser(host contract.Host) *workbench.Browser {
	return &workbench.Browser{Previews: surface.NewManager(s.listener, host), Lost: s.remote.Lost(), Close: func() error { return nil }}
}

// window gives the place where the person sees pages, nil for none.
func (s *shell) window() *workbench.Browser {
	if s == nil {
		return nil
	}
	return s.shown
}

// starter starts what hidden pages are opened in: the shell's own, so that no
// Chromium is needed beside it.
func (s *shell) starter(own func(context.Context) (*workbench.Browser, error)) func(context.Context) (*workbench.Browser, error) {
	if s == nil || s.remote == nil {
		return own
	}
	return func(context.Context) (*workbench.Browser, error) {
		select {
		case <-s.remote.Lost():
			return nil, core.Errorf(core.SurfaceLost, "the desktop app does not show pages any more").WithHint("Start the desktop app again. Source, history and exports still work.")
		default:
			return s.browser(s.remote.Backstage()), nil
		}
	}
}

// discard reads what is left of standard input, and tells when that has ended.
func discard(r io.Reader, ended func()) {
	_, _ = io.Copy(io.Discard, r)
	ended()
}
