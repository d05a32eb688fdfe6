package htmledit_test

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

var scripting = htmlsrc.Options{Scripting: true}

func parse(t testing.TB, src string) *htmlsrc.Tree {
	t.Helper()
	tree, err := htmlsrc.Parse([]byte(src), scripting)
	if err != nil {
		t.Fatalf("Parse(%q): %v", src, err)
	}
	return tree
}

// first gives the first element with the id x, or else of that name.
func first(t testing.TB, tree *htmlsrc.Tree, name string) htmlsrc.ID {
	t.Helper()
	for id := range tree.Elements() {
		if tree.Name(id) == name {
			return id
		}
	}
	t.Fatalf("no <%s> in %q", name, tree.Source())
	return 0
}

// do plans, checks and applies operations, and proves that the bytes outside the
// edits stay and that the edits can be taken back.
func do(t testing.TB, tree *htmlsrc.Tree, ops ...htmledit.Op) (string, error) {
	t.Helper()
	src := tree.Source()
	edits, err := htmledit.Plan(tree, ops)
	if err != nil {
		return "", err
	}
	after, err := htmledit.Check(tree, edits, scripting)
	if err != nil {
		return "", err
	}
	if _, err := textpatch.Stat(src, after.Source(), edits); err != nil {
		t.Fatalf("%v", err)
	}
	back, err := textpatch.Apply(after.Source(), textpatch.Inverse(src, edits))
	if err != nil || string(back) != string(src) {
		t.Fatalf("taking %v back gives %q (%v), want %q", edits, back, err, src)
	}
	return string(after.Source()), nil
}

type planCase struct {
	name   string
	src    string
	target string // element name
	kind   htmledit.Kind
	arg    string // name of the attribute or property
	value  string
	want   string
	code   core.Code
}

func runCases(t *testing.T, cases []planCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := parse(t, c.src)
			got, err := do(t, tree, htmledit.Op{Note: 1, Kind: c.kind, Target: first(t, tree, c.target), Name: c.arg, Value: c.value})
			if core.CodeOf(err) != c.code {
				t.Fatalf("error %v, want code %q", err, c.code)
			}
			if err == nil && got != c.want {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
			if err != nil {
				return
			}
			// Doing it again changes nothing.
			tree = parse(t, got)
			if c.kind != htmledit.RemoveNode {
				if _, err := do(t, tree, htmledit.Op{Kind: c.kind, Target: first(t, tree, c.target), Name: c.arg, Value: c.value}); core.CodeOf(err) != core.NoOp {
					t.Errorf("again: %v, want %s", err, core.NoOp)
				}
			}
		})
	}
}

