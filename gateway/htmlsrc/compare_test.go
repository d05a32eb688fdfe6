package htmlsrc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"proofmark/bridge/oracle"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc/fuzzgen"
)

// compareCase is one edit: the first from becomes to.
type compareCase struct {
	name, src string
	from, to  string
	declare   func(*Tree, ID) bool
	ok        bool
}

func named(names ...string) func(*Tree, ID) bool {
	return func(t *Tree, id ID) bool {
		for _, n := range names {
			if t.IsElement(id) && t.Name(id) == n {
				return true
			}
		}
		return false
	}
}

func textIs(s string) func(*Tree, ID) bool {
	return func(t *Tree, id ID) bool { return t.IsText(id) && t.Text(id) == s }
}

// TestCompare holds what an edit may change (D7b).
func TestCompare(t *testing.T) {
	for _, c := range []compareCase{
		{"remove", "<p>a<b>x</b>c", "<b>x</b>", "", named("b"), true},
		{"remove undeclared", "<p>a<b>x</b>c", "<b>x</b>", "", named("p"), false},
		{"remove one of two twins", "<ul><li>a</li><li>a</li></ul>", "<li>a</li>", "", named("li"), true},
		{"remove lets another tag act", "<html><meta><head x>", "<meta>", "", named("meta"), false},
		{"remove lets text move", "<pre><b>x</b>\ny</pre>", "<b>x</b>", "", named("b"), false},
		{"remove takes an end tag too many", "<div><p>x</p></div>y", "<p>x</p></div>", "", named("p"), false},
		{"replace by other elements", "<p>a<b>x</b>c", "<b>x</b>", "<i>y</i>z<u>w</u>", named("b"), true},
		{"replace by an open element", "<p>a<b>x</b>c", "<b>x</b>", "<i>y", named("b"), false},
		{"replace by a comment that swallows", "<p>a<b>x</b>c", "<b>x</b>", "<!--", named("b"), false},
		{"text", "<p>one<b>x</b>", "one", "two", textIs("one"), true},
		{"part of a text", "<p>one two three", "two", "2", textIs("one two three"), true},
		{"all of a text away", "<p>one<b>x</b>", "one", "", textIs("one"), true},
		{"text with markup", "<p>one<b>x</b>", "one", "a<i>b</i>", textIs("one"), false},
		{"text with a stray end tag", "<p>one<b>x</b>", "one", "a</x>b", textIs("one"), false},
		{"text that opens a comment", "<p>one<b>x</b>", "one", "a<!--", textIs("one"), false},
		{"text, escaped", "<p>one<b>x</b>", "one", "a &lt; b", textIs("one"), true},
		{"another text", "<p>one<b>x</b>", "x", "y", textIs("one"), false},
		{"text that moves out of a table", "<table> <tr><td>x</table>", "> <", ">y<", textIs(" "), false},
		{"script text", "<script>a</script>", "a", "b<c", textIs("a"), true},
		{"script text that ends it", "<script>a</script>", "a", "</script>", textIs("a"), false},
		{"attribute", "<p class=a id=b>x", "class=a", "class=\"c d\"", named("p"), true},
		{"attribute of another", "<p class=a><b>x", "class=a", "class=b", named("b"), false},
		{"attribute away", "<p class=a id=b>x", " class=a", "", named("p"), true},
		{"attribute that swallows the next", "<p class=a id=b>x", "class=a", "class=\"a", named("p"), false},
		{"attribute that joins the next", "<p class=a id=b>x", "class=a ", "class=c", named("p"), false},
		{"attribute that ends the tag", "<p class=a id=b>x", "class=a", "class=a>", named("p"), false},
		{"attribute of a formatting tag", "<p><b a=1><b a=1><b a=1><b a=2></p>x", "a=2", "a=1", named("b"), false},
		{"hidden input in a table", "<table><input type=hidden><tr><td>x</table>", "hidden", "text", named("input"), false},
		{"insert into a declared element", "<ul><li>a</li></ul>", "</ul>", "<li>b</li></ul>", named("ul"), true},
		{"insert elsewhere", "<ul><li>a</li></ul>", "</ul>", "<li>b</li></ul>", named("li"), false},
		{"a comment", "<p>a<!--x-->b", "x", "y", named("p"), false},
		{"the doctype", "<!doctype html><p>a", "<!doctype html>", "", named("p"), false},
		{"a late body tag", "<body><p>a<body class=x>b", "class=x", "class=y", named("body"), false},
		{"nothing", "<p>a", "", "", named("p"), true},
	} {
		before := parse(t, c.src, Options{})
		edits := c.edits()
		after := parse(t, string(splice(before.src, edits)), Options{})
		err := Compare(before, after, edits, func(id ID) bool { return c.declare(before, id) })
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if code := core.CodeOf(err); err != nil && code != core.UnsafeStructure {
			t.Errorf("%s: code %s", c.name, code)
		}
	}
}

