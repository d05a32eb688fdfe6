package workbench

import (
	"context"
	"strconv"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// byteTarget begins a target that stands for the element at a place of the
// source: "byte:812", in UTF-8 bytes of the version that is shown.
const byteTarget = "byte:"

// pointByte picks the element that the page has at the path of the innermost
// element that holds a byte of the source, and only where its start tag proves to
// be that element's: scripts may have moved it.
func (p *Preview) pointByte(ctx context.Context, offset string) (Picked, error) {
	p.mu.Lock()
	tree := p.tree
	p.mu.Unlock()
	n, err := strconv.Atoi(offset)
	if err != nil || n < 0 || n > len(tree.Source()) || strings.HasPrefix(offset, "+") {
		return Picked{}, core.Errorf(core.BadRequest, "%s%.40s is no byte of the version that is shown", byteTarget, offset)
	}
	id := tree.At(n)
	tag, written := tree.StartTag(id)
	if !tree.IsElement(id) || !written {
		return Picked{}, core.Errorf(core.SelectorNoMatch, "no element that is written in the source holds byte %d", n)
	}
	var indexes []int
	for _, step := range tree.Path(id) {
		if step.Name == htmlsrc.ContentStep || step.Name == htmlsrc.ShadowStep {
			return Picked{}, core.Errorf(core.SelectorNoMatch, "byte %d is in a template or a shadow root, where no path leads", n)
		}
		indexes = append(indexes, step.Index)
	}
	live, err := p.view.Surface().ByPath(ctx, indexes)
	if err != nil {
		return Picked{}, err
	}
	k, err := p.keep(ctx, live)
	if err == nil && (k.StartTag == nil || *k.StartTag != tag) {
		return Picked{}, core.Errorf(core.SelectorNoMatch, "scripts have moved or removed the element at byte %d of the source", n)
	}
	return k, err
}
