package gates

import (
	"context"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
)

// Reasons a feature is on or off for, in the order they are asked.
const (
	ByConfig      = "config"      // the operator's file
	ByEnvironment = "environment" // PROOFMARK_FEATURES
	ByKill        = "kill"        // proofmark kill
	ByNeed        = "needs"       // a feature that it needs is off
	ByHost        = "host"        // the host has what the feature needs, or lacks it
	ByDefault     = "default"
)

// Gates knows the features of one process. Host apart, it is safe for
// concurrent use.
type Gates struct {
	st   *store.Store
	said wishes
}

// State is a feature with why it is on or off.
type State struct {
	Feature core.Feature `json:"feature"`
	On      bool         `json:"on"`
	By      string       `json:"by"`
	Needs   core.Feature `json:"needs,omitempty"`  // that is off, with ByNeed
	Reason  string       `json:"reason,omitempty"` // of a kill, for people
	Since   *time.Time   `json:"since,omitempty"`  // of a kill
}

// Load reads what the operator's file and the environment say. A file that
// cannot be read, or has a key that is not known, is refused: nothing runs on
// a wish that was not understood. Refusals: Usage; NotRegular, TooLarge, and
// PermissionDenied where others could have written the file.
func Load(st *store.Store, getenv func(string) string) (*Gates, error) {
	g := &Gates{st: st, said: wishes{}}
	if err := g.said.file(st.Dir(), getenv); err != nil {
		return nil, err.In("gates.Load")
	}
	if err := g.said.environment(getenv(EnvNames)); err != nil {
		return nil, err.In("gates.Load")
	}
	return g, nil
}

// Host says whether the host that was started offers what a feature needs. It
// is asked after every operator, and once, before the Gates are used.
func (g *Gates) Host(f core.Feature, offers bool) error {
	if _, asked := g.said[f][ByHost]; asked {
		return core.Errorf(core.Internal, "what the host offers was said before").In("gates.Host")
	}
	if err := g.said.say(ByHost, f, offers); err != nil {
		return err.In("gates.Host")
	}
	return nil
}

// Check gives FeatureOff where a feature is off now. Where that cannot be found
// out, it is refused too.
func (g *Gates) Check(ctx context.Context, f core.Feature) error {
	if err := known(f); err != nil {
		return err.In("gates.Check")
	}
	thrown, err := g.thrown(ctx)
	if err != nil {
		return err
	}
	s := g.state(f, thrown)
	if s.On {
		return nil
	}
	return s.refusal()
}

// refusal says why a feature is off, and what to do.
func (s State) refusal() *core.Error {
	e := core.Errorf(core.FeatureOff, "%s is switched off (%s)", s.Feature, s.By).With("feature", s.Feature).With("by", s.By).In("gates.Check")
	switch s.By {
	case ByHost:
		return e.WithHint("It needs the desktop application.")
	case ByNeed:
		e.Message = string(s.Feature) + " is off with " + string(s.Needs) + ", which it needs"
		return e.WithHint("`proofmark kill --list` says why. History, versions, diffs and exports still work.").With("needs", s.Needs)
	case ByKill:
		e.With("since", s.Since)
		return e.WithHint("History, versions, diffs and exports still work. The operator can switch it on again: proofmark unkill %s", s.Feature)
	}
	return e.WithHint("An operator said so at start. History, versions, diffs and exports still work.")
}

// States lists every feature.
func (g *Gates) States(ctx context.Context) ([]State, error) {
	thrown, err := g.thrown(ctx)
	if err != nil {
		return nil, err
	}
	var out []State
	for _, f := range core.Features() {
		out = append(out, g.state(f, thrown))
	}
	return out, nil
}

// thrown gives the kill switches as they are now.
func (g *Gates) thrown(ctx context.Context) (list []store.Switch, err error) {
	err = g.st.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Switches()
		return err
	})
	return list, err
}

func (g *Gates) state(f core.Feature, thrown []store.Switch) State {
	said := g.said[f]
	for _, by := range []string{ByConfig, ByEnvironment} {
		if on, ok := said[by]; ok && !on {
			return State{Feature: f, By: by}
		}
	}
	for _, s := range thrown {
		if s.Feature == f && s.Off {
			return State{Feature: f, By: ByKill, Reason: s.Reason, Since: &s.At}
		}
	}
	for _, need := range f.Needs() {
		if s := g.state(need, thrown); !s.On {
			return State{Feature: f, By: ByNeed, Needs: need}
		}
	}
	if on, ok := said[ByHost]; ok && !on {
		return State{Feature: f, By: ByHost}
	}
	for _, by := range []string{ByConfig, ByEnvironment, ByHost} {
		if _, ok := said[by]; ok {
			return State{Feature: f, On: true, By: by}
		}
	}
	return State{Feature: f, On: true, By: ByDefault}
}
