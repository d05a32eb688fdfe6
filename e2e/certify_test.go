package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"proofmark/internal/modelserver"
)

// certification is the report file of proofmark certify.
type certification struct {
	Certification string `json:"certification"`
	LiveMatrix    bool   `json:"liveMatrix"`
	Calls         int    `json:"calls"`
	Cases         []struct {
		Name   string
		Mode   string
		Ready  bool
		Ran    bool
		Passed bool
		Calls  int
		Checks map[string]bool
	} `json:"cases"`
	Scan struct{ Done, Credentials, Strays, Removed bool } `json:"scan"`
}

// passed names the cases that passed.
func (c certification) passed() (out []string) {
	for _, one := range c.Cases {
		if one.Passed {
			out = append(out, one.Name)
		}
	}
	return out
}

var live = []string{"--execute-live-matrix", "--confirm-live-cost", "--confirm-rotated-key"}

// certifier is a desk whose three line-ups are a provider of the test.
func certifier(t *testing.T, lists map[string][]modelserver.Step) (*desk, *modelserver.Server) {
	t.Helper()
	d := newDesk(t)
	s := modelserver.StartT(t, modelserver.ByModel(lists))
	s.RequireKey(modelKey)
	d.env = []string{"CERTIFY_KEY=" + modelKey, "TMPDIR=" + t.TempDir()}
	var models []string
	for _, name := range []string{"one", "two", "three", "lead", "left", "right"} {
		models = append(models, fmt.Sprintf(`{"name": %q, "provider": "openai", "model": %[1]q, "baseUrl": %q, "key": {"env": "CERTIFY_KEY"}}`, name, s.OpenAIBase()))
	}
	d.configure(fmt.Sprintf(`{"models": [%s], "modes": [
		{"name": "tiers", "mode": "router", "tiers": {"c1": "one", "c2": "two", "c3": "three"}},
		{"name": "team", "mode": "ensemble", "proposers": ["left", "right"], "aggregator": "lead"}]}`, strings.Join(models, ",\n")))
	return d, s
}

// certify runs the command and reads its report.
func (d *desk) certify(code int, args ...string) (result, certification) {
	d.t.Helper()
	r := d.want(code, append([]string{"certify", "--output", "report.json"}, args...)...)
	return r, decode[certification](d.t, d.read("report.json"))
}

// temp fails the test where anything of a certification is left.
func (d *desk) temp() {
	d.t.Helper()
	for _, e := range d.env {
		if dir, ok := strings.CutPrefix(e, "TMPDIR="); ok {
			if left, err := filepath.Glob(filepath.Join(dir, "proofmark-certify-*")); err != nil || len(left) > 0 {
				d.t.Errorf("left behind: %v %v", left, err)
			}
		}
	}
}

// TestCertifyIsDryByDefault: T-102, D-105. No call, and it says so.
func TestCertifyIsDryByDefault(t *testing.T) {
	needChromium(t)
	d, s := certifier(t, nil)
	r, c := d.certify(0, "--direct", "one", "--router", "tiers", "--ensemble", "team")
	if c.Certification != "incomplete" || c.LiveMatrix || c.Calls != 0 || len(c.Cases) != 9 || r.stdout != "certification=incomplete\n" {
		t.Errorf("%+v\n%s", c, r.stdout)
	}
	for _, one := range c.Cases {
		if !one.Ready || one.Ran || one.Passed {
			t.Errorf("%+v", one)
		}
	}
	if n := s.Count() + s.Lists(); n != 0 {
		t.Errorf("%d requests went out", n)
	}
	if !strings.Contains(r.stderr, "dry run") || !strings.Contains(r.stderr, "direct_source_fallback") {
		t.Errorf("told: %s", r.stderr)
	}
	// --model stands for the one of its kind that is not named.
	for model, ready := range map[string]int{"one": 6, "tiers": 6, "team": 5} {
		_, c = d.certify(6, "--model", model)
		n := 0
		for _, one := range c.Cases {
			if one.Ready {
				n++
			}
		}
		if n != ready {
			t.Errorf("%d cases are ready with %s", n, model)
		}
	}
	d.temp()
	d.nowhere(modelKey, r)
}

// TestCertifyAsksBeforeItCosts: D-105. Nothing goes out without all three flags,
// nor with a report that cannot be written.
func TestCertifyAsksBeforeItCosts(t *testing.T) {
	d, s := certifier(t, nil)
	d.want(2, "certify")
	d.want(2, "certify", "--output", "report.json", "stray")
	for _, flags := range [][]string{live[:1], live[:2], {live[0], live[2]}} {
		d.want(2, append([]string{"certify", "--output", "report.json", "--direct", "one"}, flags...)...)
	}
	if _, err := os.Stat(d.path("report.json")); err == nil {
		t.Error("a refused run left a report")
	}
	r := d.want(3, append([]string{"certify", "--output", "no/such/place.json", "--direct", "one"}, live...)...)
	if !strings.Contains(r.stderr, "--output") {
		t.Errorf("told: %s", r.stderr)
	}
	d.want(6, append([]string{"certify", "--output", "report.json", "--direct", "nobody"}, live...)...)
	if n := s.Count(); n != 0 {
		t.Errorf("%d requests went out", n)
	}
}

