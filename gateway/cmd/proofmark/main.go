// Command proofmark is the gateway's command line: it opens HTML files, proves
// which bytes a target stands on, lets a planner or model change only those,
// shows the proof and takes it back. One file per command; wiring only.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"proofmark/gateway/core"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it; it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	defer a.close()
	if len(args) == 0 {
		a.overview(stderr)
		return core.ExitUsage
	}
	switch args[0] {
	case "-h", "--help", "help":
		return a.finish(a.help(args[1:]))
	case "--version", "-v":
		args[0] = "version"
	}
	cmd := lookup(args[0])
	if cmd == nil {
		a.json = wantsJSON(args[1:])
		return a.finish(core.Errorf(core.Usage, "there is no command %q", args[0]).WithHint("%s", suggest(args[0])))
	}
	err := cmd.run(ctx, a, args[1:])
	if errors.Is(err, errHelp) {
		a.usage(stdout, cmd)
		return core.ExitOK
	}
	if ctx.Err() != nil && err != nil && core.CodeOf(err) == core.Internal {
		err = core.Wrap(core.Cancelled, err, "stopped before it was done; nothing was half-written")
	}
	return a.finish(err)
}
