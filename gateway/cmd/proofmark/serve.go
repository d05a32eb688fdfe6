package main

import (
	"context"
	"io"

	"proofmark/bridge/token"
)

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
            standard output, and the gateway ends when its standard input does`,
	run: runServe,
}

func runServe(ctx context.Context, a *app, args []string) error {
	fs := a.flags("serve")
	owned := fs.Bool("owned", false, "")
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var o gatewayOptions
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
		go func() { // ends with the process: nothing else ends a read of a pipe
			_, _ = io.Copy(io.Discard, a.stdin)
			stop()
		}()
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
	return g.serve(ctx)
}
