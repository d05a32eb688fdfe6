package models

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
	"proofmark/gateway/llm"
	"proofmark/gateway/router"
	"proofmark/internal/modelserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-test-7Hq2Lm9Zx4Vb" // never in any error or description

var hello = llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "hello"}}}

// say asks a model and gives its answer.
func say(t *testing.T, m llm.Model) string {
	t.Helper()
	got, err := m.Complete(t.Context(), hello, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got.Text
}

// names gives the model each answer came from: a server that says who was asked.
func echo(r modelserver.Request) modelserver.Reply {
	return modelserver.Reply{Text: "I am " + r.Model}
}

// TestLineups proves R-MODEL-2's three modes as configured: what stands in the
// file is who is asked, with its own key, over its own wire format.
func TestLineups(t *testing.T) {
	s := modelserver.StartT(t, modelserver.Forever(echo))
	text := fmt.Sprintf(`{
  "models": [
    {"name": "one", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "ONE_KEY"}, "vision": true, "maxTokens": 77},
    {"name": "two", "provider": "anthropic", "model": "claude-x", "baseUrl": "%[1]s", "key": {"env": "TWO_KEY"}},
    {"name": "three", "provider": "anthropic", "model": "claude-y", "baseUrl": "%[1]s/v1/"}
  ],
  "modes": [
    {"name": "auto", "mode": "router", "tiers": {"c1": "builtin", "c2": "one", "c3": "two"}},
    {"name": "team", "mode": "ensemble", "proposers": ["one", "two"], "aggregator": "three"}
  ]
}`, s.URL())
	c := mustLoad(t, text, environment("ONE_KEY", secret, "TWO_KEY", secret+"2"))
	lineup := func(name string) router.Lineup {
		t.Helper()
		l, err := c.Lineup(t.Context(), name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l.Name != name {
			t.Errorf("%q is named %q", name, l.Name)
		}
		return l
	}
	one := lineup("one")
	if one.Mode != router.ModeDirect || one.Direct.Name() != "one" || !one.Direct.Vision() || say(t, one.Direct) != "I am gpt-x" {
		t.Errorf("%+v", one)
	}
	auto := lineup("auto")
	if auto.Mode != router.ModeRouter || len(auto.Tiers) != 3 || auto.Tiers["c1"].Name() != "builtin" || say(t, auto.Tiers["c2"]) != "I am gpt-x" || say(t, auto.Tiers["c3"]) != "I am claude-x" {
		t.Errorf("%+v", auto)
	}
	team := lineup("team")
	if team.Mode != router.ModeEnsemble || len(team.Proposers) != 2 || say(t, team.Proposers[1]) != "I am claude-x" || say(t, team.Aggregator) != "I am claude-y" {
		t.Errorf("%+v", team)
	}
	if l := lineup("builtin"); l.Direct.Name() != "builtin" {
		t.Errorf("%+v", l)
	}
	type call struct {
		Wire, Model, Bearer, XKey string
		MaxTokens                 int
	}
	var got []call
	for _, r := range s.Calls() {
		got = append(got, call{r.Wire, r.Model, r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.MaxTokens})
		if strings.Contains(string(r.Raw), secret) {
			t.Errorf("the key is in a body: %s", r.Raw)
		}
	}
	most := core.MaxAnswerTokens
	want := []call{
		{"openai", "gpt-x", "Bearer " + secret, "", 77},
		{"openai", "gpt-x", "Bearer " + secret, "", 77},
		{"anthropic", "claude-x", "", secret + "2", most},
		{"anthropic", "claude-x", "", secret + "2", most},
		{"anthropic", "claude-y", "", "", most},
	}
	// The Anthropic key travels in either header, by the API's version.
	for i := range got {
		if got[i].Wire == "anthropic" && got[i].XKey == "" && got[i].Bearer != "" {
			got[i].XKey, got[i].Bearer = strings.TrimPrefix(got[i].Bearer, "Bearer "), ""
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestWithoutAFile proves R-MODEL-1: names that work with nothing but the
// environment, also for a compatible host, and a server on this machine that
// is sent no key even where one is set for others.
func TestWithoutAFile(t *testing.T) {
	s := modelserver.StartT(t, modelserver.Forever(echo))
	for _, k := range []struct{ name, value string }{ // what the SDKs would read by themselves
		{"OPENAI_API_KEY", "sk-ambient"},
		{"OPENAI_ORG_ID", "org-ambient"},
		{"ANTHROPIC_API_KEY", "sk-ambient"},
		{"ANTHROPIC_AUTH_TOKEN", "ambient"},
		{"OPENAI_BASE_URL", "http://127.0.0.1:9"},
		{"ANTHROPIC_BASE_URL", "http://127.0.0.1:9"},
	} {
		t.Setenv(k.name, k.value)
	}
	for _, c := range []struct {
		name     string
		env      []string
		wantAuth bool
	}{
		{"openai:org/model:1b", []string{"OPENAI_API_KEY", secret, "OPENAI_BASE_URL", s.OpenAIBase()}, true},
		{"openai:m", []string{"OPENAI_BASE_URL", s.OpenAIBase() + "/"}, false}, // this machine, no key
		{"anthropic:claude-z", []string{"ANTHROPIC_API_KEY", secret, "ANTHROPIC_BASE_URL", s.URL()}, true},
		{"anthropic:claude-z", []string{"ANTHROPIC_BASE_URL", s.URL() + "/v1"}, false},
	} {
		cat, err := Load(t.TempDir(), environment(c.env...))
		if err != nil {
			t.Fatal(err)
		}
		l, err := cat.Lineup(t.Context(), c.name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, model, _ := strings.Cut(c.name, ":")
		if got := say(t, l.Direct); got != "I am "+model {
			t.Errorf("%s: %q", c.name, got)
		}
		last := s.Calls()[s.Count()-1]
		all := fmt.Sprint(last.Header)
		if strings.Contains(all, "ambient") || strings.Contains(all, secret) != c.wantAuth {
			t.Errorf("%s %v: %s", c.name, c.env, all)
		}
		if c.wantAuth == false && (last.Header.Get("Authorization") != "" || last.Header.Get("X-Api-Key") != "") {
			t.Errorf("%s: a header for a key that is none: %s", c.name, all)
		}
	}
	cat, err := Load(t.TempDir(), noenv)
	if err != nil {
		t.Fatal(err)
	}
	e, err := cat.Find("local:qwen3:8b")
	want := Entry{Name: "local:qwen3:8b", Mode: "direct", Provider: "openai", Model: "qwen3:8b", BaseURL: "http://127.0.0.1:11434/v1"}
	if d := cmp.Diff(want, e); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
}

// TestLineupRefusals: what is missing is told before anything is sent.
func TestLineupRefusals(t *testing.T) {
	c := mustLoad(t, whole, noenv)
	for _, x := range []struct {
		name string
		code core.Code
		says string // in the message or the hint
	}{
		{"nobody", core.NoModel, "`proofmark models`"},
		{"", core.NoModel, "proofmark models"},
		{strings.Repeat("é", 500), core.NoModel, "…"},
		{"gpt-5", core.NoModel, "openai:gpt-5"},
		{"gemini:pro", core.NoModel, "openai:MODEL"},
		{"openai:", core.NoModel, "names no model"},
		{"openai:two words", core.NoModel, "blank"},
		{"openai:gpt-5", core.ModelDenied, "OPENAI_API_KEY"},
		{"anthropic:claude", core.ModelDenied, "ANTHROPIC_API_KEY"},
		{"claude", core.ModelDenied, "ANTHROPIC_API_KEY"},
		{"team", core.ModelDenied, "deepseek"},
	} {
		_, err := c.Lineup(t.Context(), x.name, Options{})
		e := core.AsError(err)
		if core.CodeOf(err) != x.code || core.CodeOf(err).Exit() != core.ExitMissing || !strings.Contains(e.Message+e.Hint, x.says) || e.Hint == "" {
			t.Errorf("%.20q: %v (%s), hint %q", x.name, err, core.CodeOf(err), e.Hint)
		}
	}
	if _, err := c.Lineup(t.Context(), secret, Options{}); core.CodeOf(err) != core.Usage || strings.Contains(fmt.Sprintf("%+v %s", err, core.AsError(err).Hint), secret) {
		t.Errorf("a key in the place of a name: %v", err)
	}
	bad := mustLoad(t, "{}", environment("OPENAI_BASE_URL", "http://user:p4ssw0rd@example.com", "OPENAI_API_KEY", secret))
	_, err := bad.Lineup(t.Context(), "openai:m", Options{})
	if e := core.AsError(err); core.CodeOf(err) != core.Usage || !strings.Contains(e.Message, "OPENAI_BASE_URL") || strings.Contains(e.Error()+e.Hint, "p4ssw0rd") {
		t.Errorf("%v", err)
	}
}

// wrapped counts the calls that pass it.
type wrapped struct {
	llm.Model
	calls *int
}

func (w wrapped) Complete(ctx context.Context, r llm.Request, emit func(llm.Event)) (llm.Response, error) {
	*w.calls++
	return w.Model.Complete(ctx, r, emit)
}

// TestWrapLeafSeesEveryPhysicalCall: it stands below the retries (D-109), and a
// model that two roles share is one model.
func TestWrapLeafSeesEveryPhysicalCall(t *testing.T) {
	s := modelserver.StartT(t, modelserver.Fail(503, "overloaded"), modelserver.Say("at last"))
	calls, leaves := 0, []string{}
	c := mustLoad(t, fmt.Sprintf(`{"models": [{"name": "m", "provider": "openai", "model": "x", "baseUrl": %q}],
 "modes": [{"name": "r", "mode": "router", "tiers": {"c1": "builtin", "c2": "m", "c3": "m"}}]}`, s.OpenAIBase()), noenv)
	l, err := c.Lineup(t.Context(), "r", Options{WrapLeaf: func(m llm.Model) llm.Model {
		leaves = append(leaves, m.Name())
		return wrapped{m, &calls}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, l.Tiers["c3"]); got != "at last" || calls != 2 || s.Count() != 2 {
		t.Errorf("%q after %d calls of the wrapper and %d of the server", got, calls, s.Count())
	}
	if !slices.Equal(leaves, []string{"m"}) {
		t.Errorf("wrapped: %v", leaves)
	}
}

// TestKeychainKeys proves R-MODEL-4: a key of the keychain reaches its host and
// nobody else.
func TestKeychainKeys(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	keyring.MockInit()
	s := modelserver.StartT(t, modelserver.Forever(echo))
	s.RequireKey(secret)
	c := mustLoad(t, fmt.Sprintf(`{"models": [{"name": "m", "provider": "openai", "model": "x", "baseUrl": %q, "key": {"keychain": "mine"}}]}`, s.OpenAIBase()), noenv)
	e, err := c.Find("m")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.KeyState(t.Context(), e); got != KeyMissing {
		t.Errorf("before: %s", got)
	}
	if _, err := c.Lineup(t.Context(), "m", Options{}); core.CodeOf(err) != core.ModelDenied || !strings.Contains(core.AsError(err).Hint, "set-key m") {
		t.Errorf("%v", core.AsError(err).Hint)
	}
	account, err := c.Account("m")
	if err != nil || account != "mine" {
		t.Fatalf("%q, %v", account, err)
	}
	if err := keys.Store(t.Context(), account, secret); err != nil {
		t.Fatal(err)
	}
	if got := c.KeyState(t.Context(), e); got != KeySet {
		t.Errorf("after: %s", got)
	}
	l, err := c.Lineup(t.Context(), "m", Options{})
	if err != nil || say(t, l.Direct) != "I am x" {
		t.Errorf("%v", err)
	}
	for name, says := range map[string]string{"openai:m": "OPENAI_API_KEY", "local:m": "needs none", "builtin": "needs none"} {
		if _, err := c.Account(name); core.CodeOf(err) != core.Usage || !strings.Contains(core.AsError(err).Hint, says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCheck asks hosts without spending a token, and tells apart what can be wrong.
func TestCheck(t *testing.T) {
	good, denied, silent := modelserver.StartT(t), modelserver.StartT(t), modelserver.StartT(t)
	good.SetModels("gpt-x", "claude-x")
	denied.RequireKey("sk-another")
	silent.Close()
	c := mustLoad(t, fmt.Sprintf(`{
  "models": [
    {"name": "good", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "K"}},
    {"name": "claude", "provider": "anthropic", "model": "claude-x", "baseUrl": "%[1]s", "key": {"env": "K"}},
    {"name": "typo", "provider": "openai", "model": "gpt-y", "baseUrl": "%[1]s/v1"},
    {"name": "denied", "provider": "openai", "model": "gpt-x", "baseUrl": "%[2]s/v1", "key": {"env": "K"}},
    {"name": "gone", "provider": "openai", "model": "gpt-x", "baseUrl": "%[3]s/v1"},
    {"name": "keyless", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "NOT_SET"}},
    {"name": "odd", "provider": "openai", "model": "gpt-x", "baseUrl": "%[1]s/v1", "key": {"env": "ODD"}}
  ],
  "modes": [{"name": "team", "mode": "ensemble", "proposers": ["good", "typo"], "aggregator": "claude"}]
}`, good.URL(), denied.URL(), silent.URL()), environment("K", secret, "ODD", secret+" x"))
	got, err := c.Check(t.Context(), "builtin", "good", "claude", "typo", "denied", "gone", "keyless", "odd", "team", "good")
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Name      string
		Key       KeyState
		Reachable bool
		Listed    bool
		Code      core.Code
	}
	var lines []line
	for _, r := range got {
		code := core.Code("")
		if r.Err != nil {
			code = r.Err.Code
			if all := fmt.Sprintf("%+v %s %v", r.Err, r.Err.Hint, r.Err.Detail); strings.Contains(all, secret) || r.Err.Hint == "" {
				t.Errorf("%s: %s", r.Entry.Name, all)
			}
		}
		if r.OK() != (code == "") || code != "" && code.Exit() != core.ExitMissing {
			t.Errorf("%s: %v, exit %d", r.Entry.Name, r.OK(), code.Exit())
		}
		lines = append(lines, line{r.Entry.Name, r.Key, r.Reachable, r.Listed, code})
	}
	want := []line{
		{"builtin", KeyNone, true, true, ""},
		{"good", KeySet, true, true, ""},
		{"claude", KeySet, true, true, ""},
		{"typo", KeyNone, true, false, core.ModelRefused},
		{"denied", KeySet, false, false, core.ModelDenied},
		{"gone", KeyNone, false, false, core.ModelUnreachable},
		{"keyless", KeyMissing, false, false, core.ModelDenied},
		{"odd", KeyUnusable, false, false, core.ModelDenied},
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if n := good.Count() + denied.Count(); n != 0 {
		t.Errorf("%d calls were spent", n)
	}
	if _, err := c.Check(t.Context(), "nobody"); core.CodeOf(err) != core.NoModel {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Check(ctx, "good"); core.CodeOf(err) != core.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestCheckOfAHostThatIsSilent ends, and says which host it was.
func TestCheckOfAHostThatIsSilent(t *testing.T) {
	s := modelserver.StartT(t)
	s.SetModelsReply(modelserver.Reply{Fault: modelserver.Fault{Hang: true}})
	c := mustLoad(t, fmt.Sprintf(`{"models": [{"name": "m", "provider": "openai", "model": "x", "baseUrl": %q}]}`, s.OpenAIBase()), noenv)
	c.patience = time.Millisecond
	got, err := c.Check(t.Context(), "m")
	if err != nil || got[0].OK() || got[0].Err.Code != core.ModelUnreachable || !strings.Contains(got[0].Err.Message, s.URL()) {
		t.Errorf("%v %+v", err, got)
	}
}

// TestHostShowsNoSecrets: the origin alone, whatever an address holds.
func TestHostShowsNoSecrets(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.com:8443/v1": "https://api.example.com:8443", "http://u:p4ss@h/p?k=s": "http://h", "": "", "://": "",
	} {
		if got := (Entry{BaseURL: base}).Host(); got != want {
			t.Errorf("%q: %q", base, got)
		}
	}
}
