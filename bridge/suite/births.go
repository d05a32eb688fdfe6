package suite

import (
	"strings"
	"testing"

	"proofmark/bridge/contract"
)

// bornCase is a page and its elements in the order the parser made them. A
// page whose register may not be trusted wants refused instead.
type bornCase struct {
	name    string
	body    string
	parser  string // names of the parser-made births, in order
	scripts string // names of the script-made ones, in order
	refused bool
	check   func(t *testing.T, v *view, b contract.Births)
}

// births is where the live page is tied to its source: D4, T-64.
var births = []bornCase{
	{
		name: "NoScripts", parser: "html head title body h1 b p ul li li footer",
		body: `<!doctype html><title>t</title><h1>a<b>b</b></h1><p>c<ul><li>1<li>2</ul><footer></footer>`,
	},
	{
		name: "FosterParenting", parser: "html head body table tbody tr td tr div b",
		body: `<table><tr><td>1<tr><div>foster<b>x</b></div></table>`,
	},
	{
		name: "Formatting", parser: "html head body p b i i p",
		body: `<!doctype html><p><b>1<i>2</b>3</i><p>4`,
	},
	{
		name: "DataBlocks", parser: "html head script body p",
		body: `<!doctype html><script type="application/ld+json">{"a":1}</script><p>x`,
	},
	{
		name: "TemplatesAndShadows", parser: "html head body template div p",
		body: `<!doctype html><body><template><i>1</i></template><div><template shadowrootmode=closed><u>2</u><script>1</script></template></div><p>3`,
	},
	{
		// The only script is where the register cannot see it.
		name: "ScriptInClosedShadow", parser: "html head body div b", scripts: "b",
		body: `<!doctype html><body><div><template shadowrootmode=closed><script>document.body.append(document.createElement('b'))</script></template></div><b id=own>3</b>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "#own", 0, false)
		},
	},
	{
		name: "InsertedTwins", parser: "html head body ul li script li script", scripts: "li li",
		body: `<!doctype html><body><ul id=u><li class=a>1</li><script>const f = document.createElement('li'); f.textContent = 0; u.prepend(f);</script>` +
			`<li class=b>2</li></ul><script>u.insertAdjacentHTML('beforeend', '<li>3</li>')</script>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "li.a", 0, false)
			wantBirth(t, v, b, "li.b", 1, false)
			if p := v.first("#u > li"); !p.Chain[0].ScriptMade {
				t.Error("the script's twin counts as the parser's")
			}
		},
	},
	{
		name: "SortedTwins", parser: "html head body ul li li li script",
		body: `<!doctype html><body><ul id=u><li data-n=3>x</li><li data-n=1>x</li><li data-n=2>x</li></ul>` +
			`<script>[...u.children].sort((a, b) => a.dataset.n - b.dataset.n).forEach((e) => u.append(e))</script>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, `[data-n="3"]`, 0, false)
			wantBirth(t, v, b, `[data-n="1"]`, 1, false)
			wantBirth(t, v, b, `[data-n="2"]`, 2, false)
		},
	},
	{
		name: "RemovedAndMadeAgain", parser: "html head body ul li li li script", scripts: "li",
		body: `<!doctype html><body><ul id=u><li>1</li><li>2</li><li>3</li></ul><script>u.children[0].remove(); u.children[1].outerHTML = '<li>3</li>'</script>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "li:first-child", 1, false)
			if p := v.first("li:last-child"); !p.Chain[0].ScriptMade {
				t.Error("a re-created twin counts as the parser's")
			}
		},
	},
	{
		name: "ClonedTwin", parser: "html head body p script", scripts: "p",
		body: `<!doctype html><body><p id=a>x</p><script>a.before(a.cloneNode(true))</script>`,
		check: func(t *testing.T, v *view, _ contract.Births) {
			picks, n, err := v.Query(v.ctx, "p", 5)
			if err != nil || n != 2 || !picks[0].Chain[0].ScriptMade || picks[1].Chain[0].ScriptMade {
				t.Errorf("%d %v %+v", n, err, picks)
			}
		},
	},
	{
		name: "DocumentWrite", parser: "html head body script p", scripts: "p b",
		body: `<!doctype html><body><script>document.write('<p>1<b>2</b></p>')</script><p id=own>3</p>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "#own", 0, false)
		},
	},
	{
		// The parser runs the page's constructor, which leaves a trace: what made
		// a custom element cannot be told, and it does not count as a script's.
		name: "CustomElements", parser: "html head script body x-card p x-card", scripts: "i i",
		body: `<!doctype html><script>customElements.define('x-card', class extends HTMLElement { connectedCallback() { this.after(document.createElement('i')); } })</script>` +
			`<body><x-card></x-card><p>1</p><x-card></x-card>`,
	},
	{
		name: "AfterParsing", parser: "html head script body p", // what comes later has no number at all
		body: `<!doctype html><script>addEventListener('DOMContentLoaded', () => { document.body.prepend(document.createElement('p')); })</script><body><p id=own>1</p>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "#own", 0, false)
			if p := v.first("p"); !p.Chain[0].ScriptMade || p.Chain[0].Birth != -1 {
				t.Errorf("late element: %+v", p.Chain[0])
			}
		},
	},
	{
		name: "DeferredScript", parser: "html head script body p",
		body: `<!doctype html><script defer src="/deferred.js"></script><body><p id=own>1</p>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "#own", 0, false)
		},
	},
	{
		name: "MovedWhole", parser: "html head body main p aside p script",
		body: `<!doctype html><body><main><p class=m>1</p></main><aside><p class=a>1</p></aside><script>document.querySelector('main').prepend(document.querySelector('.a'))</script>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, ".m", 0, false)
			wantBirth(t, v, b, ".a", 1, false)
		},
	},
	{
		name: "WrappedByScript", parser: "html head body p script", scripts: "div",
		body: `<!doctype html><body><p id=a>1</p><script>const p = document.querySelector('p'), d = document.createElement('div'); p.replaceWith(d); d.append(p)</script>`,
		check: func(t *testing.T, v *view, _ contract.Births) {
			if p := v.first("#a"); p.Chain[0].ScriptMade || !p.Chain[1].ScriptMade {
				t.Errorf("%+v", p.Chain)
			}
		},
	},
	{
		// The parser goes on in a tree that a script took out and later puts
		// back: what it makes there is numbered as it happens.
		name: "ParserWorksDetached", parser: "html head body div script b b p",
		body: `<!doctype html><body><div id=u><script>const u = document.getElementById('u'); u.remove();
new MutationObserver((l, o) => { if (document.querySelector('#second')) { o.disconnect(); document.body.append(u); } }).observe(document, { childList: true, subtree: true });</script><b id=first>1</b></div><b id=second>2</b><p>3</p>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "#first", 0, false)
			wantBirth(t, v, b, "#second", 1, false)
		},
	},
	{
		// Moved while it is open, and its items brought back one by one.
		name: "OpenListLeft", parser: "html head body ul li script li li script", scripts: "b b",
		body: `<!doctype html><body><ul id=u><li id=a><script>window.u = document.getElementById('u'); document.body.prepend(document.createElement('b')); document.body.append(document.createElement('b')); u.remove()</script>` +
			`<li id=b><li id=c></ul><script>for (const e of [...u.children].reverse()) document.body.append(e)</script>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			wantBirth(t, v, b, "#a", 0, false)
			wantBirth(t, v, b, "#b", 1, false)
			wantBirth(t, v, b, "#c", 2, false)
		},
	},
	{
		// What was in a template has no number, wherever it goes.
		name: "TemplateMovedIn", parser: "html head body template ul li script li",
		body: `<!doctype html><body><template><li id=t><template><i></i></template></li></template><ul id=u><li id=a><script>u.prepend(document.querySelector('template').content)</script><li id=b></ul>`,
		check: func(t *testing.T, v *view, b contract.Births) {
			if p := v.first("#t"); p.Chain[0].Birth != -1 {
				t.Errorf("what a template held has the number %d", p.Chain[0].Birth)
			}
			wantBirth(t, v, b, "#a", 0, false)
			wantBirth(t, v, b, "#b", 1, false)
		},
	},
	{
		// The parser waits for a script that was written, in SVG too, and made
		// async only later; what was written behind it leaves no trace.
		name: "WrittenScripts", parser: "html head body script", scripts: "script p p",
		check: func(t *testing.T, v *view, b contract.Births) {
			for i, e := range b.List {
				if e.Unsure != (e.Name == "p") || e.ScriptMade != (i == 4) {
					t.Errorf("birth %d: %+v", i, e)
				}
			}
		},
		body: `<!doctype html><body><script>document.write('<script id=s src="/quick.js"></scr' + 'ipt><p>1'); s.async = true</script><p>2`,
	},
	{
		name: "WrittenSVGScripts", parser: "html head body script", scripts: "svg script p p",
		body: `<!doctype html><body><script>document.write('<svg><script href="/quick.js"></scr' + 'ipt></svg><p>1')</script><p>2`,
	},
	{
		// The parser waits for a script when a timer throws the document away.
		name: "OpenedAgain", refused: true,
		body: `<!doctype html><body><p>1</p><script>setTimeout(() => { document.open(); document.write('<p id=own>2'); document.close() })</script><script src="/slow.js"></script><p>3</p>`,
		check: func(t *testing.T, v *view, _ contract.Births) {
			if p := v.first("#own"); !p.Chain[0].ScriptMade || p.Chain[0].Birth != -1 || p.Chain[0].Siblings == nil {
				t.Errorf("%+v", p.Chain[0])
			}
		},
	},
}

