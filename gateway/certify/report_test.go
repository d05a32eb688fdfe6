package certify

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/script"
	"proofmark/gateway/router"
)

// TestDryRun: T-102, D-105. No call, nothing opened, certification=incomplete;
// it says which cases have what they need.
func TestDryRun(t *testing.T) {
	m := script.New()
	direct := func(_ context.Context, wrap func(llm.Model) llm.Model) (router.Lineup, error) {
		return router.Direct(wrap(m)), nil
	}
	wrong := func(context.Context, func(llm.Model) llm.Model) (router.Lineup, error) { return router.Direct(m), nil }
	low := func(context.Context, func(llm.Model) llm.Model) (router.Lineup, error) {
		return router.Lineup{Name: "low", Mode: router.ModeRouter, Tiers: map[router.Tier]llm.Model{router.C2: m}}, nil
	}
	var why []core.Code
	got, err := Run(t.Context(), Config{
		Lineups: map[string]Maker{router.ModeDirect: direct, router.ModeRouter: low, router.ModeEnsemble: wrong},
		Told:    func(_ Case, err error) { why = append(why, core.CodeOf(err)) },
	})
	if err != nil || got.Certification != "incomplete" || got.LiveMatrix || got.Calls != 0 || got.Ready() || got.Scan.Done {
		t.Errorf("%+v %v", got, err)
	}
	if len(m.Requests()) != 0 {
		t.Error("a model was asked")
	}
	ready := map[string]bool{}
	for _, c := range got.Cases {
		ready[c.Name] = c.Ready
		if c.Ran || c.Passed {
			t.Errorf("%s ran", c.Name)
		}
	}
	want := map[string]bool{
		"direct_source_fallback": true, "direct_two_annotations": true, "router_c2_selection": true, "router_c3_structural": false,
		"ensemble_lineup": false, "stale_head": true, "cross_session_draft": true, "dom_mismatch": true, "visual_selection": true,
	}
	if !reflect.DeepEqual(ready, want) {
		t.Errorf("ready: %v", ready)
	}
	if !slices.Equal(why, []core.Code{"", "", "", core.NoModel, core.NoModel, "", "", "", ""}) {
		t.Errorf("why: %q", why)
	}
	if raw, err := got.JSON(nil); err != nil || !strings.Contains(string(raw), `"certification": "incomplete"`) {
		t.Errorf("%s %v", raw, err)
	}
}

func TestDryRunWithNothingConfigured(t *testing.T) {
	got, err := Run(t.Context(), Config{})
	if err != nil || got.Certification != Incomplete || got.Ready() || len(got.Cases) != 9 {
		t.Errorf("%+v %v", got, err)
	}
}

