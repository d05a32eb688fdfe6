package gates_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/gates"
)

// P30: a configuration that is not understood is refused as a whole; nothing
// runs on half of it.
func TestConfigThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		``:                             "no JSON",
		`null`:                         "null",
		`{"features":null}`:            "null",
		`[]`:                           "not one",
		`true`:                         "not one",
		`{"feature":{}}`:               `"feature"`,
		`{"features":[]}`:              "features must not be",
		`{"features":{"other":false}}`: `"other"`,
		`{"features":{"":false}}`:      "no feature",
		`{"features":{"artifactPromptAnnotations":"false"}}`:                                "must not be",
		`{"features":{"artifactPromptAnnotations":0}}`:                                      "must not be",
		`{"features":{"artifactPromptAnnotations":null}}`:                                   "true or false",
		`{"features":{"artifactPromptAnnotations":false}`:                                   "too early",
		`{"features":{"artifactPromptAnnotations":false}}{}`:                                "behind",
		`{"features":{"artifactPromptAnnotations":false,"artifactPromptAnnotations":true}}`: "twice",
		"{\"features\":{}}\xff":                                                             "UTF-8",
		`{` + strings.Repeat(" ", 64<<10):                                                   "more than",
	} {
		p := newPlace(t)
		path := p.config(text)
		_, err := p.load()
		if core.CodeOf(err).Exit() == core.ExitOK || core.CodeOf(err) == core.Internal || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", text, err)
		}
		if err != nil && core.CodeOf(err) != core.TooLarge && !strings.Contains(err.Error(), path) && core.AsError(err).Detail["file"] != path {
			t.Errorf("%.60q: the file is not named: %v", text, err)
		}
	}
	for _, text := range []string{`{}`, `{"features":{}}`, " {\"features\":{\"artifactPromptAnnotations\":true}}\n"} {
		p := newPlace(t)
		p.config(text)
		if g, err := p.load(); err != nil || !states(t, g)[notes].On {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for text, want := range map[string]struct{ bench, notes, ok bool }{
		"":                                {true, true, true},
		"artifactPromptAnnotations=false": {true, false, true},
		" artifactPromptAnnotations=false , documentWorkbenchResources=true": {true, false, true},
		"documentWorkbenchResources=false":                                   {false, false, true},
		"artifactPromptAnnotations=false,artifactPromptAnnotations=true":     {true, false, true},
		"artifactPromptAnnotations=true,artifactPromptAnnotations=false":     {true, false, true},
		"artifactPromptAnnotations":                                          {},
		"artifactPromptAnnotations=":                                         {},
		"artifactPromptAnnotations=no":                                       {},
		"artifactPromptAnnotations=False":                                    {},
		"artifactPromptAnnotations=false=true":                               {},
		"other=true":                                                         {},
		"=true":                                                              {},
		"artifactPromptAnnotations=true;artifactPromptAnnotations=false":     {},
		"documentWorkbenchResources=true,artifactPromptAnnotations=true,somethingElse=false": {},
	} {
		p := newPlace(t)
		p.env[gates.EnvNames] = text
		g, err := p.load()
		if (err == nil) != want.ok || err != nil && core.CodeOf(err) != core.Usage {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			continue
		}
		if s := states(t, g); s[bench].On != want.bench || s[notes].On != want.notes {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// A file that is named has to be there, be a file, and be nobody else's.
func TestConfigFile(t *testing.T) {
	p := newPlace(t)
	elsewhere := filepath.Join(t.TempDir(), "ops.json")
	p.env[gates.EnvFile] = elsewhere
	p.config(`{"features":{"documentWorkbenchResources":false}}`) // is not read then
	if _, err := p.load(); core.CodeOf(err) != core.Usage {
		t.Errorf("it is not there: %v", err)
	}
	if err := os.WriteFile(elsewhere, []byte(`{"features":{"artifactPromptAnnotations":false}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	if s := states(t, g); s[notes].By != gates.ByConfig || !s[bench].On {
		t.Errorf("%+v", s)
	}
	p.env[gates.EnvFile] = t.TempDir()
	if _, err := p.load(); core.CodeOf(err) != core.NotRegular {
		t.Errorf("a folder: %v", err)
	}
}

// docs/operations.md names the features there are, and its example is one.
func TestConfigAsDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	_, text, ok := strings.Cut(text, "### config.json")
	example, _, ends := strings.Cut(text, "\n\n|")
	if !ok || !ends {
		t.Fatal("config.json is not documented")
	}
	p := newPlace(t)
	p.config(strings.TrimSpace(example))
	if g, err := p.load(); err != nil || states(t, g)[notes].By != gates.ByConfig {
		t.Errorf("%q: %v", example, err)
	}
	for _, f := range core.Features() {
		if !strings.Contains(string(b), "| `"+string(f)+"` |") {
			t.Errorf("%s is not documented", f)
		}
	}
}
