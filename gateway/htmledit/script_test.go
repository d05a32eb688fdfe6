package htmledit_test

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/textpatch"
)

// codePage has every kind of code.
const codePage = `<!doctype html><html><head><title>T</title>
<script>var a = 1; function go() { return a }</script>
<script type="module">import x from "./x.js"; export const y = x;</script>
<script type="application/ld+json">{"name": "Shop"}</script>
<script type="importmap">{"imports": {"x": "./x.js"}}</script>
<script type="text/x-template">{{ name }}</script>
<script type="text/javascript">{% broken %}</script>
<script src="lib.js"></script>
</head><body><svg><script>s()</script></svg>
<section class="s"><button onclick="go()" class="b">Go</button><a onfocus=stop() href="#">x</a></section>
<section id="two"><script>second()</script><p>text</p></section>
<i onclick>y</i><b data-on="1">z</b></body></html>
`

// change stages one exact replacement as document_patch does.
func change(t *testing.T, src, old, now string) ([]core.PolicyFlag, string, error) {
	t.Helper()
	tree := parse(t, src)
	edits, err := textpatch.Patch([]byte(src), []textpatch.Replacement{{Expected: old, Replacement: now}})
	if err != nil {
		t.Fatal(err)
	}
	after, err := htmledit.Check(tree, edits, scripting)
	if err != nil {
		return nil, "", err
	}
	flags, err := htmledit.CheckScripts(tree, after, edits)
	return htmledit.MergeFlags(flags, htmledit.Added(tree, after)), string(after.Source()), err
}

func kindsOf(flags []core.PolicyFlag) string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Kind)
	}
	return strings.Join(out, " ")
}

