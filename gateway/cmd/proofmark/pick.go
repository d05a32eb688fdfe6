package main

import (
	"context"

	"proofmark/gateway/core"
	"proofmark/gateway/document"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/point"
	"proofmark/gateway/proof"
	"proofmark/gateway/surface"
)

// page is an opened document in a live preview.
type page struct {
	opened  document.Opened
	tree    *htmlsrc.Tree
	preview *surface.Preview
}

// pick resolves one target on the live page and proves it down to its bytes.
func (p *page) pick(ctx context.Context, t point.Target) (proof.Verified, error) {
	live, err := point.Find(ctx, p.preview.Surface(), t)
	if core.CodeOf(err) == core.SelectorNoMatch && t.At != nil {
		err = core.AsError(err).WithHint("the view is 1280 × 800 unless --width and --height say otherwise")
	}
	if err != nil {
		return proof.Verified{}, err
	}
	v, err := point.Prove(ctx, p.preview, live, p.tree, p.opened.Head.SHA256)
	if err != nil {
		return v, core.AsError(err).With("target", t.Text)
	}
	return v, nil
}
