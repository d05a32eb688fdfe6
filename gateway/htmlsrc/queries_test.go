package htmlsrc

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"proofmark/gateway/core"
)

// byName gives the elements of that name in tree order.
func byName(t *Tree, name string) []ID {
	var out []ID
	for id := range t.Elements() {
		if t.Name(id) == name {
			out = append(out, id)
		}
	}
	return out
}

// TestPaths holds the form of paths, and that they lead back: CLI "map".
func TestPaths(t *testing.T) {
	tree := parse(t, "<p>a<i>1</i><i>2</i><template><b>3</b></template><div><template shadowrootmode=open><u>4</u></template><s>5</s></div>", Options{})
	for name, want := range map[string]string{
		"html": `[["html",1]]`,
		"p":    `[["html",1],["body",2],["p",1]]`,
		"b":    `[["html",1],["body",2],["p",1],["template",3],["#content",1],["b",1]]`,
		"u":    `[["html",1],["body",2],["div",2],["#shadow",1],["u",1]]`,
		"s":    `[["html",1],["body",2],["div",2],["s",1]]`,
	} {
		id := byName(tree, name)[0]
		got, err := json.Marshal(tree.Path(id))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	step := func(name string, i int) core.PathStep { return core.PathStep{Name: name, Index: i} }
	body := []core.PathStep{step("html", 1), step("body", 2)}
	for _, p := range [][]core.PathStep{
		nil,
		append(slices.Clone(body), step("p", 2)),
		append(slices.Clone(body), step("i", 1)),
		append(slices.Clone(body), step("p", 1), step("#content", 1)),
		append(slices.Clone(body), step("p", 1), step("template", 3), step("b", 1)),
		append(slices.Clone(body), step("p", 1), step("template", 3), step("#content", 1)),
		append(slices.Clone(body), step("p", 1), step("template", 3), step("#content", 2), step("b", 1)),
		append(slices.Clone(body), step("div", 2), step("#shadow", 1), step("u", 2)),
		append(slices.Clone(body), step("p", 0)),
	} {
		if id, ok := tree.Find(p); ok {
			t.Errorf("%v leads to %s", p, tree.Name(id))
		}
	}
	for _, c := range []struct {
		indexes []int
		want    string
	}{{[]int{1}, "html"}, {[]int{1, 2, 1, 2}, "i"}, {[]int{1, 2, 2, 1}, "s"}, {[]int{1, 2, 1, 3, 1}, ""}, {[]int{2}, ""}, {nil, ""}} {
		id, ok := tree.FindIndexes(c.indexes)
		if ok != (c.want != "") || ok && tree.Name(id) != c.want {
			t.Errorf("%v: %s %v", c.indexes, tree.Name(id), ok)
		}
	}
}

// TestAt holds which element a byte is in.
func TestAt(t *testing.T) {
	const src = "<!doctype html><p id=a>one<b>two</b> three</p>\n<ul><li>x<li>y</ul><table>f<tr><td>z</table>w"
	tree := parse(t, src, Options{})
	for at, want := range map[int]string{
		0: "#document", 15: "p", 20: "p", 23: "p", 26: "b", 29: "b", 33: "b", 36: "p", 43: "p", 46: "body", 47: "ul",
		51: "li", 55: "li", 56: "li", 60: "li", 63: "ul", 66: "table", 73: "body", 74: "tr", 78: "td", 83: "table", 91: "body",
	} {
		if got := tree.Name(tree.At(at)); got != want {
			t.Errorf("At(%d) in %q is %s, want %s", at, src[at:min(at+6, len(src))], got, want)
		}
	}
}

// TestProvenance holds how elements come into a tree, and shared tags (R-MAP-1,
// R-MAP-3).
func TestProvenance(t *testing.T) {
	tree := parse(t, "<table><i>f</i><tr><td>1</table><p><b>x<p>y<p>z", Options{})
	count := map[Provenance]int{}
	for id := range tree.Elements() {
		count[tree.Provenance(id)]++
	}
	want := map[Provenance]int{FromSource: 7, FromImplied: 4, FromClone: 2, FromMove: 1}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", count, want)
	}
	for _, b := range byName(tree, "b") {
		if tree.SharedBy(b) != 3 || len(tree.Sharers(b)) != 3 {
			t.Errorf("b is shared by %d, %v", tree.SharedBy(b), tree.Sharers(b))
		}
		if _, reason := tree.Range(b); reason != Shared {
			t.Errorf("b has reason %q", reason)
		}
	}
}

