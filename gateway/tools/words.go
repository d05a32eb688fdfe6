package tools

import (
	"slices"
	"strings"
	"unicode"

	"proofmark/gateway/htmlsrc"
)

// words is the text of elements, white space collapsed, and where in it each
// element's text stands. It is made in one pass: an element's text is part of
// its parent's.
type words struct {
	tree  *htmlsrc.Tree
	text  strings.Builder
	blank bool    // white space comes before what is written next
	from  []int32 // of each element, one more than the offset; 0 where it has no text to read
	to    []int32
}

// holdersOf gives a test whether an element in the scope holds want, a text with
// its white space collapsed.
func holdersOf(t *htmlsrc.Tree, scope []htmlsrc.ID, want string) func(htmlsrc.ID) bool {
	w := words{tree: t, from: make([]int32, t.Len()), to: make([]int32, t.Len())}
	for _, id := range scope {
		if w.from[id] == 0 {
			w.blank = true
			w.read(id)
		}
	}
	all := w.text.String()
	var found []int32
	for at := 0; ; at++ {
		i := strings.Index(all[at:], want)
		if i < 0 {
			break
		}
		at += i
		found = append(found, int32(at))
	}
	return func(id htmlsrc.ID) bool {
		if w.from[id] == 0 {
			return false
		}
		i, _ := slices.BinarySearch(found, w.from[id]-1)
		return i < len(found) && found[i]+int32(len(want)) <= w.to[id]
	}
}

// read appends the text of an element and what is inside it.
func (w *words) read(id htmlsrc.ID) {
	t := w.tree
	if isCode(t.Name(id)) {
		return
	}
	w.from[id] = int32(w.text.Len()) + 1
	for c := t.FirstChild(id); c != 0; c = t.NextSibling(c) {
		switch {
		case t.IsText(c):
			w.write(t.Text(c))
		case inline[t.Name(c)]:
			w.read(c)
		default:
			w.blank = true
			w.read(c)
			w.blank = true
		}
	}
	w.to[id] = int32(w.text.Len())
}

func (w *words) write(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) {
			w.blank = true
			continue
		}
		if w.blank && w.text.Len() > 0 {
			w.text.WriteByte(' ')
		}
		w.blank = false
		w.text.WriteRune(r)
	}
}
