package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// sheet is an element of a document that knows who it is, through every edit.
type sheet struct {
	uid        int
	name, attr string
	text       string
	kids       []*sheet
	before     core.Span // start tag, in the last writing
	end        int
	textAt     int
	calm       bool // no child comes or goes: its contents may be rewritten
}

func (s *sheet) open() string { return "<" + s.name + s.attr + ">" }

func (s *sheet) shut() string {
	if s.name == "div" || s.name == "ul" {
		return "\n</" + s.name + ">"
	}
	return "</" + s.name + ">"
}

type author struct {
	r     *rand.Rand
	next  int
	root  *sheet
	twins bool // inserted elements may be copies
}

func (a *author) fresh() string { a.next++; return fmt.Sprintf("fresh words %d", a.next) }

func (a *author) element(name, attr, text string, kids ...*sheet) *sheet {
	a.next++
	return &sheet{uid: a.next, name: name, attr: attr, text: text, kids: kids, calm: a.r.IntN(2) == 0}
}

// write gives the document and notes where everything stands in it.
func (a *author) write() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>x</title></head><body>")
	var put func(s *sheet)
	put = func(s *sheet) {
		s.before.Start = b.Len()
		b.WriteString(s.open())
		s.before.End = b.Len()
		s.textAt = b.Len()
		b.WriteString(s.text)
		for _, k := range s.kids {
			put(k)
		}
		b.WriteString(s.shut())
		s.end = b.Len()
	}
	put(a.root)
	b.WriteString("</body></html>")
	return b.String()
}

func (a *author) page() {
	pick := func(list ...string) string { return list[a.r.IntN(len(list))] }
	a.root = a.element("div", " class=root", "")
	for range 1 + a.r.IntN(4) {
		box := a.element(pick("div", "ul", "section"), pick("", "", " class=box", " id=b"+a.fresh()[12:]), "")
		inner := map[string]string{"ul": "li", "div": "p", "section": "button"}[box.name]
		for range 1 + a.r.IntN(5) {
			item := a.element(inner, pick("", "", "", " class=k", " data-k="+a.fresh()[12:]), pick("same", "same", "Other", "", a.fresh()))
			if a.r.IntN(4) == 0 {
				item.text = a.fresh() // or, without its child, it could be a twin that went
				item.kids = append(item.kids, a.element("b", "", "Buy"))
			}
			box.kids = append(box.kids, item)
		}
		a.root.kids = append(a.root.kids, box)
	}
}

func (a *author) all() []*sheet {
	var out []*sheet
	var visit func(*sheet)
	visit = func(s *sheet) {
		out = append(out, s)
		for _, k := range s.kids {
			visit(k)
		}
	}
	visit(a.root)
	return out
}

// change makes one edit to the model and gives the same as bytes of the last
// writing. Each element is touched at most once.
func (a *author) change(touched map[*sheet]bool) (core.Edit, string) {
	all := a.all()
	s := all[a.r.IntN(len(all))]
	if touched[s] || s.uid > 1_000_000 {
		return core.Edit{}, ""
	}
	op := a.r.IntN(5)
	if s.calm != (op < 2) {
		return core.Edit{}, ""
	}
	mark := func(list ...*sheet) {
		for _, x := range list {
			touched[x] = true
		}
	}
	switch op {
	case 0:
		mark(s)
		at := core.Span{Start: s.textAt, End: s.textAt + len(s.text)}
		s.text = a.fresh()
		return core.Edit{Span: at, Replacement: s.text}, "text"
	case 1:
		mark(s)
		add := fmt.Sprintf(" title=t%d", a.next)
		at := s.before.Start + 1 + len(s.name)
		s.attr = add + s.attr
		return core.Edit{Span: core.Span{Start: at, End: at}, Replacement: add}, "attribute"
	case 2:
		if len(s.kids) == 0 {
			return core.Edit{}, ""
		}
		i := a.r.IntN(len(s.kids))
		k := s.kids[i]
		if touchesAny(touched, k) {
			return core.Edit{}, ""
		}
		mark(s)
		s.kids = slices.Delete(slices.Clone(s.kids), i, i+1)
		return core.Edit{Span: core.Span{Start: k.before.Start, End: k.end}}, "remove"
	case 3:
		if len(s.kids) == 0 {
			return core.Edit{}, ""
		}
		i := a.r.IntN(len(s.kids))
		k := s.kids[i]
		if touched[k] {
			return core.Edit{}, ""
		}
		mark(s, k)
		n := a.element(k.name, "", a.fresh())
		n.uid += 1_000_000
		if a.twins && a.r.IntN(2) == 0 {
			n.attr, n.text = k.attr, k.text
		}
		s.kids = slices.Insert(slices.Clone(s.kids), i, n)
		return core.Edit{Span: core.Span{Start: k.before.Start, End: k.before.Start}, Replacement: n.open() + n.text + n.shut()}, "insert"
	}
	return core.Edit{}, ""
}