// T-76, R-TURN-4.
func TestReplaceText(t *testing.T) {
	k := htmledit.ReplaceText
	runCases(t, []planCase{
		{"plain", "<h1>Old</h1>", "h1", k, "", "New", "<h1>New</h1>", ""},
		{"escaped", "<h1>Old</h1>", "h1", k, "", `a < b & c > d "q" 'r'`, `<h1>a &lt; b &amp; c &gt; d "q" 'r'</h1>`, ""},
		{"markup is text", "<p>Old</p>", "p", k, "", "<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>", ""},
		{"an entity is text", "<p>Old</p>", "p", k, "", "&amp;", "<p>&amp;amp;</p>", ""},
		{"white space of the source stays", "<p>\n  Old\n</p>", "p", k, "", "New", "<p>\n  New\n</p>", ""},
		{"white space of the value goes where the source has its own", "<p>\n  Old\n</p>", "p", k, "", "\n  New\n", "<p>\n  New\n</p>", ""},
		{"H39 CRLF", "<p>\r\n  Old\r\n</p>", "p", k, "", "two\nlines", "<p>\r\n  two\r\nlines\r\n</p>", ""},
		{"H41 BOM", "\ufeff<p>Old</p>", "p", k, "", "New", "\ufeff<p>New</p>", ""},
		{"title is RCDATA", "<title>Old</title>", "title", k, "", "a</title><b>", "<title>a&lt;/title&gt;&lt;b&gt;</title>", ""},
		{"textarea", "<textarea>Old</textarea>", "textarea", k, "", "a & b", "<textarea>a &amp; b</textarea>", ""},
		{"H33 pre, newline in front", "<pre>Old</pre>", "pre", k, "", "\nx", "<pre>\n\nx</pre>", ""},
		{"H33 pre, newline dropped by the browser stays", "<pre>\nOld</pre>", "pre", k, "", "x", "<pre>\nx</pre>", ""},
		{"H33 textarea with two newlines", "<textarea>\n\nOld</textarea>", "textarea", k, "", "x", "<textarea>\n\nx</textarea>", ""},
		{"line ends do not run together (H40)", "<textarea>\rx\n</textarea>\n", "textarea", k, "", "\n\ny", "<textarea>\r\r\ry\n</textarea>\n", ""},
		{"an end tag left out (H2)", "<p>Old", "p", k, "", "New", "<p>New", ""},
		{"li without end (H1)", "<ul><li>One<li>Two</ul>", "li", k, "", "Eins", "<ul><li>Eins<li>Two</ul>", ""},
		{"td", "<table><tr><td>Old</table>", "td", k, "", "New", "<table><tr><td>New</table>", ""},
		{"the only run, deeper", "<div> <b><i>Old</i></b> </div>", "div", k, "", "New", "<div> <b><i>New</i></b> </div>", ""},
		{"beside a script", "<div>Old<script>var x</script></div>", "div", k, "", "New", "<div>New<script>var x</script></div>", ""},
		{"H28 a bare & elsewhere stays", "<p>Old<a href='?a=1&b=2'></a></p>", "p", k, "", "New", "<p>New<a href='?a=1&b=2'></a></p>", ""},
		{"empty element gets a text", "<p></p>", "p", k, "", "New", "<p>New</p>", ""},
		{"blank element gets a text", "<p> </p>", "p", k, "", "New", "<p>New</p>", ""},
		{"SVG text", "<svg><text>Old</text></svg>", "text", k, "", "a<b", "<svg><text>a&lt;b</text></svg>", ""},
		{"a formatting tag that makes two elements", "<p><b>Old</p><p></p>x", "b", k, "", "New", "<p><b>New</p><p></p>x", ""},
		{"the same text", "<p>Same</p>", "p", k, "", "Same", "", core.NoOp},
		{"several runs", "<p>a<b>b</b></p>", "p", k, "", "x", "", core.Ambiguous},
		{"script", "<script>x</script>", "script", k, "", "y", "", core.ScriptRegion},
		{"SVG script", "<svg><script>x</script></svg>", "script", k, "", "y", "", core.ScriptRegion},
		{"style", "<style>x</style>", "style", k, "", "y", "", core.Unsupported},
		{"iframe", "<iframe>x</iframe>", "iframe", k, "", "y", "", core.Unsupported},
		{"noscript is text while scripts run (H53)", "<body><noscript>x</noscript>", "noscript", k, "", "y", "", core.Unsupported},
		{"CDATA (H60)", "<svg><text><![CDATA[x]]></text></svg>", "text", k, "", "y", "", core.Unsupported},
		{"void", "<br>", "br", k, "", "y", "", core.Unsupported},
		{"a table", "<table></table>", "table", k, "", "y", "", core.Unsupported},
		{"only elements", "<p><img></p>", "p", k, "", "y", "", core.Unsupported},
		{"implied (H4)", "hello", "body", k, "", "y", "", core.NoSource},
		{"control character", "<p>x</p>", "p", k, "", "a\x00b", "", core.InvalidEdit},
		{"not UTF-8", "<p>x</p>", "p", k, "", "a\xff", "", core.InvalidEdit},
	})
}

