package main

import (
	"context"
	"os"

	"proofmark/gateway/core"
	"proofmark/gateway/gates"
)

// features gives the gates of this run: configuration and environment as they
// were when it was first asked.
func (a *app) features(ctx context.Context) (*gates.Gates, error) {
	if a.gates != nil {
		return a.gates, nil
	}
	if _, err := a.documents(ctx); err != nil {
		return nil, err
	}
	g, err := gates.Load(a.st, os.Getenv)
	if err != nil {
		return nil, err
	}
	a.gates = g
	return g, nil
}

// allow refuses what an operator has switched off.
func (a *app) allow(ctx context.Context, f core.Feature) error {
	g, err := a.features(ctx)
	if err != nil {
		return err
	}
	return g.Check(ctx, f)
}

// feature gives what the flags ask for: direct edits are a person's own, notes
// are carried out by a planner.
func (f *editFlags) feature() core.Feature {
	if len(f.notes.direct) > 0 {
		return core.FeatureWorkbench
	}
	return core.FeatureAnnotations
}