// edits gives the case's edit: an insertion where to ends with from, all of
// from where that is markup, else without what the ends have in common.
func (c compareCase) edits() []core.Edit {
	if c.from == c.to {
		return nil
	}
	at := strings.Index(c.src, c.from)
	from, to := c.from, c.to
	if strings.HasSuffix(to, from) {
		from, to = "", strings.TrimSuffix(to, from)
	}
	if !strings.HasPrefix(from, "<") {
		for from != "" && to != "" && from[0] == to[0] {
			from, to, at = from[1:], to[1:], at+1
		}
		for from != "" && to != "" && from[len(from)-1] == to[len(to)-1] {
			from, to = from[:len(from)-1], to[:len(to)-1]
		}
	}
	return []core.Edit{{Span: core.Span{Start: at, End: at + len(from)}, Replacement: to}}
}

func splice(src []byte, edits []core.Edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.Span.Start]...), e.Replacement...)
		at = e.Span.End
	}
	return append(out, src[at:]...)
}

// TestCompareEdits holds that edits which do not lead to the bytes are refused.
func TestCompareEdits(t *testing.T) {
	before, after := parse(t, "<p>abc", Options{}), parse(t, "<p>abcd", Options{})
	for _, edits := range [][]core.Edit{
		nil,
		{{Span: core.Span{Start: 5, End: 4}}},
		{{Span: core.Span{Start: 4, End: 99}}},
		{{Span: core.Span{Start: 5, End: 6}, Replacement: "x"}, {Span: core.Span{Start: 3, End: 4}, Replacement: "xy"}},
	} {
		if err := Compare(before, after, edits, func(ID) bool { return true }); core.CodeOf(err) != core.InvalidEdit {
			t.Errorf("%v: %v", edits, err)
		}
	}
}

// signature is another way to tell what a cut should leave: elements by their
// tags' offsets, shifted, and text by its bytes, without the subtree of skip.
func signature(t *Tree, skip ID, cut core.Span) string {
	var out []byte
	var walk func(ID)
	walk = func(id ID) {
		for c := t.nodes[id].first; c != 0; c = t.nodes[c].next {
			n := &t.nodes[c]
			switch {
			case c == skip:
			case n.isText():
				out = append(out, t.src[n.open:n.openEnd]...)
			default:
				at := int(n.open)
				if at >= cut.End {
					at -= cut.Len()
				}
				out = fmt.Appendf(out, "\x01%d:%s:%d{", n.ns(), t.Name(c), at)
				walk(c)
				out = append(out, "\x01}"...)
			}
		}
	}
	walk(0)
	return string(out)
}

// TestCutsOfChromium cuts contained elements out of random documents; of those
// that Compare allows none may change another element in Chromium (D7b).
func TestCutsOfChromium(t *testing.T) {
	b := oracle.Open(t)
	r := rand.New(rand.NewPCG(*fuzzSeed, 11))
	cuts, allowed, textOnly := 0, 0, 0
	for done := 0; done < *cutDocs; done++ {
		src := fuzzgen.Document(r, fuzzgen.Kind(done%2))
		if bytes.IndexByte(src, 0) >= 0 {
			continue
		}
		before := parse(t, string(src), Options{})
		var edits []oracle.Edit
		index := -1
		for id := range before.Elements() {
			index++
			s, reason := before.Range(id)
			if reason != "" || before.Parent(id) == 0 {
				continue
			}
			cuts++
			list := []core.Edit{{Span: s}}
			after := parse(t, string(splice(src, list)), Options{})
			err := Compare(before, after, list, func(x ID) bool { return x == id })
			if same := signature(before, id, s) == signature(after, 0, core.Span{}); err == nil && !same {
				t.Errorf("%q less %v: allowed, but another element or text changes", src, s)
			}
			if err == nil {
				edits = append(edits, oracle.Edit{Before: src, After: after.src, Element: index, Op: "remove"})
			}
		}
		verdicts, err := b.Edits(edits)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			allowed++
			if !v.SameElements {
				t.Errorf("%q to %q: Chromium's elements differ", edits[i].Before, edits[i].After)
			} else if !v.Same {
				textOnly++
				t.Logf("%q to %q: text differs", edits[i].Before, edits[i].After)
			}
		}
	}
	t.Logf("%d cuts of contained elements, %d allowed, %d with other text", cuts, allowed, textOnly)
	if allowed == 0 || textOnly*1000 > allowed {
		t.Errorf("%d of %d allowed cuts change text", textOnly, allowed)
	}
}
