package suite

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// pointed waits for the next thing of a kind.
func (v *view) pointed(kind contract.PointedKind) contract.Pick {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, 20*time.Second)
	defer cancel()
	for {
		p, err := v.Pointed(ctx)
		if err != nil {
			v.t.Fatalf("waiting for %s: %v", kind, err)
		}
		if p.Kind == kind {
			return p.Pick
		}
	}
}

func (v *view) inspect(on bool) {
	v.t.Helper()
	if err := v.Inspect(v.ctx, on); err != nil {
		v.t.Fatalf("inspect mode: %v", err)
	}
}

// testPointed: inspect mode that stays on. A real click picks, and the page sees
// nothing of it.
func testPointed(t *testing.T, b *bench) {
	v := b.blank(t, `<!doctype html><style>body{margin:0;height:3000px}button{display:block;width:200px;height:50px;margin:0}#host{height:50px}</style>
<button id=one>One</button><button id=two>Two</button><div id=host></div>
<script>document.getElementById('host').attachShadow({mode:'closed'}).innerHTML = '<button id=inner style="width:100%;height:50px">In</button>';
for (const e of ['mousemove','mouseover','mousedown','mouseup','click','pointerdown','pointermove','keydown']) addEventListener(e, () => console.error('saw ' + e), true)</script>`)
	wantCode(t, v.Inspect(v.ctx, true), core.SurfaceChanged) // nothing is loaded yet
	v.load()
	v.inspect(true)
	v.click("#one")
	if p := v.pointed(contract.Picked); id(p) != "one" || p.Handle == "" {
		t.Errorf("picked %+v", p)
	}
	if p := v.pointed(contract.Hovered); id(p) != "one" || p.Handle != "" || p.Rect.Width != 200 {
		t.Errorf("hovered %+v", p)
	}
	v.click("#host")
	if p := v.pointed(contract.Picked); id(p) != "host" || p.Refusal != core.InShadow {
		t.Errorf("in a shadow root: picked %+v", p)
	}
	// A point in between does not switch it off, and both are told apart.
	if p := v.pickMiddle(v.first("#two").Rect); id(p) != "two" {
		t.Errorf("picked at a point: %+v", p)
	}
	v.load()
	v.click("#two")
	if p := v.pointed(contract.Picked); id(p) != "two" || p.Epoch != 2 {
		t.Errorf("after a load: picked %+v", p)
	}
	// Picks that nobody asked for yet are kept, in their order.
	v.click("#one")
	v.click("#two")
	if a, b := v.pointed(contract.Picked), v.pointed(contract.Picked); id(a) != "one" || id(b) != "two" {
		t.Errorf("picked %s and %s", id(a), id(b))
	}
	if saw := v.said("saw "); len(saw) > 0 {
		t.Errorf("the page saw %v", saw)
	}
	if err := v.Act(v.ctx, contract.Action{Kind: "scroll", DY: 50}); err != nil {
		t.Fatal(err)
	}
	v.pointed(contract.Moved)
	v.inspect(false)
	v.click("#one")
	if !slices.Contains(v.said("saw "), "click") {
		t.Error("with inspect mode off the page sees no click")
	}
	ctx, cancel := context.WithTimeout(v.ctx, 300*time.Millisecond)
	defer cancel()
	for {
		p, err := v.Pointed(ctx)
		if err != nil {
			wantCode(t, err, core.Timeout)
			break
		}
		if p.Kind != contract.Moved {
			t.Errorf("with inspect mode off: %+v", p)
		}
	}
}

