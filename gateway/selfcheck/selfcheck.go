package selfcheck

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"proofmark/gateway/surface"
)

// Statuses of a check.
const (
	OK      = "ok"
	Warn    = "warn"    // it holds, with less between it and harm
	Fail    = "fail"    // it does not hold
	Skipped = "skipped" // it cannot be found out on this system
)

// Check is one line of the report.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"` // what was looked at, or what is wrong
	Hint   string `json:"hint,omitempty"`
}

// Config says what is looked at.
type Config struct {
	DataDir string // of the person
	// Gateway gives the command of a gateway that is owned by whoever started it:
	// it prints its first line and ends when its standard input does.
	Gateway func(ctx context.Context, dataDir string) *exec.Cmd
	// Browser starts a browser; end closes it. The error is why there is none.
	Browser func(ctx context.Context) (m *surface.Manager, end func() error, err error)
}

// Run looks at everything and gives a line for each. It gives an error only
// where ctx is done.
func Run(ctx context.Context, c Config) ([]Check, error) {
	all := []Check{account()}
	all = append(all, files(c.DataDir)...)
	all = append(all, gatewayChecks(ctx, c)...)
	all = append(all, browserChecks(ctx, c)...)
	return all, ctx.Err()
}

// result makes a check's line of what was found wrong; ok says what was tried.
func result(name string, wrong []string, hint, ok string, args ...any) Check {
	switch len(wrong) {
	case 0:
		return Check{Name: name, Status: OK, Detail: fmt.Sprintf(ok, args...)}
	case 1:
		return Check{Name: name, Status: Fail, Detail: wrong[0], Hint: hint}
	}
	return Check{Name: name, Status: Fail, Detail: fmt.Sprintf("%s, and %d more", wrong[0], len(wrong)-1), Hint: hint}
}

// failed makes lines of checks that could not be made.
func failed(err error, names ...string) []Check {
	var out []Check
	for _, n := range names {
		out = append(out, Check{Name: n, Status: Fail, Detail: "it could not be looked at: " + err.Error()})
	}
	return out
}

func account() Check {
	if os.Geteuid() == 0 {
		return Check{
			Name: "account", Status: Warn, Detail: "running as root: the browser's own sandbox is off",
			Hint: "Run Proofmark as an ordinary user.",
		}
	}
	return Check{Name: "account", Status: OK, Detail: "an ordinary user; the browser keeps its sandbox"}
}
