package htmlsrc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc/fuzzgen"
)

// FuzzSpans holds that every span slices to what it says, that spans nest, and
// that the pieces give back the file: R-MAP-1, R-MAP-2, D-42.
func FuzzSpans(f *testing.F) {
	for _, c := range tableCases() {
		f.Add([]byte(c.src), false)
		f.Add([]byte(c.src), true)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		f.Add(fuzzgen.Document(r, fuzzgen.Kind(i%int(fuzzgen.Kinds))), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, src []byte, scripting bool) {
		tree, err := ParseUnchecked(src, Options{Scripting: scripting})
		if err != nil {
			if c := core.CodeOf(err); c != core.TooComplex && c != core.TooLarge {
				t.Fatal(err)
			}
			return
		}
		checkLinks(t, tree)
		checkPieces(t, tree)
		checkRanges(t, tree)
		for id := range tree.Elements() {
			checkElement(t, tree, id)
		}
		if err := Compare(tree, tree, nil, func(ID) bool { return false }); err != nil {
			t.Error(err)
		}
	})
}

// checkElement holds one element's spans, attributes and paths.
func checkElement(t *testing.T, tree *Tree, id ID) {
	t.Helper()
	name := tree.tagName(tree.nodes[id].tag)
	if s, ok := tree.StartTag(id); ok {
		tag := tree.src[s.Start:s.End]
		n, _ := tree.TagNameSpan(id)
		got := string(appendLower(nil, tree.src[n.Start:n.End]))
		if tag[0] != '<' || tag[len(tag)-1] != '>' || got != name && (got != "image" || name != "img") {
			t.Errorf("<%s>: start tag %q", name, tag)
		}
		checkAttrs(t, tree, id, tag)
		if tree.nodes[id].bits&flagClone == 0 && tree.At(s.Start) != id {
			t.Errorf("<%s>: At(%d) is %s", name, s.Start, tree.Name(tree.At(s.Start)))
		}
	} else if p := tree.Provenance(id); p != FromImplied {
		t.Errorf("<%s>: no start tag, but provenance %s", name, p)
	}
	if s, ok := tree.EndTag(id); ok {
		tag := tree.src[s.Start:s.End]
		if !bytes.HasPrefix(tag, []byte("</")) || !isLetter(tag[2]) || tag[len(tag)-1] != '>' {
			t.Errorf("<%s>: end tag %q", name, tag)
		}
	}
	if at, ok := tree.Find(tree.Path(id)); !ok || at != id {
		t.Errorf("<%s>: path %v leads to %d, not %d", name, tree.Path(id), at, id)
	}
	if r, reason := tree.Range(id); reason == "" {
		inner, ok := tree.Inner(id)
		start, _ := tree.StartTag(id)
		if ok == tree.Void(id) || ok && !r.Contains(inner) || !r.Contains(start) {
			t.Errorf("<%s>: range %v, inner %v, start %v", name, r, inner, start)
		}
	}
}

// checkAttrs holds attribute spans against the tag as another tokenizer reads it.
func checkAttrs(t *testing.T, tree *Tree, id ID, tag []byte) {
	t.Helper()
	want := map[string]string{}
	for _, a := range slices.Backward(decodedAttrs(tag)) {
		want[strings.ReplaceAll(a.Key, "\x00", "\ufffd")] = strings.ReplaceAll(a.Val, "\x00", "\ufffd")
	}
	got := tree.Attrs(id)
	if len(got) != len(want) {
		t.Errorf("%q: attributes %+v, want %v", tag, got, want)
	}
	start, _ := tree.StartTag(id)
	at := start.Start
	for _, a := range got {
		if v, ok := want[string(appendLower(nil, []byte(a.Name)))]; !ok || v != a.Value {
			t.Errorf("%q: attribute %q is %q, want %q", tag, a.Name, a.Value, v)
		}
		if a.Span.Start < at || !start.Contains(a.Span) || !a.Span.Contains(a.NameSpan) || !a.Span.Contains(a.ValueSpan) {
			t.Errorf("%q: spans %+v", tag, a)
		}
		at = a.Span.End
		again := decodedAttrs([]byte("<x " + string(tree.src[a.Span.Start:a.Span.End]) + ">"))
		if len(again) != 1 || strings.ReplaceAll(again[0].Val, "\x00", "\ufffd") != a.Value {
			t.Errorf("%q: attribute span %q reads as %v", tag, tree.src[a.Span.Start:a.Span.End], again)
		}
		if q := a.Quote; q != 0 && (tree.src[a.ValueSpan.Start-1] != q || tree.src[a.ValueSpan.End] != q) {
			t.Errorf("%q: value span %v is not in quotes", tag, a.ValueSpan)
		}
	}
}

// checkLinks holds the tree's links: each node in one place.
func checkLinks(t *testing.T, tree *Tree) {
	t.Helper()
	seen := make([]bool, tree.Len())
	var walk func(ID)
	walk = func(p ID) {
		last := ID(0)
		for c := tree.nodes[p].first; c != 0; c = tree.nodes[c].next {
			if n := &tree.nodes[c]; seen[c] || n.parent != p || last != 0 && n.prev != last {
				t.Fatalf("node %d: seen %v, parent %d (want %d), prev %d (want %d)", c, seen[c], n.parent, p, n.prev, last)
			}
			seen[c], last = true, c
			walk(c)
		}
		if f := tree.nodes[p].first; f != 0 && tree.nodes[f].prev != last {
			t.Fatalf("node %d: last child %d, want %d", p, tree.nodes[f].prev, last)
		}
	}
	walk(0)
	for i := range tree.nodes {
		if tree.nodes[i].bits&flagOpen != 0 {
			t.Errorf("node %d is still open", i)
		}
		if i > 0 && tree.nodes[i].parent == detached {
			walk(ID(i))
			seen[i] = true
		}
	}
	for i, s := range seen[1:] {
		if !s {
			t.Errorf("node %d is in no place", i+1)
		}
	}
}

