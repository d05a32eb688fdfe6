package proof

import (
	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// place finds the element of link i without its birth: the parent's element is
// known, the parent's whole list of children is as the source has it, and the
// child at the index is what the link shows.
//
// On a page without scripts that is a proof. On any other the list may have
// been put in another order, and prove asks beyond it that the element be the
// only one (only). So an ancestor's place may serve to find a child's without
// being proven itself.
func (v *verifier) place(i int) (htmlsrc.ID, *core.Error) {
	link := &v.chain[i]
	if link.Step == "shadow" {
		return 0, refuse(core.InShadow, link.Name)
	}
	if i == len(v.chain)-1 {
		return v.placeRoot(link)
	}
	parent := v.nodes[i+1]
	if parent == 0 {
		return 0, v.ambiguous(link)
	}
	id := v.childLike(parent, link)
	if id == 0 || !shows(v.tree, id, link) {
		return 0, v.ambiguous(link)
	}
	if v.tree.SelectedContent(parent) {
		return 0, refuse(core.NoSource, link.Name)
	}
	return id, nil
}

// childLike gives the parent's child at the link's index, 0 where the live list
// of children is not the source's. A page that cannot run scripts needs no list.
func (v *verifier) childLike(parent htmlsrc.ID, link *contract.Link) htmlsrc.ID {
	children := v.tree.Children(parent)
	if link.Step == "content" {
		children = v.tree.Content(parent)
	}
	still := len(link.Siblings) == 0 && !v.tie.scripted()
	id, n := htmlsrc.ID(0), 0
	for c := range children {
		if !still && (n == len(link.Siblings) || v.tree.Name(c) != link.Siblings[n]) {
			return 0
		}
		if n++; n == link.Index {
			id = c
		}
	}
	if !still && n != len(link.Siblings) {
		return 0
	}
	return id
}

func (v *verifier) placeRoot(link *contract.Link) (htmlsrc.ID, *core.Error) {
	if root := v.tree.Root(); root != 0 && v.tree.Name(root) == link.Name {
		return root, nil
	}
	return 0, v.ambiguous(link)
}

// ambiguous refuses a link that cannot be told, with the register's reason.
func (v *verifier) ambiguous(link *contract.Link) *core.Error {
	err := refuse(core.Ambiguous, link.Name).WithHint("scripts have rearranged the page, or it is too large to follow; pick an element with an id, or one around it")
	if r := v.tie.Reason(); r != "" {
		err.With("reason", r)
	}
	return err
}

// only tells whether no other element of the whole source can be what link i
// shows: by its name and attributes, or else by its text too. So twins are
// never told apart by their order.
func (v *verifier) only(i int, id htmlsrc.ID) bool {
	link := &v.chain[i]
	if v.tie.named(link.Name) == 1 {
		return true
	}
	text := ""
	if i == 0 { // the pick knows the text of its own element only
		text = quoteOf(v.claim.Pick.Text)
	}
	alone := true
	for e := range v.tree.Elements() {
		if e == id || !shows(v.tree, e, link) {
			continue
		}
		if alone = false; text == "" || Quote(v.tree, e) == text {
			return false
		}
	}
	return alone || Quote(v.tree, id) == text
}

// shows tells whether the live link can be the element, however scripts have
// changed it.
func shows(t *htmlsrc.Tree, id htmlsrc.ID, link *contract.Link) bool {
	if t.Name(id) != link.Name || t.NS(id).String() != link.NS {
		return false
	}
	for i, a := range t.Attrs(id) {
		if !stateAttrs[a.Name] && a.Name != "nonce" && !attrHolds(a, i, link) {
			return false
		}
	}
	return true
}