// Any run of mixed content can be named.
func TestReplaceTextRuns(t *testing.T) {
	tree := parse(t, "<p> one <b>two</b> three<!-- c -->four<script>no</script></p><template>out</template>")
	p := first(t, tree, "p")
	runs := htmledit.Runs(tree, p)
	want := []string{" one ", "two", " three", "four"}
	if len(runs) != len(want) {
		t.Fatalf("%d runs, want %d", len(runs), len(want))
	}
	var ops []htmledit.Op
	for i, r := range runs {
		if tree.Text(r) != want[i] {
			t.Errorf("run %d is %q, want %q", i, tree.Text(r), want[i])
		}
		ops = append(ops, htmledit.Op{Note: i + 1, Kind: htmledit.ReplaceText, Target: p, Run: r, Value: strings.Repeat("x", i+1)})
	}
	got, err := do(t, tree, ops...)
	if want := "<p> x <b>xx</b> xxx<!-- c -->xxxx<script>no</script></p><template>out</template>"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := do(t, tree, ops[0], ops[0]); core.CodeOf(err) != core.Overlap {
		t.Errorf("one run twice: %v", err)
	}
	other := first(t, tree, "template")
	if _, err := do(t, tree, htmledit.Op{Kind: htmledit.ReplaceText, Target: other, Run: runs[0], Value: "x"}); core.CodeOf(err) != core.InvalidEdit {
		t.Errorf("a run of another element: %v", err)
	}
}

// T-77, H26, H27, H34, H35.
func TestSetAttribute(t *testing.T) {
	k := htmledit.SetAttribute
	runCases(t, []planCase{
		{"double", `<a href="x" class="y">`, "a", k, "href", "z", `<a href="z" class="y">`, ""},
		{"single kept (H27)", `<a data-j='{"a":1}' href='x'>`, "a", k, "href", `it's "z"`, `<a data-j='{"a":1}' href='it&#39;s "z"'>`, ""},
		{"unquoted kept", `<a href=x class=y>`, "a", k, "href", "z", `<a href=z class=y>`, ""},
		{"unquoted gets quotes when it must", `<a href=x class=y>`, "a", k, "href", "z z", `<a href="z z" class=y>`, ""},
		{"unquoted to empty", `<a title=x class=y>`, "a", k, "title", "", `<a title="" class=y>`, ""},
		{"double quotes escaped", `<a title="x">`, "a", k, "title", `say "hi" & <go>`, `<a title="say &quot;hi&quot; &amp; &lt;go>">`, ""},
		{"new", `<a>`, "a", k, "href", "/x", `<a href="/x">`, ""},
		{"new behind the last", `<a href=x>`, "a", k, "title", "y", `<a href=x title="y">`, ""},
		{"new on a tag closed by a slash", `<img src="x"/>`, "img", k, "alt", "y", `<img src="x" alt="y"/>`, ""},
		{"new on a tag with a blank and a slash", `<br />`, "br", k, "title", "y", `<br title="y" />`, ""},
		{"new behind an unquoted value ending in a slash (H36)", `<a href=x/>`, "a", k, "title", "y", `<a href=x/ title="y">`, ""},
		{"lines kept (H26)", "<a\n  href=x\n  class=y\n>", "a", k, "title", "z", "<a\n  href=x\n  class=y\n  title=\"z\"\n>", ""},
		{"case of the name kept (H34)", `<A HREF="x" *ngIf="y">`, "a", k, "href", "z", `<A HREF="z" *ngIf="y">`, ""},
		{"spaces around the equals sign kept", `<a href = "x" >`, "a", k, "href", "z", `<a href = "z" >`, ""},
		{"boolean, new", `<input>`, "input", k, "disabled", "", `<input disabled>`, ""},
		{"not boolean, new and empty", `<img>`, "img", k, "alt", "", `<img alt="">`, ""},
		{"boolean gets a value", `<input disabled name=x>`, "input", k, "disabled", "disabled", `<input disabled="disabled" name=x>`, ""},
		{"a missing value", `<a href= >`, "a", k, "href", "z", `<a href= z>`, ""},
		{"the first of two (H35)", `<a href=x href=y>`, "a", k, "href", "z", `<a href=z href=y>`, ""},
		{"SVG capitals (H38)", `<svg viewBox="0 0 1 1"></svg>`, "svg", k, "viewbox", "0 0 2 2", `<svg viewBox="0 0 2 2"></svg>`, ""},
		{"newline as the file has it", "<a title=x>\r\n", "a", k, "title", "a\nb", "<a title=\"a\r\nb\">\r\n", ""},
		{"smart quotes (H37)", `<a target=”_blank” x>`, "a", k, "target", "y", `<a target=y x>`, ""},
		{"entity elsewhere kept", `<a title="&copy; x" href=y>`, "a", k, "href", "z", `<a title="&copy; x" href=z>`, ""},
		{"style, valid", `<p style="color:red">`, "p", k, "style", "margin: 0; color: blue !important", `<p style="margin: 0; color: blue !important">`, ""},
		{"a data image", `<img src=x>`, "img", k, "src", "data:image/png;base64,AA", `<img src=data:image/png;base64,AA>`, ""},
		{"on body", "<body><p>", "body", k, "class", "x", `<body class="x"><p>`, ""},
		{"a shared tag edits all", "<p><b>x<p>y", "b", k, "class", "z", `<p><b class="z">x<p>y`, ""},
		{"same value", `<a href="&amp;">`, "a", k, "href", "&", "", core.NoOp},
		{"boolean there", `<input disabled>`, "input", k, "disabled", "", "", core.NoOp},
		{"handler (T-79)", `<a>`, "a", k, "onclick", "x", "", core.ScriptRegion},
		{"handler in capitals", `<a>`, "a", k, "ONclick", "x", "", core.ScriptRegion},
		{"srcdoc", `<iframe>`, "iframe", k, "srcdoc", "x", "", core.Policy},
		{"xmlns", `<svg>`, "svg", k, "xmlns", "x", "", core.Policy},
		{"javascript:", `<a>`, "a", k, "href", "javascript:x", "", core.Policy},
		{"javascript: disguised", `<a>`, "a", k, "href", "\x01 jAva\tscr\nipt:x", "", core.InvalidEdit},
		{"javascript: with newlines", `<a>`, "a", k, "href", "  java\nscript\t:x", "", core.Policy},
		{"vbscript:", `<a>`, "a", k, "href", "vbscript:x", "", core.Policy},
		{"data page", `<iframe>`, "iframe", k, "src", "data:text/html,<b>", "", core.Policy},
		{"data page, more disguised", `<iframe>`, "iframe", k, "src", "data: TEXT/HTML ;x,<b>", "", core.Policy},
		{"data SVG in an object", `<object>`, "object", k, "data", "data:image/svg+xml,<svg>", "", core.Policy},
		{"srcset", `<img>`, "img", k, "srcset", "a.png 1x, javascript:x 2x", "", core.Policy},
		{"formaction", `<button>`, "button", k, "formaction", "javascript:x", "", core.Policy},
		{"xlink:href", `<svg><a></a></svg>`, "a", k, "xlink:href", "javascript:x", "", core.Policy},
		{"SVG animation", `<svg><set attributeName=href></set></svg>`, "set", k, "to", "javascript:x", "", core.Policy},
		{"style url", `<p>`, "p", k, "style", "background:url(https://x/y)", "", core.Policy},
		{"style junk", `<p>`, "p", k, "style", "color", "", core.InvalidEdit},
		{"bad name", `<p>`, "p", k, "a b", "x", "", core.InvalidEdit},
		{"name with a quote", `<p>`, "p", k, `a"`, "x", "", core.InvalidEdit},
		{"no name", `<p>`, "p", k, "", "x", "", core.InvalidEdit},
		{"long name", `<p>`, "p", k, strings.Repeat("a", 129), "x", "", core.InvalidEdit},
		{"implied", `x`, "body", k, "class", "x", "", core.NoSource},
		{"moves out of a table", `<table><tr><input type=hidden></table>`, "input", k, "type", "text", "", core.UnsafeStructure},
	})
}

