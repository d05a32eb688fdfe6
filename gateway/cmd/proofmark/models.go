package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/models"
	"proofmark/gateway/router"
	"proofmark/gateway/store"
)

var modelsCommand = &command{
	name: "models", args: "[NAME] [--check] | set-key NAME | forget-key NAME", summary: "list who can plan changes, ask them, keep their keys",
	long: `Lists the names --model takes, where each sends its requests, and whether its key is there.
A key itself is never shown, and is read from nowhere but the environment and the keychain.

  proofmark models                     what is configured
  proofmark models --check             ask every host: is it there, does it take the key,
                                       does it know the model? Spends no tokens
  proofmark models --check deepseek    ask one; exit code 6 when it cannot be used
  proofmark models set-key deepseek    keep its key in the keychain: asked for in a
                                       terminal, else read from standard input
  proofmark models forget-key deepseek take the key out of the keychain

These names work without any file:
  builtin          plain instructions, no model, no key, no network
  openai:MODEL     key in OPENAI_API_KEY; OPENAI_BASE_URL names another compatible host
  anthropic:MODEL  key in ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL names another host
  local:MODEL      a server on this machine, port 11434 (Ollama), no key

  OPENAI_API_KEY=… proofmark edit page.html --model openai:gpt-5 --at h1 --say 'shorter, friendlier'
  proofmark edit page.html --model local:qwen3:8b --at h1 --say 'shorter, friendlier'

Other hosts, keys in the keychain, pictures for models that see, routers and ensembles stand
in models.json in the data directory, or where PROOFMARK_MODELS says:

  {"models": [{"name": "deepseek", "provider": "openai", "model": "deepseek-chat",
               "baseUrl": "https://api.deepseek.com/v1", "key": {"env": "DEEPSEEK_API_KEY"}}]}

"key" is {"env": "NAME"}, {"keychain": "NAME"} or "none". docs/models.md has the whole of it,
and says what a model is sent: the notes, the places they point at, and what it reads of the page.`,
	run: runModels,
}

// catalog reads what models are configured.
func (a *app) catalog() (models.Catalog, error) {
	dir := a.dataDir
	if dir == "" {
		var err error
		if dir, err = store.DefaultDir(); err != nil {
			return models.Catalog{}, err
		}
	}
	return models.Load(dir, os.Getenv)
}

// lineup gives the models --model names, with their keys looked up. The built-in
// planner works whatever the configuration file says.
func (a *app) lineup(ctx context.Context) (router.Lineup, error) { return a.lineupNamed(ctx, a.model) }

func (a *app) lineupNamed(ctx context.Context, name string) (router.Lineup, error) {
	if name == models.Builtin {
		return router.Direct(builtin.New()), nil
	}
	c, err := a.catalog()
	if err != nil {
		return router.Lineup{}, err
	}
	return c.Lineup(ctx, name, models.Options{})
}

func runModels(ctx context.Context, a *app, args []string) error {
	fs := a.flags("models")
	check := fs.Bool("check", false, "")
	pos, err := a.parse(fs, args, 0, -1)
	if err != nil {
		return err
	}
	if len(pos) > 0 && (pos[0] == "set-key" || pos[0] == "forget-key") {
		return a.manageKey(ctx, pos, *check)
	}
	if len(pos) > 1 {
		return core.Errorf(core.Usage, "models takes one name").WithHint("`proofmark help models` shows how to call it")
	}
	c, err := a.catalog()
	if err != nil {
		return err
	}
	if *check {
		return a.checkModels(ctx, c, pos)
	}
	list := c.List()
	if len(pos) == 1 {
		e, err := c.Find(pos[0])
		if err != nil {
			return err
		}
		list = []models.Entry{e}
	}
	a.listModels(ctx, c, list)
	return nil
}