// testMoves: a page that moves all the time does not keep anybody busy.
func testMoves(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><body style="height:9000px"><script>let y = 0; setInterval(() => scrollTo(0, y = (y + 7) % 900), 1)</script>`)
	v.inspect(true)
	until, n := time.Now().Add(time.Second), 0
	for time.Now().Before(until) {
		v.pointed(contract.Moved)
		n++
	}
	if n > 15 {
		t.Errorf("told %d times in a second that it moved", n)
	}
}

// testLeft: a page that replaces itself is told.
func testLeft(t *testing.T, b *bench) {
	v := b.blank(t, "")
	b.site.set(v.path, file{kind: "text/html", loose: true, body: `<!doctype html><button id=go style="width:90px;height:30px" onclick="location.href = 'about:blank'">go</button>`})
	v.load()
	v.click("#go")
	v.pointed(contract.Left)
	v.load()
	v.first("#go")
}

// testAround: what is around an element, and where elements are.
func testAround(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><style>*{margin:0}</style><div id=outer style="position:relative;width:300px;height:200px"><p id=in style="width:100px;height:40px">x</p><div id=veil style="position:absolute;inset:0"></div></div>
<p id=none style="display:none">y</p><form id=f><input name=parentNode><input name=isConnected></form><p id=far style="margin-top:2000px">z</p>`)
	in, none, far := v.first("#in"), v.first("#none"), v.first("#far")
	chain, stack, err := v.Under(v.ctx, in.Handle)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range append(slices.Clone(chain), stack...) {
		if p.Handle == "" || len(p.Chain) == 0 {
			t.Fatalf("%+v", p)
		}
		names = append(names, p.Chain[0].Name+id(p))
	}
	if got := strings.Join(names, " "); got != "divouter body html divveil pin divouter body html" {
		t.Errorf("around it: %s", got)
	}
	if _, stack, err := v.Under(v.ctx, far.Handle); err != nil || len(stack) != 0 {
		t.Errorf("under what is beyond the view: %v %v", stack, err)
	}
	want := contract.Rect{Width: 100, Height: 40}
	spots := []struct {
		spot  contract.Spot
		there bool
	}{
		{contract.Spot{Handle: in.Handle}, true},
		{contract.Spot{Handle: none.Handle}, false},
		{contract.Spot{Handle: "sel_unknown"}, false},
		{contract.Spot{Path: []int{1, 2, 1, 1}, Name: "p"}, true},
		{contract.Spot{Path: []int{1, 2, 1, 1}}, true},
		{contract.Spot{Path: []int{1, 2, 1, 1}, Name: "div"}, false},
		{contract.Spot{Path: []int{1, 99}}, false},
		{contract.Spot{Born: in.Chain[0].Birth + 1, Name: "p"}, true},
		{contract.Spot{Born: 99_999}, false},
	}
	var asked []contract.Spot
	for _, s := range spots {
		asked = append(asked, s.spot)
	}
	for range 2 { // the second time the page knows them
		got, err := v.Places(v.ctx, asked)
		if err != nil || len(got) != len(spots) {
			t.Fatal(got, err)
		}
		for i, s := range spots {
			if s.there != (got[i] != nil) || s.there && *got[i] != want {
				t.Errorf("%+v is at %+v", s.spot, got[i])
			}
		}
	}
	if err := v.Act(v.ctx, contract.Action{Kind: "scroll", DY: 30}); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Places(v.ctx, asked[:1]); err != nil || got[0] == nil || got[0].Y != -30 {
		t.Errorf("scrolled: %+v %v", got, err)
	}
	if got, err := v.Places(v.ctx, []contract.Spot{{Handle: far.Handle}}); err != nil || got[0] == nil || got[0].Y < 1900 {
		t.Errorf("beyond the view: %+v %v", got, err)
	}
	if err := v.Reveal(v.ctx, far.Handle); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Places(v.ctx, []contract.Spot{{Handle: far.Handle}}); err != nil || got[0] == nil || got[0].Y < 0 || got[0].Y > 600 {
		t.Errorf("brought into the view: %+v %v", got[0], err)
	}
	wantCode(t, v.Reveal(v.ctx, none.Handle), core.Unsupported)
	_, err = v.Places(v.ctx, make([]contract.Spot, contract.MaxSpots+1))
	wantCode(t, err, core.TooMany)
	v.load()
	_, _, err = v.Under(v.ctx, in.Handle)
	wantCode(t, err, core.StaleEpoch)
	if got, err := v.Places(v.ctx, asked[:1]); err != nil || got[0] != nil {
		t.Errorf("a handle of an earlier load: %+v %v", got, err)
	}
}