// testBirths checks the register page by page.
func testBirths(t *testing.T, b *bench) {
	b.site.put("/quick.js", "text/javascript", `window.quick = 1`)
	b.site.put("/deferred.js", "text/javascript", `document.body.prepend(document.createElement('p'))`)
	never := make(chan struct{})
	defer close(never)
	b.site.set("/slow.js", file{kind: "text/javascript", body: "1", wait: never})
	for _, c := range births {
		t.Run(c.name, func(t *testing.T) {
			v := b.open(t, c.body)
			got := v.births()
			if c.refused {
				if got.Complete || got.Reason == "" {
					t.Errorf("complete %v, reason %q: %v", got.Complete, got.Reason, got.List)
				}
			} else if !got.Complete {
				t.Fatalf("not complete: %s", got.Reason)
			}
			if parser, scripts := split(got); !c.refused && (parser != c.parser || scripts != c.scripts) {
				t.Errorf("parser  %s\nwant    %s\nscripts %s\nwant    %s", parser, c.parser, scripts, c.scripts)
			}
			if c.check != nil {
				c.check(t, v, got)
			}
		})
	}
	t.Run("AsBorn", func(t *testing.T) { bornAttributes(t, b) })
	t.Run("TooMany", func(t *testing.T) { bornTooMany(t, b) })
}

