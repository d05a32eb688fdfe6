package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"proofmark/bridge/chromium"
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/models"
	"proofmark/gateway/surface"
)

var doctorCommand = &command{
	name: "doctor", args: "[--deep [--repair] | --security]", summary: "say what is present, what is missing, and how to get it",
	long: `Checks what Proofmark needs on this machine: a place for versions, a readable database, a
browser that starts and is driven over a pipe, a loopback listener, a planner; and whether
an operator has switched something off. Changes nothing but an empty data directory. Exit code 6 when something is missing.

--deep looks at the stored versions instead, all of them: it reads every byte that is kept
and compares it with its SHA-256, makes each version anew from the first one by its changes,
and checks heads, anchors and audit rows against them. It names what is damaged and what can
still be read, and changes nothing. Exit code 1 when something is damaged. --repair then
stores anew the versions that are damaged and that the changes up to there still make.

--security looks whether what keeps others out does so on this machine: it starts a gateway
of its own in an empty directory and tries what other programs and web pages could try, looks
who listens where and who can read your files, and shows a hostile page in a preview with
listeners that count what it reaches. Your data directory is only looked at; nothing leaves
the machine. Exit code 1 when something does not hold.

  proofmark doctor
  proofmark doctor --deep
  proofmark doctor --deep --repair
  proofmark doctor --security
  proofmark doctor --deep --json --data-dir /mnt/backup/proofmark`,
	run: runDoctor,
}

// finding is one line of the doctor's report.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, warn, missing
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

func runDoctor(ctx context.Context, a *app, args []string) error {
	fs := a.flags("doctor")
	deep, repair, security := fs.Bool("deep", false, ""), fs.Bool("repair", false, ""), fs.Bool("security", false, "")
	if _, err := a.parse(fs, args, 0, 0); err != nil {
		return err
	}
	switch {
	case *security && (*deep || *repair):
		return core.Errorf(core.Usage, "--security stands alone")
	case *security:
		return a.doctorSecurity(ctx)
	case *deep:
		return a.doctorDeep(ctx, *repair)
	case *repair:
		return core.Errorf(core.Usage, "--repair goes with --deep").WithHint("`proofmark doctor --deep` first says what is damaged")
	}
	all := []finding{a.checkStore(ctx), checkListener(), a.checkBrowser(ctx), checkUser(), a.checkPlanner(ctx), a.checkFeatures(ctx)}
	if err := ctx.Err(); err != nil { // what was not asked is not missing
		return core.Wrap(core.Cancelled, err, "stopped before all was looked at")
	}
	missing := false
	for _, f := range all {
		missing = missing || f.Status == "missing"
	}
	if a.json {
		a.printJSON(map[string]any{"ok": !missing, "checks": all})
	} else {
		for _, f := range all {
			a.printf("%-8s %-9s %s\n", f.Status, f.Name, f.Detail)
			if f.Hint != "" {
				a.printf("%-18s → %s\n", "", f.Hint)
			}
		}
	}
	if missing {
		return &exitError{code: core.ExitMissing}
	}
	return nil
}

// bad turns an error into a finding.
func bad(name string, err error) finding {
	e := core.AsError(err)
	text := e.Message
	if e.Err != nil {
		text = e.Error()
	}
	return finding{Name: name, Status: "missing", Detail: text, Hint: e.Hint}
}

func (a *app) checkStore(ctx context.Context) finding {
	if _, err := a.documents(ctx); err != nil {
		return bad("versions", err)
	}
	if err := a.st.ReadOnly(); err != nil {
		return bad("versions", err)
	}
	return finding{Name: "versions", Status: "ok", Detail: a.st.Dir()}
}

func checkListener() finding {
	l, err := surface.Listen()
	if err != nil {
		return bad("listener", err)
	}
	addr := l.Addr()
	if err := l.Close(); err != nil {
		return bad("listener", err)
	}
	return finding{Name: "listener", Status: "ok", Detail: "loopback only, such as " + addr}
}

// checkBrowser starts the browser for real: a binary that is there may still
// lack a library or a sandbox.
func (a *app) checkBrowser(ctx context.Context) finding {
	found, err := chromium.Find(a.chromium)
	if err != nil {
		return bad("browser", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	t0 := time.Now()
	b, err := a.openBrowser(ctx, false, 800, 600)
	if err != nil {
		return bad("browser", err)
	}
	s, err := b.host.Open(ctx, contract.OpenOptions{Origin: "http://doctor.localhost:9", Width: 800, Height: 600, Hidden: true})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return bad("browser", fmt.Errorf("%s starts but cannot be driven: %w", found.Path, err))
	}
	return finding{
		Name: "browser", Status: "ok",
		Detail: fmt.Sprintf("%s (%s), driven over a pipe, started in %d ms", found.Path, found.Version, time.Since(t0).Milliseconds()),
	}
}

func checkUser() finding {
	if os.Geteuid() == 0 {
		return finding{
			Name: "user", Status: "warn", Detail: "running as root: the browser's own sandbox is off",
			Hint: "run Proofmark as an ordinary user",
		}
	}
	return finding{Name: "user", Status: "ok", Detail: "an ordinary user; the browser keeps its sandbox"}
}

// checkPlanner looks at who plans the changes. It asks no host: that is what
// `models --check` is for.
func (a *app) checkPlanner(ctx context.Context) finding {
	l, err := a.lineup(ctx)
	if err != nil {
		return bad("planner", err)
	}
	if a.model == models.Builtin {
		return finding{Name: "planner", Status: "ok", Detail: l.Name + ": plain instructions, no key, no network"}
	}
	return finding{Name: "planner", Status: "ok", Detail: l.Name + " is configured (`proofmark models --check " + l.Name + "` asks it)"}
}

// checkFeatures says what an operator has switched off.
func (a *app) checkFeatures(ctx context.Context) finding {
	g, err := a.features(ctx)
	if err != nil {
		return bad("features", err)
	}
	states, err := g.States(ctx)
	if err != nil {
		return bad("features", err)
	}
	var off []string
	for _, s := range states {
		if !s.On {
			off = append(off, string(s.Feature))
		}
	}
	if len(off) > 0 {
		return finding{Name: "features", Status: "warn", Detail: "switched off: " + strings.Join(off, ", "), Hint: "`proofmark kill --list` says why"}
	}
	return finding{Name: "features", Status: "ok", Detail: "everything is on"}
}
