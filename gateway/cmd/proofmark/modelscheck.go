package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/models"
)

// checkModels asks the hosts of the names, or of everything that is configured.
func (a *app) checkModels(ctx context.Context, c models.Catalog, names []string) error {
	optional := map[string]bool{} // that it is not there is no fault of the configuration
	if len(names) == 0 {
		for _, e := range c.List() {
			optional[e.Name] = e.Pattern
			if !e.Pattern || c.KeyState(ctx, e) != models.KeyMissing {
				names = append(names, e.Name)
			}
		}
	}
	checks, err := c.Check(ctx, names...)
	if err != nil {
		return err
	}
	failed := slices.ContainsFunc(checks, func(r models.Checked) bool { return !r.OK() && !optional[r.Entry.Name] })
	if a.json {
		out := []checkJSON{}
		for _, r := range checks {
			out = append(out, checkOf(r))
		}
		a.printJSON(map[string]any{"ok": !failed, "checks": out})
	} else {
		for _, r := range checks {
			a.printCheck(r, optional[r.Entry.Name])
		}
	}
	if failed {
		return &exitError{code: core.ExitMissing}
	}
	return nil
}

// printCheck says what asking a host gave; "off" is one that nobody relies on.
func (a *app) printCheck(r models.Checked, optional bool) {
	status, said := "ok", "takes the key and knows the model"
	switch {
	case r.Err != nil:
		status, said = "no", strings.TrimPrefix(r.Err.Message, r.Entry.Name+": ")
		if optional {
			status = "off"
		}
	case r.Entry.Provider == models.Builtin:
		said = "needs no host"
	case r.Entry.Pattern:
		said = "is there" + listed(r.Models)
	case r.Unlisted:
		said = "is there; it offers no list of its models"
	case r.Key == models.KeyNone:
		said = "is there and knows the model"
	}
	if r.Err == nil && r.Entry.Host() != "" {
		said = r.Entry.Host() + " " + said
	}
	a.printf("%-4s %-20s %s\n", status, r.Entry.Name, said)
	if r.Err != nil && r.Err.Hint != "" && !optional {
		a.printf("%-25s → %s\n", "", r.Err.Hint)
	}
}

func listed(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; it lists one model"
	}
	return fmt.Sprintf("; it lists %d models", n)
}

// checkJSON is one line of models --check --json.
type checkJSON struct {
	Name      string          `json:"name"`
	Model     string          `json:"model,omitempty"`
	Host      string          `json:"host,omitempty"`
	OK        bool            `json:"ok"`
	Key       models.KeyState `json:"key"`
	Reachable bool            `json:"reachable"`
	Models    int             `json:"models"` // how many the host lists
	Listed    *bool           `json:"listed"` // null where nothing is known
	Error     any             `json:"error,omitempty"`
}

func checkOf(r models.Checked) checkJSON {
	out := checkJSON{
		Name: r.Entry.Name, Model: r.Entry.Model, Host: r.Entry.Host(), OK: r.OK(), Key: r.Key,
		Reachable: r.Reachable, Models: r.Models,
	}
	if r.Reachable && !r.Unlisted && !r.Entry.Pattern {
		out.Listed = &r.Listed
	}
	if r.Err != nil {
		out.Error = errorJSON(r.Err)
	}
	return out
}
