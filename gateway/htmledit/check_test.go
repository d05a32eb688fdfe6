package htmledit_test

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/textpatch"
)

// A patch may do what it says and nothing else (R-TURN-2, D-57, D7b).
func TestCheckPatch(t *testing.T) {
	for _, c := range []struct {
		name, src, expected, with string
		code                      core.Code
	}{
		{"text", "<p>a</p><p>b</p>", "a", "c", ""},
		{"insert a sibling", "<ul><li>a</li><li>b</li></ul>", "<li>a</li>", "<li>a</li><li>x</li>", ""},
		{"insert where ends are left out", "<ul><li>a<li>b</ul>", "<li>b", "<li>x<li>b", ""},
		{"insert markup into text", "<p>one two</p>", "two", "<b>two</b>", ""},
		{"replace an element", "<div><p>a</p></div>", "<p>a</p>", "<ul><li>a</li></ul>", ""},
		{"replace an element with text", "<div><b>a</b></div>", "<b>a</b>", "a", ""},
		{"turn an element into a comment", "<div><b>a</b><i>c</i></div>", "<b>a</b>", "<!-- b -->", ""},
		{"wrap", "<main><p>a</p><p>b</p></main>", "<p>a</p><p>b</p>", "<div><p>a</p><p>b</p></div>", ""},
		{"rename", "<h1>a</h1><p>b</p>", "<h1>a</h1>", "<h2>a</h2>", ""},
		{"split a paragraph", "<div><p>aaa bbb</p></div>", "aaa bbb", "aaa</p><p>bbb", ""},
		{"join paragraphs", "<div><p>aaa</p><p>bbb</p></div>", "aaa</p><p>bbb", "aaa bbb", ""},
		{"split in three", "<div><p>aaa bbb ccc</p></div>", "aaa bbb ccc", "aaa</p><p>bbb</p><p>ccc", ""},
		{"attributes", `<p class="a" id=x>t</p>`, `class="a"`, `class="b" title="y"`, ""},
		{"an entity cut in two by trimming", "<p>a &amp; b</p>", "a &amp; b", "a &lt; b", ""},
		{"table rows", "<table><tr><td>a</table>", "<tr><td>a", "<tr><td>x<tr><td>a", ""},
		{"a row into an empty table", "<div><table></table></div>", "<table></table>", "<table><tr><td>a</table>", ""},
		{"css", "<style>p{color:red}</style><p>a", "color:red", "color:blue", ""},
		{"a new script beside one (the policy flags it)", "<script>a</script><p>b", "<p>b", "<script>c</script><p>b", ""},
		{"a head element", "<head><title>a</title></head><body>b", "<title>a</title>", `<title>a</title><link rel=icon href=x>`, ""},
		{"the first element of a page without tags", "<p>hi</p>", "<p>hi</p>", "<title>t</title><p>hi</p>", ""},
		{"append at the end", "<p>a</p>", "<p>a</p>", "<p>a</p><p>b</p>", ""},

		{"an address that looks like a reference", `<a href="?a=1&b=2">x</a>`, "?a=1&b=2", "?a=1&copy=2", ""},
		{"a reference out of two texts", "<p>a&am<b>x</b>p;</p>", "<b>x</b>", "", core.UnsafeStructure},

		{"left open", "<div><p>a</p><p>b</p></div>", "<p>a</p>", "<p>a</p><section>", core.UnsafeStructure},
		{"closes early", "<div><p>a</p><p>b</p></div>", "<p>a</p>", "<p>a</p></div>", core.UnsafeStructure},
		{"closes early, nothing behind", "<main><div><p>a</p></div></main>", "<p>a</p>", "<p>a</p></div><b>x</b>", core.UnsafeStructure},
		{"start tag taken, end left", "<main><div><p>a</p></div></main>", "<div>", "", core.UnsafeStructure},
		{"end tag taken", "<main><div><p>a</p></div><p>b</p></main>", "</div>", "", core.UnsafeStructure},
		{"a formatting tag left open", "<p>a</p><p>b</p>", "a", "<b>a", core.UnsafeStructure},
		{"a comment left open", "<p>a</p><p>b</p>", "a", "a<!--", core.UnsafeStructure},
		{"a quote left open", `<p class="a">x</p><p class="b">y</p>`, `"a"`, `"a`, core.UnsafeStructure},
		{"a textarea left open", "<p>a</p><p>b</p>", "a", "<textarea>a", core.UnsafeStructure},
		{"a script left open", "<p>a</p><p>b</p>", "a", "<script>a", core.UnsafeStructure},
		{"out of a table", "<table><tr><td>a</td></tr></table>", "<tr><td>a</td></tr>", "<div>x</div><tr><td>a</td></tr>", core.UnsafeStructure},
		{"text out of a table", "<table><tr><td>a</td></tr></table>", "<tr><td>a</td></tr>", "x<tr><td>a</td></tr>", core.UnsafeStructure},
		{"a block into a paragraph", "<p>a b</p>", "b", "<div>b</div>", core.UnsafeStructure},
		{"a doctype taken", "<!doctype html><p>a<table></table>", "<!doctype html>", "", core.UnsafeStructure},
		{"another encoding", "<meta charset=utf-8><p>a", "utf-8", "iso-2022-jp", core.UnsafeStructure},
		{"another encoding in front", "<meta charset=utf-8><p>a", "<meta", "<meta http-equiv=Content-Type content='text/html; charset=gbk'><meta", core.UnsafeStructure},
		{"another encoding in text that browsers look through", "<title>QQ</title><meta charset=utf-8><p>b", "QQ", "<meta charset=x-user-defined>", core.UnsafeStructure},
		{"another encoding far behind", "<p>a</p>" + strings.Repeat("x", 9000) + "<p>b", "<p>b", "<meta charset=big5><p>b", core.UnsafeStructure},
		{"the encoding taken away", "<meta charset=utf-8><p>a", "<meta charset=utf-8>", "", core.UnsafeStructure},
		{"the encoding pushed away", "<meta charset=utf-8><p>a", "<meta", "<!--" + strings.Repeat("x", 1000) + "--><meta", core.UnsafeStructure},
		{"the encoding written in another way", "<meta charset=utf-8><p>a", "charset=utf-8", `http-equiv="content-type" content="text/html; charset=UTF8"`, ""},
		{"an encoding where there was none", "<title>a</title><p>b", "<title>", "<meta charset=utf-8><title>", ""},
		{"another encoding behind a byte-order mark", "\ufeff<meta charset=utf-8><p>a", "utf-8", "latin1", ""},
		{"words about an encoding", "<meta charset=utf-8><p>QQ", "QQ", "charset=latin1, &lt;meta charset=latin1>", ""},
		{"text into the head", "<head><title>a</title><link></head><body class=x>b", "<link>", "x<link>", core.UnsafeStructure},
		{"a body tag that comes late", "<p>a</p><p>b</p>", "<p>a</p>", "<p>a</p><body class=x>", ""},
		{"form in a form", "<form><input></form>", "<input>", "<form><input></form><input>", core.UnsafeStructure},
		{"a link in a link", "<a href=x>a b c</a>", "b", "<a href=y>b</a>", core.UnsafeStructure},
		{"a newline of pre comes to life", "<pre>\nx</pre>", "<pre>", "<pre>y", core.UnsafeStructure},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := parse(t, c.src)
			edits, err := textpatch.Patch(tree.Source(), []textpatch.Replacement{{Expected: c.expected, Replacement: c.with}})
			if err != nil {
				t.Fatal(err)
			}
			after, err := htmledit.Check(tree, edits, scripting)
			if core.CodeOf(err) != c.code {
				t.Fatalf("error %v, want code %q", err, c.code)
			}
			if err == nil && core.AsError(err) == nil {
				want, _ := textpatch.Apply(tree.Source(), edits)
				if string(after.Source()) != string(want) {
					t.Errorf("the map is of %q, want %q", after.Source(), want)
				}
			}
		})
	}
}