// TestReasons holds why elements have no range of their own.
func TestReasons(t *testing.T) {
	tree := parse(t, "x<body class=a><p>y<html lang=b><table>f<td>z</table>", Options{})
	for name, want := range map[string]Reason{"html": Merged, "body": Merged, "p": NotContained, "table": NotContained, "tbody": Implied, "td": ""} {
		if s, reason := tree.Range(byName(tree, name)[0]); reason != want {
			t.Errorf("%s: range %v, reason %q, want %q", name, s, reason, want)
		}
	}
	for _, name := range []string{"html", "body"} {
		id := byName(tree, name)[0]
		if _, ok := tree.StartTag(id); ok || !tree.Merged(id) || len(tree.LateTags(id)) != 1 || len(tree.Attrs(id)) != 1 {
			t.Errorf("%s: merged %v, late tags %v, attributes %v", name, tree.Merged(id), tree.LateTags(id), tree.Attrs(id))
		}
	}
	if _, reason := tree.Range(0); reason != NotElement {
		t.Errorf("the document: %q", reason)
	}
	tree = parse(t, "<p><frameset><frame>", Options{})
	for i := range tree.Len() {
		if id := ID(i); tree.Name(id) == "p" {
			if _, reason := tree.Range(id); reason != Removed || tree.Path(id) != nil {
				t.Errorf("the removed p: reason %q, path %v", reason, tree.Path(id))
			}
		}
	}
}

// TestText holds text runs as the DOM has them, and how they may be edited.
func TestText(t *testing.T) {
	tree := parse(t, "<title>a &lt; b</title><style>a &lt; b</style><textarea>\n&amp;</textarea><svg><![CDATA[&lt;]]></svg><p>1<b>2</b>3\r\n&#13;", Options{})
	for name, want := range map[string]string{"title": "a < b", "style": "a &lt; b", "textarea": "&", "svg": "&lt;"} {
		id := byName(tree, name)[0]
		if runs := tree.TextRuns(id); len(runs) != 1 || tree.Text(runs[0]) != want {
			t.Errorf("%s: %v", name, runs)
		}
		raw := name != "svg"
		if tree.RawText(id) != raw || raw && tree.HasReferences(id) != (name != "style") {
			t.Errorf("%s: raw %v, references %v", name, tree.RawText(id), tree.HasReferences(id))
		}
	}
	runs := tree.TextRuns(byName(tree, "p")[0])
	if len(runs) != 2 || tree.Text(runs[0]) != "1" || tree.Text(runs[1]) != "3\n\r" {
		t.Errorf("p: %v", runs)
	}
}

// TestSiblings holds the links among nodes, shadow roots left out.
func TestSiblings(t *testing.T) {
	tree := parse(t, "<div><template shadowrootmode=closed><u></u></template>a<b></b></div>", Options{})
	div, b, u := byName(tree, "div")[0], byName(tree, "b")[0], byName(tree, "u")[0]
	text := tree.FirstChild(div)
	if !tree.IsText(text) || tree.NextSibling(text) != b || tree.PrevSibling(b) != text || tree.PrevSibling(text) != 0 ||
		tree.LastChild(div) != b || tree.NextSibling(b) != 0 {
		t.Error("the children of the host are not its text and b")
	}
	if tree.Parent(u) != div || !tree.InShadow(u) || tree.InShadow(b) || tree.ShadowMode(div) != "closed" {
		t.Error("u is not in the shadow root of div")
	}
	if only := slices.Collect(tree.Content(div)); !slices.Equal(only, []ID{u}) {
		t.Errorf("content %v", only)
	}
}

// TestLines holds lines of all three kinds, and columns in runes (R-MAP-1).
func TestLines(t *testing.T) {
	l := NewLines([]byte("é1\r\nb\rc\n\nd"))
	for at, want := range map[int][2]int{0: {1, 1}, 1: {1, 1}, 2: {1, 2}, 3: {1, 3}, 5: {2, 1}, 7: {3, 1}, 9: {4, 1}, 10: {5, 1}, 11: {5, 2}, 99: {5, 2}} {
		if line, column := l.Position(at); line != want[0] || column != want[1] {
			t.Errorf("%d is %d:%d, want %d:%d", at, line, column, want[0], want[1])
		}
	}
	if l.Len() != 5 || l.Offset(2, 9) != 7 || l.Offset(9, 1) != 10 {
		t.Errorf("%d lines, %d, %d", l.Len(), l.Offset(2, 9), l.Offset(9, 1))
	}
}

// TestConcurrent asks one map from several goroutines (for the race detector).
func TestConcurrent(t *testing.T) {
	tree := parse(t, "<table><i>f</i><tr><td>1</table><p><b>x<p>y<p>z", Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { ask(tree) })
	}
	wg.Wait()
}
