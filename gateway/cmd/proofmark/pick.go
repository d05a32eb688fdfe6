package main

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/surface"
)

// page is an opened document in a live preview.
type page struct {
	opened  document.Opened
	tree    *htmlsrc.Tree
	preview *surface.Preview
}

const listedMatches = 10

// pick resolves one target on the live page and proves it down to its bytes.
func (p *page) pick(ctx context.Context, t target) (proof.Verified, error) {
	live, err := p.find(ctx, t)
	if err != nil {
		return proof.Verified{}, err
	}
	claim, err := p.preview.Claim(ctx, live)
	if err != nil {
		return proof.Verified{}, err
	}
	v, err := proof.Verify(claim, p.tree, p.opened.Head.SHA256)
	if err != nil {
		e := core.AsError(err)
		return v, e.With("target", t.text)
	}
	return v, nil
}

// find gives the live element a target names.
func (p *page) find(ctx context.Context, t target) (contract.Pick, error) {
	s := p.preview.Surface()
	switch {
	case t.point != nil:
		pick, err := s.PickAt(ctx, t.point[0], t.point[1])
		return pick, hinted(err, t, "the view is 1280 × 800 unless --width and --height say otherwise")
	case t.indexes != nil:
		pick, err := s.ByPath(ctx, t.indexes)
		return pick, hinted(err, t, "`proofmark map FILE` lists the paths; on the page scripts may have moved them")
	}
	picks, total, err := s.Query(ctx, t.selector, listedMatches)
	if err != nil {
		return contract.Pick{}, err
	}
	switch total {
	case 0:
		return contract.Pick{}, core.Errorf(core.SelectorNoMatch, "the selector %q matches nothing on the page", t.selector).
			With("target", t.text).WithHint("`proofmark map FILE` lists the elements")
	case 1:
		return picks[0], nil
	}
	var list []matchLine
	for _, m := range picks {
		list = append(list, matchLine{Path: livePath(m), Name: liveName(m), Text: m.Text})
	}
	return contract.Pick{}, core.Errorf(core.SelectorAmbiguous, "the selector %q matches %d elements", t.selector, total).
		With("target", t.text).With("count", total).With("matches", list).
		WithHint("make the selector narrower, or take one of the paths")
}

// hinted adds a hint, and the target, to an error that says there is nothing.
func hinted(err error, t target, hint string) error {
	if core.CodeOf(err) != core.SelectorNoMatch {
		return err
	}
	e := core.AsError(err)
	if e.Hint == "" {
		e = e.WithHint("%s", hint)
	}
	return e.With("target", t.text)
}

// livePath writes a live element's path the way --at takes it; empty where it
// lies in a template's contents or a shadow root.
func livePath(p contract.Pick) string {
	var path []core.PathStep
	for i := len(p.Chain) - 1; i >= 0; i-- {
		if p.Chain[i].Step != "" {
			return ""
		}
		path = append(path, core.PathStep{Name: p.Chain[i].Name, Index: p.Chain[i].Index})
	}
	return indexPath(path)
}

func liveName(p contract.Pick) string {
	if len(p.Chain) == 0 {
		return "?"
	}
	l := p.Chain[0]
	s := l.Name
	for _, at := range l.Attrs {
		switch at.Name {
		case "id", "class", "href", "name":
			s += " " + at.Name + "=" + quoted(at.Value)
		}
	}
	return s
}

func quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:39]) + "…"
	}
	return `"` + s + `"`
}
