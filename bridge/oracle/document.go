package oracle

import (
	"fmt"
	"strings"
)

// Element is one element of a document, in preorder; template contents and
// open shadow roots come before the ordinary children.
type Element struct {
	Parent int    `json:"p"`           // index of the parent, -1 for the root
	Step   string `json:"c,omitempty"` // "" child, "content", "shadow"
	NS     string `json:"ns"`          // html, svg, math
	Name   string `json:"n"`           // local name
	Attrs  string `json:"a,omitempty"` // name=value, sorted, joined by U+0001
}

// Document is the element tree of a document.
type Document []Element

// Diff gives "" where the trees are equal in shape, names and name spaces, and
// if asked for in attributes, else what differs first.
func (d Document) Diff(other Document, attrs bool) string {
	for i := range min(len(d), len(other)) {
		x, y := d[i], other[i]
		if !attrs {
			x.Attrs, y.Attrs = "", ""
		}
		if x != y {
			return fmt.Sprintf("element %d: %+v against %+v", i, x, y)
		}
	}
	if len(d) != len(other) {
		return fmt.Sprintf("%d elements against %d", len(d), len(other))
	}
	return ""
}

// Brief draws the tree in one line: html(head body(p b)); "[t]" marks template
// contents, "[s]" shadow contents, a prefix the name space.
func (d Document) Brief() string {
	kids := make([][]int, len(d)+1)
	for i, e := range d {
		kids[e.Parent+1] = append(kids[e.Parent+1], i)
	}
	var list func(parent int) string
	list = func(parent int) string {
		var out []string
		for _, k := range kids[parent+1] {
			e := d[k]
			s := map[string]string{"content": "[t]", "shadow": "[s]"}[e.Step]
			if e.NS != "html" {
				s += e.NS + ":"
			}
			s += e.Name
			if inner := list(k); inner != "" {
				s += "(" + inner + ")"
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	return list(-1)
}
