package candidate

import (
	"strings"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/textpatch"
)

// plan is where the elements of a map stand on a loaded page. An element is
// known by its birth, so that scripts that sort twins do not mix them up.
type plan struct {
	layout contract.Layout
	boxes  []int32 // by element: one more than the index of its box, 0 for none
	seen   []sight // by box
}

// newPlan ties the boxes of a page to its map; nil where they cannot be tied.
func newPlan(l contract.Layout, tie *proof.Tie, t *htmlsrc.Tree) *plan {
	if l.Cut || !tie.Usable() {
		return nil
	}
	p := &plan{layout: l, boxes: make([]int32, t.Len())}
	for i := range l.Boxes {
		if id := tie.Node(l.Boxes[i].Birth); id != 0 {
			p.boxes[id] = int32(i + 1)
		}
	}
	p.seen = sights(l, p.viewport(t))
	return p
}

// viewport marks the boxes whose overflow is the view's: the root's and the
// body's.
func (p *plan) viewport(t *htmlsrc.Tree) map[int]bool {
	out := map[int]bool{}
	for c := range t.Children(t.Root()) {
		if t.Name(c) == "body" && p.boxes[c] > 0 {
			out[int(p.boxes[c])-1] = true
		}
	}
	out[0] = true // the root comes first
	return out
}

// box gives the box of an element and what a person sees of it, false where the
// page has it not.
func (p *plan) box(id htmlsrc.ID) (contract.Box, sight, bool) {
	if p == nil || int(id) >= len(p.boxes) || p.boxes[id] == 0 {
		return contract.Box{}, sight{}, false
	}
	i := p.boxes[id] - 1
	return p.layout.Boxes[i], p.seen[i], true
}

// matching gives the draft's element of each of the base's elements: the one
// whose tag stands where the edits moved it. 0 where an edit took it away or
// wrote another tag in its place.
func matching(base, cand *htmlsrc.Tree, edits []core.Edit) []htmlsrc.ID {
	starts := make(map[int]htmlsrc.ID, cand.Len()/2)
	untagged := map[string]htmlsrc.ID{}
	for id := range cand.Elements() {
		if tag, ok := cand.StartTag(id); ok && cand.SharedBy(id) == 1 {
			starts[tag.Start] = id
		} else if unique(cand.Name(id)) {
			untagged[cand.Name(id)] = id
		}
	}
	out := make([]htmlsrc.ID, base.Len())
	walk := carrier{edits: finer(base.Source(), edits)}
	for id := range base.Elements() {
		tag, ok := base.StartTag(id)
		if !ok || base.SharedBy(id) != 1 {
			if unique(base.Name(id)) {
				out[id] = untagged[base.Name(id)]
			}
			continue
		}
		to, ok := walk.carry(core.Span{Start: tag.Start, End: tag.Start + len("<") + len(base.Name(id))})
		if twin := starts[to]; ok && twin != 0 && cand.Name(twin) == base.Name(id) {
			out[id] = twin
		}
	}
	return out
}

// unique names the elements that a page has once, with or without a tag.
func unique(name string) bool { return name == "html" || name == "head" || name == "body" }

// finer splits edits into what really differs: a patch repeats what stands
// around its change.
func finer(src []byte, edits []core.Edit) []core.Edit {
	var out []core.Edit
	for _, e := range edits {
		for _, d := range textpatch.Diff(src[e.Span.Start:e.Span.End], []byte(e.Replacement)) {
			d.Span.Start += e.Span.Start
			d.Span.End += e.Span.Start
			out = append(out, d)
		}
	}
	return out
}

// carrier moves spans of the base over sorted edits. Spans may come in any
// order, but go fast in rising order.
type carrier struct {
	edits []core.Edit
	at    int // edits before this one end before the last span
	shift int // of what is behind them
	last  int
}

// carry gives where a span begins in the draft, false where an edit touches it.
func (c *carrier) carry(s core.Span) (int, bool) {
	if s.Start < c.last {
		c.at, c.shift = 0, 0
	}
	c.last = s.Start
	for c.at < len(c.edits) && c.edits[c.at].Span.End <= s.Start {
		e := c.edits[c.at]
		c.shift += len(e.Replacement) - e.Span.Len()
		c.at++
	}
	if c.at < len(c.edits) && c.edits[c.at].Span.Start < s.End {
		return 0, false
	}
	return s.Start + c.shift, true
}

// named gives an element as a person or a model finds it again: its tag with id
// and classes, and the beginning of its text.
func named(t *htmlsrc.Tree, id htmlsrc.ID) string {
	const most, words = 60, 40 // bytes of id and classes; runes of text
	var b strings.Builder
	b.WriteString("<" + t.Name(id))
	if a, ok := t.Attr(id, "id"); ok && a.Value != "" {
		b.WriteString("#" + brief(a.Value, most))
	}
	if a, ok := t.Attr(id, "class"); ok {
		if c := strings.Fields(a.Value); len(c) > 0 {
			b.WriteString("." + brief(strings.Join(c, "."), most))
		}
	}
	b.WriteString(">")
	if q := wordsOf(t, id, words); q != "" {
		b.WriteString(" “" + q + "”")
	}
	return b.String()
}

// wordsOf gives the first words of an element in order, those of each part by
// themselves.
func wordsOf(t *htmlsrc.Tree, id htmlsrc.ID, runes int) string {
	w := words{left: 4 * runes}
	w.read(t, id, 0)
	return brief(strings.Join(w.parts, " "), runes)
}

type words struct {
	parts []string
	left  int // bytes wanted
}

func (w *words) read(t *htmlsrc.Tree, id htmlsrc.ID, depth int) {
	const deep = 64
	if t.RawText(id) || depth > deep {
		return
	}
	for c := t.FirstChild(id); c != 0 && w.left > 0; c = t.NextSibling(c) {
		if !t.IsText(c) {
			w.read(t, c, depth+1)
			continue
		}
		for _, word := range strings.Fields(t.Text(c)) {
			if w.left -= len(word); w.left < -core.QuoteRunes {
				return
			}
			w.parts = append(w.parts, word)
		}
	}
}

// brief cuts a text to so many runes.
func brief(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return s
}
