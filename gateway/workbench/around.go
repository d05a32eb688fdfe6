package workbench

import (
	"context"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/store"
)

// Surroundings are the elements around a pick, each a pick of its own.
type Surroundings struct {
	Chain []Picked `json:"chain"` // its ancestors, the outermost last
	Stack []Picked `json:"stack"` // what lies under its middle, topmost first
}

// Under gives what is around a pick. Refusals: StaleEpoch, those of the view.
func (p *Preview) Under(ctx context.Context, handle string) (Surroundings, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at, err := p.picked(handle)
	if err != nil {
		return Surroundings{}, err
	}
	above, stack, err := p.view.Surface().Under(ctx, at.live.Handle)
	if err != nil {
		return Surroundings{}, err
	}
	out := Surroundings{Chain: []Picked{}, Stack: []Picked{}}
	for _, l := range []struct {
		live []contract.Pick
		to   *[]Picked
	}{{above, &out.Chain}, {stack, &out.Stack}} {
		for _, live := range l.live {
			k, err := p.keep(ctx, live)
			if err != nil {
				return Surroundings{}, err
			}
			*l.to = append(*l.to, k)
		}
	}
	return out, nil
}

// Place is where an element is in the view.
type Place struct {
	ID     string `json:"id"`     // of the pick, or of the note
	Target int    `json:"target"` // of the note, from 0
	Rect   *Rect  `json:"rect"`   // CSS pixels; null where it is not to be seen on the page
	Shared int    `json:"shared"` // how many elements the tag makes; 0 where it has none
}

// found is where a note's targets are in the version that is shown.
type found []core.SentTarget

// Places gives where picks or notes are. A pick that is over, and a note's target
// that is not found for certain, has no place. Refusals: TooMany, those of the view.
func (p *Preview) Places(ctx context.Context, picks, notes []string) ([]Place, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if len(picks)+len(notes) > contract.MaxSpots {
		return nil, core.Errorf(core.TooMany, "at most %d places are told at once", contract.MaxSpots)
	}
	out := []Place{}
	var spots []contract.Spot
	at := []int{} // the place that each spot is of
	for _, h := range picks {
		place := Place{ID: h}
		if k, err := p.picked(h); err == nil {
			if k.refusal == nil {
				place.Shared = k.verified.SharedBy()
			}
			spots, at = append(spots, contract.Spot{Handle: k.live.Handle}), append(at, len(out))
		}
		out = append(out, place)
	}
	if err := p.findNotes(ctx, notes); err != nil {
		return nil, err
	}
	for _, id := range notes {
		for i, spot := range p.spots(id) {
			if spot != nil {
				spots, at = append(spots, spot.where), append(at, len(out))
				out = append(out, Place{ID: id, Target: i, Shared: spot.shared})
			} else {
				out = append(out, Place{ID: id, Target: i})
			}
		}
	}
	if len(spots) > contract.MaxSpots {
		return nil, core.Errorf(core.TooMany, "at most %d places are told at once", contract.MaxSpots)
	}
	if len(spots) == 0 {
		return out, nil
	}
	rects, err := p.view.Surface().Places(ctx, spots)
	if err != nil {
		return nil, err
	}
	for i, r := range rects {
		if r != nil {
			rect := Rect(*r)
			out[at[i]].Rect = &rect
		}
	}
	return out, nil
}

// Outline says what is outlined in the view: a pick, or every target of a note that
// is found on the page.
type Outline struct {
	Pick       string               `json:"pick"`
	Annotation string               `json:"annotation"`
	Look       contract.OutlineLook `json:"look"` // "" for selected
}

// Outline outlines these and nothing else, until the next load. Refusals: BadRequest;
// TooMany; StaleEpoch for a pick that is over; those of the view.
func (p *Preview) Outline(ctx context.Context, list []Outline) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out []contract.Outline
	var notes []string
	for _, o := range list {
		if (o.Pick == "") == (o.Annotation == "") {
			return core.Errorf(core.BadRequest, "an outline is around a pick or around an annotation")
		}
		if o.Annotation != "" {
			notes = append(notes, o.Annotation)
		}
	}
	if err := p.findNotes(ctx, notes); err != nil {
		return err
	}
	for _, o := range list {
		look := o.Look
		if look == "" {
			look = contract.OutlineSelected
		}
		if o.Pick != "" {
			k, err := p.picked(o.Pick)
			if err != nil {
				return err
			}
			out = append(out, contract.Outline{Spot: contract.Spot{Handle: k.live.Handle}, Look: look})
			continue
		}
		for _, spot := range p.spots(o.Annotation) {
			if spot != nil {
				out = append(out, contract.Outline{Spot: spot.where, Look: look})
			}
		}
	}
	return p.view.Surface().Outline(ctx, out)
}

type noteSpot struct {
	where  contract.Spot
	shared int
}

// spots gives where a note's targets are to be looked for; nil for one that is not
// found.
func (p *Preview) spots(id string) []*noteSpot {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*noteSpot
	for _, t := range p.found[id] {
		if t.Resolution != core.Exact {
			out = append(out, nil)
			continue
		}
		spot := &noteSpot{contract.Spot{Name: t.Anchor.Name}, t.Anchor.SharedBy}
		node, ok := p.tree.Find(t.Anchor.Path)
		if n, born := p.born[node]; ok && born {
			spot.where.Born = n + 1
		} else {
			for _, step := range t.Anchor.Path {
				spot.where.Path = append(spot.where.Path, step.Index)
			}
		}
		out = append(out, spot)
	}
	return out
}

// findNotes finds notes' targets in the version that is shown, once a load: a
// note's targets do not change.
func (p *Preview) findNotes(ctx context.Context, ids []string) error {
	p.mu.Lock()
	var missing []string
	for _, id := range ids {
		if _, known := p.found[id]; !known {
			missing = append(missing, id)
		}
	}
	rev, tree, epoch, tied := p.rev, p.tree, p.epoch, p.born != nil
	p.mu.Unlock()
	if len(missing) == 0 {
		return nil
	}
	var notes []core.Annotation
	err := p.w.c.Store.Read(ctx, func(tx *store.Tx) error {
		for _, id := range missing {
			a, err := tx.Annotation(id)
			if core.CodeOf(err) == core.NotFound || err == nil && a.DocumentID != rev.DocumentID {
				continue // it has no place here
			}
			if err != nil {
				return err
			}
			notes = append(notes, a)
		}
		return nil
	})
	if err != nil {
		return err
	}
	resolved, err := p.w.c.Notes.Resolve(ctx, notes, rev, tree)
	if err != nil {
		return err
	}
	born := map[htmlsrc.ID]int{}
	if !tied {
		births, err := p.view.Surface().Births(ctx)
		if err != nil {
			return err
		}
		tie := p.tieOf(births, epoch, tree)
		for n := range births.List {
			if node := tie.Node(n); node != 0 {
				born[node] = n
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch != epoch || p.rev.ID != rev.ID {
		return core.Errorf(core.StaleEpoch, "the page was loaded again meanwhile")
	}
	if !tied {
		p.born = born
	}
	for _, n := range resolved {
		p.found[n.AnnotationID] = n.Targets
	}
	return nil
}