// T-77.
func TestRemoveAttribute(t *testing.T) {
	k := htmledit.RemoveAttribute
	runCases(t, []planCase{
		{"first", `<a href="x" class="y">`, "a", k, "href", "", `<a class="y">`, ""},
		{"last", `<a href="x" class="y">`, "a", k, "class", "", `<a href="x">`, ""},
		{"with its line", "<a\n  href=x\n  class=y\n>", "a", k, "class", "", "<a\n  href=x\n>", ""},
		{"all repeats (H35)", `<a href=x class=y href=z>`, "a", k, "href", "", `<a class=y>`, ""},
		{"no blank behind", `<a b="1"c="2">`, "a", k, "b", "", `<a c="2">`, ""},
		{"slash behind a bare value", `<img src=x alt="y"/>`, "img", k, "alt", "", `<img src=x />`, ""},
		{"slash behind a quoted value", `<img src="x" alt="y"/>`, "img", k, "alt", "", `<img src="x"/>`, ""},
		{"boolean", `<input disabled name=x>`, "input", k, "DISABLED", "", `<input name=x>`, ""},
		{"not there", `<a>`, "a", k, "href", "", "", core.NoOp},
		{"handler", `<a onclick=x>`, "a", k, "onclick", "", "", core.ScriptRegion},
	})
}