// checkPieces holds that tags and text runs do not overlap, stand in source
// order, and that what is between them is not text.
func checkPieces(t *testing.T, tree *Tree) {
	t.Helper()
	var pieces []core.Span
	for i := 1; i < tree.Len(); i++ {
		n := &tree.nodes[i]
		if n.open < 0 || n.bits&(flagClone|flagMerged) != 0 {
			continue
		}
		pieces = append(pieces, core.Span{Start: int(n.open), End: int(n.openEnd)})
	}
	if !slices.IsSortedFunc(pieces, func(a, b core.Span) int { return a.Start - b.Start }) {
		t.Error("ids do not follow the source")
	}
	seen := map[core.Span]bool{}
	for i := 1; i < tree.Len(); i++ {
		if s, ok := tree.EndTag(ID(i)); ok && !seen[s] {
			seen[s] = true
			pieces = append(pieces, s)
		}
	}
	slices.SortFunc(pieces, func(a, b core.Span) int { return a.Start - b.Start })
	dropsText := bytes.Contains(bytes.ToLower(tree.src), []byte("frameset")) || bytes.Contains(bytes.ToLower(tree.src), []byte("<col"))
	var whole []byte
	at := 0
	for _, p := range append(pieces, core.Span{Start: len(tree.src), End: len(tree.src)}) {
		if p.Start < at || p.End < p.Start {
			t.Fatalf("piece %v overlaps the one before, which ends at %d", p, at)
		}
		gap := tree.src[at:p.Start]
		if rest := bytes.TrimLeft(gap, " \n\r\t\f\x00"); len(rest) > 0 && !dropsText &&
			rest[0] != '<' && rest[0] != '&' && !bytes.HasPrefix(rest, []byte("]]>")) && !bytes.HasPrefix(gap, []byte(bom)) {
			t.Errorf("text in no run: %q", gap)
		}
		whole = append(append(whole, gap...), tree.src[p.Start:p.End]...)
		at = p.End
	}
	if !bytes.Equal(whole, tree.src) {
		t.Error("the pieces do not give back the file")
	}
}

// checkRanges holds that ranges nest as the elements do, and end at rune borders.
func checkRanges(t *testing.T, tree *Tree) {
	t.Helper()
	valid := utf8.Valid(tree.src)
	type open struct {
		id ID
		s  core.Span
	}
	var stack []open
	for i := 1; i < tree.Len(); i++ {
		s, reason := tree.Range(ID(i))
		if reason != "" {
			continue
		}
		if valid && (!runeBorder(tree.src, s.Start) || !runeBorder(tree.src, s.End)) {
			t.Errorf("range %v cuts a rune", s)
		}
		for len(stack) > 0 && stack[len(stack)-1].s.End <= s.Start {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			top := stack[len(stack)-1]
			inside := tree.Parent(ID(i))
			for inside > 0 && inside != top.id {
				inside = tree.Parent(inside)
			}
			if !top.s.Contains(s) || inside != top.id {
				t.Errorf("range %v of <%s> in %v of <%s>", s, tree.Name(ID(i)), top.s, tree.Name(top.id))
			}
		}
		stack = append(stack, open{ID(i), s})
	}
}

func runeBorder(src []byte, at int) bool { return at == len(src) || utf8.RuneStart(src[at]) }

// FuzzUTF16 holds the round trip between byte and UTF-16 offsets, and lines.
func FuzzUTF16(f *testing.F) {
	for _, s := range []string{"", "abc", "é東😀x", "\xff\xfea", "a\xe2\x82", "😀\r\n\n\rz", "\x80"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		units, lines := 0, NewLines(src)
		for i := 0; i < len(src); {
			r, n := utf8.DecodeRune(src[i:])
			for k := range n {
				if got := UTF16(src, i+k); got != units {
					t.Fatalf("UTF16(%d) is %d, want %d", i+k, got, units)
				}
			}
			if got, ok := FromUTF16(src, units); !ok || got != i {
				t.Fatalf("FromUTF16(%d) is %d %v, want %d", units, got, ok, i)
			}
			if line, column := lines.Position(i); lines.Offset(line, column) != i {
				t.Fatalf("offset %d is line %d column %d, which is offset %d", i, line, column, lines.Offset(line, column))
			}
			if r > 0xFFFF {
				if _, ok := FromUTF16(src, units+1); ok {
					t.Fatalf("half a surrogate pair at %d was taken", i)
				}
				units++
			}
			units++
			i += n
		}
		if got, ok := FromUTF16(src, UTF16(src, len(src))); !ok || got != len(src) {
			t.Fatalf("the end comes back as %d %v", got, ok)
		}
		if _, ok := FromUTF16(src, units+1); ok {
			t.Fatal("an offset behind the end was taken")
		}
	})
}
