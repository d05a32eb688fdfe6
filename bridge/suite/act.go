package suite

import (
	"strings"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// testStyle: used values, by name, within bounds.
func testStyle(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><style>:root{--gap:7px}</style><p id=p style="color:red;margin-top:3em;font-size:10px">x</p>`)
	h := v.first("#p").Handle
	got, err := v.Style(v.ctx, h, []string{"color", "margin-top", "--gap", "no-such"})
	if err != nil || got["color"] != "rgb(255, 0, 0)" || got["margin-top"] != "30px" || got["--gap"] != "7px" || got["no-such"] != "" {
		t.Errorf("%v %v", got, err)
	}
	if got, err = v.Style(v.ctx, h, nil); err != nil || len(got) != 0 {
		t.Errorf("nothing asked: %v %v", got, err)
	}
	if got, err = v.Style(v.ctx, h, []string{"color; x", ""}); err != nil || got["color; x"] != "" || got[""] != "" {
		t.Errorf("no property names: %v %v", got, err)
	}
	_, err = v.Style(v.ctx, h, make([]string, 33))
	wantCode(t, err, core.Budget)
	_, err = v.Style(v.ctx, "sel_none", []string{"color"})
	wantCode(t, err, core.StaleEpoch)
}

// testAct: R-TURN-9, bounded and real input.
func testAct(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><input id=in><button id=b style="margin-top:3000px">b</button><script>
for (const type of ['click','focus','input','keydown','scroll'])
  addEventListener(type, (e) => console.error(type + ' ' + (e.target.id || '') + ' ' + e.isTrusted + ' ' + (e.key || '') + ' ' + (type === 'input' ? e.target.value : '')), true)</script>`)
	do := func(a contract.Action) {
		t.Helper()
		if err := v.Act(v.ctx, a); err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
	}
	in := v.first("#in").Handle
	do(contract.Action{Kind: "click", Handle: v.first("#b").Handle})
	do(contract.Action{Kind: "focus", Handle: in})
	do(contract.Action{Kind: "type", Handle: in, Text: "h\u00e9 \u4f60"})
	do(contract.Action{Kind: "press", Key: "Backspace"})
	do(contract.Action{Kind: "scroll", DY: 200})
	all := strings.Join(v.health().ConsoleErr, "\n")
	for _, want := range []string{"click b true", "focus in true", "input in true  h\u00e9 \u4f60", "keydown in true Backspace", "scroll"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	for _, bad := range []contract.Action{
		{Kind: "navigate"},
		{Kind: "press", Key: "F5"},
		{Kind: "press", Key: "a"},
		{Kind: "scroll", DY: 1e9},
		{Kind: "type", Handle: in, Text: strings.Repeat("x", 16_385)},
		{Kind: "type", Text: "\xff"},
	} {
		wantCode(t, v.Act(v.ctx, bad), core.ToolArguments)
	}
	wantCode(t, v.Act(v.ctx, contract.Action{Kind: "click", Handle: "sel_none"}), core.StaleEpoch)
}

// testActBounds: R-TURN-9, real input neither leaves the page nor opens, saves
// or asks anything; what is typed arrives whole.
func testActBounds(t *testing.T, b *bench) {
	b.site.put("/elsewhere.html", "text/html", `<!doctype html><h1 id=elsewhere>elsewhere</h1>`)
	v := b.open(t, `<!doctype html><p id=here>here</p><form action="/elsewhere.html"><input id=in name=q></form>
<a id=link href="/elsewhere.html">link</a> <a id=blank target=_blank href="/elsewhere.html">blank</a> <a id=save download href="/elsewhere.html">save</a>
<a id=script href="javascript:console.error('ran')">script</a> <input id=file type=file> <textarea id=long></textarea>
<button id=ask onclick="alert('x'); let p = null; try { p = prompt('z') } catch {} console.error('confirm ' + confirm('y') + ' prompt ' + p)">ask</button>
<button id=pop onclick="console.error('opened ' + (window.open('/elsewhere.html') !== null))">pop</button>
<button id=none style="display:none">none</button>
<script>document.getElementById('file').onchange = () => console.error('chosen');
document.getElementById('long').oninput = (e) => { globalThis.typed = e.target.value; };
addEventListener('keydown', (e) => { if (e.key === 'Escape') console.error('typed ' + (globalThis.typed ?? '').length) })</script>`)
	asked := b.site.count("/elsewhere.html")
	for _, id := range []string{"#link", "#blank", "#save", "#script", "#file", "#ask", "#pop"} {
		v.click(id)
	}
	for _, id := range []string{"#in", "#link", "#blank", "#save"} { // and by the keyboard
		if err := v.Act(v.ctx, contract.Action{Kind: "focus", Handle: v.first(id).Handle}); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		v.press("Enter")
	}
	if p := v.first("#here"); p.Text != "here" {
		t.Errorf("the page is another one: %+v", p)
	}
	if n := b.site.count("/elsewhere.html") - asked; n != 0 {
		t.Errorf("another page was asked for %d times", n)
	}
	all := strings.Join(v.health().ConsoleErr, "\n")
	if !strings.Contains(all, "confirm false prompt null") || strings.Contains(all, "chosen") {
		t.Errorf("the page was answered: %s", all)
	}
	text := strings.Repeat("typed te\u00e9t ", 1489)
	if err := v.Act(v.ctx, contract.Action{Kind: "type", Handle: v.first("#long").Handle, Text: text}); err != nil {
		t.Fatal(err)
	}
	v.press("Escape")
	if got := v.said("typed "); len(got) != 1 || got[0] != itoa(len([]rune(text))) {
		t.Errorf("typed %d characters, the page has %v", len([]rune(text)), got)
	}
	// What cannot be used is refused so that something else can be tried.
	for _, a := range []contract.Action{
		{Kind: "click", Handle: v.first("#none").Handle},
		{Kind: "focus", Handle: v.first("#none").Handle},
		{Kind: "focus", Handle: v.first("#here").Handle},
		{Kind: "type", Handle: v.first("#here").Handle, Text: "x"},
	} {
		wantCode(t, v.Act(v.ctx, a), core.Unsupported)
	}
}