func split(b contract.Births) (parser, scripts string) {
	var p, s []string
	for _, e := range b.List {
		if e.ScriptMade || e.Unsure {
			s = append(s, e.Name)
		} else {
			p = append(p, e.Name)
		}
	}
	return strings.Join(p, " "), strings.Join(s, " ")
}

// wantBirth checks that the element is the n-th parser-made one of its name.
func wantBirth(t *testing.T, v *view, b contract.Births, selector string, n int, script bool) {
	t.Helper()
	p := v.first(selector)
	link := p.Chain[0]
	if link.Birth < 0 || link.Birth >= len(b.List) || link.ScriptMade != script {
		t.Errorf("%s: birth %d, by a script %v", selector, link.Birth, link.ScriptMade)
		return
	}
	before := 0
	for _, e := range b.List[:link.Birth] {
		if e.Name == link.Name && !e.ScriptMade {
			before++
		}
	}
	if before != n {
		t.Errorf("%s is parser-made %s number %d, want %d", selector, link.Name, before, n)
	}
}

func bornAttributes(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><body><p id=a class="x y">1</p><script>a.id = 'z'; document.querySelector('p').className = 'other'</script>`)
	for _, e := range v.births().List {
		if e.Name == "p" && (e.ID != "a" || e.Class != "x y" || e.NS != "html" || e.Attrs != 2) {
			t.Errorf("born as %+v", e)
		}
	}
}

// bornTooMany: above the limit the register gives up, and the browser is asked
// for each link; siblings are the witness then.
func bornTooMany(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><body><main><p>1</p><h1 id=h>2</h1></main><script>document.querySelector('main').prepend(document.createElement('u'))</script>`+
		strings.Repeat(strings.Repeat("<i></i>", 500)+"<br>", 120))
	if r := v.births(); r.Complete || r.Reason == "" {
		t.Fatalf("complete %v, %q", r.Complete, r.Reason)
	}
	p := v.first("#h")
	if p.Chain[0].Birth != -1 || p.Chain[0].ScriptMade || strings.Join(p.Chain[0].Siblings, " ") != "u p h1" {
		t.Errorf("%+v", p.Chain[0])
	}
	if p = v.first("u"); !p.Chain[0].ScriptMade {
		t.Errorf("%+v", p.Chain[0])
	}
}
