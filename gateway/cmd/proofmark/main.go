// Command proofmark is the gateway's command line: it opens HTML files, proves
// which bytes a target stands on, lets a planner or model change only those,
// shows the proof and takes it back. One file per command; wiring only.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"proofmark/gateway/core"
)

func main() {
	// A reader that went away is an error of one write, not a reason to die in
	// the middle of a change.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal does not wait for the cleaning up
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for the process around it; it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output{to: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr}
	defer a.close()
	code := a.main(ctx, args)
	if out.err != nil {
		if !out.readerGone() {
			fmt.Fprintf(stderr, "proofmark: the result could not be written to standard output: %v\n", out.err)
		}
		if code == core.ExitOK {
			code = core.ExitInternal
		}
	}
	return code
}

// main runs the command that args name, and gives the exit code.
func (a *app) main(ctx context.Context, args []string) int {
	if len(args) == 0 {
		a.overview(a.stderr)
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
		a.usage(a.stdout, cmd)
		return core.ExitOK
	}
	if a.stdout.err != nil && errors.Is(err, a.stdout.err) {
		return core.ExitInternal // told by run
	}
	if ctx.Err() != nil && cutShort(err) {
		err = core.Wrap(core.Cancelled, err, "stopped before it was done; nothing was half-written")
	}
	return a.finish(err)
}

// cutShort tells whether err can be what a signal makes of a run. A result that
// was printed stays, and so does a refusal that has its own reason.
func cutShort(err error) bool {
	var printed *exitError
	if err == nil || errors.As(err, &printed) {
		return false
	}
	switch core.CodeOf(err) {
	case core.Internal, core.Cancelled, core.Timeout, core.BrowserFailed, core.SurfaceLost:
		return true
	}
	return false
}
