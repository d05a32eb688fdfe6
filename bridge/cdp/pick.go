package cdp

import (
	"context"

	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// chain is what the world's chainOf gives.
type chain struct {
	Links []struct {
		NS       string      `json:"ns"`
		Name     string      `json:"name"`
		Index    int         `json:"index"`
		Attrs    [][2]string `json:"attrs"`
		Cut      bool        `json:"cut"`
		Birth    int         `json:"birth"`
		Siblings []string    `json:"siblings"`
	} `json:"links"`
	Complete bool       `json:"complete"`
	Rect     [4]float64 `json:"rect"`
	Text     string     `json:"text"`
}

// describe makes a Pick of an element in the page's own document.
func (s *Surface) describe(ctx context.Context, object runtime.RemoteObjectID, refusal core.Code) (contract.Pick, error) {
	var c chain
	if err := s.value(ctx, where{object: object}, "chain", &c, core.QuoteRunes); err != nil {
		return contract.Pick{}, err
	}
	return s.pick(ctx, object, &c, refusal)
}

func (s *Surface) pick(ctx context.Context, object runtime.RemoteObjectID, c *chain, refusal core.Code) (contract.Pick, error) {
	p, err := s.seen(ctx, object, c, refusal)
	if err == nil {
		p.Handle = s.handles.add(object)
	}
	return p, err
}

// seen is pick without a handle: nothing is held for it.
func (s *Surface) seen(ctx context.Context, object runtime.RemoteObjectID, c *chain, refusal core.Code) (contract.Pick, error) {
	if !c.Complete {
		return contract.Pick{}, core.Errorf(core.TooComplex, "the element is nested too deep to be picked")
	}
	p := contract.Pick{
		Epoch: s.currentEpoch(), Origin: s.o.Origin, Refusal: refusal,
		Rect: contract.Rect{X: c.Rect[0], Y: c.Rect[1], Width: c.Rect[2], Height: c.Rect[3]}, Text: c.Text,
	}
	for _, l := range c.Links {
		link := contract.Link{NS: l.NS, Name: l.Name, Index: l.Index, AttrsCut: l.Cut, Birth: l.Birth, Siblings: l.Siblings}
		for _, a := range l.Attrs {
			link.Attrs = append(link.Attrs, contract.Attr{Name: a[0], Value: a[1]})
		}
		p.Chain = append(p.Chain, link)
	}
	if err := s.witness(ctx, object, &p); err != nil {
		return contract.Pick{}, err
	}
	return p, nil
}

// witness says of every link whether a script made it. Where the register is
// complete it knows; else the browser is asked for each node's creation.
func (s *Surface) witness(ctx context.Context, object runtime.RemoteObjectID, p *contract.Pick) error {
	births, err := s.register(ctx)
	if err != nil {
		return err
	}
	if births.Complete {
		for i := range p.Chain {
			b := p.Chain[i].Birth
			p.Chain[i].ScriptMade = b < 0 || b >= len(births.List) || births.List[b].ScriptMade
			p.Chain[i].Siblings = nil
		}
		return nil
	}
	made, err := s.madeAlong(ctx, object, len(p.Chain))
	if err != nil {
		return err
	}
	for i := range p.Chain {
		p.Chain[i].ScriptMade = made[i]
		p.Chain[i].Birth = -1
		if p.Chain[i].Siblings == nil {
			p.Chain[i].Siblings = []string{}
		}
	}
	return nil
}

// Query gives the elements a selector matches.
func (s *Surface) Query(ctx context.Context, selector string, limit int) ([]contract.Pick, int, error) {
	ctx, done, err := s.reading(ctx, "Query")
	if err != nil {
		return nil, 0, err
	}
	defer done()
	picks, n, err := s.query(ctx, selector, limit)
	if err != nil {
		return nil, 0, refuse(err, "the page could not be read").In("cdp.Query")
	}
	return picks, n, nil
}

func (s *Surface) query(ctx context.Context, selector string, limit int) ([]contract.Pick, int, error) {
	in, err := s.top()
	if err != nil {
		return nil, 0, err
	}
	if len(selector) > 4096 {
		return nil, 0, core.Errorf(core.SelectorInvalid, "the selector is longer than 4096 bytes")
	}
	limit = min(max(limit, 0), core.MaxInspectNodes)
	var found struct {
		Invalid string `json:"invalid"`
		Count   int    `json:"count"`
		Kept    int    `json:"kept"`
	}
	if err := s.value(ctx, where{world: in}, "query", &found, selector, limit); err != nil {
		return nil, 0, err
	}
	if found.Invalid != "" {
		return nil, 0, core.Errorf(core.SelectorInvalid, "%q is not a CSS selector", selector).With("browser", found.Invalid)
	}
	picks, err := s.found(ctx, in, found.Kept)
	return picks, found.Count, err
}

// found makes picks of the n elements that the world has found last.
func (s *Surface) found(ctx context.Context, in runtime.ExecutionContextID, n int) ([]contract.Pick, error) {
	var chains []chain
	if err := s.value(ctx, where{world: in}, "chainFound", &chains, core.QuoteRunes); err != nil {
		return nil, err
	}
	if len(chains) != n {
		return nil, core.Errorf(core.SurfaceChanged, "the page changed while it was being read").WithHint("Load it again.")
	}
	calls := make([]*sent, n)
	for i := range calls {
		calls[i] = s.beginCall(ctx, where{world: in}, false, "found", i)
	}
	picks := make([]contract.Pick, 0, n)
	for i, c := range calls {
		r, err := s.answer(ctx, c)
		if err != nil {
			return nil, err
		}
		p, err := s.pick(ctx, r.ObjectID, &chains[i], "")
		if err != nil {
			return nil, err
		}
		picks = append(picks, p)
	}
	return picks, s.value(ctx, where{world: in}, "forget", nil)
}

// ByPath gives the element at 1-based element indexes from the root.
func (s *Surface) ByPath(ctx context.Context, indexes []int) (contract.Pick, error) {
	return s.one(ctx, "ByPath", func(ctx context.Context) (runtime.RemoteObjectID, error) {
		in, err := s.top()
		if err != nil {
			return "", err
		}
		if len(indexes) == 0 || len(indexes) > 1024 {
			return "", core.Errorf(core.SelectorNoMatch, "a path has 1 to 1024 steps")
		}
		id, err := s.object(ctx, where{world: in}, "byPath", indexes)
		if err == nil && id == "" {
			err = core.Errorf(core.SelectorNoMatch, "the page has no element at this path")
		}
		return id, err
	})
}

// Step moves from a picked element.
func (s *Surface) Step(ctx context.Context, handle string, dir contract.Direction) (contract.Pick, error) {
	return s.one(ctx, "Step", func(ctx context.Context) (runtime.RemoteObjectID, error) {
		from, err := s.handles.find(handle)
		if err != nil {
			return "", err
		}
		id, err := s.object(ctx, where{object: from}, "step", string(dir))
		if err == nil && id == "" {
			err = core.Errorf(core.SelectorNoMatch, "there is no element further %s", dir)
		}
		return id, err
	})
}

// Describe reads a picked element again.
func (s *Surface) Describe(ctx context.Context, handle string) (contract.Pick, error) {
	return s.one(ctx, "Describe", func(context.Context) (runtime.RemoteObjectID, error) {
		return s.handles.find(handle)
	})
}

// one runs an operation that ends in one element of the document.
func (s *Surface) one(ctx context.Context, op string, find func(context.Context) (runtime.RemoteObjectID, error)) (contract.Pick, error) {
	ctx, done, err := s.reading(ctx, op)
	if err != nil {
		return contract.Pick{}, err
	}
	defer done()
	id, err := find(ctx)
	if err != nil {
		return contract.Pick{}, refuse(err, "the page could not be read").In("cdp." + op)
	}
	p, err := s.settled(ctx, id)
	if err != nil {
		return contract.Pick{}, refuse(err, "the page could not be read").In("cdp." + op)
	}
	return p, nil
}

// settled describes an element where it stands now: it may have left the
// document since it was picked.
func (s *Surface) settled(ctx context.Context, id runtime.RemoteObjectID) (contract.Pick, error) {
	var refusal string
	if err := s.value(ctx, where{object: id}, "settle", &refusal); err != nil {
		return contract.Pick{}, err
	}
	switch core.Code(refusal) {
	case "":
		return s.describe(ctx, id, "")
	case core.Detached:
		return s.describe(ctx, id, core.Detached)
	case "foreign":
		return contract.Pick{}, core.Errorf(core.Detached, "the element is no longer part of the page").WithHint("Pick again.")
	}
	outside, err := s.object(ctx, where{object: id}, "outside")
	if err != nil {
		return contract.Pick{}, err
	}
	return s.describe(ctx, outside, core.Code(refusal))
}
