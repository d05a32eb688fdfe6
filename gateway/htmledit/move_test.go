package htmledit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

func parsed(t *testing.T, src string) *htmlsrc.Tree {
	t.Helper()
	tree, err := htmlsrc.Parse([]byte(src), scripting)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// marked finds the element that has the attribute x.
func marked(t *testing.T, tree *htmlsrc.Tree) htmlsrc.ID {
	t.Helper()
	for id := range tree.Elements() {
		if _, ok := tree.Attr(id, "x"); ok {
			return id
		}
	}
	t.Fatalf("no element is marked in %q", tree.Source())
	return 0
}

type arrange = func(*htmlsrc.Tree, htmlsrc.ID) (htmledit.Arranged, error)

// R-DOC-8: what move and duplicate do on pages as people write them. The target
// has the attribute x.
func TestArrange(t *testing.T) {
	for name, c := range map[string]struct {
		do         arrange
		page, want string
	}{
		"up, on lines of their own": {
			htmledit.MoveUp,
			"<ul>\n  <li>A</li>\n  <li x>B</li>\n  <li>C</li>\n</ul>\n",
			"<ul>\n  <li x>B</li>\n  <li>A</li>\n  <li>C</li>\n</ul>\n",
		},
		"down": {
			htmledit.MoveDown,
			"<ul>\r\n\t<li>A</li>\r\n\t<li x>B</li>\r\n\t<li>C</li>\r\n</ul>",
			"<ul>\r\n\t<li>A</li>\r\n\t<li>C</li>\r\n\t<li x>B</li>\r\n</ul>",
		},
		"text stays between": {
			htmledit.MoveUp, "<p>See <b>one</b> and <i x>two</i>!</p>", "<p>See <i x>two</i> and <b>one</b>!</p>",
		},
		"a comment stays between": {
			htmledit.MoveDown, "<p x>1</p>\n<!-- c -->\n<p>2</p>", "<p>2</p>\n<!-- c -->\n<p x>1</p>",
		},
		"a script is stepped over": {
			htmledit.MoveDown, "<p x>1</p><script>a()</script><p>2</p>", "<p>2</p><script>a()</script><p x>1</p>",
		},
		"table rows": {
			htmledit.MoveUp, "<table><tr><td>1</td></tr>\n<tr x><td>2</td></tr></table>", "<table><tr x><td>2</td></tr>\n<tr><td>1</td></tr></table>",
		},
		"without end tags": {
			htmledit.MoveUp, "<ul>\n<li>A\n<li x>B\n</ul>", "<ul>\n<li x>B\n<li>A\n</ul>",
		},
		"void elements": {
			htmledit.MoveUp, "<p><img src=a> <img x src=b></p>", "<p><img x src=b> <img src=a></p>",
		},
		"in svg": {
			htmledit.MoveDown, "<svg><g x/><path d='M0 0'/></svg>", "<svg><path d='M0 0'/><g x/></svg>",
		},
		"duplicate on a line": {
			htmledit.Duplicate, "<ul>\n  <li x>A</li>\n</ul>\n", "<ul>\n  <li x>A</li>\n  <li x>A</li>\n</ul>\n",
		},
		"duplicate, CRLF and two blank lines": {
			htmledit.Duplicate, "<div>\r\n\r\n\t<p x>A</p></div>", "<div>\r\n\r\n\t<p x>A</p>\r\n\t<p x>A</p></div>",
		},
		"duplicate in a line": {
			htmledit.Duplicate, "<p>so <b x>it</b> is</p>", "<p>so <b x>it</b><b x>it</b> is</p>",
		},
		"duplicate beside a twin": {
			htmledit.Duplicate, "<p><a>1</a> <a x>2</a></p>", "<p><a>1</a> <a x>2</a> <a x>2</a></p>",
		},
		"duplicate without an end tag": {
			htmledit.Duplicate, "<ul>\n<li x>A\n</ul>", "<ul>\n<li x>A\n<li x>A\n</ul>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree := parsed(t, c.page)
			a, err := c.do(tree, marked(t, tree))
			if err != nil {
				t.Fatal(err)
			}
			after, err := a.Check(tree, scripting)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(after.Source()); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// Up and down: the target's own bytes are not touched where blanks alone stand
// between, so that what is in it can still be taken back.
func TestMoveKeepsTheTargetsBytes(t *testing.T) {
	for _, page := range []string{"<div>\n<p>1</p>\n<p x>2</p>\n<p>3</p>\n</div>", "<b>1</b><i x>2</i><u>3</u>"} {
		tree := parsed(t, page)
		id := marked(t, tree)
		own, _ := tree.Range(id)
		for _, do := range []arrange{htmledit.MoveUp, htmledit.MoveDown} {
			a, err := do(tree, id)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := textpatch.Reproject(own, a.Edits); !ok {
				t.Errorf("%q: %+v touches the target", page, a.Edits)
			}
		}
	}
}

// A script stays where it is while what it can stay put for moves.
func TestMoveLeavesScripts(t *testing.T) {
	tree := parsed(t, "<p>0</p>\n<div><script>a()</script></div>\n<p x>1</p>")
	a, err := htmledit.MoveUp(tree, marked(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range a.Edits {
		if strings.Contains(e.Replacement, "script") {
			t.Errorf("the script moves: %+v", a.Edits)
		}
	}
}

func TestArrangeRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		do   arrange
		page string
		want core.Code
	}{
		"nothing before":         {htmledit.MoveUp, "<ul><li x>A</li><li>B</li></ul>", core.NoOp},
		"nothing behind":         {htmledit.MoveDown, "<ul><li>A</li><li x>B</li></ul>", core.NoOp},
		"only scripts behind":    {htmledit.MoveDown, "<body><p x>A</p><script>b()</script></body>", core.NoOp},
		"the body":               {htmledit.MoveUp, "<html><head></head><body x></body></html>", core.UnsafeStructure},
		"the head":               {htmledit.Duplicate, "<html><head x></head><body></body></html>", core.UnsafeStructure},
		"a script":               {htmledit.Duplicate, "<p>1</p><script x>a()</script>", core.ScriptRegion},
		"moved out of a table":   {htmledit.Duplicate, "<table><b x>1</b><tr><td>2</table>", core.UnsafeStructure},
		"tangled":                {htmledit.Duplicate, "<b x><p>1</b>2</p>", core.UnsafeStructure},
		"a tangled neighbour":    {htmledit.MoveUp, "<b><p>1</b>2</p><p x>3</p>", core.UnsafeStructure},
		"into the head":          {htmledit.MoveDown, "<!doctype html><br x><noscript>n</noscript>", core.UnsafeStructure},
		"an anchor in an anchor": {htmledit.Duplicate, "<a x>1<b>", core.UnsafeStructure},
	} {
		t.Run(name, func(t *testing.T) {
			tree := parsed(t, c.page)
			a, err := c.do(tree, marked(t, tree))
			if err == nil {
				_, err = a.Check(tree, scripting)
			}
			if core.CodeOf(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// The ids that stand twice by a copy are named, those in templates too.
func TestDuplicateNamesIDs(t *testing.T) {
	tree := parsed(t, `<div x id=a><p id="b">1</p><p id=b>2</p><template><i id='c'></i></template><p id=""></p></div>`)
	a, err := htmledit.Duplicate(tree, marked(t, tree))
	if err != nil || !slices.Equal(a.IDs, []string{"a", "b", "c"}) {
		t.Errorf("%q %v", a.IDs, err)
	}
}

// TestArrangeProperty: on random pages, tangled ones too, a move or copy that is
// allowed keeps all bytes (a move is a permutation of them), can be taken back,
// the opposite move gives the page again, and every element is found by At.
func TestArrangeProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(*editSeed, 29))
	all := map[string]arrange{"up": htmledit.MoveUp, "down": htmledit.MoveDown, "duplicate": htmledit.Duplicate}
	names := []string{"up", "down", "duplicate"}
	allowed, refused, returned := map[string]int{}, map[core.Code]int{}, 0
	for range *propertyPages {
		src := randomPage(r)
		tree, err := htmlsrc.Parse(src, scripting)
		if err != nil {
			continue
		}
		ids := slices.Collect(tree.Elements())
		name, id := names[r.IntN(len(names))], ids[r.IntN(len(ids))]
		a, err := all[name](tree, id)
		if err != nil {
			refused[core.CodeOf(err)]++
			continue
		}
		after, err := a.Check(tree, scripting)
		if err != nil {
			if refused[core.CodeOf(err)]++; core.CodeOf(err) != core.UnsafeStructure {
				t.Fatalf("%s of %q: %v", name, src, err)
			}
			continue
		}
		allowed[name]++
		now := after.Source()
		back, err := textpatch.Apply(now, textpatch.Inverse(src, a.Edits))
		if err != nil || string(back) != string(src) {
			t.Fatalf("%s of %q: back %q, %v", name, src, back, err)
		}
		if name != "duplicate" && sorted(now) != sorted(src) {
			t.Fatalf("%s of %q gives other bytes: %q", name, src, now)
		}
		starts := map[int]htmlsrc.ID{}
		for e := range after.Elements() {
			if tag, ok := after.StartTag(e); ok {
				starts[tag.Start] = e
			}
		}
		for _, e := range ids {
			tag, ok := tree.StartTag(e)
			if !ok {
				continue
			}
			to, ok := a.At(tag.Start)
			if !ok || after.Name(starts[to]) != tree.Name(e) {
				t.Fatalf("%s of %q: <%s> at %d is not at %d (%t) in %q", name, src, tree.Name(e), tag.Start, to, ok, now)
			}
		}
		undo := map[string]arrange{"up": htmledit.MoveDown, "down": htmledit.MoveUp}[name]
		if undo == nil {
			continue
		}
		tag, _ := tree.StartTag(id)
		to, _ := a.At(tag.Start)
		if !closed(tree, tree.Parent(id)) || !closed(after, after.Parent(starts[to])) {
			continue // one without an end tag takes in the blanks and strays it is put before
		}
		b, err := undo(after, starts[to])
		if err != nil {
			t.Fatalf("%s of %q cannot be moved back: %v", name, src, err)
		}
		if again, err := textpatch.Apply(now, b.Edits); err != nil || string(again) != string(src) {
			t.Fatalf("%s of %q, moved back: %q, %v", name, src, again, err)
		}
		returned++
	}
	t.Logf("allowed %v, moved back %d, refused %v", allowed, returned, refused)
	for _, n := range names {
		if allowed[n] == 0 {
			t.Errorf("%s was never allowed, so nothing was shown", n)
		}
	}
}

// closed tells whether all children of an element have their own ends.
func closed(t *htmlsrc.Tree, parent htmlsrc.ID) bool {
	for c := range t.Children(parent) {
		if _, ok := t.EndTag(c); !ok && !t.Void(c) {
			return false
		}
	}
	return true
}

func sorted(b []byte) string {
	c := slices.Clone(b)
	slices.Sort(c)
	return string(c)
}
