package certify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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

// TestMatrix: D-105 to D-111, T-90, T-91, T-102, T-103. The whole matrix through
// the real providers of both wire formats: nine cases pass, with the 42 calls of
// the baseline.
func TestMatrix(t *testing.T) {
	for _, wire := range []string{server.OpenAI, server.Anthropic} {
		t.Run(wire, func(t *testing.T) {
			b := newBench(t, wire, good())
			r := b.run(t.Context(), b.lineups())
			if r.Certification != Complete || r.Calls != 42 || r.Stopped || len(r.Cases) != 9 {
				raw, _ := json.MarshalIndent(r, "", " ")
				t.Errorf("%s\n%v", raw, b.why)
			}
			calls := map[string]int{}
			for _, c := range r.Cases {
				b.wantFailed(r, c.Name)
				calls[c.Name] = c.Calls
				if c.Mode != "" && (c.SHABefore == c.SHAAfter || c.SHAReverted != c.SHABefore || !c.WithinBaseline) {
					t.Errorf("%s: %+v", c.Name, c)
				}
			}
			want := "map[cross_session_draft:0 direct_source_fallback:9 direct_two_annotations:7 dom_mismatch:0 ensemble_lineup:11 " +
				"router_c2_selection:7 router_c3_structural:8 stale_head:0 visual_selection:0]"
			if got := fmt.Sprint(calls); got != want {
				t.Errorf("calls %s", got)
			}
			b.checkNames(r)
			b.checkRequests()
		})
	}
}