func TestSetStyle(t *testing.T) {
	k := htmledit.SetStyle
	runCases(t, []planCase{
		{"in place", `<p style="color: red; margin:0">`, "p", k, "color", "blue", `<p style="color: blue; margin:0">`, ""},
		{"appended", `<p style="color: red">`, "p", k, "margin", "0 auto", `<p style="color: red; margin: 0 auto">`, ""},
		{"appended, semicolon kept", `<p style="color: red;">`, "p", k, "margin", "0", `<p style="color: red; margin: 0;">`, ""},
		{"appended, no blanks", `<p style="color:red;top:1px">`, "p", k, "margin", "0", `<p style="color:red;top:1px;margin:0">`, ""},
		{"appended, own lines", "<p style=\"\n color: red;\n top: 0;\n\">", "p", k, "margin", "0", "<p style=\"\n color: red;\n top: 0;\n margin: 0;\n\">", ""},
		{"no style yet", `<p class=x>`, "p", k, "color", "red", `<p class=x style="color: red">`, ""},
		{"empty style", `<p style="">`, "p", k, "color", "red", `<p style="color: red">`, ""},
		{"single quotes", `<p style='font-family:"A"'>`, "p", k, "color", "red", `<p style='font-family:"A";color:red'>`, ""},
		{"unquoted", `<p style=color:red>`, "p", k, "color", "blue", `<p style=color:blue>`, ""},
		{"unquoted needs quotes", `<p style=color:red>`, "p", k, "margin", "0 1px", `<p style="color:red;margin:0 1px">`, ""},
		{"entities of others kept", `<p style="font-family:&quot;A&quot;; color:red">`, "p", k, "color", "blue", `<p style="font-family:&quot;A&quot;; color:blue">`, ""},
		{"a string value", `<p style="color:red">`, "p", k, "font-family", `"A B", serif`, `<p style="color:red;font-family:&quot;A B&quot;, serif">`, ""},
		{"important kept", `<p style="color: red !important">`, "p", k, "color", "blue", `<p style="color: blue !important">`, ""},
		{"important set", `<p style="color: red">`, "p", k, "color", "blue !important", `<p style="color: blue !important">`, ""},
		{"the last of two", `<p style="color: red; color: green">`, "p", k, "color", "blue", `<p style="color: red; color: blue">`, ""},
		{"the important of two", `<p style="color: red!important; color: green">`, "p", k, "color", "blue", `<p style="color: blue !important; color: green">`, ""},
		{"behind a shorthand", `<p style="background-color: red; background: none">`, "p", k, "background-color", "blue", `<p style="background: none; background-color: blue">`, ""},
		{"case of the name", `<p style="COLOR: red">`, "p", k, "color", "blue", `<p style="COLOR: blue">`, ""},
		{"custom property", `<p style="--A: 1; --a: 2">`, "p", k, "--A", "3", `<p style="--A: 3; --a: 2">`, ""},
		{"semicolon in a url", `<p style="background:url(a;b.png);color:red">`, "p", k, "color", "blue", `<p style="background:url(a;b.png);color:blue">`, ""},
		{"comment between", `<p style="/* ; */ color: red">`, "p", k, "color", "blue", `<p style="/* ; */ color: blue">`, ""},
		{"removed", `<p style="color: red; margin: 0; top: 0">`, "p", k, "margin", "", `<p style="color: red; top: 0">`, ""},
		{"first removed", `<p style="color: red; margin: 0">`, "p", k, "color", "", `<p style="margin: 0">`, ""},
		{"a file beside the page", `<p>`, "p", k, "background-image", "url(img/a.png)", `<p style="background-image: url(img/a.png)">`, ""},
		{"same", `<p style="color: red">`, "p", k, "color", "red", "", core.NoOp},
		{"remove what is not there", `<p style="color: red">`, "p", k, "margin", "", "", core.NoOp},
		{"escape by semicolon", `<p>`, "p", k, "color", "red; position: fixed", "", core.InvalidEdit},
		{"escape by brace", `<p>`, "p", k, "color", "red} body{", "", core.InvalidEdit},
		{"open bracket", `<p>`, "p", k, "color", "rgb(1", "", core.InvalidEdit},
		{"open string", `<p>`, "p", k, "color", `"a`, "", core.InvalidEdit},
		{"comment", `<p>`, "p", k, "color", `red /* x`, "", core.InvalidEdit},
		{"at rule", `<p>`, "p", k, "color", `@import "x"`, "", core.InvalidEdit},
		{"external url", `<p>`, "p", k, "background", "url(//x.example/a)", "", core.Policy},
		{"external url in quotes", `<p>`, "p", k, "background", `url("https://x.example/a")`, "", core.Policy},
		{"external image-set", `<p>`, "p", k, "background", `image-set("https://x.example/a" 1x)`, "", core.Policy},
		{"external address for image-set", `<p>`, "p", k, "--x", `"https://x.example/a"`, "", core.Policy},
		{"words in a custom property", `<p>`, "p", k, "--x", `"Note: one"`, `<p style="--x: &quot;Note: one&quot;">`, ""},
		{"external address for a custom function", `<p>`, "p", k, "background", `--f("https://x.example/a")`, "", core.Policy},
		{"escaped url", `<p>`, "p", k, "background", `\75rl(https://x.example/a)`, "", core.InvalidEdit},
		{"javascript url", `<p>`, "p", k, "background", `url(javascript:x)`, "", core.Policy},
		{"expression", `<p>`, "p", k, "width", `expression(alert(1))`, "", core.Policy},
		{"binding", `<p>`, "p", k, "-moz-binding", `none`, "", core.Policy},
		{"bad name", `<p>`, "p", k, "col or", `red`, "", core.InvalidEdit},
		{"name with a colon", `<p>`, "p", k, "color:red;x", `red`, "", core.InvalidEdit},
		{"nothing can be added behind an open string", `<p style='color: "red'>`, "p", k, "margin", "0", "", core.Unsupported},
	})
}

