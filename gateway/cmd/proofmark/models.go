package main

import (
	"context"
	"os"

	"proofmark/gateway/llm/builtin"
	"proofmark/gateway/models"
	"proofmark/gateway/router"
	"proofmark/gateway/store"
)

// catalog reads what models are configured.
func (a *app) catalog() (models.Catalog, error) {
	dir := a.dataDir
	if dir == "" {
		var err error
		if dir, err = store.DefaultDir(); err != nil {
			return models.Catalog{}, err
		}
	}
	return models.Load(dir, os.Getenv)
}

// lineup gives the models --model names, with their keys looked up. The built-in
// planner works whatever the configuration file says.
func (a *app) lineup(ctx context.Context) (router.Lineup, error) {
	if a.model == models.Builtin {
		return router.Direct(builtin.New()), nil
	}
	c, err := a.catalog()
	if err != nil {
		return router.Lineup{}, err
	}
	return c.Lineup(ctx, a.model, models.Options{})
}
