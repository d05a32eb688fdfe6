package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"proofmark/internal/modelserver"
)

const (
	modelKey  = "sk-e2e-Zq81vT0mW4xKr7Ns"
	modelPage = "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>t</title></head>\n" +
		"<body><h1>Old <em>news</em></h1>\n<p class=a>first</p>\n<p class=b>second</p>\n</body></html>\n"
)

// configure writes models.json into the desk's data directory.
func (d *desk) configure(text string) {
	d.t.Helper()
	if err := os.MkdirAll(d.data, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.data, "models.json"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// runWith calls the binary with something on standard input.
func (d *desk) runWith(stdin string, args ...string) result {
	d.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = d.dir
	cmd.Env = append(append(os.Environ(), "PROOFMARK_DATA_DIR="+d.data), d.env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code tells
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// nowhere fails the test where a secret stands in what a run printed, or in a
// file of the desk.
func (d *desk) nowhere(secret string, runs ...result) {
	d.t.Helper()
	for _, r := range runs {
		if strings.Contains(r.stdout+r.stderr, secret) {
			d.t.Errorf("the key was printed:\n%s\n%s", r.stdout, r.stderr)
		}
	}
	for _, dir := range []string{d.dir, d.data} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(path)
			if bytes.Contains(b, []byte(secret)) {
				d.t.Errorf("the key is in %s", path)
			}
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			d.t.Error(err)
		}
	}
}

// processes looks, from within a model's answer, at what any user of the machine
// can see of the running program and what its children got.
func processes(t *testing.T, secret string) {
	if runtime.GOOS != "linux" {
		return
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	seen := false
	for _, dir := range dirs {
		program, err := os.Readlink(filepath.Join(dir, "exe"))
		if err != nil {
			continue // it has ended, or is the kernel's
		}
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		// A process that is just being made shares its parent's memory, and what was
		// read of it may be half the one program's and half the other's.
		if now, err := os.Readlink(filepath.Join(dir, "exe")); err != nil || now != program {
			continue
		}
		seen = seen || program == binary
		if bytes.Contains(args, []byte(secret)) {
			t.Errorf("the key is an argument of %q", program)
		}
		if program != binary && bytes.Contains(env, []byte(secret)) {
			t.Errorf("the key is in the environment of %q", program)
		}
	}
	if !seen {
		t.Error("the program was not among the processes")
	}
}

// TestEditThroughBothWireFormats is the main job with a model, over either
// provider's wire: the ten tools, one change, the rest byte for byte the same,
// and a key that is nowhere but in the header (R-MODEL-1, R-MODEL-4, D-21).
func TestEditThroughBothWireFormats(t *testing.T) {
	needChromium(t)
	for _, wire := range []string{"openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			steps := modelserver.Editor(modelserver.SetTexts("Fresh "))
			look := steps[2]
			steps[2] = func(r modelserver.Request) modelserver.Reply {
				processes(t, modelKey)
				return look(r)
			}
			s := modelserver.StartT(t, steps...)
			s.RequireKey(modelKey)
			d := newDesk(t)
			d.write("page.html", modelPage)
			d.env = []string{
				"OPENAI_API_KEY=" + modelKey, "OPENAI_BASE_URL=" + s.OpenAIBase(),
				"ANTHROPIC_API_KEY=" + modelKey, "ANTHROPIC_BASE_URL=" + s.AnthropicBase(),
			}
			r := d.want(0, "edit", "--json", "page.html", "--model", wire+":some-model", "--at", "h1", "--say", "make it fresh")
			o := decode[outcome](t, r.stdout)
			want := strings.Replace(modelPage, "Old ", "Fresh ", 1)
			if got := d.read("page.html"); got != want || apply(t, modelPage, o.Edits) != want || o.Status != "applied" {
				t.Errorf("%+v\n%q", o, got)
			}
			calls := s.Calls()
			if len(calls) < 4 || s.Left() > 1 {
				t.Fatalf("%d calls, %d steps left", len(calls), s.Left())
			}
			for i, c := range calls {
				if c.Refused != "" || c.Wire != wire || c.Model != "some-model" || !c.Stream {
					t.Errorf("call %d: %s %q, stream %v, refused %q", i+1, c.Wire, c.Model, c.Stream, c.Refused)
				}
				if n := len(c.ToolNames()); i < 4 && n != 10 {
					t.Errorf("call %d has %d tools: %v", i+1, n, c.ToolNames())
				}
				if bytes.Contains(c.Raw, []byte(modelKey)) {
					t.Errorf("call %d has the key in its body", i+1)
				}
			}
			again := d.want(0, "history", "page.html")
			d.nowhere(modelKey, r, again)
		})
	}
}

// TestModesFromTheCommandLine proves R-MODEL-2: a router takes the tier that a
// note's targets ask for, and an ensemble's proposers get no tools (T-91).
func TestModesFromTheCommandLine(t *testing.T) {
	needChromium(t)
	two := func(inspect map[string]any) []any {
		return []any{
			map[string]any{"grant": modelserver.GrantFor(inspect, 1, "replace_text"), "operation": "replace_text", "text": "one"},
			map[string]any{"grant": modelserver.GrantFor(inspect, 2, "replace_text"), "operation": "replace_text", "text": "two"},
		}
	}
	s := modelserver.StartT(t, modelserver.ByModel(map[string][]modelserver.Step{
		"middle": modelserver.Editor(modelserver.SetTexts("Fresh ")),
		"large":  modelserver.Editor(two),
		"advice": {modelserver.Say("Shorten the heading.")},
		"chief":  modelserver.Editor(modelserver.SetTexts("Newest ")),
	}))
	d := newDesk(t)
	d.write("page.html", modelPage)
	d.configure(fmt.Sprintf(`{
  "models": [
    {"name": "small", "provider": "openai", "model": "small", "baseUrl": "%[1]s/v1"},
    {"name": "middle", "provider": "openai", "model": "middle", "baseUrl": "%[1]s/v1"},
    {"name": "large", "provider": "anthropic", "model": "large", "baseUrl": "%[1]s"},
    {"name": "advice", "provider": "anthropic", "model": "advice", "baseUrl": "%[1]s"},
    {"name": "chief", "provider": "openai", "model": "chief", "baseUrl": "%[1]s/v1"}
  ],
  "modes": [
    {"name": "auto", "mode": "router", "tiers": {"c1": "small", "c2": "middle", "c3": "large"}},
    {"name": "weak", "mode": "router", "tiers": {"c1": "small"}},
    {"name": "team", "mode": "ensemble", "proposers": ["advice"], "aggregator": "chief"}
  ]
}`, s.URL()))
	asked := func() (names []string) {
		for _, c := range s.Calls() {
			if !slices.Contains(names, c.Model) {
				names = append(names, c.Model)
			}
		}
		return names
	}
	r := d.want(6, "edit", "--json", "page.html", "--model", "weak", "--at", "h1", "--say", "make it fresh")
	if e := decode[struct{ Error failed }](t, r.stdout).Error; e.Code != "no_model" || e.Detail["floor"] != "c2" || s.Count() != 0 {
		t.Errorf("%+v after %d calls", e, s.Count())
	}
	if o := d.edit(0, "page.html", "--model", "auto", "--at", "h1", "--say", "make it fresh"); o.Status != "applied" || !slices.Equal(asked(), []string{"middle"}) {
		t.Errorf("%+v; asked %v", o, asked())
	}
	o := d.edit(0, "page.html", "--model", "auto", "--at", ".a", "--say", "count", "--at", ".b", "--say", "count")
	if got := d.read("page.html"); !strings.Contains(got, "<p class=a>one</p>\n<p class=b>two</p>") || !slices.Equal(asked(), []string{"middle", "large"}) {
		t.Errorf("%+v; asked %v\n%s", o, asked(), got)
	}
	o = d.edit(0, "page.html", "--model", "team", "--at", "h1", "--say", "make it newer")
	if got := d.read("page.html"); !strings.Contains(got, "<h1>Newest <em>") || !slices.Equal(asked(), []string{"middle", "large", "advice", "chief"}) {
		t.Errorf("%+v; asked %v\n%s", o, asked(), got)
	}
	for _, c := range s.Calls() {
		if n := len(c.ToolNames()); c.Model == "advice" && n != 0 {
			t.Errorf("a proposer got %d tools", n)
		}
	}
}

// TestModelsListsAndChecks: what is there, where it goes, whether its key is set,
// and what its host says, for people and as JSON.
func TestModelsListsAndChecks(t *testing.T) {
	s := modelserver.StartT(t)
	s.RequireKey(modelKey)
	s.SetModels("gpt-x", "claude-x")
	d := newDesk(t)
	type entry struct {
		Name, Mode, Provider, Model, Host string
		Key                               *struct{ State, Env, Keychain string }
		Vision, Pattern                   bool
	}
	type listing struct {
		File   string
		Found  bool
		Models []entry
	}
	first := decode[listing](t, d.want(0, "models", "--json").stdout)
	if first.Found || first.File != filepath.Join(d.data, "models.json") || len(first.Models) != 4 {
		t.Errorf("%+v", first)
	}
	if _, err := os.Stat(d.data); !os.IsNotExist(err) {
		t.Errorf("listing made a data directory: %v", err)
	}
	d.configure(fmt.Sprintf(`{"models": [
  {"name": "right", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "RIGHT_KEY"}, "vision": true},
  {"name": "claude", "provider": "anthropic", "model": "claude-x", "baseUrl": "%[1]s", "key": {"env": "RIGHT_KEY"}},
  {"name": "wrong", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "WRONG_KEY"}},
  {"name": "keyless", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "NO_KEY"}}],
 "modes": [{"name": "auto", "mode": "router", "tiers": {"c1": "builtin", "c2": "right", "c3": "claude"}}]}`, s.URL()))
	d.env = []string{"RIGHT_KEY=" + modelKey, "WRONG_KEY=" + modelKey + "x", "OPENAI_BASE_URL=" + s.OpenAIBase()}
	r := d.want(0, "models", "--json")
	state := map[string]string{}
	for _, e := range decode[listing](t, r.stdout).Models {
		if e.Key != nil {
			state[e.Name] = e.Key.State
		}
		if e.Name == "right" && (e.Host != s.URL() || !e.Vision || e.Key.Env != "RIGHT_KEY") {
			t.Errorf("%+v", e)
		}
	}
	for name, want := range map[string]string{"right": "set", "wrong": "set", "keyless": "missing", "builtin": "none", "auto": ""} {
		if state[name] != want {
			t.Errorf("the key of %s is %q, want %q", name, state[name], want)
		}
	}
	text := d.want(0, "models")
	if !strings.Contains(text.stdout, "environment NO_KEY: missing") || !strings.Contains(text.stdout, "c2 right, c3 claude") {
		t.Errorf("%s", text.stdout)
	}
	if s.Lists() != 0 {
		t.Errorf("listing asked the host %d times", s.Lists())
	}

	type checks struct {
		OK     bool
		Checks []struct {
			Name      string
			OK        bool
			Reachable bool
			Listed    *bool
			Error     *failed
		}
	}
	all := d.want(6, "models", "--check", "--json")
	got := map[string]string{}
	for _, c := range decode[checks](t, all.stdout).Checks {
		got[c.Name] = fmt.Sprint(c.OK)
		if c.Error != nil {
			got[c.Name] = c.Error.Code
		}
	}
	for name, want := range map[string]string{"right": "true", "claude": "true", "wrong": "model_denied", "keyless": "model_denied", "builtin": "true", "openai:MODEL": "model_denied"} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q (%v)", name, got[name], want, got)
		}
	}
	good := d.want(0, "models", "--check", "auto", "--json")
	if c := decode[checks](t, good.stdout); !c.OK || len(c.Checks) != 3 || c.Checks[1].Listed == nil || !*c.Checks[1].Listed {
		t.Errorf("%+v", c)
	}
	typo := d.want(6, "models", "openai:gpt-y", "--check")
	people := d.want(6, "models", "--check")
	if s.Count() != 0 {
		t.Errorf("checking spent %d calls", s.Count())
	}
	d.nowhere(modelKey, r, text, all, good, typo, people)
}

