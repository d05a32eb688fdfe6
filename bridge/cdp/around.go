package cdp

import (
	"context"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// Under gives the ancestors of an element and what lies under its middle.
func (s *Surface) Under(ctx context.Context, handle string) (ancestors, stack []contract.Pick, err error) {
	ctx, done, err := s.reading(ctx, "Under")
	if err != nil {
		return nil, nil, err
	}
	defer done()
	id, err := s.handles.find(handle)
	if err == nil {
		ancestors, err = s.list(ctx, id, "above")
	}
	if err == nil {
		stack, err = s.list(ctx, id, "under")
	}
	if err != nil {
		return nil, nil, refuse(err, "the page could not be read").In("cdp.Under")
	}
	return ancestors, stack, nil
}

func (s *Surface) list(ctx context.Context, id runtime.RemoteObjectID, operation string) ([]contract.Pick, error) {
	in, err := s.top()
	if err != nil {
		return nil, err
	}
	var n int
	if err := s.value(ctx, where{object: id}, operation, &n, contract.MaxUnder); err != nil {
		return nil, err
	}
	return s.found(ctx, in, n)
}

// Reveal scrolls the page until an element is in the view.
func (s *Surface) Reveal(ctx context.Context, handle string) error {
	ctx, done, err := s.reading(ctx, "Reveal")
	if err != nil {
		return err
	}
	defer done()
	id, err := s.handles.find(handle)
	if err == nil {
		_, err = typed(ctx, s, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{ObjectID: id})
	}
	if err != nil {
		return refuse(err, "the element could not be scrolled to").In("cdp.Reveal")
	}
	return nil
}

// Places gives where elements are in the view.
func (s *Surface) Places(ctx context.Context, spots []contract.Spot) ([]*contract.Rect, error) {
	if len(spots) > contract.MaxSpots {
		return nil, core.Errorf(core.TooMany, "at most %d places are told at once", contract.MaxSpots).In("cdp.Places")
	}
	ctx, done, err := s.reading(ctx, "Places")
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := s.places(ctx, spots)
	if err != nil {
		return nil, refuse(err, "the elements could not be measured").In("cdp.Places")
	}
	return out, nil
}

func (s *Surface) places(ctx context.Context, spots []contract.Spot) ([]*contract.Rect, error) {
	in, err := s.top()
	if err != nil {
		return nil, err
	}
	asked, err := s.name(ctx, spots)
	if err != nil {
		return nil, err
	}
	var rects []*[4]float64
	if err := s.value(ctx, where{world: in}, "places", &rects, asked); err != nil {
		return nil, err
	}
	if len(rects) != len(spots) {
		return nil, core.Errorf(core.Internal, "the bridge told %d places instead of %d", len(rects), len(spots))
	}
	out := make([]*contract.Rect, len(rects))
	for i, r := range rects {
		if r != nil {
			out[i] = &contract.Rect{X: r[0], Y: r[1], Width: r[2], Height: r[3]}
		}
	}
	return out, nil
}

// name gives spots as the page's world takes them, which learns the handles in
// them. A handle that is over stands for nothing there.
func (s *Surface) name(ctx context.Context, spots []contract.Spot) ([][]any, error) {
	var calls []*sent
	asked := make([][]any, len(spots))
	for i, spot := range spots {
		path := spot.Path // never null in the page
		if path == nil {
			path = []int{}
		}
		asked[i] = []any{spot.Handle, spot.Born, path, spot.Name}
		if spot.Handle == "" || s.named[spot.Handle] {
			continue
		}
		id, err := s.handles.find(spot.Handle)
		if err != nil {
			continue // it has no place any more
		}
		calls = append(calls, s.beginCall(ctx, where{object: id}, true, "name", spot.Handle))
		s.named[spot.Handle] = true
	}
	for _, c := range calls {
		if _, err := s.answer(ctx, c); err != nil {
			return nil, err
		}
	}
	return asked, nil
}
