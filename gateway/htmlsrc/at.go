package htmlsrc

import "sort"

// At gives the deepest element that holds the byte at offset: in its start
// tag, its text, or between its start tag and its end. It gives 0 where no
// element does, such as in a doctype.
func (t *Tree) At(offset int) ID {
	t.orderOnce.Do(func() {
		t.sourceOrder = make([]ID, 0, len(t.nodes))
		for i := range t.nodes {
			if n := &t.nodes[i]; n.open >= 0 && n.bits&(flagClone|flagMerged|flagShadow) == 0 {
				t.sourceOrder = append(t.sourceOrder, ID(i))
			}
		}
	})
	order := t.sourceOrder
	i := sort.Search(len(order), func(i int) bool { return int(t.nodes[order[i]].open) > offset }) - 1
	if i < 0 {
		return 0
	}
	for id := order[i]; id > 0; id = t.Parent(id) {
		n := &t.nodes[id]
		if n.isText() {
			if offset < int(n.openEnd) {
				return t.Parent(id)
			}
			continue
		}
		if offset < int(t.rangeEnd(n)) && int(n.open) <= offset && n.bits&flagMerged == 0 || n.open < 0 && offset < int(n.end) {
			return id
		}
	}
	return 0
}