// TestModelsRefusals: exit codes, words, and no key repeated wherever it is put.
func TestModelsRefusals(t *testing.T) {
	d := newDesk(t)
	d.write("page.html", modelPage)
	runs := []result{
		d.want(6, "edit", "page.html", "--model", "openai:gpt-x", "--at", "h1", "--say", "x"),
		d.want(6, "edit", "page.html", "--model", "gpt-x", "--at", "h1", "--say", "x"),
		d.want(2, "edit", "page.html", "--model", modelKey, "--at", "h1", "--say", "x"),
		d.want(2, "models", "set-key", "right", modelKey),
		d.want(2, "models", "set-key", modelKey),
		d.want(2, "models", "forget-key", modelKey),
		d.want(2, "models", "set-key", "right", "--key="+modelKey),
		d.want(2, "models", "set-key"),
		d.want(2, "models", "set-key", "openai:gpt-x"),
		d.want(2, "models", "one", "two"),
		d.want(6, "models", "nobody"),
	}
	if !strings.Contains(runs[0].stderr, "OPENAI_API_KEY") || !strings.Contains(runs[1].stderr, "openai:gpt-x") {
		t.Errorf("%s\n%s", runs[0].stderr, runs[1].stderr)
	}
	d.configure(`{"models": [{"name": "m", "provider": "openai", "model": "x", "apiKey": "` + modelKey + `"}]}`)
	for _, args := range [][]string{{"models"}, {"models", "--json"}, {"edit", "page.html", "--model", "m", "--at", "h1", "--say", "x"}} {
		r := d.want(2, args...)
		if !strings.Contains(r.stdout+r.stderr, "line 1, column 73") {
			t.Errorf("%v: no place in\n%s%s", args, r.stdout, r.stderr)
		}
		runs = append(runs, r)
	}
	if err := os.Remove(filepath.Join(d.data, "models.json")); err != nil {
		t.Fatal(err)
	}
	d.nowhere(modelKey, runs...)
	if runtime.GOOS != "windows" {
		d.configure("{}")
		if err := os.Chmod(filepath.Join(d.data, "models.json"), 0o666); err != nil {
			t.Fatal(err)
		}
		if r := d.want(3, "models"); !strings.Contains(r.stderr, "chmod go-w") {
			t.Errorf("%s", r.stderr)
		}
	}
}

// TestBuiltinNeedsNoConfiguration: a file that cannot be read stops no one who
// does not use it (R-MODEL-1).
func TestBuiltinNeedsNoConfiguration(t *testing.T) {
	needChromium(t)
	d := newDesk(t)
	d.write("page.html", modelPage)
	d.configure("{")
	if o := d.edit(0, "page.html", "--at", ".a", "--say", `change the text to "1st"`); o.Status != "applied" {
		t.Errorf("%+v", o)
	}
}
