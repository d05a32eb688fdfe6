package models

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
	"proofmark/gateway/llm/transport"
	"proofmark/gateway/router"
)

// maxEntries bounds how many names the file may hold.
const maxEntries = 64

var (
	nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	envForm  = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,127}$`)
)

// parser reads the closed schema. The first error is kept; what is read after
// it does not matter.
type parser struct {
	path string
	text []byte
	err  *core.Error
}

// parseFile gives the entries of a configuration file.
func parseFile(path string, b []byte, getenv func(string) string) ([]Entry, error) {
	p := &parser{path: path, text: b}
	root, err := parseJSON(b)
	if err != nil {
		var bad *syntaxError
		if s, ok := err.(*syntaxError); ok { //nolint:errorlint // parseJSON gives no other
			bad = s
		}
		p.fail(bad.at, "docs/models.md shows a whole file", "%s", bad.what)
		return nil, p.err
	}
	entries := p.file(root)
	p.references(entries, getenv)
	if p.err != nil {
		return nil, p.err
	}
	var out []Entry
	for _, e := range entries {
		out = append(out, e.Entry)
	}
	return out, nil
}

// placed is an entry with the offsets an error about its names points to.
type placed struct {
	Entry
	at   int
	refs map[string]int
}

// fail keeps the first error, with its place. Nothing it is given to say may
// hold a value that could be a key.
func (p *parser) fail(at int, hint, format string, args ...any) {
	if p.err != nil {
		return
	}
	line, column := position(p.text, at)
	p.err = core.Errorf(core.Usage, "%s, line %d, column %d: %s", filepath.Base(p.path), line, column, fmt.Sprintf(format, args...)).
		WithHint("%s", hint).
		With("file", p.path).With("line", line).With("column", column).In("models.Load")
}

func (p *parser) file(root node) []placed {
	f := p.fields(root, "the file", []string{"models", "modes"})
	var out []placed
	for _, n := range p.list(f["models"], "models") {
		out = append(out, p.model(n))
	}
	for _, n := range p.list(f["modes"], "modes") {
		out = append(out, p.mode(n))
	}
	seen := map[string]bool{}
	for _, e := range out {
		if seen[e.Name] {
			p.fail(e.at, "each name stands once, of models and modes together", "the name %q stands here twice", e.Name)
		}
		seen[e.Name] = true
	}
	if len(out) > maxEntries {
		p.fail(root.at, "take out what is not used", "the file holds %d names; %d are the most", len(out), maxEntries)
	}
	return out
}

// model reads one entry of models.
func (p *parser) model(n node) placed {
	f := p.fields(n, "a model", []string{"name", "provider", "model", "baseUrl", "key", "vision", "maxTokens"})
	e := placed{at: at(f["name"], n)}
	e.Name, e.Mode = p.name(f["name"], n), router.ModeDirect
	e.Provider = p.oneOf(f["provider"], n, "provider", OpenAI, Anthropic)
	e.Model = p.required(f["model"], n, "model")
	if why := badModel(e.Model); why != "" {
		p.fail(at(f["model"], n), "it is what the provider calls the model", "%s", why)
	}
	e.BaseURL = p.base(f["baseUrl"], e.Provider)
	e.Key = p.key(f["key"], n, e)
	if v := f["vision"]; v != nil {
		p.want(*v, boolean, "vision")
		e.Vision = v.yes
	}
	if v := f["maxTokens"]; v != nil {
		e.MaxTokens = p.count(*v, "maxTokens", 1, 1_000_000)
	}
	return e
}

// base reads an address, or takes the provider's own.
func (p *parser) base(n *node, provider string) string {
	if n == nil {
		if provider == Anthropic {
			return anthropicBase
		}
		return openAIBase
	}
	p.want(*n, text, "baseUrl")
	if err := transport.CheckBase(n.text); err != nil && p.err == nil {
		e := core.AsError(err)
		p.fail(n.at, or(e.Hint, "an https address, or http on this machine, such as http://127.0.0.1:8080/v1"), "%s", e.Message)
	}
	return n.text
}

// key reads where a model's key is. It has to be said for every host but this
// machine: a key that was meant for another is not to be guessed.
func (p *parser) key(n *node, owner node, e placed) keys.Source {
	const forms = `"key": {"env": "NAME"}, "key": {"keychain": "NAME"} or "key": "none"`
	if n == nil {
		if !loopback(e.BaseURL) {
			p.fail(owner.at, "write "+forms, "%q does not say where its key is", e.Name)
		}
		return keys.Source{}
	}
	if n.kind == text && n.text == "none" {
		return keys.Source{}
	}
	if n.kind != object {
		p.fail(n.at, "the key itself never stands in this file; write "+forms, "key says where the key is")
		return keys.Source{}
	}
	f := p.fields(*n, "key", []string{"env", "keychain"})
	switch env, chain := f["env"], f["keychain"]; {
	case env != nil && chain != nil, env == nil && chain == nil:
		p.fail(n.at, "write "+forms, "key is either in the environment or in the keychain")
	case env != nil:
		p.want(*env, text, "env")
		if !envForm.MatchString(env.text) {
			p.fail(env.at, "such as OPENAI_API_KEY: capitals, digits and _. The key itself never stands in this file", "env is not the name of an environment variable")
		}
		return keys.Source{Env: env.text}
	default:
		p.want(*chain, text, "keychain")
		if !nameForm.MatchString(chain.text) || looksLikeKey(chain.text) {
			p.fail(chain.at, "such as the model's name. The key itself never stands in this file", "keychain is not a name to keep a key under")
		}
		return keys.Source{Keychain: chain.text}
	}
	return keys.Source{}
}

// mode reads one entry of modes.
func (p *parser) mode(n node) placed {
	all := []string{"name", "mode", "tiers", "proposers", "aggregator"}
	f := p.fields(n, "a mode", all)
	e := placed{at: at(f["name"], n), refs: map[string]int{}}
	e.Name = p.name(f["name"], n)
	e.Mode = p.oneOf(f["mode"], n, "mode", router.ModeRouter, router.ModeEnsemble)
	belongs := map[string][]string{router.ModeRouter: {"tiers"}, router.ModeEnsemble: {"proposers", "aggregator"}}[e.Mode]
	for _, name := range all[2:] {
		if f[name] != nil && !slices.Contains(belongs, name) {
			p.fail(f[name].at, "it has "+strings.Join(belongs, " and "), "a mode %q has no %s", e.Mode, name)
		}
	}
	switch e.Mode {
	case router.ModeRouter:
		p.tiers(f["tiers"], n, &e)
	case router.ModeEnsemble:
		for _, m := range p.list(f["proposers"], "proposers") {
			p.want(m, text, "a proposer")
			e.Proposers = append(e.Proposers, m.text)
			e.refs[m.text] = m.at
		}
		if n := len(e.Proposers); n == 0 || n > core.MaxProposers {
			p.fail(at(f["proposers"], node{at: e.at}), "list the names of models", "an ensemble has 1 to %d proposers, not %d", core.MaxProposers, n)
		}
		e.Aggregator = p.required(f["aggregator"], n, "aggregator")
		e.refs[e.Aggregator] = at(f["aggregator"], n)
	}
	return e
}

func (p *parser) tiers(n *node, owner node, e *placed) {
	if n == nil {
		p.fail(owner.at, `such as "tiers": {"c2": "small", "c3": "large"}`, "a router needs tiers")
		return
	}
	var names []string
	for _, t := range router.Tiers() {
		names = append(names, string(t))
	}
	e.Tiers = map[router.Tier]string{}
	f := p.fields(*n, "tiers", names)
	for _, t := range router.Tiers() {
		if v := f[string(t)]; v != nil {
			p.want(*v, text, string(t))
			e.Tiers[t] = v.text
			e.refs[v.text] = v.at
		}
	}
	if len(e.Tiers) == 0 {
		p.fail(n.at, `such as "tiers": {"c2": "small", "c3": "large"}`, "a router needs a model for a tier at least")
	}
}

// references checks that modes are made of models that are there.
func (p *parser) references(all []placed, getenv func(string) string) {
	direct := map[string]bool{}
	for _, e := range all {
		if e.Mode == router.ModeDirect {
			direct[e.Name] = true
		}
	}
	for _, e := range all {
		for _, name := range e.Members() {
			where := e.refs[name]
			_, short, err := byPattern(name, getenv)
			switch {
			case name == Builtin && e.Mode == router.ModeEnsemble:
				p.fail(where, "name models", "the built-in planner is no part of an ensemble")
			case name == Builtin || direct[name]:
			case short && err != nil:
				p.fail(where, core.AsError(err).Hint, "%s", core.AsError(err).Message)
			case !short:
				p.fail(where, "name an entry of models, or openai:MODEL, anthropic:MODEL or local:MODEL", "there is no model %q", name)
			}
		}
	}
}

// fields gives the fields of an object, all of them among the allowed.
func (p *parser) fields(n node, what string, allowed []string) map[string]*node {
	out := map[string]*node{}
	p.want(n, object, what)
	for i := range n.fields {
		f := &n.fields[i]
		switch {
		case slices.Contains(allowed, f.name):
			p.secrets(f.value)
			out[f.name] = &f.value
		case keyField.MatchString(f.name):
			p.fail(f.at, `the key itself never stands in this file; say where it is: "key": {"env": "NAME"} or "key": {"keychain": "NAME"}`,
				"%s has no field %q, and a key does not belong here", what, short(f.name))
		default:
			p.fail(f.at, "its fields are "+strings.Join(allowed, ", "), "%s has no field %q", what, short(f.name))
		}
	}
	return out
}

func (p *parser) list(n *node, what string) []node {
	if n == nil {
		return nil
	}
	p.want(*n, list, what)
	for _, item := range n.items {
		p.secrets(item)
	}
	return n.items
}

func (p *parser) want(n node, k kind, what string) {
	if n.kind != k {
		p.fail(n.at, "see docs/models.md", "%s is %s, not %s", what, k, n.kind)
	}
}

func (p *parser) required(n *node, owner node, what string) string {
	if n == nil {
		p.fail(owner.at, "see docs/models.md", "%s is missing", what)
		return ""
	}
	p.want(*n, text, what)
	return n.text
}

func (p *parser) oneOf(n *node, owner node, what string, values ...string) string {
	s := p.required(n, owner, what)
	if !slices.Contains(values, s) {
		p.fail(at(n, owner), "it is "+strings.Join(values, " or "), "there is no %s %q", what, short(s))
	}
	return s
}

func (p *parser) name(n *node, owner node) string {
	s := p.required(n, owner, "name")
	switch {
	case !nameForm.MatchString(s):
		p.fail(at(n, owner), "letters, digits, '.', '_' and '-', up to 64, the first a letter or digit", "%q is not a name", short(s))
	case s == Builtin:
		p.fail(at(n, owner), "take another name", "builtin is the planner without a model")
	}
	return s
}

func (p *parser) count(n node, what string, least, most int) int {
	p.want(n, number, what)
	v, err := strconv.Atoi(n.text)
	if err != nil || v < least || v > most {
		p.fail(n.at, fmt.Sprintf("a whole number from %d to %d", least, most), "%s is out of range", what)
	}
	return v
}

// at gives where a field stands, or its owner where it is missing.
func at(n *node, owner node) int {
	if n == nil {
		return owner.at
	}
	return n.at
}