// modelJSON is one entry of models --json.
type modelJSON struct {
	Name       string            `json:"name"`
	Mode       string            `json:"mode"`
	Provider   string            `json:"provider,omitempty"`
	Model      string            `json:"model,omitempty"`
	Host       string            `json:"host,omitempty"`
	Key        *keyJSON          `json:"key,omitempty"`
	Vision     bool              `json:"vision"`
	MaxTokens  int               `json:"maxTokens,omitempty"`
	Pattern    bool              `json:"pattern,omitempty"` // MODEL stands for any model of the host
	Tiers      map[string]string `json:"tiers,omitempty"`
	Proposers  []string          `json:"proposers,omitempty"`
	Aggregator string            `json:"aggregator,omitempty"`
}

// keyJSON says where a key is and whether it is there.
type keyJSON struct {
	State    models.KeyState `json:"state"`
	Env      string          `json:"env,omitempty"`
	Keychain string          `json:"keychain,omitempty"`
}

// listModels shows entries; where all are shown, also where they come from.
func (a *app) listModels(ctx context.Context, c models.Catalog, list []models.Entry) {
	path, found := c.File()
	if a.json {
		out := []modelJSON{}
		for _, e := range list {
			out = append(out, a.modelOf(ctx, c, e))
		}
		a.printJSON(map[string]any{"file": path, "found": found, "model": a.model, "models": out})
		return
	}
	rows := [][]string{{"NAME", "MODEL", "HOST", "KEY", "PICTURES"}}
	for _, e := range list {
		rows = append(rows, a.modelRow(ctx, c, e))
	}
	a.table(rows)
	if len(list) == 1 {
		return
	}
	a.progress("\nMODEL stands for any model of that host. %s is used unless --model or PROOFMARK_MODEL names another.", models.Builtin)
	if found {
		a.progress("Configured in %s.", path)
	} else {
		a.progress("More are configured in %s, which is not there yet: `proofmark help models` shows one.", path)
	}
}

func (a *app) modelOf(ctx context.Context, c models.Catalog, e models.Entry) modelJSON {
	out := modelJSON{
		Name: e.Name, Mode: e.Mode, Provider: e.Provider, Model: e.Model, Host: e.Host(), Vision: e.Vision,
		MaxTokens: e.MaxTokens, Pattern: e.Pattern, Proposers: e.Proposers, Aggregator: e.Aggregator,
	}
	for t, name := range e.Tiers {
		if out.Tiers == nil {
			out.Tiers = map[string]string{}
		}
		out.Tiers[string(t)] = name
	}
	if e.Mode == router.ModeDirect {
		out.Key = &keyJSON{State: c.KeyState(ctx, e), Env: e.Key.Env, Keychain: e.Key.Keychain}
	}
	return out
}

func (a *app) modelRow(ctx context.Context, c models.Catalog, e models.Entry) []string {
	switch {
	case e.Provider == models.Builtin:
		return []string{e.Name, "plain instructions, no model", "nothing leaves this program", "none needed", ""}
	case e.Mode == router.ModeRouter:
		var parts []string
		for _, t := range router.Tiers() {
			if name := e.Tiers[t]; name != "" {
				parts = append(parts, string(t)+" "+name)
			}
		}
		return []string{e.Name, "router: " + strings.Join(parts, ", ")}
	case e.Mode == router.ModeEnsemble:
		return []string{e.Name, "ensemble: " + e.Aggregator + ", advised by " + strings.Join(e.Proposers, ", ")}
	}
	key := "none needed"
	if !e.Key.None() {
		key = fmt.Sprintf("%s: %s", e.Key, c.KeyState(ctx, e))
	}
	sees := "no"
	if e.Vision {
		sees = "yes"
	}
	return []string{e.Name, e.Model, e.Host(), key, sees}
}

// table prints rows in columns as wide as their cells; a row that is short of
// cells does not widen the last it has.
func (a *app) table(rows [][]string) {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			if i < len(row)-1 || len(row) == len(rows[0]) {
				width[i] = max(width[i], len([]rune(cell)))
			}
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&b, "%-*s  ", width[i], cell)
		}
		a.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
}