func TestClasses(t *testing.T) {
	runCases(t, []planCase{
		{"add", `<p class="a b">`, "p", htmledit.AddClass, "", "c", `<p class="a b c">`, ""},
		{"add two, one there", `<p class="a b">`, "p", htmledit.AddClass, "", "b c d", `<p class="a b c d">`, ""},
		{"add to none", `<p id=x>`, "p", htmledit.AddClass, "", "c", `<p id=x class="c">`, ""},
		{"add to unquoted", `<p class=a>`, "p", htmledit.AddClass, "", "c", `<p class="a c">`, ""},
		{"add to empty", `<p class>`, "p", htmledit.AddClass, "", "c", `<p class="c">`, ""},
		{"add keeps blanks", `<p class=" a  b ">`, "p", htmledit.AddClass, "", "c", `<p class=" a  b c ">`, ""},
		{"add is case sensitive", `<p class="A">`, "p", htmledit.AddClass, "", "a", `<p class="A a">`, ""},
		{"part of a name is not it", `<p class="btn-big">`, "p", htmledit.AddClass, "", "btn", `<p class="btn-big btn">`, ""},
		{"remove", `<p class="a b c">`, "p", htmledit.RemoveClass, "", "b", `<p class="a c">`, ""},
		{"remove the first", `<p class="a b c">`, "p", htmledit.RemoveClass, "", "a", `<p class="b c">`, ""},
		{"remove the last", `<p class="a b c">`, "p", htmledit.RemoveClass, "", "c", `<p class="a b">`, ""},
		{"remove all of a name", `<p class="a b a">`, "p", htmledit.RemoveClass, "", "a", `<p class="b">`, ""},
		{"remove the only one", `<p class=a>`, "p", htmledit.RemoveClass, "", "a", `<p class="">`, ""},
		{"remove two in a row", `<p class="x a b y">`, "p", htmledit.RemoveClass, "", "a b", `<p class="x y">`, ""},
		{"entities", `<p class="a&amp;b c">`, "p", htmledit.RemoveClass, "", "a&b", `<p class="c">`, ""},
		{"add, there", `<p class="a b">`, "p", htmledit.AddClass, "", "b", "", core.NoOp},
		{"remove, not there", `<p class="a b">`, "p", htmledit.RemoveClass, "", "c", "", core.NoOp},
		{"none named", `<p>`, "p", htmledit.AddClass, "", "  ", "", core.InvalidEdit},
	})
}

