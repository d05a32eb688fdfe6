package htmlsrc

import (
	"slices"

	"proofmark/gateway/core"
)

// Steps of a path that stand for what hangs beside an element's children.
const (
	ContentStep = "#content" // a template's contents
	ShadowStep  = "#shadow"  // a shadow root
)

// childIndex lets paths be found in time that goes with their depth.
type childIndex struct {
	rank  []int32 // of each element among the element children of its parent, from 1
	start []int32 // of each node's element children in kids; one entry more than nodes
	kids  []ID
}

func (t *Tree) childIndex() *childIndex {
	t.indexOnce.Do(func() {
		x := &childIndex{rank: make([]int32, len(t.nodes)), start: make([]int32, len(t.nodes)+1)}
		x.kids = make([]ID, 0, len(t.nodes)/2)
		for id := range t.nodes {
			x.start[id] = int32(len(x.kids))
			rank := int32(0)
			t.elements(t.nodes[id].first, func(c ID) bool {
				rank++
				x.rank[c] = rank
				x.kids = append(x.kids, c)
				return true
			})
		}
		x.start[len(t.nodes)] = int32(len(x.kids))
		t.index = x
	})
	return t.index
}

// child gives the k-th element child of a node, from 1.
func (x *childIndex) child(id ID, k int) ID {
	if from, to := x.start[id], x.start[id+1]; k >= 1 && k <= int(to-from) {
		return x.kids[int(from)+k-1]
	}
	return 0
}

// Index gives the element's place among its element siblings, from 1.
func (t *Tree) Index(id ID) int { return int(t.childIndex().rank[id]) }

// Path gives the steps from the root to the element: name and index among
// element siblings. Template contents hang below {"#content", 1}, the contents
// of a shadow root below {"#shadow", 1}. It is empty for an element that is
// not in the tree.
func (t *Tree) Path(id ID) []core.PathStep {
	if !t.IsElement(id) || t.isRemoved(id) {
		return nil
	}
	var out []core.PathStep
	for ; id > 0; id = t.Parent(id) {
		out = append(out, core.PathStep{Name: t.Name(id), Index: t.Index(id)})
		switch {
		case t.InContent(id):
			out = append(out, core.PathStep{Name: ContentStep, Index: 1})
		case t.InShadow(id):
			out = append(out, core.PathStep{Name: ShadowStep, Index: 1})
		}
	}
	slices.Reverse(out)
	return out
}

// Find gives the element at a path; names must match.
func (t *Tree) Find(path []core.PathStep) (ID, bool) {
	x := t.childIndex()
	at, inContent := ID(0), true // whether at's child list is the one to look in
	for _, s := range path {
		switch s.Name {
		case ContentStep:
			if inContent || !t.nodes[at].is(tTemplate) || s.Index != 1 {
				return 0, false
			}
			inContent = true
			continue
		case ShadowStep:
			if inContent || s.Index != 1 || t.shadowRoot(at) == 0 {
				return 0, false
			}
			at, inContent = t.shadowRoot(at), true
			continue
		}
		if !inContent && t.nodes[at].is(tTemplate) {
			return 0, false
		}
		at, inContent = x.child(at, s.Index), false
		if at == 0 || t.Name(at) != s.Name {
			return 0, false
		}
	}
	return at, t.IsElement(at) && !inContent
}

// FindIndexes gives the element at 1-based indexes among element children,
// from the root; template and shadow contents cannot be reached.
func (t *Tree) FindIndexes(indexes []int) (ID, bool) {
	x := t.childIndex()
	at := ID(0)
	for _, k := range indexes {
		if at != 0 && t.nodes[at].is(tTemplate) {
			return 0, false
		}
		if at = x.child(at, k); at == 0 {
			return 0, false
		}
	}
	return at, at != 0
}
