package certify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/anthropic"
	"proofmark/gateway/llm/openai"
	"proofmark/gateway/llm/retry"
	"proofmark/gateway/router"
	server "proofmark/internal/modelserver"
)

func TestMain(m *testing.M) { testbrowser.Main(m) }

const testKey = "zq-81hd-very-own-key"

// bench is a scripted provider and what is configured to use it.
type bench struct {
	t      *testing.T
	server *server.Server
	wire   string
	temp   string // where temporary folders go
	why    map[string]error
}

// newBench starts a provider that answers each model from its list.
func newBench(t *testing.T, wire string, lists map[string][]server.Step) *bench {
	t.Helper()
	b := &bench{t: t, wire: wire, server: server.StartT(t, server.ByModel(lists)), temp: t.TempDir(), why: map[string]error{}}
	b.server.RequireKey(testKey)
	testbrowser.Shared(t) // it keeps its own folder for longer than one test
	t.Setenv("TMPDIR", b.temp)
	return b
}

// model is a provider's model as the program makes it: the meter below the
// retries.
func (b *bench) model(name string, wrap func(llm.Model) llm.Model) llm.Model {
	b.t.Helper()
	key := func() (string, error) { return testKey, nil }
	var leaf llm.Model
	var err error
	if b.wire == server.Anthropic {
		leaf, err = anthropic.New(anthropic.Config{Name: name, Model: name, BaseURL: b.server.AnthropicBase(), Key: key})
	} else {
		leaf, err = openai.New(openai.Config{Name: name, Model: name, BaseURL: b.server.OpenAIBase(), Key: key})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	now := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return retry.New(wrap(leaf), retry.Options{Sleep: now})
}

func (b *bench) lineups(modes ...string) map[string]Maker {
	all := map[string]Maker{
		router.ModeDirect: func(_ context.Context, wrap func(llm.Model) llm.Model) (router.Lineup, error) {
			return router.Direct(b.model("m-direct", wrap)), nil
		},
		router.ModeRouter: func(_ context.Context, wrap func(llm.Model) llm.Model) (router.Lineup, error) {
			return router.Lineup{Name: "tiers", Mode: router.ModeRouter, Tiers: map[router.Tier]llm.Model{
				router.C1: b.model("m-c1", wrap), router.C2: b.model("m-c2", wrap), router.C3: b.model("m-c3", wrap),
			}}, nil
		},
		router.ModeEnsemble: func(_ context.Context, wrap func(llm.Model) llm.Model) (router.Lineup, error) {
			l := router.Lineup{Name: "team", Mode: router.ModeEnsemble, Aggregator: b.model("m-agg", wrap)}
			for i := range core.MaxProposers {
				l.Proposers = append(l.Proposers, b.model(fmt.Sprintf("m-p%d", i+1), wrap))
			}
			return l, nil
		},
	}
	for mode := range all {
		if len(modes) > 0 && !slices.Contains(modes, mode) {
			delete(all, mode)
		}
	}
	return all
}

// run runs some of the cases; none named runs the whole matrix.
func (b *bench) run(ctx context.Context, lineups map[string]Maker, names ...string) Report {
	b.t.Helper()
	r := &runner{
		Config: Config{
			Live: true, Lineups: lineups, Surfaces: testbrowser.Shared(b.t).Surfaces, Secrets: []string{testKey},
			Told: func(c Case, err error) { b.why[c.Name] = err },
		},
		made: map[string]made{}, report: Report{LiveMatrix: true, Reserved: Reserved()},
	}
	some, none := edits, refusals
	if len(names) > 0 {
		some = slices.DeleteFunc(slices.Clone(edits), func(e edit) bool { return !slices.Contains(names, e.name) })
		none = slices.DeleteFunc(slices.Clone(refusals), func(f refusal) bool { return !slices.Contains(names, f.name) })
	}
	if err := r.run(ctx, some, none); err != nil {
		b.t.Fatal(err)
	}
	r.finish()
	b.clean(r.report)
	return r.report
}

// clean checks what every certification leaves: no folder, no credential, no
// word of a page, and every call counted.
func (b *bench) clean(r Report) {
	b.t.Helper()
	if left, err := filepath.Glob(filepath.Join(b.temp, "proofmark-certify-*")); err != nil || len(left) > 0 {
		b.t.Errorf("left behind: %v %v", left, err)
	}
	if !r.Scan.clean() || r.Scan.Files < 2 {
		b.t.Errorf("scan %+v", r.Scan)
	}
	if n := b.server.Count(); n != r.Calls {
		b.t.Errorf("%d calls were made, %d are reported", n, r.Calls)
	}
	raw, err := r.JSON([]string{testKey})
	if err != nil || strings.Contains(string(raw), testKey) {
		b.t.Errorf("the report: %v\n%s", err, raw)
	}
}

func (b *bench) caseOf(r Report, name string) Case {
	b.t.Helper()
	for _, c := range r.Cases {
		if c.Name == name {
			return c
		}
	}
	b.t.Fatalf("there is no case %s", name)
	return Case{}
}

// wantFailed checks that exactly these checks of a case failed.
func (b *bench) wantFailed(r Report, name string, checks ...string) Case {
	b.t.Helper()
	c := b.caseOf(r, name)
	failed := c.Failed()
	slices.Sort(checks)
	if !slices.Equal(failed, checks) || c.Passed == (len(checks) > 0) || !c.Ran {
		b.t.Errorf("%s: failed checks %v, want %v; passed %v, ran %v: %v", name, failed, checks, c.Passed, c.Ran, b.why[name])
	}
	return c
}

// The models of the matrix, each doing its case well.

func shot() server.Step { return server.Use("document_browser_screenshot", map[string]any{}) }

func readSource() server.Step {
	return server.Use("document_read", map[string]any{"mode": "source"})
}

// patchOf replaces source text, with the SHA-256 the latest result gives.
func patchOf(expected, replacement string) server.Step {
	return server.From(func(last map[string]any) server.Call {
		state, _ := last["state"].(map[string]any)
		return server.NewCall("document_patch", map[string]any{
			"sourceSha": state["sourceSha"],
			"edits":     []any{map[string]any{"expectedText": expected, "replacement": replacement, "note": 1}},
		})
	})
}

func fallback() []server.Step {
	return []server.Step{
		server.Inspect(), readSource(), patchOf("</h1>", "</h1>\n<p class=\"hours\">Hours follow</p>"), server.Look(), shot(),
		patchOf("Hours follow", "Open from seven to six"), server.Look(), server.Commit("Added the hours."), server.Say("The hours are there."),
	}
}

// careful is a turn that reads and takes a picture on the way, so that it makes
// seven calls.
func careful(mutations func(map[string]any) []any) []server.Step {
	return []server.Step{
		server.Inspect(), readSource(), server.Apply(mutations), server.Look(), shot(), server.Commit("Done."), server.Say("It is done."),
	}
}

func grantOf(inspect map[string]any, note, target int, operation string) any {
	t := inspect["notes"].([]any)[note-1].(map[string]any)["targets"].([]any)[target-1].(map[string]any)
	if operation == "replace_text" {
		return t["texts"].([]any)[0].(map[string]any)["grant"]
	}
	return t["grants"].(map[string]any)[operation]
}

func structural(inspect map[string]any) []any {
	return []any{
		map[string]any{"grant": grantOf(inspect, 1, 1, "remove_node")},
		map[string]any{"grant": grantOf(inspect, 2, 1, "replace_text"), "text": "Fresh Rye loaf"},
		map[string]any{"grant": grantOf(inspect, 2, 2, "replace_text"), "text": "Fresh Plum cake"},
	}
}

func teamwork(inspect map[string]any) []any {
	return []any{
		map[string]any{"grant": grantOf(inspect, 1, 1, "set_attribute"), "name": "title", "value": "Ask for a cake"},
		map[string]any{"grant": grantOf(inspect, 2, 1, "replace_text"), "text": "Baked before dawn."},
	}
}

// good gives the lists of models that make exactly the baseline's calls.
func good() map[string][]server.Step {
	lists := map[string][]server.Step{
		"m-direct": slices.Concat(fallback(), careful(server.SetTexts("Quay Street Bakery", "Open every morning but Monday."))),
		"m-c2":     careful(server.SetTexts("Barley rolls")),
		"m-c3":     slices.Insert(careful(structural), 4, server.Use("document_browser_reload", map[string]any{})),
		"m-agg":    careful(teamwork),
	}
	for i := range core.MaxProposers {
		lists[fmt.Sprintf("m-p%d", i+1)] = []server.Step{server.Say("Change the title and the lead, nothing else.")}
	}
	return lists
}