// T-78.
func TestRemoveNode(t *testing.T) {
	k := htmledit.RemoveNode
	runCases(t, []planCase{
		{"balanced", "<div><p>a</p><b>b</b></div>", "p", k, "", "", "<div><b>b</b></div>", ""},
		{"void", "<div>a<img src=x>b</div>", "img", k, "", "", "<div>ab</div>", ""},
		{"end implied (H1)", "<ul><li>a<li>b</ul>", "li", k, "", "", "<ul><li>b</ul>", ""},
		{"unclosed to the end", "<div>a<p>b", "p", k, "", "", "<div>a", ""},
		{"SVG closed by a slash", "<svg><path d='M0'/><g></g></svg>", "path", k, "", "", "<svg><g></g></svg>", ""},
		{"with a script inside", "<div><section><script>x</script></section></div>", "section", k, "", "", "<div></div>", ""},
		{"the row of an implied body (H10)", "<table><tr><td>a<tr><td>b</table>", "tr", k, "", "", "<table><tr><td>b</table>", ""},
		{"the first thing of a page without body tags", "<!doctype html>\n<p>a</p>\n<p>b</p>", "p", k, "", "", "<!doctype html>\n\n<p>b</p>", ""},
		{"a tag that makes two elements (H14)", "<p><b>x<p>y", "b", k, "", "", "", core.UnsafeStructure},
		{"implied (H4)", "<p>x", "html", k, "", "", "", core.NoSource},
		{"body", "<body><p>x</body>", "body", k, "", "", "", core.UnsafeStructure},
		{"moved out of a table (H22)", "<table><div>x</div><tr></table>", "div", k, "", "", "", core.UnsafeStructure},
		{"script", "<script>x</script>", "script", k, "", "", "", core.ScriptRegion},
		{"two texts would become one reference (H31)", "<p>&#x20<br>b", "br", k, "", "", "", core.UnsafeStructure},
		{"an ignored tag would come to life", "<html><meta><head x>", "meta", k, "", "", "", core.UnsafeStructure},
		{"selects would change roles", "<select><select><select>", "select", k, "", "", "", core.UnsafeStructure},
	})
}