// TestVerdict: complete only where all nine cases ran and passed and nothing
// was left behind.
func TestVerdict(t *testing.T) {
	full := func() Report {
		r := Report{LiveMatrix: true, Scan: Scan{Done: true, Removed: true}}
		for range 9 {
			r.Cases = append(r.Cases, Case{Ready: true, Ran: true, Passed: true})
		}
		return r
	}
	for name, c := range map[string]struct {
		spoil func(*Report)
		want  string
	}{
		"all":              {func(*Report) {}, Complete},
		"dry":              {func(r *Report) { r.LiveMatrix = false }, Incomplete},
		"one did not run":  {func(r *Report) { r.Cases[4].Ran, r.Cases[4].Passed = false, false }, Incomplete},
		"one is missing":   {func(r *Report) { r.Cases = r.Cases[1:] }, Incomplete},
		"one failed":       {func(r *Report) { r.Cases[8].Passed = false }, Failed},
		"stopped":          {func(r *Report) { r.Stopped = true }, Failed},
		"credential found": {func(r *Report) { r.Scan.Credentials = true }, Failed},
		"stray file":       {func(r *Report) { r.Scan.Strays = true }, Failed},
		"not looked at":    {func(r *Report) { r.Scan.Done = false }, Failed},
		"not removed":      {func(r *Report) { r.Scan.Removed = false }, Failed},
	} {
		r := full()
		c.spoil(&r)
		if got := r.verdict(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestTheReportHasNoPlaceForWords: D-111. Every field is a count, a boolean, or
// one of the strings listed here.
func TestTheReportHasNoPlaceForWords(t *testing.T) {
	var texts []string
	var walk func(reflect.Type, string)
	walk = func(ty reflect.Type, at string) {
		switch ty.Kind() {
		case reflect.Struct:
			for i := range ty.NumField() {
				walk(ty.Field(i).Type, at+"."+ty.Field(i).Name)
			}
		case reflect.Slice:
			walk(ty.Elem(), at)
		case reflect.Map:
			walk(ty.Elem(), at)
		case reflect.String:
			texts = append(texts, at)
		case reflect.Bool, reflect.Int:
		default:
			t.Errorf("%s is a %s", at, ty)
		}
	}
	walk(reflect.TypeFor[Report](), "")
	want := []string{
		".Certification", ".Cases.Name", ".Cases.Mode", ".Cases.Tier", ".Cases.Models", ".Cases.Tools.Name",
		".Cases.SHABefore", ".Cases.SHAAfter", ".Cases.SHAReverted",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("strings of the report: %v", texts)
	}
}

// TestAReportWithWordsOrKeysIsRefused: T-103. A piece of any instruction or
// page, or anything like a credential, keeps the report from being written.
func TestAReportWithWordsOrKeysIsRefused(t *testing.T) {
	secret := "zq-81hd-very-own-key"
	plain := Report{Cases: []Case{{Name: "direct_source_fallback", Models: []string{"openai:glm-5.2", "claude-sonnet"}}}}
	if _, err := plain.JSON([]string{secret, "", "c"}); err != nil {
		t.Errorf("an ordinary report is refused: %v", err)
	}
	bad := []string{secret, "x" + secret + "y", "sk-abcdefghijklmnop1234", "Bearer abcdefghijkl.mnop", "ghp_" + strings.Repeat("a", 36)}
	for _, text := range words() {
		for at := 0; at+pieceBytes <= len(text); at += 7 {
			bad = append(bad, "m "+text[at:at+pieceBytes])
		}
	}
	for _, name := range bad {
		r := plain
		r.Cases = []Case{{Models: []string{name}}}
		b, err := r.JSON([]string{secret})
		if core.CodeOf(err) != core.Internal || b != nil {
			t.Fatalf("a report with %q was written", name)
		}
		if strings.Contains(err.Error(), secret) {
			t.Error("the error holds the credential")
		}
	}
}

// TestScan: T-103, D-111. Credentials are found in every file, and what is
// neither the database's nor a page is a stray.
func TestScan(t *testing.T) {
	secret := "zq-81hd-very-own-key"
	for _, c := range []struct {
		file, text          string
		credentials, strays bool
	}{
		{"data/proofmark.db", "page bytes", false, false},
		{"data/proofmark.db", "\x00\x01" + secret + "\x02", true, false},
		{"data/proofmark.db-wal", "Authorization: Bearer abcdef0123456789", true, false},
		{"pages/a.html", bakery, false, false},
		{"pages/a.html", "<p>sk-abcdefghijklmnopqrstu</p>", true, false},
		{"pages/a.png", "x", false, true},
		{"pages/deep/a.html", "x", false, true},
		{"log.txt", "x", false, true},
		{"data/shot.png", "x", false, true},
		{"data/locks/doc_1", "", false, false},
		{"data/locks/doc_1", secret, true, true},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(c.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := scan(dir, []string{secret, "x"})
		if err != nil || got != (Scan{Done: true, Files: 1, Credentials: c.credentials, Strays: c.strays}) {
			t.Errorf("%s %q: %+v %v", c.file, c.text, got, err)
		}
	}
	if got, err := scan(filepath.Join(t.TempDir(), "gone"), nil); err == nil || got.Done {
		t.Errorf("a folder that is not there was scanned: %+v", got)
	}
}

// TestReportJSONIsClosed: the file has these keys and no others (D-111).
func TestReportJSONIsClosed(t *testing.T) {
	raw, err := Report{Cases: []Case{{Name: "n", Mode: "m", Tier: "c2", Models: []string{"a"}, Tools: []ToolCount{{"t", 1}}, Checks: map[string]bool{"x": true}, SHABefore: "1", SHAAfter: "2", SHAReverted: "3"}}}.JSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]any
	if err := json.Unmarshal(raw, &top); err != nil {
		t.Fatal(err)
	}
	keys := func(v any) []string {
		var out []string
		for k := range v.(map[string]any) {
			out = append(out, k)
		}
		slices.Sort(out)
		return out
	}
	if got := keys(top); !slices.Equal(got, []string{"calls", "cases", "certification", "liveMatrix", "reserved", "scan", "stopped"}) {
		t.Errorf("%v", got)
	}
	want := []string{
		"baseline", "calls", "checks", "mode", "models", "name", "passed", "ran", "ready", "sha256After", "sha256Before",
		"sha256Reverted", "tier", "tools", "withinBaseline", "worst",
	}
	if got := keys(top["cases"].([]any)[0]); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
