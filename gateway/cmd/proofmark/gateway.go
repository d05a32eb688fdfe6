package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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
	"proofmark/gateway/webapp"
	"proofmark/gateway/workbench"
	"proofmark/webui"
)

// switchPoll is how often a gateway looks what an operator has switched, for its log.
const switchPoll = time.Second

// benchPatience is how long turns that are ending are waited for.
const benchPatience = 15 * time.Second

// ready is the first line that serve prints.
type ready struct {
	Ready  bool      `json:"ready"`
	PID    int       `json:"pid"`
	Port   int       `json:"port"` // on 127.0.0.1
	Launch string    `json:"launch"`
	Token  string    `json:"token,omitempty"` // of the scope desktop, for the owner alone
	Until  time.Time `json:"tokenExpires,omitzero"`
	// Protocol is what is spoken with the shell that drives the pages: 4, 3 for one
	// that has no pages to drive, 0 for one that could not be reached.
	Protocol *int `json:"protocol,omitempty"`
}

// gatewayOptions are what commands that run a gateway choose.
type gatewayOptions struct {
	// pair shows a person the code that lets a plain browser in, each time there is
	// a new one; nil: no browser is let in.
	pair func(port int, code string)
	// shell drives the pages, where a desktop app has started the gateway.
	shell *shell
}

// gatewayRun is the gateway of this process: it listens, others can find it, and
// it answers once serve runs.
type gatewayRun struct {
	listener net.Listener
	port     int
	launch   string
	issuer   *token.Issuer
	bench    *workbench.Workbench
	server   *httpapi.Server
	log      *slog.Logger
	gates    *gates.Gates
	stop     func()
	invite   func() // shows a code for a browser, where one is let in
}

// startGateway makes the data directory's one gateway. stop ends what ctx is for;
// the API can ask for that. It ends with ctx, in serve.
func (a *app) startGateway(ctx context.Context, stop func(), o gatewayOptions) (_ *gatewayRun, err error) {
	docs, err := a.documents(ctx)
	if err != nil {
		return nil, err
	}
	g, err := a.features(ctx)
	if err != nil {
		return nil, err
	}
	log, closeLog, err := logfile.Open(a.st.Dir())
	if err != nil {
		return nil, err
	}
	a.onClose(closeLog)
	if o.shell != nil {
		if err := o.shell.connect(ctx, a, g, log); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, core.Wrap(core.Internal, err, "there is no port to listen on")
	}
	defer func() {
		if err != nil {
			_ = l.Close()
		}
	}()
	launch, port, key := core.NewID("run"), l.Addr().(*net.TCPAddr).Port, token.NewKey()
	issuer := token.NewIssuer(launch, nil)
	catalog, err := a.catalog()
	if err != nil {
		return nil, err
	}
	notes := annotate.New(a.st, docs, nil)
	bench := workbench.New(workbench.Config{
		Store: a.st, Documents: docs, Notes: notes, Start: o.shell.starter(a.startBrowser), Check: g.Check,
		Closed: func(id string) { issuer.RevokeSubject(token.Preview, id) },
		Lineup: func(ctx context.Context, name string) (router.Lineup, error) {
			if name == "" {
				name = a.model
			}
			return a.lineupNamed(ctx, name)
		},
	})
	bench.SetWindow(o.shell.window())
	if err := bench.Reconcile(ctx); err != nil && core.CodeOf(err) != core.StorageBusy {
		log.Warn("turns of an earlier run could not be settled", "error", err)
	}
	build, err := fs.Sub(webui.Files, "static/app")
	if err != nil {
		return nil, core.Wrap(core.Internal, err, "the workbench's files cannot be read")
	}
	app, err := webapp.New(build, bench.PreviewPort)
	if err != nil {
		return nil, err
	}
	pairing, invite := (*token.Pairing)(nil), func() {}
	if o.pair != nil {
		pairing = token.NewPairing(nil)
		invite = func() { o.pair(port, pairing.Next()) }
	}
	s := httpapi.New(httpapi.Config{
		App: app, Pairing: pairing, Invite: invite,
		Notes: notes, Edits: manual.New(a.st, docs, 0), Workbench: bench, Models: catalog, DataDir: a.st.Dir(),
		Version: version, Launch: launch, Port: port, Issuer: issuer, Door: token.NewDoor(key, launch, port, nil),
		Documents: docs, Reviews: bundle.Taker{Store: a.st, Documents: docs, Notes: notes}, Gates: g, Log: httpapi.NewLog(log), Stop: stop,
	})
	withdraw, err := discover.Publish(a.st.Dir(), discover.Place{PID: os.Getpid(), Port: port, Launch: launch, Key: key, Started: time.Now()})
	if err != nil {
		return nil, err
	}
	a.onClose(withdraw)
	log.Info("started", "version", version, "launch", launch, "pid", os.Getpid())
	return &gatewayRun{listener: l, port: port, launch: launch, issuer: issuer, bench: bench, server: s, log: log, gates: g, stop: stop, invite: invite}, nil
}

// ready says where the gateway is.
func (g *gatewayRun) ready() ready {
	return ready{Ready: true, PID: os.Getpid(), Port: g.port, Launch: g.launch}
}

// serve answers until ctx is done, then ends what is running.
func (g *gatewayRun) serve(ctx context.Context) error {
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.gates.Watch(ctx, switchPoll, func(s gates.State) { // its reason is a person's text
			g.log.Info("feature", "feature", string(s.Feature), "on", s.On, "by", s.By)
		})
	}()
	defer func() { g.stop(); <-watched }()
	err := g.server.Serve(ctx, g.listener)
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), benchPatience)
	defer cancel()
	err = errors.Join(err, g.bench.Close(patience))
	g.log.Info("stopped", "error", err)
	if err != nil {
		return fmt.Errorf("the gateway ended: %w", err)
	}
	return nil
}

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
