package proof

import (
	"bytes"
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/htmlsrc"
)

// Tie says which element of the map each birth of a page is. It is immutable
// and safe for concurrent use; one is made for each load of a page.
type Tie struct {
	tree   *htmlsrc.Tree
	births int // in the register, script-made ones included
	// nodes holds the element of each birth, 0 for one that is not tied; nil
	// where the register cannot be used.
	nodes  []htmlsrc.ID
	tied   int
	reason string
	lazy   facts
}

// NewTie lays the birth register of a page against the map of its source.
//
// The parser makes elements in the order of the map, so the n-th parser-made
// birth is the n-th element of the map whatever scripts did to it later. That
// holds as it stands where both lists are equal. Where the page lost births
// (its script took an open element out of the document) or has more of them (it
// moved a template's own contents in), a birth is tied only if it has the same
// element in every way the shorter list fits into the longer one.
func NewTie(births contract.Births, t *htmlsrc.Tree) *Tie {
	k := &Tie{tree: t, births: len(births.List)}
	if !births.Complete {
		k.reason = births.Reason
		if k.reason == "" {
			k.reason = "the page has no complete birth register"
		}
		return k
	}
	order := t.Births()
	marks := markAll(t, order)
	born := make([]int, 0, len(births.List))
	for i := range births.List {
		if !births.List[i].ScriptMade {
			born = append(born, i)
		}
	}
	fits := func(b, m int) bool { return marks[m].fits(&births.List[born[b]]) }
	image, ok := embed(len(born), len(order), fits)
	if !ok {
		k.reason = "the elements the page was born with are not those of the source"
		return k
	}
	k.nodes = make([]htmlsrc.ID, len(births.List))
	doubt := writtenFrom(births.List, t)
	rare := func(int) bool { return false }
	if doubt < len(births.List) {
		rare = alone(marks)
	}
	for b, m := range image {
		if m >= 0 && !births.List[born[b]].Unsure && (born[b] < doubt || rare(m)) {
			k.nodes[born[b]] = order[m]
			k.tied++
		}
	}
	switch {
	case doubt < len(births.List):
		k.reason = "a script wrote another script into the page while it was being parsed"
	case len(born) < len(order):
		k.reason = "the page was born with fewer elements than the source has"
	case len(born) > len(order):
		k.reason = "the page was born with more elements than the source has"
	}
	return k
}

// Node gives the element of a birth, 0 where it is not tied.
func (k *Tie) Node(birth int) htmlsrc.ID {
	if birth < 0 || birth >= len(k.nodes) {
		return 0
	}
	return k.nodes[birth]
}

// Usable tells whether the register ties any birth at all.
func (k *Tie) Usable() bool { return k.nodes != nil }

// Tied gives the number of births that are tied.
func (k *Tie) Tied() int { return k.tied }

// Reason says why some birth is not tied, "" where all parser-made ones are.
func (k *Tie) Reason() string { return k.reason }

// mark is what a birth must show to be an element of the map.
type mark struct {
	ns, name string
	id       string // as the source gives it
	hasID    bool
	class    []string
	attrs    int // how many the source gives it, -1 where several tags do
}

// writtenFrom gives the first birth that may have been written by a script
// without a trace, the number of births where there is none. A page that writes
// a script element stops its parser there: what was written behind it is parsed
// later, as if it stood in the source, and may hide a part of the source.
func writtenFrom(list []contract.Birth, t *htmlsrc.Tree) int {
	for i := range list {
		if list[i].Unsure || list[i].ScriptMade && list[i].Name == "script" && writes(t) {
			return i
		}
	}
	return len(list)
}

// writes tells whether a script in the source names document.write.
func writes(t *htmlsrc.Tree) bool {
	for id := range t.Elements() {
		if t.Name(id) != "script" {
			continue
		}
		for _, run := range t.TextRuns(id) {
			s := t.TextSpan(run)
			if bytes.Contains(t.Source()[s.Start:s.End], []byte("write")) {
				return true
			}
		}
	}
	return false
}

// alone tells of each mark whether no other element has it.
func alone(marks []mark) func(at int) bool {
	count := make(map[string]int, len(marks))
	for i := range marks {
		count[marks[i].key()]++
	}
	return func(at int) bool { return count[marks[at].key()] == 1 }
}

func (m *mark) key() string {
	return m.ns + "\x00" + m.name + "\x00" + m.id + "\x00" + strings.Join(m.class, " ")
}

// markAll gives the marks of the elements. An html or body element whose
// attributes come from several tags is known by its name alone.
func markAll(t *htmlsrc.Tree, order []htmlsrc.ID) []mark {
	out := make([]mark, len(order))
	for i, id := range order {
		m := mark{ns: t.NS(id).String(), name: t.Name(id), attrs: -1}
		if !t.Merged(id) {
			attrs := t.Attrs(id)
			m.attrs = len(attrs)
			for _, a := range attrs {
				switch a.Name {
				case "id":
					m.id, m.hasID = a.Value, true
				case "class":
					m.class = strings.FieldsFunc(a.Value, htmlSpace)
				}
			}
		}
		out[i] = m
	}
	return out
}

// fits tells whether the birth can be the marked element. A class may have
// been added to already: reactions of custom elements run before the register
// hears of a birth.
func (m *mark) fits(b *contract.Birth) bool {
	if m.name != b.Name || m.ns != b.NS || m.hasID && m.id != b.ID {
		return false
	}
	if m.attrs >= 0 && b.Attrs > m.attrs && !b.Custom {
		return false // half a tag that a script wrote took a part of the source for its attributes
	}
	return len(m.class) == 0 || hasTokens(b.Class, m.class)
}