// TestCertifyRunsTheMatrix: D-105 to D-111, T-102, T-103. The binary itself,
// with models that do their work in as few calls as can be.
func TestCertifyRunsTheMatrix(t *testing.T) {
	needChromium(t)
	d, s := certifier(t, ableModels())
	r, c := d.certify(0, append([]string{"--direct", "one", "--router", "tiers", "--ensemble", "team"}, live...)...)
	if c.Certification != "complete" || !c.LiveMatrix || len(c.passed()) != 9 || r.stdout != "certification=complete\n" {
		t.Errorf("%+v\n%s\n%s", c, r.stdout, r.stderr)
	}
	if n := s.Count(); n != c.Calls || n != 31 {
		t.Errorf("%d calls were made, %d are reported", n, c.Calls)
	}
	if !c.Scan.Done || c.Scan.Credentials || c.Scan.Strays || !c.Scan.Removed {
		t.Errorf("%+v", c.Scan)
	}
	d.temp()
	d.nowhere(modelKey, r)
	report := d.read("report.json")
	for _, words := range []string{"Harbour", "Spelt", "heading", "bakers", "hrg_", d.dir, d.data, s.URL()} {
		if strings.Contains(report, words) {
			t.Errorf("the report holds %q", words)
		}
	}
	if left, err := filepath.Glob(filepath.Join(d.data, "*.db*")); err != nil || len(left) > 0 {
		t.Errorf("a certification used the person's own database: %v", left)
	}
}

// TestCertifyFails: a model that only says it is done does not pass, and the
// exit code tells; what was not named leaves the rest incomplete.
func TestCertifyFails(t *testing.T) {
	needChromium(t)
	d, _ := certifier(t, map[string][]modelserver.Step{"one": {modelserver.Forever(modelserver.Say("It is done."))}})
	r, c := d.certify(3, append([]string{"--model", "one"}, live...)...)
	if c.Certification != "failed" || !slices.Equal(c.passed(), []string{"stale_head", "cross_session_draft", "dom_mismatch", "visual_selection"}) {
		t.Errorf("%+v\n%s", c, r.stderr)
	}
	if !strings.Contains(r.stderr, "not so: applied") || !strings.Contains(r.stderr, "no line-up of mode router") {
		t.Errorf("told: %s", r.stderr)
	}
	d.temp()
}

// ableModels makes the models of the matrix.
func ableModels() map[string][]modelserver.Step {
	patch := func(expected, replacement string) modelserver.Step {
		return modelserver.From(func(last map[string]any) modelserver.Call {
			state, _ := last["state"].(map[string]any)
			return modelserver.NewCall("document_patch", map[string]any{
				"sourceSha": state["sourceSha"], "edits": []any{map[string]any{"expectedText": expected, "replacement": replacement, "note": 1}},
			})
		})
	}
	hours := []modelserver.Step{
		modelserver.Inspect(), modelserver.Use("document_read", map[string]any{}), patch("</h1>", "</h1>\n<p class=\"hours\">Hours follow</p>"),
		modelserver.Look(), modelserver.Use("document_browser_act", map[string]any{"kind": "scroll", "direction": "down"}),
		patch("Hours follow", "Open from seven to six"), modelserver.Look(), modelserver.Commit("Added."), modelserver.Say("The hours are there."),
	}
	advice := []modelserver.Step{modelserver.Say("Change both, and nothing else.")}
	return map[string][]modelserver.Step{
		"one": slices.Concat(hours, modelserver.Editor(modelserver.SetTexts("Quay Street Bakery", "Open every morning but Monday."))),
		"two": modelserver.Editor(modelserver.SetTexts("Barley rolls")),
		"three": modelserver.Editor(func(inspect map[string]any) []any {
			second := inspect["notes"].([]any)[1].(map[string]any)["targets"].([]any)[1].(map[string]any)["texts"].([]any)[0].(map[string]any)
			return []any{
				map[string]any{"grant": modelserver.GrantFor(inspect, 1, "remove_node")},
				map[string]any{"grant": modelserver.GrantFor(inspect, 2, "replace_text"), "text": "Fresh Rye loaf"},
				map[string]any{"grant": second["grant"], "text": "Fresh Plum cake"},
			}
		}),
		"lead": modelserver.Editor(func(inspect map[string]any) []any {
			return []any{
				map[string]any{"grant": modelserver.GrantFor(inspect, 1, "set_attribute"), "name": "title", "value": "Ask for a cake"},
				map[string]any{"grant": modelserver.GrantFor(inspect, 2, "replace_text"), "text": "Baked before dawn."},
			}
		}),
		"left": advice, "right": advice,
	}
}
