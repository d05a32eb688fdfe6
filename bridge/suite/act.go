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
		{Kind: "type", Handle: in, Text: strings.Repeat("x", 5000)},
		{Kind: "type", Text: "\xff"},
	} {
		wantCode(t, v.Act(v.ctx, bad), core.ToolArguments)
	}
	wantCode(t, v.Act(v.ctx, contract.Action{Kind: "click", Handle: "sel_none"}), core.StaleEpoch)
}
