package proof_test

import "testing"

const (
	head    = `<!doctype html><html><head><title>t</title><script>LIBRARY</script></head><body>`
	list    = `<ul id=l><li>a</li><li>a</li><li>b</li><li>a</li></ul>`
	buttons = `<div><button>Go</button><button>Go</button><button>Go</button><button>Go</button></div>`
)

// liveCases are pages whose scripts change the document in every way they
// have. All is how many of the elements that come from the source and are
// still on the page must be proven; the others may be refused.
var liveCases = []struct {
	name, text string
	all        bool
}{
	{"no script at all", `<!doctype html><p>a<p>a<ul><li>x<li>x</ul>`, true},
	{"four buttons reversed", head + buttons + `<script>reorder($('div'), k => k.reverse())</script>`, true},
	{"four buttons, first removed", head + buttons + `<script>$('button').remove()</script>`, true},
	{"four buttons, first moved last", head + buttons + `<script>$('div').append($('button'))</script>`, true},
	{"four buttons, one re-created in place", head + buttons + `<script>$$('button')[1].replaceWith(cl($$('button')[1]))</script>`, true},
	{"four buttons, another in front", head + buttons + `<script>$('div').prepend(mk('button', 'Go'))</script>`, true},
	{"four buttons rendered again", head + buttons + `<script>again($('div'))</script>`, true},
	{"list sorted", head + list + `<script>reorder($('ul'), k => k.sort((a, b) => a.textContent < b.textContent ? -1 : 1))</script>`, true},
	{"list shuffled", head + list + `<script>reorder($('ul'), shuffle)</script>`, true},
	{"list shuffled after load", head + list + `<script>addEventListener('load', () => { reorder($('ul'), shuffle); $('li').remove(); })</script>`, true},
	{"list shuffled by a deferred script", head + list + `<script type=module>reorder($('ul'), shuffle)</script>`, true},
	{"list moved elsewhere", head + `<nav></nav>` + list + `<script>$('nav').append($('ul'))</script>`, true},
	{"items swapped between lists", head + `<ul><li>a<li>a</ul><ul><li>a<li>a</ul><script>const [p, q] = $$('ul'); const a = p.children[0], b = q.children[1]; p.append(b); q.prepend(a)</script>`, true},
	{"items wrapped", head + list + `<script>for (const l of $$('li')) { const w = mk('section'); l.replaceWith(w); w.append(l); }</script>`, true},
	{"items wrapped and sorted", head + buttons + `<script>const w = mk('section'); w.append(...$$('button').reverse()); $('div').append(w)</script>`, true},
	{"banner first", head + list + `<script>document.body.prepend(mk('div', 'banner')); document.body.className = 'js'; document.documentElement.dataset.theme = 'dark'</script>`, true},
	{"classes and styles on ancestors", head + `<main class=a><section style="color:red" hidden>` + list + `</section></main><script>$('main').className = ''; $('section').style.color = 'blue'; $('section').hidden = false</script>`, false},
	{"class added to the element itself", head + list + `<script>for (const l of $$('li')) l.classList.add('on')</script>`, true},
	{"document.write between items", head + `<ul><li>a<script>write('<li>a')</script><li>a<li>b</ul>`, true},
	{"document.write of an unclosed element", head + `<script>write('<div>')</script>` + list, true},
	{"document.write that hides a list", head + `<script>document.write('<!' + '--')</script>` + list + `<!-- -->` + buttons, false},
	{"document.write of a table", head + `<script>write('<table>')</script>` + list + `<p>x`, false},
	{"document.write of a blocking script", head + `<script>write('<script src="/slow.js"></scr' + 'ipt><li>a</li>')</script>` + list, false},
	{"document.write of a blocking script and a comment", head + `<ul><script>write('<script src="/slow.js"></scr' + 'ipt><li>a</li><!--')</script><li>a</li><!-- --><li>a</li></ul>`, false},
	{"custom elements known first", head + `<script>customElements.define('x-a', class extends HTMLElement { connectedCallback() { this.append(mk('b', 'x')); this.classList.add('up') } })</script><x-a><i>1</i></x-a><x-a class=k><i>1</i></x-a>` + list, true},
	{"custom elements known later", head + `<x-a><i>1</i></x-a><x-a><i>1</i></x-a>` + list + `<script>customElements.define('x-a', class extends HTMLElement { connectedCallback() { this.prepend(mk('i', '1')) } })</script>`, true},
	{"custom element that moves itself", head + `<script>customElements.define('x-a', class extends HTMLElement { connectedCallback() { if (!this.done) { this.done = 1; this.parentNode.prepend(this) } } })</script><div><p>1</p><x-a></x-a><x-a></x-a><p>1</p></div>`, true},
	{"custom element that makes another", head + `<script>customElements.define('x-a', class extends HTMLElement {}); </script><script>document.body.append(mk('x-a'))</script><x-a></x-a><x-a></x-a>`, false},
	{"template stamped by cloning", head + `<template><li>a</li></template><ul><li>a</li></ul><script>for (let i = 0; i < 3; i++) $('ul').prepend(made(document.importNode($('template').content, true)))</script>`, true},
	{"template contents moved in", head + `<template><li>a</li><li>a</li></template><ul><li>a</li><script>$('ul').prepend($('template').content)</script><li>a</li></ul>`, false},
	{"template contents moved in later", head + `<template><li>a</li><li>a</li></template><ul><li>a</li><li>a</li></ul><script>addEventListener('load', () => $('ul').prepend($('template').content))</script>`, false},
	{"other branch rendered again", head + `<div id=app>` + buttons + `</div>` + list + `<script>addEventListener('DOMContentLoaded', () => again($('#app')))</script>`, true},
	{"fragment in the middle of parsing", head + `<ul><li>a</li><script>const f = document.createDocumentFragment(); f.append(mk('li', 'a'), mk('li', 'a')); $('ul').append(f)</script><li>a</li></ul>`, true},
	{"script removes its own parent", head + `<ul><li>a<script>document.currentScript.parentNode.remove()</script><i>in</i></li><li>a</li><li>a</li></ul>`, false},
	{"script removes its list and puts it back", head + `<ul id=l><li>a</li><script>window.l = $('ul'); l.remove()</script><li>a</li><li>a</li></ul><script>document.body.append(l)</script><p>x`, false},
	{"script removes its list and puts it back sorted", head + `<ul id=l><li>a</li><script>window.l = $('ul'); l.remove()</script><li>a</li><li>a</li></ul><script>reorder(l, k => k.reverse()); document.body.append(l)</script><p>x`, false},
	{"script removes its list and puts the items back", head + `<ul id=l><li>a</li><script>window.l = $('ul'); l.remove()</script><li>a</li><li>a</li></ul><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, false},
	{"script removes its list, another follows", head + `<ul id=l><li>a</li><script>$('ul').remove()</script><li>a</li><li>a</li></ul><ul><li>a</li><li>a</li></ul>`, false},
	{"script hides its list in a template", head + `<template></template><ul><li>a</li><script>$('template').content.append($('ul'))</script><li>a</li></ul><ul><li>a</li><li>a</li></ul><ol></ol><script>$('ol').append(...$('template').content.querySelectorAll('li'))</script>`, false},
	{"script puts the items back while the page is still coming", head + `<ul id=l><li>a</li><script>window.l = $('ul'); l.remove(); const i = setInterval(() => { if (l.children.length === 4) { clearInterval(i); for (const e of [...l.children].reverse()) document.body.append(e); fetch('/go') } }, 5)</script><li>b</li><li>b</li></ul><!--PAUSE--><p>x</p>`, false},
	{"script swaps shadow items while the page is still coming", head + `<section></section><ul id=l><li>a</li><script>window.l = $('ul'); $('section').attachShadow({mode: 'open'}).append(l); const i = setInterval(() => { if (l.children.length === 4) { clearInterval(i); for (const e of [...l.children].reverse()) document.body.append(e); fetch('/go') } }, 5)</script><li>b</li><li>b</li></ul><!--PAUSE--><p>x</p>`, false},
	{"script sorts the open list", head + `<ul id=l><li>a</li><li>a</li><script>reorder($('ul'), k => k.reverse())</script><li>a</li></ul>`, true},
	{"open list moved into a shadow root", head + `<section></section><ul id=l><li>a</li><script>$('section').attachShadow({mode: 'open'}).append($('ul'))</script><li>a</li></ul><ul><li>a</ul>`, true},
	{"declarative shadow root", head + `<div><template shadowrootmode=open><li>a</li><slot></slot></template><li>a</li></div>` + list, true},
	{"declarative shadow contents moved out", head + `<div><template shadowrootmode=open><li>a</li></template></div><ul><script>$('ul').append($('div').shadowRoot.firstChild)</script><li>a</li></ul>`, false},
	{"foster parents", head + `<table><tr><td>1</td><div>a</div><tr><td>1</td></tr><p>b</table>` + list + `<script>reorder($('ul'), shuffle)</script>`, true},
	{"unclosed b", head + `<p>a<b>b<p>c<p>d</b>` + list + `<script>reorder($('ul'), shuffle)</script>`, true},
	{"unclosed b and i", head + `<p>a<b>b<i>x<p>c<p>d</b></i>` + list + `<script>reorder($('ul'), shuffle)</script>`, true},
	{"adoption agency, two deep", `<!doctype html><a><b><i><p>x</a>y</p><p>z`, true},
	{"adoption agency, two deep, with a script", head + `<a><b><i><p>x</a>y</p><p>z` + list, false},
	{"implied elements", head + `<table><tr><td>a<td>a<tr><td>a</table>`, true},
	{"attributes of the element changed", head + `<a href=/x>a</a><a href=/x>a</a><script>$('a').href = '/y'</script>`, false},
	{"attributes of an ancestor changed", head + `<section title=a><p>x</p></section><p>y</p><script>$('section').title = 'b'</script>`, false},
	{"attributes swapped between twins", head + `<a href=/x>a</a><a href=/y>a</a><script>const [p, q] = $$('a'); p.href = '/y'; q.href = '/x'</script>`, false},
	{"elements without a script on the stack", head + `<ul><li>a</li><li>a</li></ul><script>Promise.resolve('beforeend').then($('ul').insertAdjacentHTML.bind($('ul'), 'afterbegin', '<li data-made>a</li>'))</script><p>x`, false},
	{"selectedcontent", `<!doctype html><select><button><selectedcontent></selectedcontent></button><option><i>x</i><option selected><i>y</i></select><i>z</i>`, false},
	{"frameset", `<!doctype html><html><head></head><frameset><frame></frameset>`, true},
	{"svg and math", head + `<svg viewBox="0 0 1 1"><path d="M0 0"/><path d="M0 0"/><foreignObject><p>a</foreignObject></svg><math><mi>x</mi></math><script>const s = $('svg'); s.append(s.firstChild)</script>`, true},
	{"late html and body", head + `<p>a</p><html lang=en class=k><body class=z><p>a</p>`, true},
	{"open list leaves after a birth elsewhere", head + `<ul id=l><li>a</li><script>window.l = $('ul'); document.body.prepend(mk('b')); document.body.append(mk('b')); l.remove()</script><li>a</li><li>a</li></ul><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, true},
	{"open list leaves after its last child", head + `<div><ul id=l><li>a</li><script>window.l = $('ul'); document.body.append(document.currentScript); l.remove()</script><li>a</li><li>a</li></ul></div><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, true},
	{"open list goes into a template", head + `<template></template><ul id=l><li>a</li><script>window.l = $('ul'); document.body.append(mk('b')); $('template').content.append(l)</script><li>a</li><li>a</li></ul><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, true},
	{"open list goes into another document", head + `<ul id=l><li>a</li><script>window.l = $('ul'); window.d = document.implementation.createHTMLDocument(); d.body.append(l)</script><li>a</li><li>a</li></ul><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, true},
	{"open list leaves in the emptied parent", head + `<ul id=l><li>a</li><script>window.l = $('ul'); l.parentNode.innerHTML = ''</script><li>a</li><li>a</li></ul><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, true},
	{"open list leaves while the page is still coming", head + `<ul id=l><li>a</li><script>window.l = $('ul'); setTimeout(() => { document.body.append(mk('b')); l.remove(); fetch('/go') })</script><!--PAUSE--><li>b</li><li>b</li></ul><script>for (const e of [...l.children].reverse()) document.body.append(e)</script><p>x</p>`, true},
	{"open list copied by selectedcontent", head + `<select><button><selectedcontent></selectedcontent></button><option>o</select><ul id=l><li>a</li><script>window.l = $('ul'); $('selectedcontent')?.append(l)</script><li>a</li><li>a</li></ul><ol></ol><script>for (const i of [...l.children].reverse()) $('ol').append(i)</script>`, false},
	{"document.write of half a tag", head + `<ul><script>document.write('<li class="')</script><li>a</li><li class="x">b</li><li>c</li></ul>`, false},
	{"document.write of an svg script that blocks", head + `<ul><script src="/svg.js"></script><li>a</li><!-- --><li>a</li><li>b</li></ul>`, false},
	{"document.write of a script made async later", head + `<ul><script src="/async.js"></script><li>a</li><!-- --><li>a</li><li>b</li></ul>`, false},
	{"document.write and template contents", head + `<template><li data-made>t</li></template><ul><li>x</li><script>document.write('<!-' + '-')</script><li>a</li>--><li>b</li><li>c</li><!--PAUSE--></ul><script>0</script>`, false},
	{"custom elements that make their children", head + `<script>customElements.define('x-a', class extends HTMLElement { connectedCallback() { if (!this.querySelector('b')) this.prepend(mk('b', 'x')); this.setAttribute('role', 'group') } })</script><x-a><i>1</i></x-a><x-a class=k><i>1</i></x-a><x-a><i>1</i></x-a>` + list, true},
	{"custom elements out of a template", head + `<script>customElements.define('x-a', class extends HTMLElement {})</script><template><x-a data-made>t</x-a></template><section><script>$('section').append($('template').content)</script><x-a>s</x-a></section>`, true},
	{"custom elements out of a frame", head + `<script>customElements.define('x-a', class extends HTMLElement {})</script><iframe srcdoc="<x-a data-made>t</x-a>"></iframe><section><script>fetch('/go'); addEventListener('load', () => 0)</script><!--PAUSE--><script>{ const f = $('iframe').contentDocument.querySelector('x-a'); if (f) $('section').append(f) }</script><x-a>s</x-a></section>`, false},
	{"custom built-in elements", head + `<script>customElements.define('x-b', class extends HTMLButtonElement { connectedCallback() { this.title = 't' } }, {extends: 'button'})</script><button is=x-b>a</button><button is=x-b>a</button><button>a</button>`, true},
	{"custom element that makes its twin", head + `<script>customElements.define('x-a', class extends HTMLElement {}); </script><x-a></x-a><script>document.body.append(mk('x-a'))</script><x-a></x-a><p>1`, false},
	{"long attributes", head + `<img src="data:image/png;base64,` + long + `"><img src="data:image/png;base64,` + long + `"><script>document.body.append($('img'))</script>`, true},
}

var long = func() string {
	b := make([]byte, 9000)
	for i := range b {
		b[i] = "ABCDEFGHabcdefgh"[i%16]
	}
	return string(b)
}()

// R-PICK-3, T-61 to T-66, H8, H14, H72, H74: every element of every page is
// proven to be its own start tag, or refused.
func TestLivePages(t *testing.T) {
	s := newStage(t)
	s.put("/slow.js", "window.slow = 1")
	s.put("/svg.js", `document.write('<svg><script href="/slow.js"></scr' + 'ipt></svg><li data-made>w</li><!-' + '-')`)
	s.put("/async.js", `document.write('<script id=s src="/slow.js"></scr' + 'ipt><li data-made>w</li><!-' + '-'); s.async = true`)
	for _, c := range liveCases {
		t.Run(c.name, func(t *testing.T) {
			got := s.run(t, c.text)
			t.Logf("%d right, %d of the source refused, %d others refused %v", got.right, got.refusedSource, got.refusedOther, got.codes)
			if c.all && got.refusedSource > 0 {
				t.Errorf("elements of the source were refused: %v", got.codes)
			}
		})
	}
}
