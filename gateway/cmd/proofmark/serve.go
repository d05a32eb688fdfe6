package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"proofmark/bridge/token"
	"proofmark/gateway/annotate"
	"proofmark/gateway/bundle"
	"proofmark/gateway/core"
	"proofmark/gateway/discover"
	"proofmark/gateway/gates"
	"proofmark/gateway/httpapi"
	"proofmark/gateway/logfile"
	"proofmark/gateway/manual"
	"proofmark/gateway/router"
	"proofmark/gateway/workbench"
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

// switchPoll is how often a gateway looks what an operator has switched, for its log.
const switchPoll = time.Second

// benchPatience is how long turns that are ending are waited for.
const benchPatience = 15 * time.Second

// startBrowser starts the browser of a running gateway. It is closed by whoever
// asked for it.
func (a *app) startBrowser(ctx context.Context) (*workbench.Browser, error) {
	own := &app{chromium: a.chromium, stderr: a.stderr, quiet: true}
	b, err := own.openBrowser(ctx, false, workbench.DefaultWidth, workbench.DefaultHeight)
	if err != nil {
		own.close()
		return nil, err
	}
	return &workbench.Browser{Previews: b.previews, Close: func() error { own.close(); return nil }}, nil
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
	g, err := a.features(ctx)
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
	catalog, err := a.catalog()
	if err != nil {
		_ = l.Close()
		return err
	}
	notes := annotate.New(a.st, docs, nil)
	bench := workbench.New(workbench.Config{
		Store: a.st, Documents: docs, Notes: notes, Start: a.startBrowser, Check: g.Check,
		Closed: func(id string) { issuer.RevokeSubject(token.Preview, id) },
		Lineup: func(ctx context.Context, name string) (router.Lineup, error) {
			if name == "" {
				name = a.model
			}
			return a.lineupNamed(ctx, name)
		},
	})
	if err := bench.Reconcile(ctx); err != nil && core.CodeOf(err) != core.StorageBusy {
		log.Warn("turns of an earlier run could not be settled", "error", err)
	}
	s := httpapi.New(httpapi.Config{
		Notes: notes, Edits: manual.New(a.st, docs, 0), Workbench: bench, Models: catalog, DataDir: a.st.Dir(),
		Version: version, Launch: launch, Port: port, Issuer: issuer, Door: token.NewDoor(key, launch, port, nil),
		Documents: docs, Reviews: bundle.Taker{Store: a.st, Documents: docs, Notes: notes}, Gates: g, Log: httpapi.NewLog(log), Stop: stop,
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
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.Watch(ctx, switchPoll, func(s gates.State) { // its reason is a person's text
			log.Info("feature", "feature", string(s.Feature), "on", s.On, "by", s.By)
		})
	}()
	defer func() { stop(); <-watched }()
	if a.json || *owned {
		a.printJSON(r)
	} else {
		a.printf("The gateway listens on 127.0.0.1:%d. Stop it with Ctrl-C.\n", port)
	}
	if a.stdout.err != nil {
		stop() // the owner is gone
	}
	err = s.Serve(ctx, l)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), benchPatience)
	defer cancel()
	err = errors.Join(err, bench.Close(patience))
	log.Info("stopped", "error", err)
	if err != nil {
		return fmt.Errorf("the gateway ended: %w", err)
	}
	return nil
}
