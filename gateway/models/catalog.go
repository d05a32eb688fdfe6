package models

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
	"proofmark/gateway/router"
)

// Providers of an entry.
const (
	Builtin   = "builtin" // the planner without a model
	OpenAI    = "openai"  // chat completions, of whoever speaks them
	Anthropic = "anthropic"
)

// Entry is one name --model takes. Its secrets are elsewhere.
type Entry struct {
	Name string
	Mode string // router.ModeDirect, ModeRouter or ModeEnsemble

	// Of ModeDirect.
	Provider  string // Builtin, OpenAI or Anthropic
	Model     string // the provider's name for it
	BaseURL   string
	Key       keys.Source
	Vision    bool // it is shown pictures
	MaxTokens int  // of one answer; 0 for core.MaxAnswerTokens
	Pattern   bool // Name and Model end in MODEL, which stands for any model of the host

	Tiers      map[router.Tier]string // of ModeRouter: names
	Proposers  []string               // of ModeEnsemble: names
	Aggregator string                 // of ModeEnsemble: a name
}

// Host gives the origin the entry's requests and its key go to, such as
// https://api.openai.com; "" where nothing leaves this program.
func (e Entry) Host() string {
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Members lists the names a mode is made of, each once, in the order of the file.
func (e Entry) Members() []string {
	var all []string
	for _, t := range router.Tiers() {
		all = append(all, e.Tiers[t])
	}
	all = append(append(all, e.Proposers...), e.Aggregator)
	seen := map[string]bool{"": true}
	var out []string
	for _, name := range all {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// Catalog is what Load found.
type Catalog struct {
	getenv   func(string) string
	path     string // of the configuration file, whether there is one or not
	found    bool
	entries  []Entry       // of the file, in its order, all valid
	patience time.Duration // with a host that is checked
}

// File gives the path of the configuration file, and whether there is one.
func (c Catalog) File() (path string, found bool) { return c.path, c.found }

// List gives every entry: the built-in planner, those of the file, and the
// patterns that need no file.
func (c Catalog) List() []Entry {
	out := append([]Entry{builtinEntry()}, c.entries...)
	for _, p := range patterns(c.getenv) {
		out = append(out, p.entry("MODEL", true))
	}
	return out
}

// Find gives the entry of a name; NoModel where there is none.
func (c Catalog) Find(name string) (Entry, error) {
	if name == Builtin {
		return builtinEntry(), nil
	}
	for _, e := range c.entries {
		if e.Name == name {
			return e, nil
		}
	}
	if e, ok, err := byPattern(name, c.getenv); ok {
		return e, err
	}
	if looksLikeKey(name) { // then it is not repeated
		return Entry{}, core.Errorf(core.Usage, "this looks like a key, where the name of a model belongs").
			WithHint("`proofmark models` lists the names. A key that stood in a command is in the shell's history: get another").In("models.Find")
	}
	hint := "`proofmark models` lists what is configured; openai:MODEL, anthropic:MODEL and local:MODEL work without that, and builtin, which needs no key and no network"
	if !strings.Contains(name, ":") && badModel(name) == "" {
		hint = fmt.Sprintf("say whose it is: openai:%s, anthropic:%[1]s or local:%[1]s; `proofmark models` lists what is configured", short(name))
	}
	return Entry{}, core.Errorf(core.NoModel, "there is no model %q", short(name)).WithHint("%s", hint).In("models.Find")
}

func builtinEntry() Entry {
	return Entry{Name: Builtin, Mode: router.ModeDirect, Provider: Builtin}
}

// short bounds what an error repeats of a name.
func short(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "�")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Account gives the keychain account of a name's key; Usage where its key is
// not kept there.
func (c Catalog) Account(name string) (string, error) {
	e, err := c.Find(name)
	if err != nil {
		return "", err
	}
	refuse := core.Errorf(core.Usage, "the key of %q is not kept in the keychain", e.Name).In("models.Account")
	switch {
	case e.Mode != router.ModeDirect:
		return "", refuse.WithHint("%s is made of %s; each has a key of its own", e.Name, strings.Join(e.Members(), ", "))
	case e.Key.Env != "":
		return "", refuse.WithHint("it comes from the environment variable %s; an entry of models.json with \"key\": {\"keychain\": \"…\"} takes it from the keychain", e.Key.Env)
	case e.Key.Keychain == "":
		return "", refuse.WithHint("it needs none")
	}
	return e.Key.Keychain, nil
}