// Several operations on one tag join; two on one thing do not.
func TestPlanJoins(t *testing.T) {
	tree := parse(t, `<a href="x" style="color:red" class="a">t</a>`)
	a := first(t, tree, "a")
	op := func(note int, kind htmledit.Kind, name, value string) htmledit.Op {
		return htmledit.Op{Note: note, Kind: kind, Target: a, Name: name, Value: value}
	}
	all := []htmledit.Op{
		op(1, htmledit.SetAttribute, "href", "y"), op(2, htmledit.SetStyle, "color", "blue"), op(3, htmledit.SetStyle, "top", "0"),
		op(4, htmledit.AddClass, "", "b"), op(5, htmledit.RemoveClass, "", "a"), op(6, htmledit.SetAttribute, "id", "i"),
		op(7, htmledit.SetAttribute, "title", "t"), op(8, htmledit.ReplaceText, "", "u"),
	}
	got, err := do(t, tree, all...)
	if want := `<a href="y" style="color:blue;top:0" class="b" id="i" title="t">u</a>`; err != nil || got != want {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	for name, pair := range map[string][2]htmledit.Op{
		"one attribute":    {op(1, htmledit.SetAttribute, "href", "y"), op(2, htmledit.SetAttribute, "HREF", "z")},
		"set and remove":   {op(1, htmledit.SetAttribute, "href", "y"), op(2, htmledit.RemoveAttribute, "href", "")},
		"one property":     {op(1, htmledit.SetStyle, "color", "y"), op(2, htmledit.SetStyle, "Color", "z")},
		"style and a part": {op(1, htmledit.SetAttribute, "style", "top:0"), op(2, htmledit.SetStyle, "left", "0")},
		"a part and style": {op(1, htmledit.SetStyle, "left", "0"), op(2, htmledit.SetAttribute, "style", "top:0")},
		"class and a part": {op(1, htmledit.RemoveAttribute, "class", ""), op(2, htmledit.AddClass, "", "b")},
		"one class":        {op(1, htmledit.AddClass, "", "b"), op(2, htmledit.AddClass, "", "b")},
		"inside a removal": {op(1, htmledit.RemoveNode, "", ""), op(2, htmledit.SetAttribute, "href", "z")},
		"removed twice":    {op(1, htmledit.RemoveNode, "", ""), op(2, htmledit.RemoveNode, "", "")},
		"text of a gone":   {op(1, htmledit.RemoveNode, "", ""), op(2, htmledit.ReplaceText, "", "z")},
	} {
		if _, err := do(t, tree, pair[0], pair[1]); core.CodeOf(err) != core.Overlap {
			t.Errorf("%s: %v, want %s", name, err, core.Overlap)
		}
	}
	// One that changes nothing refuses the whole list, and says which.
	_, err = do(t, tree, op(1, htmledit.SetAttribute, "href", "y"), op(2, htmledit.AddClass, "", "a"))
	if core.CodeOf(err) != core.NoOp || core.AsError(err).Detail["index"] != 2 {
		t.Errorf("%v %v", err, core.AsError(err).Detail)
	}
	if _, err := htmledit.Plan(tree, nil); core.CodeOf(err) != core.NoOp {
		t.Errorf("%v", err)
	}
	if _, err := htmledit.Plan(tree, []htmledit.Op{{Kind: "explode", Target: a}}); core.CodeOf(err) != core.InvalidEdit {
		t.Errorf("%v", err)
	}
	if _, err := htmledit.Plan(tree, []htmledit.Op{{Kind: htmledit.SetStyle, Target: 999}}); core.CodeOf(err) != core.InvalidEdit {
		t.Errorf("%v", err)
	}
	if _, err := htmledit.Plan(tree, make([]htmledit.Op, core.MaxMutationsPerCall+1)); core.CodeOf(err) != core.TooMany {
		t.Errorf("%v", err)
	}
}

// Each edit of a joined tag keeps its note, so that one note can be reverted
// alone (R-DOC-3).
func TestPlanNotes(t *testing.T) {
	src := `<a style="color:red">t</a>`
	tree := parse(t, src)
	a := first(t, tree, "a")
	edits, err := htmledit.Plan(tree, []htmledit.Op{
		{Note: 1, Kind: htmledit.SetStyle, Target: a, Name: "color", Value: "blue"},
		{Note: 2, Kind: htmledit.SetStyle, Target: a, Name: "top", Value: "0"},
		{Note: 3, Kind: htmledit.SetAttribute, Target: a, Name: "id", Value: "i"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for note, want := range map[int]string{
		1: `<a style="color:blue">t</a>`, 2: `<a style="color:red;top:0">t</a>`, 3: `<a style="color:red" id="i">t</a>`,
	} {
		var mine []core.Edit
		for _, e := range edits {
			if e.Note == note {
				mine = append(mine, e)
			}
		}
		got, err := textpatch.Apply([]byte(src), mine)
		if err != nil || string(got) != want {
			t.Errorf("note %d alone: %q %v, want %q", note, got, err, want)
		}
	}
}

func TestTouches(t *testing.T) {
	tree := parse(t, `<div><p class=x> one </p><script>s</script>`)
	p, body := first(t, tree, "p"), first(t, tree, "body")
	for _, c := range []struct {
		op   htmledit.Op
		want string
	}{
		{htmledit.Op{Kind: htmledit.SetStyle, Target: p}, "<p class=x>"},
		{htmledit.Op{Kind: htmledit.ReplaceText, Target: p}, " one "},
		{htmledit.Op{Kind: htmledit.RemoveNode, Target: p}, "<p class=x> one </p>"},
		{htmledit.Op{Kind: htmledit.RemoveNode, Target: body}, ""},
		{htmledit.Op{Kind: htmledit.ReplaceText, Target: first(t, tree, "script")}, ""},
		{htmledit.Op{Kind: "explode", Target: p}, ""},
	} {
		s := htmledit.Touches(tree, c.op)
		if got := string(tree.Source()[s.Start:s.End]); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.op.Kind, tree.Name(c.op.Target), got, c.want)
		}
	}
}
