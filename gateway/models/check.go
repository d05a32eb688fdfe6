package models

import (
	"context"
	"sync"
	"time"

	"proofmark/gateway/core"
	"proofmark/gateway/router"
)

// checkTimeout bounds the question whether a host is there.
const checkTimeout = 20 * time.Second

// checksAtOnce bounds how many hosts are asked at the same time.
const checksAtOnce = 8

// Checked is what asking a model's host gave. No token is spent on it.
type Checked struct {
	Entry     Entry
	Key       KeyState
	Reachable bool // the host answered, and took the key
	Models    int  // how many models the host lists; 0 where it lists none
	Listed    bool // the model is among them
	Unlisted  bool // the host offers no list, so that nothing is known of the model
	Err       *core.Error
}

// OK tells whether the model can be used, as far as asking can tell.
func (r Checked) OK() bool { return r.Err == nil }

// Check asks the hosts of the named entries, each once, whether they are there,
// take the key and know the model. Modes are asked by their members.
func (c Catalog) Check(ctx context.Context, names ...string) ([]Checked, error) {
	entries, err := c.direct(names)
	if err != nil {
		return nil, err
	}
	out := make([]Checked, len(entries))
	slots := make(chan struct{}, checksAtOnce)
	var wg sync.WaitGroup
	for i, e := range entries {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = c.check(ctx, e)
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil { // what was not asked is not missing
		return nil, core.Wrap(core.Cancelled, err, "stopped before all were asked")
	}
	return out, nil
}

// direct gives the direct entries that names stand for, each once.
func (c Catalog) direct(names []string) ([]Entry, error) {
	var out []Entry
	seen := map[string]bool{}
	for _, name := range names {
		e, err := c.Find(name)
		if err != nil {
			return nil, err
		}
		members := []string{e.Name}
		if e.Mode != router.ModeDirect {
			members = e.Members()
		}
		for _, m := range members {
			d, err := c.Find(m)
			if err != nil {
				return nil, err
			}
			if !seen[d.Name] {
				seen[d.Name] = true
				out = append(out, d)
			}
		}
	}
	return out, nil
}

func (c Catalog) check(ctx context.Context, e Entry) Checked {
	r := Checked{Entry: e, Key: KeyNone}
	if e.Provider == Builtin {
		r.Reachable, r.Listed = true, true
		return r
	}
	p, err := c.provider(ctx, e)
	if r.Key = c.KeyState(ctx, e); err != nil {
		r.Err = core.AsError(err)
		return r
	}
	bounded, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	got, err := p.Check(bounded)
	switch {
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		r.Err = core.Errorf(core.ModelUnreachable, "%s: %s did not answer in %s", e.Name, e.Host(), c.patience).
			WithHint("is the server busy, or the address that of something else?")
		return r
	case err != nil:
		r.Err = core.AsError(err)
		return r
	}
	r.Reachable, r.Models, r.Listed, r.Unlisted = true, got.Models, got.Listed, got.Unlisted
	if !r.Listed && !r.Unlisted && !e.Pattern {
		r.Err = core.Errorf(core.ModelRefused, "%s: %s does not list the model %q", e.Name, e.Host(), short(e.Model)).
			WithHint("look up what the provider calls it; it lists %d others", got.Models)
	}
	return r
}
