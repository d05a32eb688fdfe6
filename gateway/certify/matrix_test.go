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

	"proofmark/gateway/core"
	"proofmark/gateway/internal/testbrowser"
	"proofmark/gateway/router"
	server "proofmark/internal/modelserver"
)

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
