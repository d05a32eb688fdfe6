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
