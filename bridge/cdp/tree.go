package cdp

import (
	"context"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/overlay"
	"github.com/chromedp/cdproto/page"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

var steps = [...]string{"", "content", "shadow"}

// Tree gives the live element tree in preorder.
func (s *Surface) Tree(ctx context.Context) ([]contract.TreeElement, error) {
	ctx, done, err := s.reading(ctx, "Tree")
	if err != nil {
		return nil, err
	}
	defer done()
	in, err := s.top()
	if err != nil {
		return nil, err
	}
	var t struct {
		Names   []string `json:"names"`
		Parents []int    `json:"parents"`
		Kinds   []int    `json:"kinds"`
		Steps   []int    `json:"steps"`
		Cut     bool     `json:"cut"`
	}
	if err := s.value(ctx, where{world: in}, "tree", &t, core.MaxElements); err != nil {
		return nil, refuse(err, "the page could not be read").In("cdp.Tree")
	}
	if t.Cut {
		return nil, core.Errorf(core.TooComplex, "the page has more than %d elements", core.MaxElements).In("cdp.Tree")
	}
	out := make([]contract.TreeElement, len(t.Parents))
	for i := range out {
		ns, name, _ := strings.Cut(t.Names[t.Kinds[i]], " ")
		out[i] = contract.TreeElement{Parent: t.Parents[i], Step: steps[t.Steps[i]], NS: ns, Name: name}
	}
	return out, nil
}

// Highlight draws the browser's highlight over a picked element.
func (s *Surface) Highlight(ctx context.Context, handle string) error {
	ctx, done, err := s.reading(ctx, "Highlight")
	if err != nil {
		return err
	}
	defer done()
	id, err := s.handles.find(handle)
	if err == nil {
		_, err = typed(ctx, s, overlay.HighlightNode, overlay.HighlightNodeParams{ObjectID: id, HighlightConfig: look})
	}
	if err != nil {
		return refuse(err, "the highlight could not be drawn").In("cdp.Highlight")
	}
	return nil
}

// HideHighlight takes the highlight away.
func (s *Surface) HideHighlight(ctx context.Context) error {
	ctx, done, err := s.take(ctx, "HideHighlight")
	if err != nil {
		return err
	}
	defer done()
	if _, err := typed(ctx, s, overlay.HideHighlight, protocol.Empty{}); err != nil {
		return refuse(err, "the highlight could not be taken away").In("cdp.HideHighlight")
	}
	s.redraw(ctx)
	return nil
}

// Rect gives an element's border box in page CSS pixels.
func (s *Surface) Rect(ctx context.Context, handle string) (contract.Rect, error) {
	ctx, done, err := s.reading(ctx, "Rect")
	if err != nil {
		return contract.Rect{}, err
	}
	defer done()
	r, err := s.rect(ctx, handle)
	if err != nil {
		return contract.Rect{}, refuse(err, "the element could not be measured").In("cdp.Rect")
	}
	return r, nil
}

func (s *Surface) rect(ctx context.Context, handle string) (contract.Rect, error) {
	id, err := s.handles.find(handle)
	if err != nil {
		return contract.Rect{}, err
	}
	var r [4]float64
	if err := s.value(ctx, where{object: id}, "rect", &r); err != nil {
		return contract.Rect{}, err
	}
	return contract.Rect{X: r[0], Y: r[1], Width: r[2], Height: r[3]}, nil
}

// maxStyles bounds how many properties one call reads.
const maxStyles = 32

// Style gives the used values of an element's CSS properties.
func (s *Surface) Style(ctx context.Context, handle string, properties []string) (map[string]string, error) {
	if len(properties) > maxStyles {
		return nil, core.Errorf(core.Budget, "%d properties asked for; at most %d", len(properties), maxStyles).In("cdp.Style")
	}
	ctx, done, err := s.reading(ctx, "Style")
	if err != nil {
		return nil, err
	}
	defer done()
	id, err := s.handles.find(handle)
	if err != nil {
		return nil, err
	}
	var values []string
	if err := s.value(ctx, where{object: id}, "style", &values, properties); err != nil {
		return nil, refuse(err, "the element's style could not be read").In("cdp.Style")
	}
	out := make(map[string]string, len(properties))
	for i, name := range properties {
		if i < len(values) {
			out[name] = values[i]
		}
	}
	return out, nil
}

// Health gives what the page has complained about since the last Load.
func (s *Surface) Health(ctx context.Context) (contract.Health, error) {
	ctx, done, err := s.take(ctx, "Health")
	if err != nil {
		return contract.Health{}, err
	}
	defer done()
	m, err := typed(ctx, s, page.GetLayoutMetrics, protocol.Empty{})
	if err != nil {
		return contract.Health{}, refuse(err, "the page could not be measured").In("cdp.Health")
	}
	h := s.health.snapshot()
	if c := m.CSSContentSize; c != nil {
		h.DocumentRect = contract.Rect{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height}
	}
	return h, nil
}
