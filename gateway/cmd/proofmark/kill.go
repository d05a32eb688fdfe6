package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/gates"
	"proofmark/gateway/store"
	"proofmark/gateway/turn"
)

var killCommand = &command{
	name: "kill", args: "[FEATURE] [--reason TEXT] | --list", summary: "switch a feature off for everybody, at once",
	long: `Switches FEATURE off in every process that works with the data directory: a running
gateway, its desktop, agents, and this command line. It needs none of them, and waits for no
browser and no model. When it returns, no turn publishes anything any more: those that had not
ended are ended and named. Edits, notes and sending are refused then (feature_off, exit 3).

History, changes, diffs, export, revert, restore and backup go on working. Nothing is deleted;
drafts wait. ` + "`proofmark unkill`" + ` takes it back.

FEATURE is one of

  artifactPromptAnnotations    notes that a planner or a model carries out (default)
  documentWorkbenchResources   previews and all editing, the notes too

  proofmark kill --reason 'incident 12'
  proofmark kill documentWorkbenchResources
  proofmark kill --list

Flags:
  --reason TEXT   why, for people; at most 200 characters. Write nothing secret in it
  --list          say what is on and off and why, and list what was switched; change nothing`,
	run: runKill,
}

var unkillCommand = &command{
	name: "unkill", args: "[FEATURE]", summary: "take back what kill did",
	long: `Switches FEATURE (default artifactPromptAnnotations) on again where kill switched it off.
What the configuration file or the environment keeps off stays off. Turns that kill ended stay
ended: their notes can be sent again (` + "`proofmark send FILE --again`" + `).

  proofmark unkill
  proofmark unkill documentWorkbenchResources`,
	run: runUnkill,
}

const (
	// killPatience is how long other processes' transactions are waited for, and
	// killWait how long at a time: short waits find a gap between busy writers.
	killPatience = 30 * time.Second
	killWait     = 50 * time.Millisecond
	// switchesShown bounds how much of what was switched --list shows.
	switchesShown = 100
)

// switchStore opens the database and settles nothing an earlier run left over,
// so that nothing stands in the way. made tells whether there was none.
func (a *app) switchStore() (st *store.Store, made bool, err error) {
	dir, err := a.directory()
	if err != nil {
		return nil, false, err
	}
	_, err = os.Lstat(filepath.Join(dir, store.FileName))
	made = errors.Is(err, fs.ErrNotExist)
	for late := time.Now().Add(killPatience); ; {
		st, err = store.Open(dir, store.Options{BusyTimeout: killWait})
		if core.CodeOf(err) != core.StorageBusy || time.Now().After(late) {
			break
		}
	}
	if err != nil {
		return nil, made, err
	}
	a.onClose(st.Close)
	return st, made, nil
}

// named gives the feature an argument names.
func named(pos []string) core.Feature {
	if len(pos) == 0 {
		return core.FeatureAnnotations
	}
	return core.Feature(pos[0])
}

// endedTurn is a turn that kill ended.
type endedTurn struct {
	Turn     string `json:"turn"`
	Document string `json:"document"`
	Model    string `json:"model"`
}

type killJSON struct {
	Feature core.Feature `json:"feature"`
	On      bool         `json:"on"`
	DataDir string       `json:"dataDir"`
	Already bool         `json:"already"` // it was switched off before
	Ended   []endedTurn  `json:"ended"`
}

func runKill(ctx context.Context, a *app, args []string) error {
	fs := a.flags("kill")
	list := fs.Bool("list", false, "")
	reason := fs.String("reason", "", "")
	pos, err := a.parse(fs, args, 0, 1)
	if err != nil {
		return err
	}
	if *list && (len(pos) > 0 || *reason != "") {
		return core.Errorf(core.Usage, "--list stands alone")
	}
	st, made, err := a.switchStore()
	if err != nil {
		return err
	}
	if *list {
		return a.listSwitches(ctx, st)
	}
	f := named(pos)
	ctx, cancel := context.WithTimeout(ctx, killPatience)
	defer cancel()
	var ended []core.Turn
	already, err := gates.Kill(ctx, st, f, actor, *reason, func(tx *store.Tx) (err error) {
		ended, err = turn.Fence(tx)
		return err
	})
	if err != nil {
		return cannotSwitch(err)
	}
	r := killJSON{Feature: f, DataDir: st.Dir(), Already: already, Ended: []endedTurn{}}
	for _, t := range ended {
		r.Ended = append(r.Ended, endedTurn{t.ID, t.DocumentID, t.Model})
	}
	if a.json {
		a.printJSON(r)
		return nil
	}
	a.printf("%s is switched off for everything that works with %s.\n", f, st.Dir())
	for _, t := range r.Ended {
		a.printf("Ended: %s on %s (%s). It has published nothing.\n", t.Turn, t.Document, printable(t.Model))
	}
	if made {
		a.progress("There was no database here before. If that is a surprise, name the directory with --data-dir.")
	}
	a.progress("History, diffs, export, revert and restore go on working. Take it back: proofmark unkill %s", f)
	return nil
}

