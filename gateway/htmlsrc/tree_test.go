package htmlsrc

import (
	"strings"
	"testing"
)

// brief draws a tree in one line: html(head body(p b)), "[t]" template
// contents, "[s]" shadow contents, name spaces by prefix.
func brief(t *Tree) string {
	var draw func(id ID) string
	draw = func(id ID) string {
		s := t.Name(id)
		if ns := t.NS(id); ns != HTML {
			s = ns.String() + ":" + s
		}
		var kids []string
		for c := range t.Content(id) {
			mark := "[t]"
			if t.InShadow(c) {
				mark = "[s]"
			}
			kids = append(kids, mark+draw(c))
		}
		for c := range t.Children(id) {
			kids = append(kids, draw(c))
		}
		if len(kids) > 0 {
			s += "(" + strings.Join(kids, " ") + ")"
		}
		return s
	}
	var roots []string
	for c := range t.Children(0) {
		roots = append(roots, draw(c))
	}
	return strings.Join(roots, " ")
}

func parse(t testing.TB, src string, o Options) *Tree {
	t.Helper()
	tree, err := ParseUnchecked([]byte(src), o)
	if err != nil {
		t.Fatalf("%q: %v", src, err)
	}
	return tree
}
