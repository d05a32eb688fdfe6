package suite

import (
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// layoutPage has every kind of box once.
const layoutPage = `<!doctype html><meta charset=utf-8><style>*{margin:0}</style><body>
<p id=text style="width:100px;height:20px">text</p>
<div id=bar style="width:50px;height:10px;background:#123"></div>
<div id=bare style="width:50px;height:10px"></div>
<img id=picture style="width:30px;height:30px" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">
<p id=none style="display:none">none</p><p id=unseen style="visibility:hidden">unseen</p>
<div style="opacity:0"><p id=faint>faint</p></div>
<div id=clip style="overflow:hidden;height:20px"><p id=deep style="margin-top:30px">deep</p></div>
<div id=scroll style="overflow:auto;height:20px"><p id=reached style="margin-top:30px">reached</p></div>
<i id=inline>inline</i>
<b id=abs style="position:absolute;top:700px;left:5px">a</b>
<b id=fix style="position:fixed;top:3px;left:4px">f</b>
<template><p>inert</p></template>
<div><template shadowrootmode=open><p>shadow</p></template></div>
<svg id=svg width=10 height=10><rect width=5 height=5 /></svg>
<div style="height:900px"></div>
</body>`

// testLayout: R-TURN-7, where everything stands, in the order of the tree.
func testLayout(t *testing.T, b *bench) {
	v := b.open(t, layoutPage)
	l := v.layout()
	tree, err := v.Tree(v.ctx)
	if err != nil || len(tree) != len(l.Boxes) {
		t.Fatalf("%d boxes for %d elements, %v", len(l.Boxes), len(tree), err)
	}
	box := func(selector string) contract.Box { t.Helper(); return v.box(l, selector) }
	if p := box("#text"); !p.Shown || !p.Text || p.Inline || p.Rect != (contract.Rect{Width: 100, Height: 20}) {
		t.Errorf("text %+v", p)
	}
	if p := box("#bar"); !p.Painted || p.Text || p.Rect != (contract.Rect{Y: 20, Width: 50, Height: 10}) {
		t.Errorf("bar %+v", p)
	}
	if p := box("#bare"); p.Painted || !p.Shown {
		t.Errorf("bare %+v", p)
	}
	if p := box("#picture"); !p.Replaced || p.Width != 30 {
		t.Errorf("picture %+v", p)
	}
	for _, id := range []string{"#none", "#unseen", "#faint"} {
		if p := box(id); p.Shown {
			t.Errorf("%s %+v", id, p)
		}
	}
	if c, s := box("#clip"), box("#scroll"); !c.ClipsX || !c.ClipsY || c.ScrollsY || !s.ScrollsY || s.ClipsY {
		t.Errorf("clip %+v scroll %+v", c, s)
	}
	if i, a, f := box("#inline"), box("#abs"), box("#fix"); !i.Inline || !a.Absolute || a.Y != 700 || !f.Fixed || f.Y != 3 {
		t.Errorf("inline %+v absolute %+v fixed %+v", i, a, f)
	}
	shadow := false
	for i, e := range tree {
		if l.Boxes[i].Parent != e.Parent {
			t.Errorf("element %d has the parent %d, in the tree %d", i, l.Boxes[i].Parent, e.Parent)
		}
		switch e.Step {
		case "content":
			if l.Boxes[i] != (contract.Box{Parent: e.Parent, Birth: -1}) {
				t.Errorf("in the template: %+v", l.Boxes[i])
			}
		case "shadow":
			shadow = true
			if !l.Boxes[i].Text || !l.Boxes[i].Shown || l.Boxes[i].Birth != -1 {
				t.Errorf("in the shadow root: %+v", l.Boxes[i])
			}
		}
	}
	if !shadow {
		t.Error("the shadow root is not walked")
	}
	births := v.births()
	for i, e := range tree {
		if n := l.Boxes[i].Birth; n >= 0 && births.List[n].Name != e.Name {
			t.Errorf("element %d is a %s, birth %d a %s", i, e.Name, n, births.List[n].Name)
		}
	}
	wide := 800.0
	if b.ScrollBars {
		wide -= 15 // a page in a window has a scroll bar that takes room
	}
	if l.Area.Width != wide || l.Area.Height < 900 || l.Width != wide || l.Height != 600 || l.ClipsX || l.ClipsY || l.Adapts || l.Cut {
		t.Errorf("page %+v %v×%v", l.Area, l.Width, l.Height)
	}
	// A scrolled page has its boxes where they were, but for those that stick.
	if err := v.Act(v.ctx, contract.Action{Kind: "scroll", DY: 300}); err != nil {
		t.Fatal(err)
	}
	l = v.layout()
	if p, f := box("#text"), box("#fix"); p.Y != 0 || f.Y != 303 {
		t.Errorf("scrolled: text %+v fixed %+v", p.Rect, f.Rect)
	}
}

// testPageLayout: what the page as a whole says of its size.
func testPageLayout(t *testing.T, b *bench) {
	for name, c := range map[string]struct {
		page string
		ok   func(contract.Layout) bool
	}{
		"clips":     {`<!doctype html><body style="overflow:hidden"><div style="width:2000px">x`, func(l contract.Layout) bool { return l.ClipsX && l.ClipsY && l.Area.Width >= 2000 }},
		"root wins": {`<!doctype html><html style="overflow-y:scroll"><body style="overflow:hidden">x`, func(l contract.Layout) bool { return !l.ClipsY }},
		"rtl":       {`<!doctype html><html dir=rtl><div style="width:2000px">x`, func(l contract.Layout) bool { return l.Area.X < -1000 && l.Area.Width >= 2000 }},
		"viewport":  {`<!doctype html><meta name=Viewport content="width=device-width">x`, func(l contract.Layout) bool { return l.Adapts }},
		"media":     {`<!doctype html><style>@supports (color:red) { @media (max-width: 500px) { p { color: red } } }</style>x`, func(l contract.Layout) bool { return l.Adapts }},
		"container": {`<!doctype html><style>@container (min-width: 500px) { p { color: red } }</style>x`, func(l contract.Layout) bool { return l.Adapts }},
		"print":     {`<!doctype html><style>@media print { p { color: red } }</style>x`, func(l contract.Layout) bool { return !l.Adapts }},
		"quirks":    {`<body><div style="width:2000px;height:3000px">x`, func(l contract.Layout) bool { return l.Area.Width >= 2000 && l.Area.Height >= 3000 }},
		"clobbered": {`<!doctype html><form id=f><input name=parentNode><input name=firstChild><input name=checkVisibility></form><img name=scrollingElement><img name=styleSheets>`, func(l contract.Layout) bool { return l.Width == 800 }},
	} {
		t.Run(name, func(t *testing.T) {
			if l := b.open(t, c.page).layout(); !c.ok(l) {
				l.Boxes = nil
				t.Errorf("%+v", l)
			}
		})
	}
}

// testResize: R-TURN-8, the same page at another width.
func testResize(t *testing.T, b *bench) {
	v := b.open(t, `<!doctype html><style>*{margin:0}#p{height:10px}@media (max-width:500px){#p{height:70px}}</style><p id=p>x</p>
<script>addEventListener('resize', () => console.error('now ' + innerWidth))</script>`)
	p := v.first("#p")
	if b.Shown {
		wantCode(t, v.Resize(v.ctx, 390, 500), core.Unsupported) // its size is that of the frame, which is the workbench's
		return
	}
	if err := v.Resize(v.ctx, 390, 500); err != nil {
		t.Fatal(err)
	}
	if l := v.layout(); l.Width != 390 || l.Height != 500 || v.box(l, "#p").Height != 70 {
		t.Errorf("%v × %v, p %+v", l.Width, l.Height, v.box(l, "#p"))
	}
	if s := shoot(t, v, contract.ShotOptions{}); s.Width != 390 || s.Height != 500 {
		t.Errorf("the picture has %d × %d", s.Width, s.Height)
	}
	if r, err := v.Rect(v.ctx, p.Handle); err != nil || r.Height != 70 {
		t.Errorf("an earlier handle: %+v %v", r, err)
	}
	if _, err := v.PickAt(v.ctx, 395, 5); core.CodeOf(err) != core.SelectorNoMatch {
		t.Errorf("a pick outside the smaller view: %v", err)
	}
	if got := v.said("now "); len(got) != 1 || got[0] != "390" {
		t.Errorf("the page heard %v", got)
	}
	if err := v.Resize(v.ctx, 800, 600); err != nil {
		t.Fatal(err)
	}
	if l := v.layout(); l.Width != 800 || v.box(l, "#p").Height != 10 {
		t.Errorf("back: %v, p %+v", l.Width, v.box(l, "#p"))
	}
	for _, size := range [][2]int{{0, 5}, {5, -1}, {20000, 5}} {
		wantCode(t, v.Resize(v.ctx, size[0], size[1]), core.Usage)
	}
	blank := b.blank(t, "<!doctype html><p>x")
	if err := blank.Resize(v.ctx, 390, 500); err != nil {
		t.Fatalf("before the first load: %v", err)
	}
	blank.load()
	if l := blank.layout(); l.Width != 390 || l.Height != 500 {
		t.Errorf("loaded at %v × %v", l.Width, l.Height)
	}
}

func (v *view) layout() contract.Layout {
	v.t.Helper()
	l, err := v.Layout(v.ctx)
	if err != nil {
		v.t.Fatalf("layout: %v", err)
	}
	return l
}

// box gives the box of the first element of a selector, by its birth.
func (v *view) box(l contract.Layout, selector string) contract.Box {
	v.t.Helper()
	birth := v.first(selector).Chain[0].Birth
	for _, b := range l.Boxes {
		if b.Birth == birth && birth >= 0 {
			return b
		}
	}
	v.t.Fatalf("no box of %s", selector)
	return contract.Box{}
}