// Edits in two places work together: wrap, unwrap, rename.
func TestCheckTwoEdits(t *testing.T) {
	for _, c := range []struct {
		name, src string
		list      []textpatch.Replacement
		code      core.Code
	}{
		{"wrap", "<main><p>a</p><p>b</p><p>c</p></main>", []textpatch.Replacement{{Expected: "<p>a", Replacement: "<div><p>a"}, {Expected: "b</p>", Replacement: "b</p></div>"}}, ""},
		{"unwrap", "<main><div id=x><p>a</p></div></main>", []textpatch.Replacement{{Expected: "<div id=x>", Replacement: ""}, {Expected: "</div>", Replacement: ""}}, ""},
		{"rename", "<main><h1 id=x>a<b>c</b></h1></main>", []textpatch.Replacement{{Expected: "<h1", Replacement: "<h2"}, {Expected: "</h1", Replacement: "</h2"}}, ""},
		{"rename one end only", "<main><h1 id=x>a<b>c</b></h1></main>", []textpatch.Replacement{{Expected: "<h1", Replacement: "<h2"}}, core.UnsafeStructure},
		{"wrap across a border", "<main><div><p>a</p></div><p>b</p></main>", []textpatch.Replacement{{Expected: "<p>a", Replacement: "<i><p>a"}, {Expected: "<p>b", Replacement: "</i><p>b"}}, core.UnsafeStructure},
		{"wrap in a script", "<main><p>a</p></main>", []textpatch.Replacement{{Expected: "<p>a", Replacement: "<script><p>a"}, {Expected: "</main>", Replacement: "</script></main>"}}, core.UnsafeStructure},
		{"comment out", "<main><p>a</p><p>b</p></main>", []textpatch.Replacement{{Expected: "<p>a", Replacement: "<!--<p>a"}, {Expected: "<p>b", Replacement: "--><p>b"}}, core.UnsafeStructure},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := parse(t, c.src)
			edits, err := textpatch.Patch(tree.Source(), c.list)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := htmledit.Check(tree, edits, scripting); core.CodeOf(err) != c.code {
				t.Errorf("error %v, want code %q", err, c.code)
			}
		})
	}
}

// T-75: what the edited bytes cannot be is refused as mapping them is.
func TestCheckRefusesBytes(t *testing.T) {
	tree := parse(t, "<p>é</p>"+strings.Repeat("<p>text</p>", 20))
	for _, c := range []struct {
		e    core.Edit
		code core.Code
	}{
		{core.Edit{Span: core.Span{Start: 4, End: 5}}, core.InvalidEdit},
		{core.Edit{Span: core.Span{Start: 3, End: 5}, Replacement: "\x00"}, core.HasNUL},
		{core.Edit{Span: core.Span{Start: 3, End: 500}}, core.InvalidEdit},
	} {
		if _, err := htmledit.Check(tree, []core.Edit{c.e}, scripting); core.CodeOf(err) != c.code {
			t.Errorf("%v: %v, want %s", c.e, err, c.code)
		}
	}
}