// R-TURN-2, R-TURN-11, ruling 5.3: code is changed only where it can be read
// before and after, and every change of it asks a person.
func TestScriptEdits(t *testing.T) {
	const refuse = "script_region"
	for _, c := range []struct {
		name, old, now string
		want           string // the kinds of the flags, or a code
	}{
		{"script text", "var a = 1", "var a = 2", "script"},
		{"into a script", "return a }", "return a }\ngo();", "script"},
		{"to the start of a script", "<script>var a", "<script>'use strict'; var a", "script"},
		{"a comment in a script", "var a = 1;", "var a = 1; // one", "script"},
		{"all of a script's text", "var a = 1; function go() { return a }", "", "script"},
		{"a module", "export const y = x", "export const y = x + 1", "script"},
		{"an import map", `"./x.js"}}`, `"./y.js"}}`, "script"},
		{"data", `"Shop"`, `"Store"`, ""},
		{"a script with an address", `src="lib.js">`, `src="lib.js">/* nothing */`, "script"},
		{"a handler", `"go()"`, `"go(); stop()"`, "event_handler"},
		{"a handler without quotes", "onfocus=stop()", "onfocus=halt()", "event_handler"},
		{"an attribute behind a handler", `"go()" class="b"`, `"go()" id=q class="b"`, ""},
		{"an attribute behind a handler without quotes", `stop() href`, `stop() id=q href`, ""},
		{"an attribute before a handler", `<button onclick`, `<button id=q onclick`, ""},
		{"a value for an empty handler", `<i onclick>`, `<i onclick="go()">`, "event_handler"},
		{"the tag around code, code repeated", `<button onclick="go()" class="b">Go`, `<button onclick="go()" class="c">Start`, ""},
		{"text around a script, script repeated", `<section id="two"><script>second()</script><p>text`, `<section id="three"><script>second()</script><p>more`, ""},
		{"tag and code at once", `<button onclick="go()" class="b">Go`, `<button onclick="stop()" class="c">Stop`, "event_handler"},
		{"an element with a handler goes", `<button onclick="go()" class="b">Go</button>`, "", ""},
		{"an element with a handler is replaced", `<button onclick="go()" class="b">Go</button>`, `<p>no button</p>`, ""},
		{"a section with a script goes", `<section id="two"><script>second()</script><p>text</p></section>`, "", ""},
		{"a script goes", `<script>second()</script>`, "", "script"},
		{"a script moves", `<script>second()</script><p>text</p>`, `<p>text</p><script>second()</script>`, ""},
		{"a new script", `<p>text</p>`, `<p>text</p><script>third()</script>`, "script"},
		{"new data", `<p>text</p>`, `<p>text</p><script type="application/json">{"a": 1}</script>`, ""},
		{"a new block of another type", `<p>text</p>`, `<p>text</p><script type="text/x-template">{{</script>`, ""},
		{"a new handler", `<p>text`, `<p onclick="go()">text`, "event_handler"},
		{"text elsewhere", "text</p>", "words</p>", ""},
		{"an attribute that only sounds like one", `data-on="1"`, `data-on="2"`, ""},
		{"a service worker", "return a }", "return a }\nnavigator.serviceWorker.register('w.js')", "script service_worker"},

		{"broken script", "var a = 1", "var a = ", refuse},
		{"broken module", "export const y = x", "export const y", refuse},
		{"import in a classic script", "var a = 1;", "import 'a'; var a = 1;", refuse},
		{"broken data", `"Shop"`, `"Shop`, refuse},
		{"broken import map", `"./x.js"}}`, `"./x.js"}`, refuse},
		{"a type nobody reads", "{{ name }}", "{{ names }}", refuse},
		{"a script that was broken", "{% broken %}", "fixed()", refuse},
		{"a script in SVG", "s()", "t()", refuse},
		{"broken handler", `"go()"`, `"go("`, refuse},
		{"handler cut", `onclick="go()"`, `on`, refuse},
		{"handler taken", ` onclick="go()"`, ``, refuse},
		{"out of a handler", `"go()"`, `"go()" onfocus="x()"`, "event_handler"},
		{"a script's type", `<script>second`, `<script type="text/plain">second`, ""},
		{"a script's type and text", `<script>second()`, `<script type="text/plain">other(`, refuse},
		{"a broken new script", `<p>text</p>`, `<p>text</p><script>third(</script>`, refuse},
		{"broken new data", `<p>text</p>`, `<p>text</p><script type="application/json">{a: 1}</script>`, refuse},
		{"a broken new handler", `<p>text`, `<p onclick="go(">text`, refuse},
		{"a script replaced by markup", `<script>second()</script>`, `<p>x</p>`, "script"},
		{"the end of a script", "return a }", "return a }</script><script>x()", refuse},
		{"the end of a script, and markup", "return a }", "return a }</script><p>x", "unsafe_structure"},
		{"a script that never ends", "return a }", "return a }<!--<script>", "unsafe_structure"},
		{"two scripts joined", "second()</script><p>text</p>", "second()", "unsafe_structure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			flags, got, err := change(t, codePage, c.old, c.now)
			if err != nil {
				if string(core.CodeOf(err)) != c.want {
					t.Fatalf("got %v, want %q", err, c.want)
				}
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%v has several lines", err)
				}
				return
			}
			if k := kindsOf(flags); k != c.want {
				t.Errorf("flags %v, want %q", flags, c.want)
			}
			if want := strings.Replace(codePage, c.old, c.now, 1); got != want {
				t.Errorf("made\n%s", got)
			}
		})
	}
}

// Swapping code adds nothing and is a change of code all the same.
func TestSwappedCodeIsFlagged(t *testing.T) {
	src := `<body><b onclick="a()">x</b><i onclick="b()">y</i><script>one()</script><script>two()</script>`
	tree := parse(t, src)
	edits, err := textpatch.Patch([]byte(src), []textpatch.Replacement{
		{Expected: "a()", Replacement: "b()"}, {Expected: `"b()`, Replacement: `"a()`}, {Expected: "one", Replacement: "two"}, {Expected: "two", Replacement: "one"},
	})
	if err != nil {
		t.Fatal(err)
	}
	after, err := htmledit.Check(tree, edits, scripting)
	if err != nil {
		t.Fatal(err)
	}
	flags, err := htmledit.CheckScripts(tree, after, edits)
	if err != nil {
		t.Fatal(err)
	}
	if got := kindsOf(flags); got != "event_handler event_handler script script" {
		t.Errorf("flags %v", flags)
	}
}

// A second body tag's handler is left alone: which one counts is not certain.
func TestHandlerOfALateTag(t *testing.T) {
	_, _, err := change(t, `<body class=x><p>a</p><body onload="go()">`, `go()`, `stop()`)
	if core.CodeOf(err) != core.ScriptRegion {
		t.Errorf("got %v", err)
	}
}
