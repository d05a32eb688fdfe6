package suite

import (
	"strconv"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

func itoa(n int) string { return strconv.Itoa(n) }

// spy reports what the page noticed when a key is pressed.
const spy = `<script>
const seen = new Set(); let records = 0;
const print = () => { let h = 0; for (const c of document.documentElement.outerHTML) h = (h * 31 + c.charCodeAt(0)) | 0; return h; };
for (const type of ['pointerdown','pointerup','pointermove','pointerover','pointerenter','mousedown','mouseup','mousemove','mouseover','mouseenter',
  'click','dblclick','auxclick','contextmenu','focus','focusin','submit','change','input','toggle'])
  addEventListener(type, (e) => { if (e.isTrusted) seen.add(type); }, true);
addEventListener('keydown', () => {
  console.error('events: ' + [...seen].sort().join(','));
  console.error('records ' + records);
  console.error('print ' + print());
  console.error('hover ' + (document.querySelector('#b:hover') !== null));
});
addEventListener('load', () => {
  new MutationObserver((list) => { records += list.length; })
    .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
});
</script>`

// testPick: R-PICK-1, R-PICK-5, T-65, attack 23 and 24 of the list.
func testPick(t *testing.T, b *bench) {
	t.Run("LeavesNoTrace", func(t *testing.T) { pickLeavesNoTrace(t, b) })
	t.Run("Targets", func(t *testing.T) { pickTargets(t, b) })
	t.Run("Refusals", func(t *testing.T) { pickRefusals(t, b) })
	t.Run("Clobbered", func(t *testing.T) { pickClobbered(t, b) })
	t.Run("Sabotaged", func(t *testing.T) { pickSabotaged(t, b) })
	t.Run("Chain", func(t *testing.T) { pickChain(t, b) })
	t.Run("ManySiblings", func(t *testing.T) { pickManySiblings(t, b) })
}

func pickLeavesNoTrace(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><form action="/gone"><button id=b style="width:200px;height:80px" onclick="console.error('clicked')">Buy</button>
<label id=l><input type=checkbox onchange="console.error('changed')"> yes</label> <details><summary id=s>more</summary>text</details></form>`+spy)
	v.press("Escape")
	before := v.said("print ")
	for _, sel := range []string{"#b", "#l", "#s"} {
		for range 2 {
			p := v.pickMiddle(v.first(sel).Rect)
			if p.Chain[0].Name == "html" || p.Refusal != "" {
				t.Errorf("%s: picked %s, refusal %q", sel, path(p), p.Refusal)
			}
			if err := v.Highlight(v.ctx, p.Handle); err != nil {
				t.Error(err)
			}
			if err := v.HideHighlight(v.ctx); err != nil {
				t.Error(err)
			}
		}
	}
	v.press("Escape")
	if got := v.said("events:"); len(got) != 2 || got[1] != got[0] {
		t.Errorf("the page saw events: %q", got)
	}
	if got := v.said("records "); len(got) != 2 || got[1] != "0" {
		t.Errorf("the tree was touched: %q", got)
	}
	if got := v.said("print "); len(got) != 2 || got[1] != before[0] {
		t.Errorf("the tree differs: %q", got)
	}
	if got := v.said("hover "); len(got) != 2 || got[1] != "false" {
		t.Errorf("the page is hovered: %q", got)
	}
	for _, word := range []string{"clicked", "changed"} {
		if len(v.said(word)) > 0 {
			t.Errorf("the page %s", word)
		}
	}
	// After a pick the page works as before.
	v.click("#b")
	if len(v.said("clicked")) != 1 {
		t.Error("a real click after picking did not arrive")
	}
}

func pickTargets(t *testing.T, b *bench) {
	const box = ` style="position:absolute;width:100px;height:40px;`
	v := b.open(t, `<!doctype html><style>*{margin:0}</style>
<button id=disabled disabled`+box+`left:0;top:0">off</button>
<button id=behind`+box+`left:120px;top:0">behind</button><div id=glass`+box+`left:120px;top:0;pointer-events:none;background:#8888"></div>
<button id=covered`+box+`left:240px;top:0">covered</button><div id=cover`+box+`left:240px;top:0;opacity:.01;background:red"></div>
<select id=select`+box+`left:360px;top:0"><option>one<option>two</select>
<input type=range id=range`+box+`left:480px;top:0">
<svg id=svg width=100 height=40`+box+`left:0;top:60px"><defs><rect id=shape width=100 height=40 /></defs><use id=use href="#shape"/></svg>
<a id=link href="/gone"`+box+`left:120px;top:60px">link</a>
<p`+box+`left:240px;top:60px;font-size:30px"><b id=bold>bold</b></p>
<canvas id=canvas`+box+`left:360px;top:60px"></canvas>
<div`+box+`left:480px;top:60px"><div id=contents style="display:contents"><i id=inner style="display:block;height:40px">x</i></div></div>
<textarea id=area`+box+`left:0;top:120px">text</textarea>
<math id=math`+box+`left:120px;top:120px"><mi id=mi style="font-size:30px">x</mi></math>
<img id=img alt=""`+box+`left:240px;top:120px" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
<div id=edit contenteditable`+box+`left:360px;top:120px">edit</div>`)
	for at, want := range map[[2]float64]string{
		{50, 20}: "disabled", {170, 20}: "behind", {290, 20}: "cover", {410, 20}: "select", {530, 20}: "range",
		{50, 80}: "use", {170, 80}: "link", {260, 80}: "bold", {410, 80}: "canvas", {530, 80}: "inner",
		{50, 140}: "area", {290, 140}: "img", {410, 140}: "edit",
	} {
		p, err := v.PickAt(v.ctx, at[0], at[1])
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if id(p) != want || p.Refusal != "" {
			t.Errorf("at %v: picked %q (%s), refusal %q, want %q", at, id(p), path(p), p.Refusal, want)
		}
	}
	if p := v.pickMiddle(v.first("#mi").Rect); id(p) != "mi" || p.Chain[0].NS != "math" {
		t.Errorf("mi: picked %s", path(p))
	}
	if _, err := v.PickAt(v.ctx, 900, 20); core.CodeOf(err) != core.SelectorNoMatch {
		t.Errorf("a point outside the view: %v", err)
	}
}

// Nothing inside a frame, a frame in a frame (H73), a shadow root or a
// pseudo-element is picked: the place is told, and why.
func pickRefusals(t *testing.T, b *bench) {
	const box = ` style="position:absolute;width:100px;height:60px;border:0;`
	v := b.open(t, `<!doctype html><style>*{margin:0} #before::before{content:"BEFORE";display:block;width:100px;height:60px}</style>
<iframe id=frame`+box+`left:0;top:0" srcdoc="<style>*{margin:0}</style><button style='width:100px;height:60px'>in</button>"></iframe>
<iframe id=nested`+box+`left:120px;top:0" srcdoc="<style>*{margin:0;border:0}</style><iframe style='width:100px;height:60px' srcdoc='<p>deep<p>deep<p>deep'></iframe>"></iframe>
<div id=open`+box+`left:240px;top:0"></div><div id=closed`+box+`left:360px;top:0"></div>
<div id=declared`+box+`left:480px;top:0"><template shadowrootmode=open><button style="width:100px;height:60px">in</button></template></div>
<div id=before`+box+`left:0;top:80px"></div>
<iframe id=empty`+box+`left:120px;top:80px"></iframe>
<script>
for (const mode of ['open','closed']) document.getElementById(mode).attachShadow({mode}).innerHTML = '<div><button style="width:100px;height:60px">in</button></div>';
</script>`)
	for at, want := range map[[2]float64][2]string{
		{50, 30}: {"frame", "iframe"}, {150, 10}: {"nested", "iframe"}, {290, 30}: {"open", "shadow"}, {410, 30}: {"closed", "shadow"},
		{530, 30}: {"declared", "shadow"}, {50, 110}: {"before", "pseudo"}, {170, 110}: {"empty", "iframe"},
	} {
		p, err := v.PickAt(v.ctx, at[0], at[1])
		if err != nil {
			t.Errorf("%s: %v", want[0], err)
			continue
		}
		if id(p) != want[0] || string(p.Refusal) != want[1] {
			t.Errorf("at %v: picked %q (%s), refusal %q, want %q", at, id(p), path(p), p.Refusal, want)
		}
	}
	p := v.first("#before")
	v.press("Escape")
	if _, err := v.Describe(v.ctx, p.Handle); err != nil {
		t.Errorf("describing again: %v", err)
	}
}

// pickClobbered: a form's inputs answer for its properties.
func pickClobbered(t *testing.T, b *bench) {
	var inputs strings.Builder
	for _, name := range []string{
		"parentNode", "nodeType", "localName", "namespaceURI", "attributes", "firstElementChild", "nextElementSibling",
		"previousElementSibling", "ownerDocument", "getRootNode", "getAttribute", "getBoundingClientRect", "shadowRoot", "firstChild", "nextSibling",
	} {
		inputs.WriteString("<input hidden name=" + name + " id=" + name + ">")
	}
	v := b.open(t, `<!doctype html><div></div><form id=f class=x style="width:300px;height:200px">`+inputs.String()+`<b id=in style="display:block;height:50px">in</b></form>
<img name=evaluate><img name=querySelectorAll><embed name=getRootNode><form name=documentElement></form>`)
	f, in := v.first("form.x"), v.first("#in")
	if id(f) != "f" || path(f) != "/html[1]/body[2]/form[2]" {
		t.Errorf("form: %s %q", path(f), id(f))
	}
	if id(in) != "in" || path(in) != "/html[1]/body[2]/form[2]/b[16]" {
		t.Errorf("inside: %s %q", path(in), id(in))
	}
	if got := v.pickMiddle(in.Rect); path(got) != path(in) {
		t.Errorf("picked %s", path(got))
	}
	if down, err := v.Step(v.ctx, f.Handle, "down"); err != nil || id(down) != "parentNode" {
		t.Errorf("down: %q %v", id(down), err)
	}
	if r := v.births(); !r.Complete || len(r.List) == 0 {
		t.Errorf("births: %v %q", r.Complete, r.Reason)
	}
}

// pickSabotaged: the page breaks its own prototypes before and after parsing.
func pickSabotaged(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><script>
const lie = () => { throw new Error('sabotage'); };
for (const [proto, names] of [[Node.prototype, ['parentNode','nodeType','firstChild','ownerDocument','getRootNode']], [Element.prototype, ['localName','attributes','firstElementChild','nextElementSibling','getAttribute','getBoundingClientRect']], [Document.prototype, ['evaluate','querySelectorAll']]])
  for (const name of names) Object.defineProperty(proto, name, { get: lie, configurable: true });
Array.prototype.push = Array.prototype.map = Array.prototype.join = lie; JSON.stringify = lie; WeakMap.prototype.get = WeakMap.prototype.set = lie;
Reflect.apply = lie; Object.getOwnPropertyDescriptor = lie; MutationObserver = lie; Symbol.for = lie; globalThis.proofmark = 1;
Object.defineProperty(Array.prototype, 0, { set: lie, get: lie, configurable: true });
Object.defineProperty(Object.prototype, 'birth', { set: lie, get: lie, configurable: true });
</script><main><p>one</p><p id=two>two</p></main>`)
	p := v.first("#two")
	if path(p) != "/html[1]/body[2]/main[1]/p[2]" || p.Text != "two" {
		t.Errorf("%s %q", path(p), p.Text)
	}
	if got := v.pickMiddle(p.Rect); path(got) != path(p) {
		t.Errorf("picked %s", path(got))
	}
	if r := v.births(); !r.Complete || p.Chain[0].Birth != len(r.List)-1 {
		t.Errorf("birth %d of %d, complete %v %q", p.Chain[0].Birth, len(r.List), r.Complete, r.Reason)
	}
}

func pickChain(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><html lang=en class="a  b"><body data-x="&lt;y&gt;"><p>skip<p>  Long
 <b>text</b><script>var s</script> <!-- no --> ends </p><svg viewBox="0 0 9 9"><linearGradient id=g xlink:href="#q" gradientUnits=x></linearGradient></svg>`)
	p := v.first("p + p")
	if p.Text != "Long text ends" {
		t.Errorf("text %q", p.Text)
	}
	if attr(p, 2, "class") != "a  b" || attr(p, 1, "data-x") != "<y>" || p.Chain[2].NS != "html" {
		t.Errorf("chain %+v", p.Chain)
	}
	if p.Epoch != 1 || p.Origin != b.site.origin() || !strings.HasPrefix(p.Handle, "sel_") {
		t.Errorf("epoch %d origin %q handle %q", p.Epoch, p.Origin, p.Handle)
	}
	g := v.first("#g")
	if g.Chain[0].NS != "svg" || g.Chain[0].Name != "linearGradient" || attr(g, 0, "xlink:href") != "#q" || attr(g, 0, "gradientUnits") != "x" {
		t.Errorf("svg %+v", g.Chain[0])
	}
}

func pickManySiblings(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><body>`+strings.Repeat("<i>x</i>", 3000)+`<b id=z>z</b>`)
	if p := v.first("#z"); p.Chain[0].Index != 3001 {
		t.Errorf("index %d", p.Chain[0].Index)
	}
	if p, err := v.ByPath(v.ctx, []int{1, 2, 2999}); err != nil || p.Chain[0].Index != 2999 {
		t.Errorf("%+v %v", p, err)
	}
}
