package htmlsrc

import "slices"

// Births gives the elements in the order in which they come into the document
// while a page without scripts is being parsed. What is in template contents
// or in shadow roots never comes into the document; a body that a frameset
// later replaces does.
func (t *Tree) Births() []ID {
	born := make([]bool, len(t.nodes))
	var visit func(ID)
	visit = func(id ID) {
		born[id] = !t.nodes[id].isText()
		if t.nodes[id].is(tTemplate) {
			return
		}
		t.elements(t.nodes[id].first, func(c ID) bool {
			visit(c)
			return true
		})
	}
	visit(0)
	for i := 1; i < len(t.nodes); i++ {
		if t.nodes[i].parent == detached {
			visit(ID(i))
		}
	}
	out := make([]ID, 0, len(t.nodes)/2)
	for i := 1; i < len(born); i++ {
		if born[i] {
			out = append(out, ID(i))
		}
	}
	for _, r := range t.reversed {
		if at, ok := slices.BinarySearch(out, r.from); ok {
			slices.Reverse(out[at : at+int(r.to-r.from)+1])
		}
	}
	return out
}
