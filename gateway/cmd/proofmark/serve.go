package main

import (
	"bufio"
	"context"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
)

// tokenEvery is how often an owner gets a new token: sooner than any ends.
const tokenEvery = 10 * time.Minute

var serveCommand = &command{
	name: "serve", summary: "run the gateway for the workbench, the desktop and agents",
	long: `Runs the gateway until it is stopped (Ctrl-C): the API on a random port of 127.0.0.1,
for programs of this account alone. Other commands and agents find it through a file in
the data directory that only you can read. There is one gateway a data directory.

Nothing widens what it listens on. Other web pages are refused, whatever they send.

The workbench opens in any browser of this machine at the address that is shown, with
the code beside it. Pointing at elements needs the window of: proofmark open

  proofmark serve
  proofmark serve --json

Flags:
  --owned   for a shell that starts the gateway: its token stands in the first line of
            standard output, newer ones in later lines, and the gateway ends when its
            standard input does
  --bridge  with --owned, for the desktop app: the first line of standard input says how
            the gateway reaches the pages that the app shows`,
	run: runServe,
}

func runServe(ctx context.Context, a *app, args []string) error {
	fs := a.flags("serve")
	owned, bridge := fs.Bool("owned", false, ""), fs.Bool("bridge", false, "")
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	if *bridge && !*owned {
		return core.Errorf(core.Usage, "--bridge goes with --owned")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var o gatewayOptions
	stdin := bufio.NewReader(a.stdin)
	if *bridge {
		s, err := readGreeting(stdin, greetingWait)
		if err != nil {
			return err
		}
		o.shell = s
	}
	if !a.json && !*owned { // a code is for a person at this terminal
		o.pair = func(port int, code string) {
			a.printf("Workbench: http://127.0.0.1:%d/ · code %s (once, for 10 minutes)\n", port, code)
		}
	}
	g, err := a.startGateway(ctx, stop, o)
	if err != nil {
		return err
	}
	r := g.ready()
	if *owned {
		t, claims, err := g.issuer.Mint(token.Desktop, "shell")
		if err != nil {
			return err
		}
		r.Token, r.Until = t, claims.Expires
		go discard(stdin, stop) // ends with the process: nothing else ends a read of a pipe
	}
	if o.shell != nil {
		r.Protocol = &o.shell.protocol
	}
	if a.json || *owned {
		a.printJSON(r)
	} else {
		a.printf("The gateway listens on 127.0.0.1:%d. Stop it with Ctrl-C.\n", r.Port)
		g.invite()
	}
	if a.stdout.err != nil {
		stop() // the owner is gone
	}
	if *owned {
		go a.renew(ctx, g, stop)
	}
	return g.serve(ctx)
}

// granted is a line with a newer token for the owner.
type granted struct {
	Token string    `json:"token"`
	Until time.Time `json:"tokenExpires"`
}

// renew gives the owner a token before the last one ends: an app that is open over
// night has nobody to ask for one.
func (a *app) renew(ctx context.Context, g *gatewayRun, stop func()) {
	tick := time.NewTicker(tokenEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		t, claims, err := g.issuer.Mint(token.Desktop, "shell")
		if err != nil {
			g.log.Error("the owner gets no new token", "error", err)
			continue
		}
		a.printJSON(granted{t, claims.Expires})
		if a.stdout.err != nil {
			stop() // the owner is gone
		}
	}
}
