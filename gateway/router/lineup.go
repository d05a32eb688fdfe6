package router

import (
	"slices"

	"proofmark/gateway/core"
	"proofmark/gateway/llm"
)

// Modes of a line-up.
const (
	ModeDirect   = "direct"
	ModeRouter   = "router"
	ModeEnsemble = "ensemble"
)

// Lineup is the models one configured name stands for.
type Lineup struct {
	Name       string             // as a person configured it
	Mode       string             // ModeDirect, ModeRouter or ModeEnsemble
	Direct     llm.Model          // of ModeDirect
	Tiers      map[Tier]llm.Model // of ModeRouter; not every tier needs one
	Proposers  []llm.Model        // of ModeEnsemble: 1 to core.MaxProposers
	Aggregator llm.Model          // of ModeEnsemble
}

// Direct is the line-up of one model that does everything.
func Direct(m llm.Model) Lineup {
	return Lineup{Name: m.Name(), Mode: ModeDirect, Direct: m}
}

// Choice is who does a turn's work.
type Choice struct {
	Model     llm.Model   // works with the tools
	Proposers []llm.Model // give advice first, without tools; often none
	Route     Route
}

// Route tells of a choice in words from closed lists: no names, no texts.
type Route struct {
	Mode      string // a Mode of Lineup
	Format    string // of the Class
	Operation string // of the Class
	Floor     string // of the Class
	Tier      string // of the model that was taken; "" where the mode has no tiers
}

// Choose takes the models for a class. A router takes the smallest tier that
// is configured and not below the floor; where there is none it refuses with
// NoModel rather than take a lesser one.
func (l Lineup) Choose(c Class) (Choice, error) {
	choice := Choice{Route: Route{Mode: l.Mode, Format: c.Format, Operation: c.Operation, Floor: string(c.Floor)}}
	switch l.Mode {
	case ModeDirect:
		choice.Model = l.Direct
	case ModeRouter:
		t, ok := l.tier(c.Floor)
		if !ok {
			return Choice{}, core.Errorf(core.NoModel, "this turn needs a model of tier %s or above, and %q has none", c.Floor, l.Name).
				WithHint("give %q a model for tier %s or above in models.json, or name another with --model", l.Name, c.Floor).
				With("floor", string(c.Floor)).In("router.Choose")
		}
		choice.Model, choice.Route.Tier = l.Tiers[t], string(t)
	case ModeEnsemble:
		if n := len(l.Proposers); n == 0 || n > core.MaxProposers {
			return Choice{}, core.Errorf(core.NoModel, "%q has %d proposers; an ensemble has 1 to %d", l.Name, n, core.MaxProposers).
				WithHint("set its proposers in models.json").In("router.Choose")
		}
		choice.Model = l.Aggregator
		if c.Operation != Answer { // an answer costs one call
			choice.Proposers = slices.Clone(l.Proposers)
		}
	}
	if choice.Model == nil {
		return Choice{}, core.Errorf(core.NoModel, "%q names no model that can work", l.Name).
			WithHint("`proofmark models` lists what is configured").In("router.Choose")
	}
	return choice, nil
}

// tier gives the smallest configured tier that is not below the floor.
func (l Lineup) tier(floor Tier) (Tier, bool) {
	all := Tiers()
	at := slices.Index(all, floor)
	if at < 0 {
		return "", false
	}
	for _, t := range all[at:] {
		if l.Tiers[t] != nil {
			return t, true
		}
	}
	return "", false
}
