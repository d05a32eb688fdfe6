package candidate

import (
	"context"
	"slices"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
)

// targets gives the elements a turn is about, in the base's map and, as far as
// they are still there, in the draft's: the notes' exact targets, and where
// there is none, the elements the edits stand in.
func (s *Session) targets() (base, cand []htmlsrc.ID) {
	for _, n := range s.turn.Notes {
		for _, t := range n.Targets {
			if t.Resolution != core.Exact {
				continue
			}
			if id, ok := find(s.base, t.Anchor); ok {
				base = append(base, id)
			}
			if a, how, _ := s.Reproject(t.Anchor); how == core.Exact {
				if id, ok := find(s.Current(), a); ok {
					cand = append(cand, id)
				}
			}
		}
	}
	if len(base) > 0 || s.draft == nil {
		return base, cand
	}
	shift := 0
	for _, e := range s.draft.edits {
		base = appendID(base, s.base.At(e.Span.Start))
		cand = appendID(cand, s.draft.tree.At(e.Span.Start+shift))
		shift += len(e.Replacement) - e.Span.Len()
	}
	return base, cand
}

func appendID(list []htmlsrc.ID, id htmlsrc.ID) []htmlsrc.ID {
	if id == 0 || slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// find gives the element an anchor names, if the start tag there is its own.
func find(t *htmlsrc.Tree, a core.Anchor) (htmlsrc.ID, bool) {
	id, ok := t.Find(a.Path)
	if !ok {
		return 0, false
	}
	tag, ok := t.StartTag(id)
	return id, ok && tag == a.StartTag
}

// rects gives the boxes of elements on a loaded page. An element that is not
// displayed, or that cannot be told for certain among what scripts made, has none.
func (v *view) rects(ctx context.Context, ids []htmlsrc.ID, undisturbed bool) ([]contract.Rect, error) {
	var out []contract.Rect
	sf := v.preview.Surface()
	for _, id := range ids {
		pick, ok, err := v.locate(ctx, id, undisturbed)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		r, err := sf.Rect(ctx, pick.Handle)
		if err != nil {
			if err := v.lost(nil); err != nil {
				return nil, err
			}
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// locate finds the live element of a map's element. Scripts that sort twins
// leave a tree that looks like the map's: so the pick at the path has to be
// proved too. Only where the proof cannot tell is such a tree believed.
func (v *view) locate(ctx context.Context, id htmlsrc.ID, undisturbed bool) (contract.Pick, bool, error) {
	sf := v.preview.Surface()
	if idx, ok := indexes(v.shown.tree.Path(id)); ok {
		pick, err := sf.ByPath(ctx, idx)
		if lost := v.lost(nil); lost != nil {
			return pick, false, lost
		}
		if err == nil {
			switch node, err := v.proves(ctx, pick); {
			case err == nil && node == id, err != nil && undisturbed && core.CodeOf(err) != core.ScriptMade:
				return pick, true, nil
			}
		}
	}
	picks, _, err := sf.Query(ctx, v.shown.tree.Name(id), maxCandidatesLookedAt)
	if err != nil {
		return contract.Pick{}, false, v.lost(nil)
	}
	for _, p := range picks {
		if node, err := v.proves(ctx, p); err == nil && node == id {
			return p, true, nil
		}
	}
	return contract.Pick{}, false, nil
}

// maxCandidatesLookedAt bounds the elements of one name among which a moved
// target is looked for.
const maxCandidatesLookedAt = 64

// proves gives the map's element that a live element is, or why it cannot be
// told.
func (v *view) proves(ctx context.Context, p contract.Pick) (htmlsrc.ID, error) {
	claim, err := v.preview.Claim(ctx, p)
	if err != nil {
		return 0, err
	}
	ver, err := proof.Verify(claim, v.shown.tree, v.shown.spec.SHA)
	return ver.Node(), err
}

// indexes gives a path's element indexes; a path into a template's contents or
// a shadow root has none.
func indexes(path []core.PathStep) ([]int, bool) {
	out := make([]int, len(path))
	for i, p := range path {
		if p.Name != "" && p.Name[0] == '#' {
			return nil, false
		}
		out[i] = p.Index
	}
	return out, len(out) > 0
}
