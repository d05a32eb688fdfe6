package models

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
	"proofmark/gateway/router"
)

// whole is a configuration with everything in it; docs/models.md shows the same.
const whole = `{
  "models": [
    {"name": "deepseek", "provider": "openai", "model": "deepseek-chat",
     "baseUrl": "https://api.deepseek.com/v1/", "key": {"keychain": "deepseek"}},
    {"name": "claude", "provider": "anthropic", "model": "claude-sonnet-4-5", "key": {"env": "ANTHROPIC_API_KEY"},
     "vision": true, "maxTokens": 4096},
    {"name": "small", "provider": "openai", "model": "qwen3:8b", "baseUrl": "http://127.0.0.1:11434/v1"},
    {"name": "behind-vpn", "provider": "openai", "model": "m", "baseUrl": "https://llm.example.com", "key": "none"}
  ],
  "modes": [
    {"name": "auto", "mode": "router", "tiers": {"c1": "small", "c2": "deepseek", "c4": "openai:gpt-5"}},
    {"name": "team", "mode": "ensemble", "proposers": ["small", "deepseek"], "aggregator": "claude"}
  ]
}`

func noenv(string) string { return "" }

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// write makes a data directory with a configuration in it.
func write(t testing.TB, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mustLoad(t testing.TB, text string, getenv func(string) string) Catalog {
	t.Helper()
	c, err := Load(write(t, text), getenv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoad(t *testing.T) {
	want := []Entry{
		{Name: "builtin", Mode: "direct", Provider: "builtin"},
		{Name: "deepseek", Mode: "direct", Provider: "openai", Model: "deepseek-chat", BaseURL: "https://api.deepseek.com/v1/", Key: keys.Source{Keychain: "deepseek"}},
		{Name: "claude", Mode: "direct", Provider: "anthropic", Model: "claude-sonnet-4-5", BaseURL: "https://api.anthropic.com", Key: keys.Source{Env: "ANTHROPIC_API_KEY"}, Vision: true, MaxTokens: 4096},
		{Name: "small", Mode: "direct", Provider: "openai", Model: "qwen3:8b", BaseURL: "http://127.0.0.1:11434/v1"},
		{Name: "behind-vpn", Mode: "direct", Provider: "openai", Model: "m", BaseURL: "https://llm.example.com"},
		{Name: "auto", Mode: "router", Tiers: map[router.Tier]string{"c1": "small", "c2": "deepseek", "c4": "openai:gpt-5"}},
		{Name: "team", Mode: "ensemble", Proposers: []string{"small", "deepseek"}, Aggregator: "claude"},
		{Name: "openai:MODEL", Mode: "direct", Provider: "openai", Model: "MODEL", BaseURL: "https://api.openai.com/v1", Key: keys.Source{Env: "OPENAI_API_KEY"}, Pattern: true},
		{Name: "anthropic:MODEL", Mode: "direct", Provider: "anthropic", Model: "MODEL", BaseURL: "https://api.anthropic.com", Key: keys.Source{Env: "ANTHROPIC_API_KEY"}, Pattern: true},
		{Name: "local:MODEL", Mode: "direct", Provider: "openai", Model: "MODEL", BaseURL: "http://127.0.0.1:11434/v1", Pattern: true},
	}
	for name, text := range map[string]string{"": whole, "with a BOM": "\ufeff" + whole, "with Windows line ends": strings.ReplaceAll(whole, "\n", "\r\n")} {
		if d := cmp.Diff(want, mustLoad(t, text, noenv).List()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestNoFile: without one the builtin planner and the patterns are there; a file
// that was named and is missing is an error.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	c, err := Load(dir, noenv)
	if err != nil || len(c.List()) != 4 {
		t.Errorf("%v, %+v", err, c.List())
	}
	if path, found := c.File(); found || path != filepath.Join(dir, FileName) {
		t.Errorf("%q, %v", path, found)
	}
	elsewhere := filepath.Join(write(t, whole), FileName)
	c, err = Load(dir, environment(EnvFile, elsewhere))
	if path, found := c.File(); err != nil || !found || path != elsewhere || len(c.List()) != 10 {
		t.Errorf("%v, %q, %v", err, path, found)
	}
	if _, err = Load(dir, environment(EnvFile, filepath.Join(dir, "none"))); core.CodeOf(err) != core.NotFound || !strings.Contains(core.AsError(err).Hint, EnvFile) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{`{}`, `{"models":[]}`, `{"modes":[],"models":[]}`} {
		if c := mustLoad(t, text, noenv); len(c.List()) != 4 {
			t.Errorf("%s: %+v", text, c.List())
		}
	}
}

// TestEveryErrorHasAPlace: the schema is closed, and what is wrong has a line
// and a column, in characters.
func TestEveryErrorHasAPlace(t *testing.T) {
	model := func(fields string) string {
		return "{\n \"models\": [\n  {\"name\": \"m\", " + fields + "}\n ]\n}"
	}
	const rest = `"provider": "openai", "model": "x", "key": "none"`
	mode := func(fields string) string {
		return "{\"models\": [{\"name\": \"m\", " + rest + "}],\n \"modes\": [{\"name\": \"é\"," + fields + "}]}"
	}
	named := func(fields string) string { return strings.Replace(mode(fields), "é", "e", 1) }
	for _, c := range []struct{ text, place, says string }{
		{"", "line 1, column 1", "empty"},
		{"  \n ", "line 1, column 1", "empty"},
		{"{\n  \"models\": [,]\n}", "line 2, column 14", "not JSON"},
		{"{}\n{}", "line 2, column 1", "not JSON"},
		{"{\"models\": [],}", "line 1, column 15", "not JSON"},
		{"{\n\"m\xff\": 1}", "line 2, column 3", "not UTF-8"},
		{"{\n \"models\": [],\n \"models\": []}", "line 3, column 2", `"models" stands here twice`},
		{"[]", "line 1, column 1", "an object, not a list"},
		{"null", "line 1, column 1", "an object, not null"},
		{"{\"model\": []}", "line 1, column 2", `no field "model"`},
		{"{\"models\": {}}", "line 1, column 12", "a list, not an object"},
		{"{\"models\": [\n\"m\"]}", "line 2, column 1", "an object, not a text"},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), "line 1, column 18", "too deep"},
		{model(rest + `, "url": "x"`), "line 3, column 68", `no field "url"`},
		{model(rest + `, "Name": "x"`), "line 3, column 68", `no field "Name"`},
		{model(rest + `, "vision": 1`), "line 3, column 78", "true or false, not a number"},
		{model(rest + `, "maxTokens": 0`), "line 3, column 81", "out of range"},
		{model(rest + `, "maxTokens": 1.5`), "line 3, column 81", "out of range"},
		{model(rest + `, "maxTokens": 1e99`), "line 3, column 81", "out of range"},
		{model(rest + `, "baseUrl": "ftp://x"`), "line 3, column 79", "neither https"},
		{model(rest + `, "baseUrl": "http://example.com/v1"`), "line 3, column 79", "this machine"},
		{model(rest + `, "baseUrl": "https://u:p4ssw0rd@example.com"`), "line 3, column 79", "user name"},
		{model(rest + `, "baseUrl": "https://example.com/?k=p4ssw0rd"`), "line 3, column 79", "query"},
		{model(rest + `, "baseUrl": ""`), "line 3, column 79", "missing"},
		{model(`"model": "x", "key": "none"`), "line 3, column 3", "provider is missing"},
		{model(`"provider": "gemini", "model": "x"`), "line 3, column 29", `no provider "gemini"`},
		{model(`"provider": "openai", "key": "none"`), "line 3, column 3", "model is missing"},
		{model(`"provider": "openai", "model": "a b", "key": "none"`), "line 3, column 48", "blank"},
		{model(`"provider": "openai", "model": ""`), "line 3, column 48", "empty"},
		{model(`"provider": "openai", "model": "x"`), "line 3, column 3", "does not say where its key is"},
		{model(`"provider": "openai", "model": "x", "key": {}`), "line 3, column 60", "either"},
		{model(`"provider": "openai", "model": "x", "key": {"env": "A", "keychain": "b"}`), "line 3, column 60", "either"},
		{model(`"provider": "openai", "model": "x", "key": {"env": "lower-case"}`), "line 3, column 68", "not the name of an environment variable"},
		{model(`"provider": "openai", "model": "x", "key": {"keychain": "a b"}`), "line 3, column 73", "not a name"},
		{model(`"provider": "openai", "model": "x", "key": {"file": "k"}`), "line 3, column 61", `no field "file"`},
		{model(`"provider": "openai", "model": "x", "key": null`), "line 3, column 60", "where the key is"},
		{"{\"models\": [{" + rest + "}]}", "line 1, column 13", "name is missing"},
		{"{\"models\": [{\"name\": \"builtin\", " + rest + "}]}", "line 1, column 22", "without a model"},
		{"{\"models\": [{\"name\": \"a:b\", " + rest + "}]}", "line 1, column 22", "not a name"},
		{"{\"models\": [{\"name\": \"m\", " + rest + "},\n{\"name\": \"m\", " + rest + "}]}", "line 2, column 10", "twice"},
		{mode(`"mode": "router"`), "line 2, column 21", "not a name"},
		{named(`"mode": "best"`), "line 2, column 33", `no mode "best"`},
		{named(`"mode": "router"`), "line 2, column 12", "needs tiers"},
		{named(`"mode": "router", "tiers": {}`), "line 2, column 52", "at least"},
		{named(`"mode": "router", "tiers": {"c5": "m"}`), "line 2, column 53", `no field "c5"`},
		{named(`"mode": "router", "tiers": {"c2": 1}`), "line 2, column 59", "a text, not a number"},
		{named(`"mode": "router", "tiers": {"c2": "nobody"}`), "line 2, column 59", `no model "nobody"`},
		{named(`"mode": "router", "tiers": {"c2": "e"}`), "line 2, column 59", `no model "e"`}, // itself
		{named(`"mode": "router", "tiers": {"c2": "openai:"}`), "line 2, column 59", "names no model"},
		{named(`"mode": "router", "tiers": {"c2": "m"}, "aggregator": "m"`), "line 2, column 79", "no aggregator"},
		{named(`"mode": "ensemble", "aggregator": "m"`), "line 2, column 21", "not 0"},
		{named(`"mode": "ensemble", "proposers": ["m","m","m","m","m"], "aggregator": "m"`), "line 2, column 58", "not 5"},
		{named(`"mode": "ensemble", "proposers": ["m"]`), "line 2, column 12", "aggregator is missing"},
		{named(`"mode": "ensemble", "proposers": ["builtin"], "aggregator": "m"`), "line 2, column 59", "built-in planner"},
		{named(`"mode": "ensemble", "proposers": ["m"], "aggregator": "nobody"`), "line 2, column 79", `no model "nobody"`},
	} {
		_, err := Load(write(t, c.text), noenv)
		e := core.AsError(err)
		if core.CodeOf(err) != core.Usage || !strings.Contains(e.Message, c.place+": ") || !strings.Contains(e.Message, c.says) || e.Hint == "" {
			t.Errorf("%q\n got %v (hint %q)\nwant %s … %s", c.text, err, core.AsError(err), c.place, c.says)
			continue
		}
		if strings.Contains(e.Message+e.Hint, "p4ssw0rd") {
			t.Errorf("the error repeats a password: %s", e.Message)
		}
	}
	many := []string{}
	for i := range maxEntries + 1 {
		many = append(many, fmt.Sprintf(`{"name": "m%d", %s}`, i, rest))
	}
	if _, err := Load(write(t, `{"models": [`+strings.Join(many, ",")+`]}`), noenv); core.CodeOf(err) != core.Usage {
		t.Errorf("%d entries: %v", len(many), err)
	}
	if _, err := Load(write(t, strings.Repeat(" ", maxFileBytes)+"{}"), noenv); core.CodeOf(err) != core.TooLarge {
		t.Errorf("a large file: %v", err)
	}
}

// TestKeysNeverStandInTheFile proves R-MODEL-4 of the file: wherever a person
// puts a key, it is refused, and the refusal does not repeat it.
func TestKeysNeverStandInTheFile(t *testing.T) {
	for _, key := range []string{
		"sk-proj-4mQ9vX2LrT7yN3kW", "sk-ant-api03-AbCdEf_12-34", "gsk_9aB8cD7eF6gH5i", "AIzaSyD-9tSrke72PouQMnMX", "xai-0123456789abcdef",
		"Bearer abcdef", "0123456789abcdef0123456789abcdef", "8f2c1d3e4b5a69788f2c1d3e.Q2w3E4r5T6y7", "eyJhbGciOi.eyJzdWIiOiIx.c2ln",
	} {
		for _, form := range []string{
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": "%s"}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": {"env": "%s"}}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": {"keychain": "%s"}}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "apiKey": "%s"}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": "none", "api_key": "%s"}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": "none", "authorization": "%s"}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "%s", "key": "none"}]}`,
			`{"models": [{"name": "m", "provider": "%s", "model": "x", "key": "none"}]}`,
			`{"models": [{"name": "%s", "provider": "openai", "model": "x", "key": "none"}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": "none", "baseUrl": "%s"}]}`,
			`{"models": [{"name": "m", "provider": "openai", "model": "x", "key": "none", "baseUrl": "https://x:%s@h"}]}`,
			`{"modes": [{"name": "m", "mode": "router", "tiers": {"c1": "%s"}}]}`,
			`{"modes": [{"name": "m", "mode": "ensemble", "proposers": ["%s"], "aggregator": "%[1]s"}]}`,
			`{"token": "%s"}`,
		} {
			file := fmt.Sprintf(form, key)
			if n := strings.Index(file, "%!"); n >= 0 {
				file = file[:n]
			}
			_, err := Load(write(t, file), noenv)
			e := core.AsError(err)
			if core.CodeOf(err) != core.Usage {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if all := fmt.Sprintf("%+v %s %v", err, e.Hint, e.Detail); strings.Contains(all, key) {
				t.Errorf("the error repeats the key: %s", all)
			}
			if !strings.Contains(form, "baseUrl") && !strings.Contains(e.Hint, "never stands in this file") {
				t.Errorf("%s: hint %q", file, e.Hint)
			}
		}
	}
	for _, name := range []string{
		"gpt-4o-mini-2024-07-18", "claude-3-5-sonnet-20241022", "accounts/fireworks/models/llama-v3p1-405b-instruct", "qwen2.5-coder:32b",
		"Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "deepseek-r1-distill-qwen-32b", "skylark-pro", "mistralai/Mixtral-8x7B-Instruct-v0.1",
	} {
		if looksLikeKey(name) {
			t.Errorf("%q is a model's name", name)
		}
	}
	if looksLikeKey("MYVERYLONGENVIRONMENTVARIABLE") {
		t.Error("a long variable is not a key")
	}
}

// TestOnlyItsOwnerWritesTheFile: who can write it can send keys elsewhere.
func TestOnlyItsOwnerWritesTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the mode of a file says nothing on Windows")
	}
	dir := write(t, whole)
	path := filepath.Join(dir, FileName)
	for mode, want := range map[os.FileMode]core.Code{
		0o600: "", 0o644: "", 0o400: "", 0o640: "",
		0o660: core.PermissionDenied, 0o602: core.PermissionDenied, 0o666: core.PermissionDenied, 0o622: core.PermissionDenied,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, noenv); core.CodeOf(err) != want {
			t.Errorf("%o: %v, want %q", mode, err, want)
		}
	}
	if os.Getuid() == 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 4321, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, noenv); core.CodeOf(err) != core.PermissionDenied {
			t.Errorf("another's file: %v", err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir, noenv); core.CodeOf(err) != core.NotRegular {
		t.Errorf("a folder: %v", err)
	}
}

