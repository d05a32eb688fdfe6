package main

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/selfcheck"
	"proofmark/gateway/surface"
)

// doctorSecurity looks whether what keeps others out does so on this machine.
// It makes nothing in the data directory.
func (a *app) doctorSecurity(ctx context.Context) error {
	dir, err := a.directory()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return core.Wrap(core.Internal, err, "this program cannot be started again")
	}
	a.progress("Looking at files, a gateway of its own and a browser; this takes some seconds.")
	all, err := selfcheck.Run(ctx, selfcheck.Config{
		DataDir: dir,
		Gateway: func(ctx context.Context, dataDir string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, self, "serve", "--owned", "--data-dir", dataDir)
			// What an operator has set is not what is looked at here.
			cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PROOFMARK_") })
			return cmd
		},
		Browser: func(ctx context.Context) (*surface.Manager, func() error, error) {
			own := &app{chromium: a.chromium, stderr: a.stderr, quiet: true}
			b, err := own.openBrowser(ctx, false, 800, 600)
			if err != nil {
				own.close()
				return nil, nil, err
			}
			return b.previews, func() error { own.close(); return nil }, nil
		},
	})
	if err != nil {
		return core.Wrap(core.Cancelled, err, "stopped before all was looked at")
	}
	counts := map[string]int{}
	for _, c := range all {
		counts[c.Status]++
	}
	if a.json {
		a.printJSON(map[string]any{"ok": counts[selfcheck.Fail] == 0, "checks": all})
	} else {
		for _, c := range all {
			a.printf("%-8s %-15s %s\n", c.Status, c.Name, c.Detail)
			if c.Hint != "" {
				a.printf("%-24s → %s\n", "", c.Hint)
			}
		}
		a.printf("\n%d ok, %d with a warning, %d failed, %d skipped\n", counts[selfcheck.OK], counts[selfcheck.Warn], counts[selfcheck.Fail], counts[selfcheck.Skipped])
	}
	if counts[selfcheck.Fail] > 0 {
		return &exitError{code: core.ExitInternal}
	}
	return nil
}