// cannotSwitch adds what an operator can do where the database cannot be written.
func cannotSwitch(err error) error {
	e := core.AsError(err)
	switch e.Code {
	case core.StorageBusy, core.StorageFull, core.ReadOnly, core.PermissionDenied, core.StorageDamaged:
		return e.WithHint(`End the gateway, put {"features":{"%s":false}} into config.json in the data directory, and start it again; see docs/operations.md.`, core.FeatureAnnotations)
	}
	return e
}

func runUnkill(ctx context.Context, a *app, args []string) error {
	pos, err := a.parse(a.flags("unkill"), args, 0, 1)
	if err != nil {
		return err
	}
	st, _, err := a.switchStore()
	if err != nil {
		return err
	}
	f := named(pos)
	ctx, cancel := context.WithTimeout(ctx, killPatience)
	defer cancel()
	was, err := gates.Unkill(ctx, st, f, actor)
	if err != nil {
		return err
	}
	g, err := gates.Load(st, os.Getenv)
	if err != nil { // the switch is taken back all the same
		a.progress("The kill switch of %s is taken back.", f)
		return err
	}
	states, err := g.States(ctx)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.Feature != f {
			continue
		}
		if a.json {
			a.printJSON(map[string]any{"feature": f, "on": s.On, "by": s.By, "dataDir": st.Dir(), "was": was})
			return nil
		}
		if !was {
			a.progress("kill had not switched it off.")
		}
		a.printf("%s\n", stateText(s))
	}
	return nil
}

type switchJSON struct {
	At      time.Time    `json:"at"`
	Feature core.Feature `json:"feature"`
	On      bool         `json:"on"`
	Actor   string       `json:"actor"`
	Reason  string       `json:"reason"`
}

func (a *app) listSwitches(ctx context.Context, st *store.Store) error {
	g, err := gates.Load(st, os.Getenv)
	if err != nil {
		return err
	}
	states, err := g.States(ctx)
	if err != nil {
		return err
	}
	var rows []store.Switch
	if err := st.Read(ctx, func(tx *store.Tx) (err error) {
		rows, err = tx.SwitchHistory(switchesShown)
		return err
	}); err != nil {
		return err
	}
	history := make([]switchJSON, 0, len(rows))
	for _, s := range rows {
		history = append(history, switchJSON{s.At, s.Feature, !s.Off, s.Actor, s.Reason})
	}
	if a.json {
		a.printJSON(map[string]any{"dataDir": st.Dir(), "features": states, "switched": history})
		return nil
	}
	for _, s := range states {
		a.printf("%s\n", stateText(s))
	}
	if len(history) > 0 {
		a.printf("\nSwitched, the newest first:\n")
	}
	for _, s := range history {
		what := "kill"
		if s.On {
			what = "unkill"
		}
		a.printf("  %s  %-6s %s by %s%s\n", s.At.Local().Format(time.DateTime), what, s.Feature, s.Actor, because(s.Reason))
	}
	return nil
}

// stateText says in words whether a feature is on, and why.
func stateText(s gates.State) string {
	on := "off"
	if s.On {
		on = "on "
	}
	text := on + "  " + string(s.Feature)
	switch s.By {
	case gates.ByDefault:
	case gates.ByNeed:
		text += ": " + string(s.Needs) + " is off, which it needs"
	case gates.ByKill:
		text += ": switched off by kill at " + s.Since.Local().Format(time.DateTime) + because(s.Reason)
	case gates.ByEnvironment:
		text += ": " + gates.EnvNames + " says so"
	case gates.ByConfig:
		text += ": the configuration file says so"
	default:
		text += ": " + s.By
	}
	return text
}

func because(reason string) string {
	if reason = strings.TrimSpace(printable(reason)); reason != "" {
		return " (" + reason + ")"
	}
	return ""
}
