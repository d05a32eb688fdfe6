package proof

import (
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// Remapper carries anchors from one version of a source into another that some
// other program made of it. One serves all anchors of the older version.
type Remapper struct {
	before, after       *htmlsrc.Tree
	beforeSHA, afterSHA string
	edits, inverse      []core.Edit
}

// NewRemapper compares the two versions once. The older one must be a document
// as the newer one is.
func NewRemapper(before []byte, after *htmlsrc.Tree, afterSHA string) (*Remapper, error) {
	tree, err := htmlsrc.Parse(before, after.Options())
	if err != nil {
		return nil, err
	}
	edits := textpatch.Diff(before, after.Source())
	return &Remapper{
		before: tree, after: after,
		beforeSHA: core.SHA256Hex(before), afterSHA: afterSHA,
		edits: edits, inverse: textpatch.Inverse(before, edits),
	}, nil
}

// Remap carries one anchor over a foreign change; Remapper does many.
func Remap(a core.Anchor, before []byte, after *htmlsrc.Tree, afterSHA, revisionID string) (core.Anchor, core.Resolution, string) {
	if a.SourceSHA == afterSHA {
		a.RevisionID = revisionID
		return a, core.Exact, ""
	}
	r, err := NewRemapper(before, after, afterSHA)
	if err != nil {
		return a, core.Contextual, ReasonNoMatch
	}
	return r.Remap(a, revisionID)
}

// Remap follows the anchor's tag through the difference of the two versions
// and asks whether what it meets there can be nothing else; where it cannot
// say, it looks for the one element with the target's stable attributes and
// text. A difference is one of many possible stories, and among twins it says
// nothing about which of them went: those become contextual.
func (r *Remapper) Remap(a core.Anchor, revisionID string) (core.Anchor, core.Resolution, string) {
	if a.SourceSHA == r.afterSHA {
		a.RevisionID = revisionID
		return a, core.Exact, ""
	}
	if a.SourceSHA != r.beforeSHA {
		return a, core.Contextual, ReasonNoMatch
	}
	was := tagAt(r.before, a.StartTag.Start, a)
	if was == 0 {
		return a, core.Contextual, ReasonNoMatch
	}
	is, why := carry(a, r.edits, r.after)
	if why == "" && r.corroborates(was, is) {
		return moved(a, r.after, is, r.afterSHA, revisionID), core.Exact, ""
	}
	found, miss := r.match(was)
	switch {
	case miss != "":
		if why == "" {
			miss = ReasonAmbiguous // something is there, but it may be another
		}
		return a, core.Contextual, miss
	case why == "" && !sameTagBytes(r.after, found, is), r.taken(found, was):
		return a, core.Contextual, ReasonAmbiguous // two ways, two answers
	}
	return moved(a, r.after, found, r.afterSHA, revisionID), core.Exact, ""
}

func sameTagBytes(t *htmlsrc.Tree, a, b htmlsrc.ID) bool {
	x, okX := t.StartTag(a)
	y, okY := t.StartTag(b)
	return okX && okY && x == y
}

// taken tells whether the difference says that an element of the new version is
// another one of the old version than was.
func (r *Remapper) taken(found, was htmlsrc.ID) bool {
	tag, _ := r.after.StartTag(found)
	back, ok := textpatch.Reproject(core.Span{Start: tag.Start, End: tag.Start + 2}, r.inverse)
	if !ok {
		return false
	}
	owner := r.before.At(back.Start)
	if owner == 0 || owner == was {
		return false
	}
	a, err := FromNode(r.before, owner, "", "", r.beforeSHA)
	if err != nil || a.StartTag.Start != back.Start {
		return false
	}
	id, why := carry(a, r.edits, r.after)
	return why == "" && sameTagBytes(r.after, id, found)
}

// corroborates tells whether an element found through the difference can be no
// other than the one it was.
func (r *Remapper) corroborates(was, is htmlsrc.ID) bool {
	b, a := look(r.before, was), look(r.after, is)
	sameTag, sameText := b.tag == a.tag, b.text == a.text
	switch {
	case sameTag && sameText:
		return r.sameAlone(b, a)
	case sameTag || sameText:
		// One of the two has changed: nothing else may look as it did or as it
		// does now, and nothing may have come or gone around it.
		return !r.others(r.before, b, was) && !r.others(r.after, b, is) &&
			!r.others(r.before, a, was) && !r.others(r.after, a, is) && r.sameLine(was, is)
	}
	return false
}

// others tells whether an element of t but the given one looks like l.
func (r *Remapper) others(t *htmlsrc.Tree, l looks, but htmlsrc.ID) bool {
	for range alike(t, l, but) {
		return true
	}
	return false
}

// sameLine tells whether the elements stand in the same places: up to the root,
// or to an ancestor whose tag is the only one of its kind, the ancestors have
// the same tags and the same children by name, and each is the same child.
func (r *Remapper) sameLine(was, is htmlsrc.ID) bool {
	p, q := r.before.Parent(was), r.after.Parent(is)
	for ; p != 0 && q != 0; p, q = r.before.Parent(p), r.after.Parent(q) {
		key := tagKey(r.before, p)
		if r.before.Index(was) != r.after.Index(is) {
			return false
		}
		was, is = p, q
		if key != tagKey(r.after, q) || childNames(r.before, p) != childNames(r.after, q) {
			return false
		}
		if countTags(r.before, r.before.Name(p), key) == 1 && countTags(r.after, r.before.Name(p), key) == 1 {
			return true
		}
	}
	return p == q
}

// countTags gives the number of elements with that tag.
func countTags(t *htmlsrc.Tree, name, key string) int {
	n := 0
	for e := range t.Elements() {
		if t.Name(e) == name && tagKey(t, e) == key {
			n++
		}
	}
	return n
}

// sameAlone tells whether an unchanged element can be only the one it was:
// it has no twin on either side, or its twins all lie in a part of the source
// that no edit touches, or what is around it tells it from its twins.
func (r *Remapper) sameAlone(b, a looks) bool {
	twinsB, twinsA := twins(r.before, b), twins(r.after, a)
	if len(twinsB) == 1 && len(twinsA) == 1 {
		return true
	}
	if len(twinsB) == len(twinsA) && r.untouched(twinsB) {
		return true
	}
	return r.toldByContext(b.id, a.id, twinsB, twinsA)
}

// untouched tells whether no edit touches the smallest element around all the
// twins.
func (r *Remapper) untouched(list []htmlsrc.ID) bool {
	top := list[0]
	for _, id := range list[1:] {
		top = common(r.before, top, id)
	}
	span, why := r.before.Range(top)
	if why != "" {
		return false
	}
	for _, e := range r.edits {
		if e.Span.Start < span.End && span.Start < e.Span.End || e.Span.Len() == 0 && span.Start <= e.Span.Start && e.Span.Start <= span.End {
			return false
		}
	}
	return true
}

// common gives the nearest element around both.
func common(t *htmlsrc.Tree, a, b htmlsrc.ID) htmlsrc.ID {
	seen := map[htmlsrc.ID]bool{}
	for ; a != 0; a = t.Parent(a) {
		seen[a] = true
	}
	for b != 0 && !seen[b] {
		b = t.Parent(b)
	}
	return b
}

// toldByContext climbs from the element until the text around it is unlike the
// text around its twins, and asks that in the new version exactly the found
// element has that text around it.
func (r *Remapper) toldByContext(was, is htmlsrc.ID, twinsB, twinsA []htmlsrc.ID) bool {
	if len(twinsB) > maxTwins || len(twinsA) > maxTwins {
		return false
	}
	for up := 1; up <= maxContextSteps; up++ {
		anc := climb(r.before, was, up)
		if anc == 0 {
			return false
		}
		text := textOf(r.before, anc, contextRunes)
		if countAround(r.before, twinsB, up, text) > 1 {
			continue
		}
		return countAround(r.after, twinsA, up, text) == 1 && textOf(r.after, climb(r.after, is, up), contextRunes) == text
	}
	return false
}

// Bounds of the comparison with twins.
const (
	maxTwins        = 50_000
	maxContextSteps = 4
	contextRunes    = 2_048
	contextTags     = 128
)

func climb(t *htmlsrc.Tree, id htmlsrc.ID, up int) htmlsrc.ID {
	for ; up > 0 && id != 0; up-- {
		id = t.Parent(id)
	}
	return id
}

// countAround counts the elements whose up-th ancestor has the text. Twins in
// one ancestor follow each other, so that each ancestor is read once or so.
func countAround(t *htmlsrc.Tree, list []htmlsrc.ID, up int, text string) int {
	n, last, same := 0, htmlsrc.ID(0), false
	for _, id := range list {
		anc := climb(t, id, up)
		if anc == 0 {
			continue
		}
		if anc != last {
			last, same = anc, textOf(t, anc, contextRunes) == text
		}
		if same {
			n++
		}
	}
	return n
}
