package htmledit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
)

// R-TURN-11: the parsed candidate, not strings.
func TestAdded(t *testing.T) {
	base := `<!doctype html><title>t</title><script>one()</script><p onclick="a()">x</p><img src=https://cdn.example/a.png>` +
		`<form action=/send><button>go</button></form><iframe src=/f></iframe><a href=https://link.example/>y</a>`
	for _, c := range []struct {
		name, after string
		want        []string // kind: detail
	}{
		{"nothing", base, nil},
		{"moved around", `<!doctype html><title>t</title><a href=https://link.example/>y</a><iframe src=/f></iframe><form action=/send><button>go</button></form>` +
			`<img src=https://cdn.example/a.png><p onclick="a()">x</p><script>one()</script>`, nil},
		{"reworded", strings.Replace(base, ">x<", ">javascript: <b>is</b> https://evil.example<", 1), nil},
		{"removed", "<!doctype html><p>x", nil},
		{"script", base + "<script>two()</script>", []string{"script: script : two()"}},
		{"the same script twice", base + "<script>one()</script>", []string{"script: script : one()"}},
		{"script text changed", strings.Replace(base, "one()", "two()", 1), []string{"script: script : two()"}},
		{"script from elsewhere", base + "<script src=//x.example/y.js></script>", []string{"external_origin: loads: //x.example", "script: script : from //x.example/y.js"}},
		{"data is no script", base + `<script type="application/ld+json">{}</script>`, nil},
		{"data made a script", strings.Replace(base+`<script type="text/plain">x()</script>`, "text/plain", "module", 1), []string{"script: script module: x()"}},
		{"SVG script", base + `<svg><script href=a.js></script></svg>`, []string{"script: script : from a.js"}},
		{"script in a template", base + `<template><script>z()</script></template>`, []string{"script: script in a template: z()"}},
		{"handler", base + `<b onmouseover=z()>c</b>`, []string{"event_handler: onmouseover of b: z()"}},
		{"handler changed", strings.Replace(base, "a()", "b()", 1), []string{"event_handler: onclick of p: b()"}},
		{"handler of svg in capitals", base + `<svg ONLOAD=z()></svg>`, []string{"event_handler: onload of svg: z()"}},
		{"javascript:", base + `<a href=" java&#10;script:z()">c</a>`, []string{"url_scheme: href of a: javascript:z()"}},
		{"data page", base + `<a href="data:text/html,<b>">c</a>`, []string{"url_scheme: href of a: data:text/html,<b>"}},
		{"data image", base + `<img src="data:image/png;base64,AA">`, nil},
		{"animated href", base + `<svg><a><animate attributeName=href values="x;javascript:z()"></a></svg>`, []string{"url_scheme: values of animate: javascript:z()"}},
		{"known origin", base + `<img src=https://cdn.example/b.png>`, nil},
		{"known only as a link", base + `<img src=https://link.example/b.png>`, []string{"external_origin: loads: https://link.example"}},
		{"new origin", base + `<a href=https://other.example:8080/x>`, []string{"external_origin: links to: https://other.example:8080"}},
		{"origin behind user and backslashes", base + `<img src="http:\\me@h.example/x">`, []string{"external_origin: loads: http://h.example"}},
		{"srcset", base + `<img srcset="a.png 1x, https://s.example/b.png 2x">`, []string{"external_origin: loads: https://s.example"}},
		{"ping", base + `<a ping="https://p.example/">`, []string{"external_origin: loads: https://p.example"}},
		{"style attribute", base + `<b style="background:url(https://s.example/x)">`, []string{"external_origin: loads: https://s.example"}},
		{"presentation attribute", base + `<svg><g fill="url(https://s.example/x#a)"></g></svg>`, []string{"external_origin: loads: https://s.example"}},
		{"style sheet", base + `<style>@import "//i.example/x";p{background:u\72l("https://s.example/x")}</style>`, []string{"external_origin: loads: //i.example", "external_origin: loads: https://s.example"}},
		{"style sheet image-set", base + `<style>p{background:image-set("https://s.example/x" 1x)}</style>`, []string{"external_origin: loads: https://s.example"}},
		{"text of a style sheet is not loaded", base + `<style>p:after{content:"https://s.example/x"}</style>`, nil},
		{"style sheet in an address", base + `<link rel=stylesheet href="data:text/css,@import '//i.example/x'">`, []string{"url_scheme: href of link: data:text/css,@import '//i.example/x'"}},
		{"style sheet importing one in an address", base + `<style>@import "data:text/css;base64,QA"</style>`, []string{"url_scheme: style element: data:text/css;base64,QA"}},
		{"escaped url()", base + `<b style="background:u\72l(//s.example/x)">`, []string{"external_origin: loads: //s.example"}},
		{"escaped url() in SVG", base + `<svg><g fill="u\72l(//s.example/x)"></g></svg>`, []string{"external_origin: loads: //s.example"}},
		{"string of a custom property", base + `<p style="--x:'https://s.example/x';background:image-set(var(--x) 1x)">`, []string{"external_origin: loads: https://s.example"}},
		{"custom property elsewhere", base + `<svg><g style="--x:'//s.example/x'"><path mask="image-set(var(--x) 1x)"/></g></svg>`, []string{"external_origin: loads: //s.example"}},
		{"custom property with an escape", base + `<p style="\2d-x:'//s.example/x'">`, []string{"external_origin: loads: //s.example"}},
		{"custom property behind a semicolon in brackets", base + `<p style="--x:if(style(--q:1):'a';else:'//s.example/x')">`, []string{"external_origin: loads: //s.example"}},
		{"words of a custom property", base + `<p style="--x:'Note: see example.com'; content:'https://s.example/x'">`, nil},
		{"@property", base + `<style>@property --x{syntax:'*';inherits:false;initial-value:'https://s.example/x'}</style>`, []string{"external_origin: loads: https://s.example"}},
		{"result of @function", base + `<style>@function --f(){result:'https://s.example/x'}</style>`, []string{"external_origin: loads: https://s.example"}},
		{"argument of a custom function", base + `<style>p{background:--f('https://s.example/x')}</style>`, []string{"external_origin: loads: https://s.example"}},
		{"default of an argument", base + `<style>@function --f(--a <string>:'https://s.example/x'){result:var(--a)}</style>`, []string{"external_origin: loads: https://s.example"}},
		{"import without quotes", base + `<style>@import https://s.example/x</style>`, []string{"external_origin: loads: https://s.example"}},
		{"import of a layer", base + `<style>@import "a.css" layer(b) supports(display: grid) screen; @import url(b.css);</style>`, nil},
		{"import in a style sheet of another type", base + `<style type=text/plain>@import "//s.example/x"</style>`, []string{"external_origin: loads: //s.example"}},
		{"style sheet of any type in an address", base + `<link href="data:,@import '//i.example/x'" rel="Alternate StyleSheet">`, []string{"url_scheme: href of link: data:,@import '//i.example/x'"}},
		{"picture made a style sheet", base + `<style>@import url(data:image/png,p{})</style>`, []string{"url_scheme: style element: data:image/png,p{}"}},
		{"icon in an address", base + `<link rel=icon href="data:image/png;base64,AA">`, nil},
		{"presentation attribute without url()", base + `<svg><path mask="image-set('//s.example/x' 1x)"/></svg>`, []string{"external_origin: loads: //s.example"}},
		{"seen by a look ahead only", base + `<svg><desc><![CDATA[ > <img src=//s.example/x> ]]></desc></svg>`, []string{"external_origin: loads: //s.example"}},
		{"text in a CDATA section", base + `<svg><desc><![CDATA[ 1 > 0, <b>javascript:</b> //s.example ]]></desc></svg>`, nil},
		{"link to a canonical address", base + `<link rel=canonical href=https://c.example/>`, []string{"external_origin: links to: https://c.example"}},
		{"base", base + `<base href=https://b.example/>`, []string{"base: base: https://b.example/", "external_origin: loads: https://b.example"}},
		{"meta refresh", base + `<meta http-equiv=Refresh content="0; URL='https://m.example/'">`, []string{"external_origin: loads: https://m.example", "meta_refresh: meta refresh: 0; URL='https://m.example/'"}},
		{"meta refresh to a script", base + `<meta http-equiv=refresh content="0;url=javascript:z()">`, []string{"meta_refresh: meta refresh: 0;url=javascript:z()", "url_scheme: content of meta: javascript:z()"}},
		{"form action", strings.Replace(base, "/send", "/steal", 1), []string{"form_action: action of form: /steal"}},
		{"formaction", strings.Replace(base, "<button>", "<button formaction=/steal>", 1), []string{"form_action: formaction of button: /steal"}},
		{"frame", base + `<iframe srcdoc="<p>hi"></iframe>`, []string{"frame: iframe: srcdoc=<p>hi"}},
		{"object", base + `<object data=x.swf></object>`, []string{"frame: object: data=x.swf"}},
		{"service worker", base + `<script>navigator.serviceWorker.register("w.js")</script>`, []string{
			`script: script : navigator.serviceWorker.register("w.js")`, `service_worker: script: navigator.serviceWorker.register("w.js")`,
		}},
		{"late body tag with a handler", base + `<body onload=z()>`, []string{"event_handler: onload of body: z()"}},
		{"behaviour", base + `<p style="behavior:url(x.htc)">`, []string{"script: style of p: behavior:url(x.htc)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range htmledit.Added(parse(t, base), parse(t, c.after)) {
				got = append(got, f.Kind+": "+f.Detail)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// What a template holds does nothing; out of it, it does.
func TestAddedOutOfTemplate(t *testing.T) {
	for in, want := range map[string]string{
		`<script>z()</script>`:                   "script: script : z()",
		`<p onclick="z()">x</p>`:                 "event_handler: onclick of p: z()",
		`<iframe src=/f></iframe>`:               "frame: iframe: src=/f",
		`<a href="javascript:z()">x</a>`:         "url_scheme: href of a: javascript:z()",
		`<div><i><b onclick=z()>x</b></i></div>`: "event_handler: onclick of b: z()",
	} {
		const page = "<!doctype html><title>t</title><body>"
		got := htmledit.Added(parse(t, page+"<template>"+in+"</template>"), parse(t, page+in))
		if len(got) != 1 || got[0].Kind+": "+got[0].Detail != want {
			t.Errorf("%s: %v, want %s", in, got, want)
		}
	}
}

// Who was only named is not one that the page loads from.
func TestAddedOriginThatWasOnlyNamed(t *testing.T) {
	const page, load = "<!doctype html><title>t</title>", "<img src=https://o.example/x>"
	for _, named := range []string{
		"<link rel=canonical href=https://o.example/>", "<p itemscope itemtype=https://o.example/Thing>", "<q cite=https://o.example/>a</q>",
		"<form action=https://o.example/>", "<svg><set attributeName=x to=https://o.example/ /></svg>", "<template>" + load + "</template>",
		"<div><template><style>@import 'https://o.example/x'</style></template></div>",
	} {
		got := htmledit.Added(parse(t, page+named), parse(t, page+named+"<div>"+load))
		if len(got) != 1 || got[0].Kind+": "+got[0].Detail != "external_origin: loads: https://o.example" {
			t.Errorf("%s: %v", named, got)
		}
	}
	for _, loaded := range []string{"<link rel='preconnect' href=https://o.example/>", "<link rel='shortcut ICON' href=https://o.example/x>", load} {
		if got := htmledit.Added(parse(t, page+loaded), parse(t, page+loaded+"<template>"+load+"</template><div>"+load)); len(got) != 0 {
			t.Errorf("%s: %v", loaded, got)
		}
	}
}

// Nested CDATA sections are not a way to keep the check busy.
func TestAddedNestedSections(t *testing.T) {
	page := "<!doctype html><svg><desc>" + strings.Repeat("<![CDATA[ ><svg>", 50_000)
	if got := htmledit.Added(parse(t, "<!doctype html>"), parse(t, page)); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Details are one short line, whatever the page holds.
func TestAddedDetail(t *testing.T) {
	flags := htmledit.Added(parse(t, "<p>"), parse(t, "<p><script>a\n\u202e"+strings.Repeat("é", 1000)+"</script>"))
	if len(flags) != 1 || strings.ContainsAny(flags[0].Detail, "\n\u202e") || len([]rune(flags[0].Detail)) > 201 {
		t.Errorf("%q", flags)
	}
	if flags[0].Kind != htmledit.FlagScript {
		t.Errorf("kind %q", flags[0].Kind)
	}
	var none []core.PolicyFlag
	if got := htmledit.Added(parse(t, "<p>"), parse(t, "<b>")); len(got) != len(none) {
		t.Errorf("%v", got)
	}
}
