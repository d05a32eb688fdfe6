package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/core"
	"proofmark/gateway/discover"
	"proofmark/gateway/gates"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/logfile"
)

var serveCommand = &command{
	name: "serve", summary: "run the gateway for the workbench, the desktop and agents",
	long: `Runs the gateway until it is stopped (Ctrl-C): the API on a random port of 127.0.0.1,
for programs of this account alone. Other commands and agents find it through a file in
the data directory that only you can read. There is one gateway a data directory.

Nothing widens what it listens on. Web pages are refused, whatever they send.

  proofmark serve
  proofmark serve --json

Flags:
  --owned   for a shell that starts the gateway: its token stands in the first line of
            standard output, and the gateway ends when its standard input does`,
	run: runServe,
}

// ready is the first line that serve prints.
type ready struct {
	Ready  bool      `json:"ready"`
	PID    int       `json:"pid"`
	Port   int       `json:"port"` // on 127.0.0.1
	Launch string    `json:"launch"`
	Token  string    `json:"token,omitempty"` // of the scope desktop, for the owner alone
	Until  time.Time `json:"tokenExpires,omitzero"`
}

func runServe(ctx context.Context, a *app, args []string) error {
	fs := a.flags("serve")
	owned := fs.Bool("owned", false, "")
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	docs, err := a.documents(ctx)
	if err != nil {
		return err
	}
	g, err := gates.Load(a.st, os.Getenv)
	if err != nil {
		return err
	}
	log, closeLog, err := logfile.Open(a.st.Dir())
	if err != nil {
		return err
	}
	a.onClose(closeLog)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return core.Wrap(core.Internal, err, "there is no port to listen on")
	}
	launch, port, key := core.NewID("run"), l.Addr().(*net.TCPAddr).Port, token.NewKey()
	issuer := token.NewIssuer(launch, nil)
	s := httpapi.New(httpapi.Config{
		Version: version, Launch: launch, Port: port, Issuer: issuer, Door: token.NewDoor(key, launch, port, nil),
		Documents: docs, Gates: g, Log: httpapi.NewLog(log), Stop: stop,
	})
	withdraw, err := discover.Publish(a.st.Dir(), discover.Place{PID: os.Getpid(), Port: port, Launch: launch, Key: key, Started: time.Now()})
	if err != nil {
		_ = l.Close()
		return err
	}
	a.onClose(withdraw)
	r := ready{Ready: true, PID: os.Getpid(), Port: port, Launch: launch}
	if *owned {
		t, claims, err := issuer.Mint(token.Desktop, "shell")
		if err != nil {
			return err
		}
		r.Token, r.Until = t, claims.Expires
		go func() { // ends with the process: nothing else ends a read of a pipe
			_, _ = io.Copy(io.Discard, a.stdin)
			stop()
		}()
	}
	log.Info("started", "version", version, "launch", launch, "pid", r.PID)
	if a.json || *owned {
		a.printJSON(r)
	} else {
		a.printf("The gateway listens on 127.0.0.1:%d. Stop it with Ctrl-C.\n", port)
	}
	if a.stdout.err != nil {
		stop() // the owner is gone
	}
	err = s.Serve(ctx, l)
	log.Info("stopped", "error", err)
	if err != nil {
		return fmt.Errorf("the gateway ended: %w", err)
	}
	return nil
}
