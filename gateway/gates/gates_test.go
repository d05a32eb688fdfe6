package gates_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/gates"
	"proofmark/gateway/store"
)

const (
	bench = core.FeatureWorkbench
	notes = core.FeatureAnnotations
)

// place is a data directory with what an operator may have put there.
type place struct {
	t   testing.TB
	st  *store.Store
	env map[string]string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return &place{t: t, st: st, env: map[string]string{}}
}

func (p *place) config(text string) string {
	p.t.Helper()
	path := filepath.Join(p.st.Dir(), gates.FileName)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) load() (*gates.Gates, error) {
	return gates.Load(p.st, func(name string) string { return p.env[name] })
}

func (p *place) kill(f core.Feature, off bool) {
	p.t.Helper()
	var err error
	if off {
		_, err = gates.Kill(context.Background(), p.st, f, "test", "because", nil)
	} else {
		_, err = gates.Unkill(context.Background(), p.st, f, "test")
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func states(t testing.TB, g *gates.Gates) map[core.Feature]gates.State {
	t.Helper()
	list, err := g.States(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := map[core.Feature]gates.State{}
	for _, s := range list {
		out[s.Feature] = s
	}
	return out
}

// R-SEC-6, D-65: every combination of what configuration, environment, kill
// switch and host say of a feature, for each feature. One no is a no, whoever
// says yes.
func TestPrecedence(t *testing.T) {
	said := []string{"", "true", "false"}
	p := newPlace(t)
	for _, kill := range []string{"", "kill", "unkill"} { // in this order: nothing is thrown at first
		for _, f := range core.Features() {
			switch kill {
			case "kill":
				p.kill(f, true)
			case "unkill":
				p.kill(f, true)
				p.kill(f, false)
			}
			for _, config := range said {
				for _, env := range said {
					for _, host := range said {
						p.config(`{}`)
						if config != "" {
							p.config(fmt.Sprintf(`{"features":{"%s":%s}}`, f, config))
						}
						p.env[gates.EnvNames] = ""
						if env != "" {
							p.env[gates.EnvNames] = string(f) + "=" + env
						}
						g, err := p.load()
						if err != nil {
							t.Fatal(err)
						}
						if host != "" {
							if err := g.Host(f, host == "true"); err != nil {
								t.Fatal(err)
							}
						}
						by := gates.ByDefault
						switch {
						case config == "false":
							by = gates.ByConfig
						case env == "false":
							by = gates.ByEnvironment
						case kill == "kill":
							by = gates.ByKill
						case host == "false":
							by = gates.ByHost
						case config == "true":
							by = gates.ByConfig
						case env == "true":
							by = gates.ByEnvironment
						case host == "true":
							by = gates.ByHost
						}
						on := config != "false" && env != "false" && kill != "kill" && host != "false"
						name := fmt.Sprintf("%s: config %q, environment %q, %q, host %q", f, config, env, kill, host)
						got := states(t, g)[f]
						if got.On != on || got.By != by {
							t.Errorf("%s: %+v, want %v by %s", name, got, on, by)
						}
						err = g.Check(context.Background(), f)
						if want := map[bool]core.Code{true: "", false: core.FeatureOff}[on]; core.CodeOf(err) != want {
							t.Errorf("%s: %v", name, err)
						}
						if !on && (core.AsError(err).Hint == "" || core.CodeOf(err).Exit() != core.ExitRefused) {
							t.Errorf("%s: there is no hint, or another exit code: %+v", name, err)
						}
					}
				}
			}
			if kill == "kill" {
				p.kill(f, false)
			}
		}
	}
}

// D-63: annotations need the workbench, whoever switched it off; the other way
// round they do not.
func TestAnnotationsNeedTheWorkbench(t *testing.T) {
	for name, off := range map[string]func(p *place, f core.Feature) *gates.Gates{
		"config": func(p *place, f core.Feature) *gates.Gates {
			p.config(fmt.Sprintf(`{"features":{"%s":false}}`, f))
			return must(p.load())
		},
		"environment": func(p *place, f core.Feature) *gates.Gates {
			p.env[gates.EnvNames] = string(f) + "=false"
			return must(p.load())
		},
		"kill": func(p *place, f core.Feature) *gates.Gates {
			g := must(p.load())
			p.kill(f, true)
			return g
		},
		"host": func(p *place, f core.Feature) *gates.Gates {
			g := must(p.load())
			if err := g.Host(f, false); err != nil {
				p.t.Fatal(err)
			}
			return g
		},
	} {
		s := states(t, off(newPlace(t), bench))
		if s[bench].On || s[bench].By != name || s[notes].On || s[notes].By != gates.ByNeed || s[notes].Needs != bench {
			t.Errorf("%s: the workbench is off: %+v", name, s)
		}
		s = states(t, off(newPlace(t), notes))
		if !s[bench].On || s[notes].On || s[notes].By != name {
			t.Errorf("%s: annotations are off: %+v", name, s)
		}
	}
	p := newPlace(t)
	p.config(`{"features":{"artifactPromptAnnotations":true}}`)
	g := must(p.load())
	p.kill(bench, true)
	err := g.Check(context.Background(), notes)
	if core.CodeOf(err) != core.FeatureOff || !strings.Contains(err.Error(), string(bench)) {
		t.Errorf("a yes to annotations alone: %v", err)
	}
}

func must(g *gates.Gates, err error) *gates.Gates {
	if err != nil {
		panic(err)
	}
	return g
}

// D-66: what file and environment say counts as it was at start; the kill switch
// counts at once, both ways, also when another process throws it.
func TestReadOnceAtStart(t *testing.T) {
	p := newPlace(t)
	g := must(p.load())
	p.config(`{"features":{"artifactPromptAnnotations":false}}`)
	p.env[gates.EnvNames] = "artifactPromptAnnotations=false"
	if s := states(t, g)[notes]; !s.On || s.By != gates.ByDefault {
		t.Errorf("what was said later counts: %+v", s)
	}
	if s := states(t, must(p.load()))[notes]; s.On {
		t.Errorf("what was said before does not count: %+v", s)
	}
	other, err := store.Open(p.st.Dir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if was, err := gates.Kill(context.Background(), other, notes, "ops", "incident 12", nil); err != nil || was {
		t.Fatal(was, err)
	}
	if s := states(t, g)[notes]; s.On || s.By != gates.ByKill || s.Reason != "incident 12" || s.Since == nil {
		t.Errorf("killed by another process: %+v", s)
	}
	if was, err := gates.Kill(context.Background(), other, notes, "ops", "and more", nil); err != nil || !was {
		t.Fatal(was, err)
	}
	if was, err := gates.Unkill(context.Background(), other, notes, "ops"); err != nil || !was {
		t.Fatal(was, err)
	}
	if was, err := gates.Unkill(context.Background(), other, notes, "ops"); err != nil || was {
		t.Fatal("it was not killed any more", was, err)
	}
	if s := states(t, g)[notes]; !s.On {
		t.Errorf("taken back by another process: %+v", s)
	}
	if err := p.st.Read(context.Background(), func(tx *store.Tx) error {
		rows, err := tx.SwitchHistory(0)
		if err != nil || len(rows) != 3 || rows[0].Off || !rows[1].Off || rows[1].Reason != "and more" || rows[2].Actor != "ops" {
			t.Errorf("what is kept of it: %+v %v", rows, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// The one who throws the switch does the rest in the same transaction: both, or
// neither.
func TestKillIsOneTransaction(t *testing.T) {
	p := newPlace(t)
	want := core.Errorf(core.Internal, "it went wrong")
	_, err := gates.Kill(context.Background(), p.st, notes, "test", "", func(*store.Tx) error { return want })
	if core.CodeOf(err) != core.Internal || !states(t, must(p.load()))[notes].On {
		t.Errorf("half of it was done: %v", err)
	}
	for _, bad := range []struct {
		f      core.Feature
		reason string
	}{{"other", ""}, {"", ""}, {"ArtifactPromptAnnotations", ""}, {notes, strings.Repeat("ä", store.MaxSwitchReason+1)}, {notes, "\xff"}} {
		if _, err := gates.Kill(context.Background(), p.st, bad.f, "test", bad.reason, nil); core.CodeOf(err) != core.Usage {
			t.Errorf("%.20q %.20q: %v", bad.f, bad.reason, err)
		}
	}
	if _, err := gates.Kill(context.Background(), p.st, notes, "test", strings.Repeat("ä", store.MaxSwitchReason), nil); err != nil {
		t.Error(err)
	}
	if _, err := gates.Unkill(context.Background(), p.st, "other", "test"); core.CodeOf(err) != core.Usage {
		t.Error(err)
	}
	if err := must(p.load()).Check(context.Background(), "other"); core.CodeOf(err) != core.Usage {
		t.Error(err)
	}
	g := must(p.load())
	if err := g.Host(notes, false); err != nil {
		t.Fatal(err)
	}
	if err := g.Host(notes, true); core.CodeOf(err) != core.Internal {
		t.Errorf("a host changed its mind: %v", err)
	}
}

// Where the switch cannot be looked at, everything is off.
func TestFailsClosed(t *testing.T) {
	p := newPlace(t)
	p.config(`{"features":{"artifactPromptAnnotations":true}}`)
	g := must(p.load())
	if err := p.st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range core.Features() {
		if g.Check(context.Background(), f) == nil {
			t.Errorf("%s is on and the database cannot be read", f)
		}
	}
}