// TestAnyBytes: whatever stands in the file, Load answers with entries that are
// whole or with an error that has a place, and never panics.
func TestAnyBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(whole)
		for range rapid.IntRange(1, 4).Draw(t, "cuts") {
			i := rapid.IntRange(0, len(b)).Draw(t, "from")
			j := rapid.IntRange(i, min(len(b), i+8)).Draw(t, "to")
			in := rapid.SliceOfN(rapid.SampledFrom([]byte("{}[]\",:\\ \n\x00\xffae1é")), 0, 6).Draw(t, "in")
			b = append(append(append([]byte{}, b[:i]...), in...), b[j:]...)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(dir, noenv)
		if err != nil {
			e := core.AsError(err)
			line, _ := e.Detail["line"].(int)
			column, _ := e.Detail["column"].(int)
			if e.Code != core.Usage || line < 1 || column < 1 || line > 1+strings.Count(string(b), "\n") {
				t.Fatalf("%q: %v %v", b, err, e.Detail)
			}
			return
		}
		for _, e := range c.List() {
			if e.Name == "" || e.Mode == "" || e.Mode == router.ModeDirect && e.Provider != Builtin && (e.Model == "" || e.Host() == "") {
				t.Fatalf("%q: %+v", b, e)
			}
		}
	})
}
