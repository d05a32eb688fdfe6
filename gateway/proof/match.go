package proof

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"proofmark/gateway/htmlsrc"
)

// looks is how an element looks by itself: its own tag and its text.
type looks struct {
	id   htmlsrc.ID
	name string
	tag  string // name space, name and source attributes
	text string // and the tags of what is in it
}

func look(t *htmlsrc.Tree, id htmlsrc.ID) looks {
	return looks{id: id, name: t.Name(id), tag: tagKey(t, id), text: contentOf(t, id)}
}

// contentOf gives what is in the element as one string: its text, and the tags
// below it. Of much it is the beginning: what is alike so far is taken for alike.
func contentOf(t *htmlsrc.Tree, id htmlsrc.ID) string {
	var b strings.Builder
	b.WriteString(textOf(t, id, contextRunes))
	n := 0
	for e := range t.Descendants(id) {
		if n++; n > contextTags {
			break
		}
		b.WriteByte(0)
		b.WriteString(tagKey(t, e))
	}
	return b.String()
}

// tagKey gives name space, name and attributes of the element's tag as one
// string; the order of the attributes has no part in it.
func tagKey(t *htmlsrc.Tree, id htmlsrc.ID) string {
	attrs := t.Attrs(id)
	parts := make([]string, 0, len(attrs))
	for _, a := range attrs {
		parts = append(parts, a.Name+"="+strconv.Quote(a.Value))
	}
	slices.Sort(parts)
	return t.NS(id).String() + " " + t.Name(id) + " " + strings.Join(parts, " ")
}

// childNames gives the names of the element's children as one string.
func childNames(t *htmlsrc.Tree, id htmlsrc.ID) string {
	var b strings.Builder
	for c := range t.Children(id) {
		b.WriteString(t.Name(c))
		b.WriteByte(' ')
	}
	return b.String()
}

// alike yields the elements of t with a tag of their own that look like l, but
// for one of them.
func alike(t *htmlsrc.Tree, l looks, but htmlsrc.ID) iter.Seq[htmlsrc.ID] {
	return func(yield func(htmlsrc.ID) bool) {
		for e := range t.Elements() {
			if e != but && t.Name(e) == l.name && tagKey(t, e) == l.tag && contentOf(t, e) == l.text {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// twins gives all elements of t that look like l, l's own element first.
func twins(t *htmlsrc.Tree, l looks) []htmlsrc.ID {
	return slices.AppendSeq([]htmlsrc.ID{l.id}, alike(t, l, l.id))
}

// match looks for the one element of the new version with the stable
// attributes and the text of the old one. It must have been the only one in the
// old version too: of several that were alike, one that is left may be any.
func (r *Remapper) match(was htmlsrc.ID) (htmlsrc.ID, string) {
	w := stableOf(r.before, was)
	tests := make([]func(s *stable) bool, 0, 4)
	if w.id != "" {
		tests = append(tests, func(s *stable) bool { return s.id == w.id })
	}
	if w.attrs != "" {
		tests = append(tests,
			func(s *stable) bool { return s.attrs == w.attrs && s.text() == w.text() },
			func(s *stable) bool { return s.attrs == w.attrs })
	}
	if w.id == "" && w.attrs == "" && telling(textOf(r.before, was, contextRunes)) {
		tests = append(tests,
			func(s *stable) bool { return s.tag() == w.tag() && s.text() == w.text() },
			func(s *stable) bool { return s.id == "" && s.attrs == "" && s.text() == w.text() })
	}
	miss := ReasonNoMatch
	for _, is := range tests {
		found, n := r.matching(r.after, w.name, is)
		if n == 0 {
			continue
		}
		if _, m := r.matching(r.before, w.name, is); n == 1 && m == 1 && r.sameOrNewTag(was, found) {
			return found, ""
		}
		miss = ReasonAmbiguous
	}
	return 0, miss
}

// sameOrNewTag tells whether the tags are alike but for what an id or another
// stable attribute vouches for: an element known by its text alone may have got
// a new tag only if no element had that tag before and none has the old one now.
func (r *Remapper) sameOrNewTag(was, is htmlsrc.ID) bool {
	name, old, now := r.before.Name(was), tagKey(r.before, was), tagKey(r.after, is)
	if w := stableOf(r.before, was); old == now || w.id != "" || w.attrs != "" {
		return true
	}
	return countTags(r.before, name, now) == 0 && countTags(r.after, name, old) == 0
}

// matching gives the first element of that name that passes, and how many do.
// Elements that share one tag count once.
func (r *Remapper) matching(t *htmlsrc.Tree, name string, is func(*stable) bool) (htmlsrc.ID, int) {
	first, n := htmlsrc.ID(0), 0
	for e := range t.Elements() {
		if t.Name(e) != name {
			continue
		}
		if _, ok := t.StartTag(e); !ok {
			continue
		}
		s := stableOf(t, e)
		if !is(&s) || first != 0 && sameTagBytes(t, first, e) {
			continue
		}
		if n++; first == 0 {
			first = e
		}
	}
	return first, n
}

// stable is what of an element is likely to stay when others change.
type stable struct {
	tree  *htmlsrc.Tree
	el    htmlsrc.ID
	name  string
	id    string
	attrs string // the other stable attributes, as one string
}

func stableOf(t *htmlsrc.Tree, id htmlsrc.ID) stable {
	s := stable{tree: t, el: id, name: t.Name(id)}
	var parts []string
	for _, a := range t.Attrs(id) {
		switch {
		case a.Name == "id":
			s.id = a.Value
		case stableAttr(a.Name) && a.Value != "":
			parts = append(parts, a.Name+"="+strconv.Quote(a.Value))
		}
	}
	slices.Sort(parts)
	s.attrs = strings.Join(parts, " ")
	return s
}

func (s *stable) tag() string  { return tagKey(s.tree, s.el) }
func (s *stable) text() string { return contentOf(s.tree, s.el) }

// stableAttr tells attributes that name an element or what it stands for.
func stableAttr(name string) bool {
	switch name {
	case "name", "href", "src", "for", "action", "alt", "aria-label", "itemprop", "xlink:href":
		return true
	}
	return strings.HasPrefix(name, "data-")
}

// telling tells whether a text is long enough to know an element by.
func telling(text string) bool {
	return utf8.RuneCountInString(text) >= 4 && strings.ContainsFunc(text, unicode.IsLetter)
}
