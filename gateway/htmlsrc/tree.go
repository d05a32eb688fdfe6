package htmlsrc

import (
	"strings"
	"sync"
)

// ID names one node of a Tree. Nodes are numbered in the order the tree
// builder made them, which is the order of their tags in the source but for
// clones; 0 is the document and, as an answer, "none".
type ID int32

// detached is the parent of a node that is not in the tree.
const detached ID = -1

// NS is an element's name space.
type NS uint8

// Name spaces.
const (
	HTML NS = iota
	SVG
	MathML
	textNode // a text run; not a name space of elements
)

// String gives "html", "svg" or "math".
func (n NS) String() string {
	switch n {
	case SVG:
		return "svg"
	case MathML:
		return "math"
	case textNode:
		return "text"
	}
	return "html"
}

// Provenance says how an element came into the tree.
type Provenance string

// Provenances.
const (
	FromSource  Provenance = "source"  // its own start tag made it, where the tag stands
	FromImplied Provenance = "implied" // the tree builder put it in; it has no start tag
	FromClone   Provenance = "cloned"  // made from a formatting tag a second time
	FromMove    Provenance = "moved"   // its own start tag made it, but in front of the table it stands in
)

// nodeBits are a node's name space (the two low bits) and flags.
type nodeBits uint16

const (
	nsMask nodeBits = 3

	flagClone   nodeBits = 2 << iota // made from its tag a second time
	flagShared                       // its tag made more than one element
	flagMerged                       // html or body whose tag only added attributes to it
	flagShadow                       // a template tag that became its parent's shadow root
	flagHost                         // has a shadow root
	flagVoid                         // taken off the stack at once: has no inside
	flagEndTag                       // made by an end tag: </p>, </br>
	flagMoved                        // foster parented
	flagLiteral                      // text without character references
	flagClosed                       // an end tag closed it
	flagOpen                         // on the stack of open elements (while building)
	flagListed                       // in the list of active formatting elements (while building)
)

// node is one element or text run: 32 bytes, half a cache line, since a page
// has tens of thousands of them and their memory is most of what a map costs.
type node struct {
	parent, first ID
	prev, next    ID    // siblings; the first child's prev is the last child
	open, openEnd int32 // the start tag, or the text run; open is -1 where there is none
	end           int32 // where the element stopped being open; with flagClosed an end tag begins there
	tag           tagID
	bits          nodeBits
}

func (n *node) ns() NS { return NS(n.bits & nsMask) }

func (n *node) isText() bool { return n.bits&nsMask == nodeBits(textNode) }

// is tells whether n is the HTML element t.
func (n *node) is(t tagID) bool { return n.tag == t && n.bits&nsMask == nodeBits(HTML) }

// Tree is the map of one source.
type Tree struct {
	src    []byte
	nodes  []node
	names  []string // tag names that the tree rules do not know, from firstUnknown
	quirks bool
	opts   Options

	// Start offsets of html and body tags that only added attributes.
	late []int32
	// Where the html and body elements' end tags begin; these two elements stay
	// open behind their end tags, so node.end does not tell.
	htmlClose, bodyClose int32
	// Runs of consecutive ids whose nodes came into the document backwards.
	reversed []idRun

	indexOnce   sync.Once
	index       *childIndex
	rangesOnce  sync.Once
	contained   []bool
	orderOnce   sync.Once
	sourceOrder []ID
	sharedOnce  sync.Once
	shared      map[int32]int
}

type idRun struct{ from, to ID }

// Source gives the mapped bytes. They must not be changed.
func (t *Tree) Source() []byte { return t.src }

// Options gives the options the map was made with.
func (t *Tree) Options() Options { return t.opts }

// Quirks tells whether the document is in quirks mode.
func (t *Tree) Quirks() bool { return t.quirks }

// Len gives one more than the greatest ID: the document, elements and text runs.
func (t *Tree) Len() int { return len(t.nodes) }

// Root gives the root element.
func (t *Tree) Root() ID { return t.FirstChild(0) }

// valid tells whether id names a node other than the document.
func (t *Tree) valid(id ID) bool { return id > 0 && int(id) < len(t.nodes) }

