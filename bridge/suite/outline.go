package suite

import (
	"bytes"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

func outlined(handles ...string) []contract.Outline {
	var out []contract.Outline
	for i, h := range handles {
		look := []contract.OutlineLook{contract.OutlineSelected, contract.OutlineCursor, contract.OutlineRefused}[i%3]
		out = append(out, contract.Outline{Spot: contract.Spot{Handle: h}, Look: look})
	}
	return out
}

// testOutline: borders that stay while one points. A press still picks, the page
// hears nothing, and no picture shows them.
func testOutline(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><style>body{margin:0;height:3000px}p{width:200px;height:50px;margin:10px}</style>
<p id=one>One</p><p id=two>in a <em id=line>line</em></p><svg width=50 height=50><rect id=drawn width=50 height=50 /></svg><p id=none hidden>none</p>`+spy)
	v.press("Escape")
	before := v.said("print ")
	var plain []byte
	if !b.Framed {
		plain = shoot(t, v, contract.ShotOptions{}).Data
	}
	one, two, line, drawn, none := v.first("#one").Handle, v.first("#two").Handle, v.first("#line").Handle, v.first("#drawn").Handle, v.first("#none").Handle
	v.inspect(true)
	for _, list := range [][]contract.Outline{
		outlined(one, two), outlined(line), outlined(one, two, line, drawn, none),
		{{Spot: contract.Spot{Born: v.first("#one").Chain[0].Birth + 1, Name: "p"}, Look: contract.OutlineSelected}, {Spot: contract.Spot{Path: []int{1, 99}}, Look: contract.OutlineSelected}},
		outlined(drawn), nil,
	} {
		if err := v.Outline(v.ctx, list); err != nil {
			t.Fatalf("%+v: %v", list, err)
		}
		for _, want := range []string{"one", "line", "drawn"} {
			v.click("#" + want)
			if p := v.pointed(contract.Picked); id(p) != want {
				t.Errorf("%+v: picked %q, want %s", list, id(p), want)
			}
		}
		if b.Framed {
			continue
		}
		for range 2 { // the second time they have been put back
			if !bytes.Equal(shoot(t, v, contract.ShotOptions{}).Data, plain) {
				t.Errorf("%+v: a picture shows it", list)
			}
		}
	}
	v.inspect(false)
	if err := v.Outline(v.ctx, outlined(one, line)); err != nil {
		t.Fatal(err)
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
	wantCode(t, v.Outline(v.ctx, outlined("sel_unknown")), core.StaleEpoch)
	wantCode(t, v.Outline(v.ctx, []contract.Outline{{Spot: contract.Spot{Handle: one}, Look: "blinking"}}), core.BadRequest)
	wantCode(t, v.Outline(v.ctx, make([]contract.Outline, core.MaxOutlines+1)), core.TooMany)
	v.load()
	wantCode(t, v.Outline(v.ctx, outlined(one)), core.StaleEpoch)
	if !b.Framed && !bytes.Equal(shoot(t, v, contract.ShotOptions{}).Data, plain) {
		t.Error("what was outlined before the load still is")
	}
}
