package models

import (
	"net"
	"net/url"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/keys"
	"proofmark/gateway/llm/transport"
	"proofmark/gateway/router"
)

// Addresses of the hosts that are used where none is named.
const (
	openAIBase    = "https://api.openai.com/v1"
	anthropicBase = "https://api.anthropic.com"
	localBase     = "http://127.0.0.1:11434/v1" // Ollama's
)

// pattern is a kind of name that works without a file: its prefix, a colon, and
// what the provider calls the model.
type pattern struct {
	prefix, provider string
	base, baseEnv    string // the address, and the variable that sets another
	key              keys.Source
}

// patterns gives the three there are, with the addresses the environment sets.
// A server on this machine whose variable holds no key is asked without one.
func patterns(getenv func(string) string) []pattern {
	all := []pattern{
		{"openai", OpenAI, openAIBase, "OPENAI_BASE_URL", keys.Source{Env: "OPENAI_API_KEY"}},
		{"anthropic", Anthropic, anthropicBase, "ANTHROPIC_BASE_URL", keys.Source{Env: "ANTHROPIC_API_KEY"}},
		{"local", OpenAI, localBase, "", keys.Source{}},
	}
	for i, p := range all {
		if p.baseEnv != "" {
			p.base = or(getenv(p.baseEnv), p.base)
		}
		all[i].base = p.base
		if p.key.Env != "" && getenv(p.key.Env) == "" && loopback(p.base) {
			all[i].key = keys.Source{}
		}
	}
	return all
}

func (p pattern) entry(model string, open bool) Entry {
	return Entry{
		Name: p.prefix + ":" + model, Mode: router.ModeDirect, Provider: p.provider, Model: model,
		BaseURL: p.base, Key: p.key, Pattern: open,
	}
}

// byPattern gives the entry of a name such as openai:MODEL; ok tells whether
// the name is of that kind.
func byPattern(name string, getenv func(string) string) (e Entry, ok bool, err error) {
	prefix, model, cut := strings.Cut(name, ":")
	if !cut {
		return Entry{}, false, nil
	}
	for _, p := range patterns(getenv) {
		if p.prefix != prefix {
			continue
		}
		if why := badModel(model); why != "" {
			return Entry{}, true, core.Errorf(core.NoModel, "%q names no model: %s", short(name), why).
				WithHint("write %s: and what the provider calls the model", prefix).In("models.Find")
		}
		if err := transport.CheckBase(p.base); err != nil {
			return Entry{}, true, core.Errorf(core.Usage, "%s: %s", p.baseEnv, core.AsError(err).Message).
				WithHint("%s", core.AsError(err).Hint).In("models.Find")
		}
		return p.entry(model, false), true, nil
	}
	return Entry{}, false, nil
}

// badModel says why a text cannot be a provider's name of a model; "" where it can.
func badModel(s string) string {
	const most = 256
	switch {
	case s == "":
		return "the name is empty"
	case len(s) > most:
		return "the name is too long"
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return "the name holds a blank or a sign outside ASCII"
		}
	}
	return ""
}

// loopback tells whether an address is of this machine.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func or(s, otherwise string) string {
	if s = strings.TrimSpace(s); s != "" {
		return s
	}
	return otherwise
}