// IsText tells whether id is a text run.
func (t *Tree) IsText(id ID) bool { return t.valid(id) && t.nodes[id].isText() }

// IsElement tells whether id is an element of the tree.
func (t *Tree) IsElement(id ID) bool {
	return t.valid(id) && !t.nodes[id].isText() && t.nodes[id].bits&flagShadow == 0
}

// Name gives an element's local name as the DOM has it, with the capitals of
// SVG names; "#text" for a text run and "#document" for the document.
func (t *Tree) Name(id ID) string {
	if !t.valid(id) {
		return "#document"
	}
	n := &t.nodes[id]
	switch n.ns() {
	case textNode:
		return "#text"
	case SVG:
		low := t.tagName(n.tag)
		if s, ok := svgNames[low]; ok {
			return s
		}
		return low
	}
	return t.tagName(n.tag)
}

func (t *Tree) tagName(tag tagID) string {
	if tag < firstUnknown {
		return tagNames[tag]
	}
	return t.names[tag-firstUnknown]
}

// NS gives an element's name space.
func (t *Tree) NS(id ID) NS {
	if !t.valid(id) {
		return HTML
	}
	return t.nodes[id].ns()
}

// Provenance says how an element came into the tree.
func (t *Tree) Provenance(id ID) Provenance {
	n := &t.nodes[id]
	switch {
	case n.bits&flagClone != 0:
		return FromClone
	case n.open < 0 || n.bits&flagMerged != 0:
		return FromImplied
	case n.bits&flagMoved != 0:
		return FromMove
	}
	return FromSource
}

// Void tells whether the element can have no inside: a void element, or a
// foreign one with a self-closing tag.
func (t *Tree) Void(id ID) bool { return t.nodes[id].bits&flagVoid != 0 }

// Merged tells whether attributes of an html or body element come from tags
// that did not make it.
func (t *Tree) Merged(id ID) bool {
	n := &t.nodes[id]
	return n.bits&flagMerged != 0 || len(t.late) > 0 && (n.is(tHtml) || n.is(tBody)) && len(t.LateTags(id)) > 0
}

// SelectedContent tells whether the browser fills this element with a copy of
// the chosen option: what the live page has inside it has no source.
func (t *Tree) SelectedContent(id ID) bool {
	return t.IsElement(id) && t.nodes[id].is(tSelectedContent) && t.ancestor(id, tSelect)
}

func (t *Tree) ancestor(id ID, tag tagID) bool {
	for p := t.nodes[id].parent; p > 0; p = t.nodes[p].parent {
		if t.nodes[p].is(tag) {
			return true
		}
	}
	return false
}

// SharedBy gives the number of elements that the element's start tag makes:
// 1 for an ordinary one, 0 for an element without a tag.
func (t *Tree) SharedBy(id ID) int {
	n := &t.nodes[id]
	switch {
	case n.open < 0:
		return 0
	case n.bits&flagShared == 0:
		return 1
	}
	t.sharedOnce.Do(func() {
		t.shared = map[int32]int{}
		for i := range t.nodes {
			if t.nodes[i].bits&flagShared != 0 {
				t.shared[t.nodes[i].open]++
			}
		}
	})
	return t.shared[n.open]
}

// Sharers gives all elements that the element's start tag makes, itself
// included, in order of id.
func (t *Tree) Sharers(id ID) []ID {
	if t.nodes[id].bits&flagShared == 0 {
		return []ID{id}
	}
	var out []ID
	for i := range t.nodes {
		if n := &t.nodes[i]; n.bits&flagShared != 0 && n.open == t.nodes[id].open {
			out = append(out, ID(i))
		}
	}
	return out
}

// ShadowMode gives "open" or "closed" for an element with a shadow root, and
// "" for any other. Scripts do not see what is in a closed one.
func (t *Tree) ShadowMode(id ID) string {
	s := t.shadowRoot(id)
	if s == 0 {
		return ""
	}
	a, _ := t.Attr(s, "shadowrootmode")
	return strings.ToLower(a.Value)
}