func touchesAny(touched map[*sheet]bool, s *sheet) bool {
	if touched[s] {
		return true
	}
	return slices.ContainsFunc(s.kids, func(k *sheet) bool { return touchesAny(touched, k) })
}

type story struct {
	before, after string
	edits         []core.Edit
	was, is       map[int]core.Span // start tags by identity
	markup        map[int]string    // of the elements before
	did           []string
}

func tell(seed uint64, twins bool) story {
	a := &author{r: rand.New(rand.NewPCG(seed, 7)), twins: twins}
	a.page()
	var s story
	s.before = a.write()
	s.was = spans(a)
	s.markup = map[int]string{}
	for _, e := range a.all() {
		s.markup[e.uid] = s.before[e.before.Start:e.end]
	}
	touched := map[*sheet]bool{}
	for range 1 + a.r.IntN(6) {
		if e, what := a.change(touched); what != "" {
			s.edits = append(s.edits, e)
			s.did = append(s.did, fmt.Sprint(what, " ", e.Span))
		}
	}
	s.after = a.write()
	s.is = spans(a)
	return s
}

func spans(a *author) map[int]core.Span {
	out := map[int]core.Span{}
	for _, s := range a.all() {
		out[s.uid] = s.before
	}
	return out
}

func anchorsOf(t *testing.T, s story) (*htmlsrc.Tree, map[int]core.Anchor) {
	tree := mustParse(t, s.before)
	out := map[int]core.Anchor{}
	for uid, span := range s.was {
		a, err := FromNode(tree, tree.At(span.Start), "d", "r1", core.SHA256Hex([]byte(s.before)))
		if err != nil || a.StartTag != span {
			t.Fatalf("anchor of %v: %v %v", span, a.StartTag, err)
		}
		out[uid] = a
	}
	return tree, out
}

type outcomes struct{ exact, contextual, gone, twin int }

func (o *outcomes) see(t *testing.T, s story, uid int, got core.Anchor, res core.Resolution, why string) {
	t.Helper()
	want, there := s.is[uid]
	switch {
	case res == core.Contextual:
		if why == "" {
			t.Errorf("contextual without a reason")
		}
		if there {
			o.contextual++
		} else {
			o.gone++
		}
	case !there && strings.HasPrefix(s.after[got.StartTag.Start:], s.markup[uid]):
		o.twin++ // another was made its equal, byte for byte: nothing can tell
	case !there:
		t.Fatalf("%q: removed %v became %v\n%s\n%s", s.did, s.was[uid], got.StartTag, s.before, s.after)
	case got.StartTag != want:
		t.Fatalf("%q: %v became %v, want %v\n%s\n%s", s.did, s.was[uid], got.StartTag, want, s.before, s.after)
	default:
		o.exact++
	}
}

// R-PICK-4, D-52: through known edits an anchor is the same element, or none.
func TestReprojectKnownEdits(t *testing.T) {
	var sum outcomes
	for seed := range uint64(3000) {
		s := tell(seed, true)
		if got, err := textpatch.Apply([]byte(s.before), s.edits); err != nil || string(got) != s.after {
			t.Fatalf("the story is wrong: %v\n%s\n%s", err, got, s.after)
		}
		_, anchors := anchorsOf(t, s)
		after, sha := mustParse(t, s.after), core.SHA256Hex([]byte(s.after))
		for uid, a := range anchors {
			got, res, why := Reproject(a, s.edits, after, sha, "r2")
			sum.see(t, s, uid, got, res, why)
			if res == core.Exact && (got.SourceSHA != sha || got.RevisionID != "r2" || got.ID != a.ID) {
				t.Fatalf("anchor %+v", got)
			}
		}
	}
	t.Logf("%+v", sum)
	if sum.contextual*100 > sum.exact {
		t.Errorf("known edits lose too much: %+v", sum)
	}
}

// R-PICK-4, T-61, T-70: through a foreign change an anchor is the same
// element, or contextual; never the first of several.
func TestRemapForeignChanges(t *testing.T) {
	for _, twins := range []bool{false, true} {
		var sum outcomes
		for seed := range uint64(1500) {
			s := tell(seed, twins)
			_, anchors := anchorsOf(t, s)
			sha := core.SHA256Hex([]byte(s.after))
			m, err := NewRemapper([]byte(s.before), mustParse(t, s.after), sha)
			if err != nil {
				t.Fatal(err)
			}
			for uid, a := range anchors {
				got, res, why := m.Remap(a, "r2")
				sum.see(t, s, uid, got, res, why)
			}
		}
		t.Logf("copies inserted %v: %+v", twins, sum)
		if sum.exact < 2*sum.contextual {
			t.Errorf("too little found again: %+v", sum)
		}
	}
}
