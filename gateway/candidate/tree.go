package candidate

import (
	"fmt"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
)

// expectedTree gives the map's tree as a browser without scripts would show it:
// preorder, a template's contents and a shadow root's before the children.
func expectedTree(t *htmlsrc.Tree) []contract.TreeElement {
	place := make([]int32, t.Len()) // one more than an element's index in out
	step := make([]string, t.Len())
	out := make([]contract.TreeElement, 0, t.Len())
	for id := range t.Elements() {
		for c := range t.Content(id) {
			step[c] = "content"
			if t.InShadow(c) {
				step[c] = "shadow"
			}
		}
		out = append(out, contract.TreeElement{
			Parent: int(place[t.Parent(id)]) - 1, Step: step[id], NS: t.NS(id).String(), Name: t.Name(id),
		})
		place[id] = int32(len(out))
	}
	return out
}

// expectedBirths gives the elements in the order the parser puts them into the
// document.
func expectedBirths(t *htmlsrc.Tree) []contract.Birth {
	ids := t.Births()
	out := make([]contract.Birth, 0, len(ids))
	for _, id := range ids {
		out = append(out, contract.Birth{NS: t.NS(id).String(), Name: t.Name(id)})
	}
	return out
}

// sameTree tells whether the trees are equal; where they are not, at which
// element and how.
func sameTree(want, got []contract.TreeElement) (bool, string) {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return false, fmt.Sprintf("element %d is a %s in the browser where the source has a %s", i+1, got[i].Name, want[i].Name)
		}
	}
	if len(want) != len(got) {
		return false, fmt.Sprintf("the browser has %d elements where the source has %d", len(got), len(want))
	}
	return true, ""
}

// sameBirths tells whether the elements the parser made are the map's, in order.
func sameBirths(want []contract.Birth, got contract.Births) (bool, string) {
	if !got.Complete {
		return false, "the page is too large or too busy to follow how its elements were made"
	}
	n := 0
	for _, b := range got.List {
		if b.ScriptMade {
			continue
		}
		if n >= len(want) || want[n].Name != b.Name || want[n].NS != b.NS {
			return false, fmt.Sprintf("element %d the parser made is a %s, which the source does not have there", n+1, b.Name)
		}
		n++
	}
	if n != len(want) {
		return false, fmt.Sprintf("the parser made %d elements where the source has %d", n, len(want))
	}
	return true, ""
}

// treeEvidence is what one loaded page shows of its elements, next to its map.
type treeEvidence struct {
	tree   *htmlsrc.Tree
	live   []contract.TreeElement
	births func() (contract.Births, error) // read only where scripts changed the tree
}

// chromiumAgrees gives Chromium the last word on a candidate: its tree of the
// candidate's bytes has to be the map's. Scripts change live trees, so where
// that one differs, the elements the parser made have to be the map's, in
// order. Where scripts disturb even these on the base (they take elements out
// while these are still open, or move a template's own contents in), they have
// to fit the map as they do there; and where nobody can follow them, base and
// candidate may differ in nothing but what the maps of both have in common.
func chromiumAgrees(base, cand treeEvidence) error {
	want := expectedTree(cand.tree)
	same, why := sameTree(want, cand.live)
	if same {
		return nil
	}
	candBirths, err := cand.births()
	if err != nil {
		return err
	}
	strict, whyBirths := sameBirths(expectedBirths(cand.tree), candBirths)
	if strict {
		return nil
	}
	baseWant := expectedTree(base.tree)
	if ok, _ := sameTree(baseWant, base.live); ok {
		return structureError(why)
	}
	baseBirths, err := base.births()
	if err != nil {
		return err
	}
	if ok, _ := sameBirths(expectedBirths(base.tree), baseBirths); ok {
		return structureError(whyBirths)
	}
	if proof.NewTie(baseBirths, base.tree).Usable() {
		if !proof.NewTie(candBirths, cand.tree).Usable() {
			return structureError(whyBirths)
		}
		return nil
	}
	if ok, _ := sameTree(baseWant, want); !ok {
		return structureError("scripts rebuild this page, so a change of its structure cannot be checked")
	}
	if ok, why := sameTree(base.live, cand.live); !ok {
		return structureError(why)
	}
	return nil
}

func structureError(why string) *core.Error {
	return core.Errorf(core.UnsafeStructure, "the browser builds another page from the draft than the edit means: %s", why).
		WithHint("Stage a smaller change, one that leaves the surrounding structure alone.").In("candidate.Look")
}
