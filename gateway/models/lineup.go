package models

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/anthropic"
	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/llm/openai"
	"proofmark/gateway/llm/retry"
	"proofmark/gateway/router"
)

// Options change how a line-up is made.
type Options struct {
	// WrapLeaf wraps each provider below the retries, so that it sees every
	// physical call. The built-in planner makes none and is not wrapped.
	WrapLeaf func(llm.Model) llm.Model
}

// Lineup makes the models a name stands for. It looks every key up, so that a
// missing one is told before anything is opened or sent; it calls no host.
func (c Catalog) Lineup(ctx context.Context, name string, o Options) (router.Lineup, error) {
	e, err := c.Find(name)
	if err != nil {
		return router.Lineup{}, err
	}
	l := router.Lineup{Name: e.Name, Mode: e.Mode}
	made := map[string]llm.Model{}
	model := func(name string) llm.Model {
		if m, ok := made[name]; ok || name == "" || err != nil {
			return m
		}
		var m llm.Model
		m, err = c.model(ctx, name, o)
		made[name] = m
		return m
	}
	switch e.Mode {
	case router.ModeDirect:
		l.Direct = model(e.Name)
	case router.ModeRouter:
		l.Tiers = map[router.Tier]llm.Model{}
		for _, t := range router.Tiers() {
			if m := model(e.Tiers[t]); m != nil {
				l.Tiers[t] = m
			}
		}
	case router.ModeEnsemble:
		for _, p := range e.Proposers {
			l.Proposers = append(l.Proposers, model(p))
		}
		l.Aggregator = model(e.Aggregator)
	}
	if err != nil {
		return router.Lineup{}, err
	}
	return l, nil
}

// model makes one direct model.
func (c Catalog) model(ctx context.Context, name string, o Options) (llm.Model, error) {
	e, err := c.Find(name)
	if err != nil {
		return nil, err
	}
	if e.Provider == Builtin {
		return builtin.New(), nil
	}
	p, err := c.provider(ctx, e)
	if err != nil {
		return nil, err
	}
	var m llm.Model = p
	if o.WrapLeaf != nil {
		m = o.WrapLeaf(m)
	}
	return retry.New(m, retry.Options{}), nil
}

// provider is a model that can be asked whether it is there.
type provider interface {
	llm.Model
	Check(ctx context.Context) (openai.Checked, error)
}

// provider makes the client of an entry. The key is looked up once and stays in
// this program's memory; it goes to the entry's host alone.
func (c Catalog) provider(ctx context.Context, e Entry) (provider, error) {
	secret, err := c.key(ctx, e)
	if err != nil {
		return nil, err
	}
	key := func() (string, error) { return secret, nil }
	switch e.Provider {
	case OpenAI:
		return openai.New(openai.Config{
			Name: e.Name, Model: e.Model, BaseURL: e.BaseURL, Key: key, Vision: e.Vision, MaxTokens: e.MaxTokens,
		})
	case Anthropic:
		return anthropic.New(anthropic.Config{
			Name: e.Name, Model: e.Model, BaseURL: e.BaseURL, Key: key, Vision: e.Vision, MaxTokens: e.MaxTokens,
		})
	}
	return nil, core.Errorf(core.NoModel, "%s: there is no provider %q", e.Name, e.Provider).In("models.provider")
}
