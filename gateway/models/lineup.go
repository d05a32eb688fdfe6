package models

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
	"proofmark/gateway/llm/builtin"
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
	return c.leaf(ctx, e, o)
}

func (c Catalog) leaf(context.Context, Entry, Options) (llm.Model, error) {
	return nil, core.Errorf(core.NoModel, "no provider")
}
