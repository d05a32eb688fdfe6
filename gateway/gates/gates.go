package gates

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/store"
	"proofmark/internal/strictjson"
)

// Where an operator's wishes are read from.
const (
	FileName = "config.json"        // in the data directory
	EnvFile  = "PROOFMARK_CONFIG"   // names another file
	EnvNames = "PROOFMARK_FEATURES" // such as "artifactPromptAnnotations=false"
)

const maxFileBytes = 64 << 10

// Reasons a feature is on or off for, in the order they are asked.
const (
	ByConfig      = "config"      // the operator's file
	ByEnvironment = "environment" // PROOFMARK_FEATURES
	ByKill        = "kill"        // proofmark kill
	ByHost        = "host"        // the host has what the feature needs, or lacks it
	ByDefault     = "default"
)

// config is the operator's file.
type config struct {
	Features map[core.Feature]bool `json:"features"`
}

// Gates knows the features of one process.
type Gates struct {
	st   *store.Store
	said map[core.Feature]map[string]bool // by whom, what
}

// State is a feature with why it is on or off.
type State struct {
	Feature core.Feature `json:"feature"`
	On      bool         `json:"on"`
	By      string       `json:"by"`
	Reason  string       `json:"reason,omitempty"` // of a kill, for people
	Since   *time.Time   `json:"since,omitempty"`  // of a kill
}

// Load reads what the operator's file and the environment say. A file that
// cannot be read, or has a key that is not known, is refused: nothing runs on
// a wish that was not understood.
func Load(st *store.Store, getenv func(string) string) (*Gates, error) {
	const op = "gates.Load"
	g := &Gates{st: st, said: map[core.Feature]map[string]bool{}}
	path := getenv(EnvFile)
	named := path != ""
	if !named {
		path = filepath.Join(st.Dir(), FileName)
	}
	b, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err) && !named:
	case err != nil:
		return nil, core.Wrap(core.Usage, err, "the configuration file %s cannot be read", path).In(op)
	case len(b) > maxFileBytes:
		return nil, core.Errorf(core.Usage, "the configuration file %s has more than %d bytes", path, maxFileBytes).In(op)
	default:
		var c config
		if err := strictjson.Unmarshal(b, &c); err != nil {
			return nil, core.Errorf(core.Usage, "the configuration file %s is not one: %v", path, err).
				WithHint(`It looks like {"features":{"%s":false}}; see docs/operations.md.`, core.FeatureAnnotations).In(op)
		}
		for f, on := range c.Features {
			if err := g.say(ByConfig, f, on); err != nil {
				return nil, err.In(op)
			}
		}
	}
	for _, item := range strings.FieldsFunc(getenv(EnvNames), func(r rune) bool { return r == ',' || r == ' ' }) {
		name, value, _ := strings.Cut(item, "=")
		if value != "true" && value != "false" {
			return nil, core.Errorf(core.Usage, "%s has %q; each feature is given as name=true or name=false", EnvNames, item).In(op)
		}
		if err := g.say(ByEnvironment, core.Feature(name), value == "true"); err != nil {
			return nil, err.In(op)
		}
	}
	return g, nil
}

func (g *Gates) say(by string, f core.Feature, on bool) *core.Error {
	for _, known := range core.Features() {
		if f == known {
			if g.said[f] == nil {
				g.said[f] = map[string]bool{}
			}
			g.said[f][by] = on
			return nil
		}
	}
	return core.Errorf(core.Usage, "there is no feature %.80q", f).WithHint("There are %s and %s.", core.FeatureWorkbench, core.FeatureAnnotations)
}

// Host says whether the host that was started offers what a feature needs. It
// is asked after every operator, and once.
func (g *Gates) Host(f core.Feature, offers bool) error {
	if _, asked := g.said[f][ByHost]; asked {
		return core.Errorf(core.Internal, "what the host offers was said before").In("gates.Host")
	}
	if err := g.say(ByHost, f, offers); err != nil {
		return err
	}
	return nil
}

// Check gives FeatureOff where a feature is off now. Where that cannot be found
// out, it is refused too.
func (g *Gates) Check(ctx context.Context, f core.Feature) error {
	s, err := g.state(ctx, f)
	if err != nil {
		return err
	}
	if s.On {
		return nil
	}
	e := core.Errorf(core.FeatureOff, "%s is switched off (%s)", f, s.By).With("feature", f).With("by", s.By)
	if s.By == ByHost {
		return e.WithHint("It needs the desktop application.")
	}
	return e.WithHint("An operator did this. History, versions, diffs and exports still work.")
}

// States lists every feature.
func (g *Gates) States(ctx context.Context) ([]State, error) {
	var out []State
	for _, f := range core.Features() {
		s, err := g.state(ctx, f)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (g *Gates) state(ctx context.Context, f core.Feature) (State, error) {
	said := g.said[f]
	for _, by := range []string{ByConfig, ByEnvironment} {
		if on, ok := said[by]; ok && !on {
			return State{Feature: f, By: by}, nil
		}
	}
	var switches []store.Switch
	if err := g.st.Read(ctx, func(tx *store.Tx) (err error) {
		switches, err = tx.Switches()
		return err
	}); err != nil {
		return State{}, err
	}
	for _, s := range switches {
		if s.Feature == f && s.Off {
			return State{Feature: f, By: ByKill, Reason: s.Reason, Since: &s.At}, nil
		}
	}
	if on, ok := said[ByHost]; ok && !on {
		return State{Feature: f, By: ByHost}, nil
	}
	for _, by := range []string{ByConfig, ByEnvironment, ByHost} {
		if _, ok := said[by]; ok {
			return State{Feature: f, On: true, By: by}, nil
		}
	}
	return State{Feature: f, On: true, By: ByDefault}, nil
}

// Kill switches a feature off for every process that works with the database,
// or on again. When it returns, nothing of the feature is published any more
// that was not before.
func (g *Gates) Kill(ctx context.Context, f core.Feature, off bool, actor, reason string) error {
	const op = "gates.Kill"
	known := false
	for _, k := range core.Features() {
		known = known || k == f
	}
	if !known {
		return core.Errorf(core.Usage, "there is no feature %.80q", f).WithHint("There are %s and %s.", core.FeatureWorkbench, core.FeatureAnnotations).In(op)
	}
	if !utf8.ValidString(reason) || utf8.RuneCountInString(reason) > store.MaxSwitchReason {
		return core.Errorf(core.Usage, "a reason has at most %d characters", store.MaxSwitchReason).In(op)
	}
	return g.st.Write(ctx, func(tx *store.Tx) error {
		return tx.InsertSwitch(store.Switch{Feature: f, Off: off, Actor: actor, Reason: reason})
	})
}