// checkNames: who worked, at which tier, with which tools.
func (b *bench) checkNames(r Report) {
	b.t.Helper()
	for name, want := range map[string]string{
		"direct_source_fallback": " [m-direct] [{document_inspect 1} {document_read 1} {document_patch 2} {document_browser_inspect 2} " +
			"{document_browser_screenshot 1} {document_finish 1}]",
		"router_c2_selection":  "c2 [m-c2] " + sevenTools,
		"ensemble_lineup":      " [m-agg m-p1 m-p2 m-p3 m-p4] " + sevenTools,
		"visual_selection":     " [] []",
		"router_c3_structural": "c3 [m-c3] " + strings.Replace(sevenTools, "shot 1}", "shot 1} {document_browser_reload 1}", 1),
	} {
		c := b.caseOf(r, name)
		if got := fmt.Sprint(c.Tier, " ", c.Models, " ", c.Tools); got != want {
			b.t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

const sevenTools = "[{document_inspect 1} {document_read 1} {document_apply 1} {document_browser_inspect 1} {document_browser_screenshot 1} {document_finish 1}]"

// checkRequests looks at what the provider itself received: ten tools in the
// loop, none for proposers and for the last words (T-73, T-91, D-108).
func (b *bench) checkRequests() {
	b.t.Helper()
	ten, none := 0, 0
	for i, q := range b.server.Calls() {
		names := q.ToolNames()
		switch {
		case len(names) == core.AnnotatedTools && !strings.HasPrefix(q.Model, "m-p"):
			ten++
		case len(names) == 0:
			none++
		default:
			b.t.Errorf("call %d of %s has tools %v", i+1, q.Model, names)
		}
		if q.Model == "m-c1" {
			b.t.Error("the router went below the floor")
		}
	}
	if ten != 33 || none != 9 { // five finalisers and four proposers
		b.t.Errorf("%d calls with ten tools, %d with none", ten, none)
	}
}

// TestModelsThatNeverEnd: T-102, D-109. Models that would go on for ever are
// stopped at each case's reservation: 63 calls reach the provider, not one more,
// and no page changes.
func TestModelsThatNeverEnd(t *testing.T) {
	found := strings.Fields("h1 li p ul a html head body main title style class rye plum spelt font doctype lead")
	n := 0
	on := server.Forever(func(q server.Request) server.Reply {
		if len(q.ToolNames()) == 0 {
			return server.Reply{Text: "More could be said."}
		}
		n++
		return server.Reply{Calls: []server.Call{server.NewCall("document_read", map[string]any{"find": found[n%len(found)]})}}
	})
	lists := map[string][]server.Step{}
	for name := range good() {
		lists[name] = []server.Step{on}
	}
	b := newBench(t, server.OpenAI, lists)
	r := b.run(t.Context(), b.lineups())
	if r.Calls != core.CertCallsWorst || r.Certification != Failed || r.Stopped {
		t.Errorf("%d calls, %s, stopped %v", r.Calls, r.Certification, r.Stopped)
	}
	for _, c := range r.Cases {
		switch asks := c.Worst > 0; {
		case c.Calls != c.Worst, c.Passed == asks, asks && (!c.Checks["headKept"] || c.Checks["withinReservation"]):
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
}

// TestRetriesAreCounted: each try is a physical call of the reservation.
func TestRetriesAreCounted(t *testing.T) {
	busy := server.Fail(429, "slow down")
	lists := good()
	lists["m-c2"] = slices.Insert(lists["m-c2"], 1, busy, busy)
	b := newBench(t, server.OpenAI, lists)
	r := b.run(t.Context(), b.lineups(), "router_c2_selection")
	c := b.wantFailed(r, "router_c2_selection")
	if c.Calls != 9 || c.WithinBaseline || c.Worst != 11 {
		t.Errorf("%+v", c)
	}
}

// TestWhatFailsACase: each thing a case stands for fails it alone.
func TestWhatFailsACase(t *testing.T) {
	words := server.Say("It is done.")
	for name, c := range map[string]struct {
		of, model string
		steps     []server.Step
		failed    []string
	}{
		"no repair": {
			"direct_source_fallback", "m-direct",
			slices.Concat(fallback()[:2], []server.Step{patchOf("</h1>", "</h1><p class=\"hours\">Open from seven to six</p>"), server.Look(), shot()}, fallback()[7:]),
			[]string{"toolOrder"},
		},
		"something else": {"router_c2_selection", "m-c2", careful(server.SetTexts("Barley rolls!")), []string{"asAsked"}},
		"discarded": {
			"router_c2_selection", "m-c2",
			[]server.Step{server.Inspect(), server.Apply(server.SetTexts("Barley rolls")), server.Look(), server.Discard("No."), words},
			[]string{"applied", "oneCommit"},
		},
		"only words": {
			"router_c2_selection", "m-c2",
			[]server.Step{server.Say("I have changed the item.")},
			[]string{"applied", "oneCommit", "toolOrder", "finaliserWithoutTools", "tenTools"},
		},
		"no last words": {
			"router_c2_selection", "m-c2", append(slices.Clone(careful(server.SetTexts("Barley rolls"))[:6]), server.Fail(400, "no")),
			[]string{"finaliserWithoutTools"},
		},
		"a proposer fails": {"ensemble_lineup", "m-p3", []server.Step{server.Fail(400, "no")}, []string{"fullLineup"}},
		"a proposer acts": {
			"ensemble_lineup", "m-p2",
			[]server.Step{server.Use("document_finish", map[string]any{"action": "discard"})},
			[]string{"fullLineup", "proposersWithoutTools"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			lists := good()
			lists[c.model] = c.steps
			b := newBench(t, server.OpenAI, lists)
			r := b.run(t.Context(), b.lineups(), c.of)
			b.wantFailed(r, c.of, c.failed...)
			if r.Certification != Failed {
				t.Error(r.Certification)
			}
		})
	}
}

// TestPartOfALineup: what is not configured is left out, and nothing is
// complete without it.
func TestPartOfALineup(t *testing.T) {
	b := newBench(t, server.OpenAI, good())
	r := b.run(t.Context(), b.lineups(router.ModeRouter))
	ran := 0
	for _, c := range r.Cases {
		if c.Ran != c.Ready || c.Passed != c.Ran {
			t.Errorf("%+v: %v", c, b.why[c.Name])
		}
		if c.Ran {
			ran++
		} else if core.CodeOf(b.why[c.Name]) != core.NoModel {
			t.Errorf("%s: %v", c.Name, b.why[c.Name])
		}
	}
	if r.Certification != Incomplete || ran != 6 || r.Ready() {
		t.Errorf("%s with %d cases", r.Certification, ran)
	}
}

// TestStopped: a person's Ctrl-C leaves no folder, and no verdict about what
// was not seen to its end.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	lists := good()
	second := lists["m-c2"][1]
	lists["m-c2"][1] = func(q server.Request) server.Reply { stop(); return second(q) }
	b := newBench(t, server.OpenAI, lists)
	r := b.run(ctx, b.lineups(), "router_c2_selection", "router_c3_structural", "stale_head")
	for _, c := range r.Cases {
		if c.Ran || c.Passed || b.why[c.Name] == nil {
			t.Errorf("%+v", c)
		}
	}
	if r.Certification != Incomplete {
		t.Error(r.Certification)
	}
}

// TestACredentialLeftBehindFails: T-103. A key that is found in the folder fails
// the certification, and the folder is removed all the same.
func TestACredentialLeftBehindFails(t *testing.T) {
	b := newBench(t, server.OpenAI, good())
	r := &runner{
		Config: Config{Live: true, Lineups: b.lineups(), Surfaces: testbrowser.Shared(t).Surfaces, Secrets: []string{testKey}},
		made:   map[string]made{}, report: Report{LiveMatrix: true},
	}
	if err := r.run(t.Context(), nil, []refusal{{"leaks", func(c *trial) error {
		return os.WriteFile(filepath.Join(c.dir, "pages", "x.html"), []byte("…"+testKey+"…"), 0o600)
	}}}); err != nil {
		t.Fatal(err)
	}
	r.finish()
	if !r.report.Scan.Credentials || r.report.Certification != Failed {
		t.Errorf("%+v", r.report)
	}
	if left, _ := filepath.Glob(filepath.Join(b.temp, "proofmark-certify-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
