package proof

import (
	"slices"
	"strings"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

const plain = `<!doctype html><html lang=en><head><title>t</title></head><body class=page>` +
	`<main title=m class=a style="color:red"><ul id=l><li class="k l" data-n=1>one</li><li>two</li><li>two</li></ul></main>` +
	`<table><tr><td>cell</table><p>a<b>x<p>y</b></p><script>go()</script></body></html>`

// find gives the n-th live element of that name.
func (p *simPage) find(t testing.TB, name string, n int) *simElement {
	t.Helper()
	for _, e := range p.all() {
		if e.name == name {
			if n--; n == 0 {
				return e
			}
		}
	}
	t.Fatalf("no <%s>", name)
	return nil
}

func claimOf(p *simPage, e *simElement) Claim {
	return Claim{Pick: p.pick(e), Births: p.births, DocumentID: "doc", RevisionID: "rev", SourceSHA: "s"}
}

// Codes, sentences and the nearest proven ancestor of every refusal.
func TestRefusals(t *testing.T) {
	cases := []struct {
		name, el string
		do       func(h hand)
		code     core.Code
		says     string
		nearest  string // name; "" for none
	}{
		{"another version", "li", func(h hand) { h.claim.SourceSHA = "old" }, core.StaleSource, "another version", ""},
		{"no chain", "li", func(h hand) { h.claim.Pick.Chain = nil }, core.Detached, "no longer on the page", ""},
		{"in a frame", "li", func(h hand) { h.claim.Pick.Refusal = core.InFrame }, core.InFrame, "inside a frame", "li"},
		{"in a shadow root", "li", func(h hand) { h.claim.Pick.Refusal = core.InShadow }, core.InShadow, "shadow root", "li"},
		{"pseudo", "li", func(h hand) { h.claim.Pick.Refusal = core.PseudoElement }, core.PseudoElement, "style sheet", "li"},
		{"detached", "li", func(h hand) { h.claim.Pick.Refusal = core.Detached }, core.Detached, "no longer on the page", ""},
		{"shadow step", "li", func(h hand) { h.claim.Pick.Chain[0].Step = "shadow" }, core.InShadow, "shadow root", "ul"},
		{"made by a script", "li", func(h hand) { h.claim.Pick.Chain[0].ScriptMade = true }, core.ScriptMade, "a script made this <li>", "ul"},
		{"never born", "li", func(h hand) { h.claim.Pick.Chain[0].Birth = -1 }, core.ScriptMade, "not in the source", "ul"},
		{"born of a script", "li", func(h hand) { h.claim.Births.List[h.el.birth].ScriptMade = true }, core.ScriptMade, "not in the source", "ul"},
		{"a birth beyond the register", "li", func(h hand) { h.claim.Pick.Chain[0].Birth = 999 }, core.Ambiguous, "cannot be told", "ul"},
		{"another name", "li", func(h hand) { h.claim.Pick.Chain[0].Name = "dt" }, core.Changed, "shows a <dt>", "ul"},
		{"another name space", "li", func(h hand) { h.claim.Pick.Chain[0].NS = "svg" }, core.Changed, "shows a <li>", "ul"},
		{"no tag", "tbody", func(hand) {}, core.NoSource, "put this <tbody> in by itself", "table"},
		{"attribute changed", "li", func(h hand) { h.el.set("data-n", "2"); h.again() }, core.Changed, "the attribute data-n of this <li>", "ul"},
		{"class taken away", "li", func(h hand) { h.el.set("class", "l x"); h.again() }, core.Changed, "the attribute class", "ul"},
		{"attribute of an ancestor", "li", func(h hand) { h.up("main").set("title", "x"); h.again() }, core.Changed, "the attribute title of the <main> around it", "body"},
		{"attribute of an ancestor gone", "li", func(h hand) { h.up("ul").attrs = nil; h.again() }, core.Changed, "the attribute id of the <ul>", "main"},
		{"another frame's code", "li", func(h hand) { h.claim.Pick.Refusal = core.SurfaceChanged }, core.SurfaceChanged, "cannot be tied", "li"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := mustParse(t, plain)
			p := load(tree)
			el := p.find(t, c.el, 1)
			claim := claimOf(p, el)
			claim.Births.List = slices.Clone(claim.Births.List)
			c.do(hand{&claim, p, el})
			_, err := Verify(claim, tree, "s")
			e := core.AsError(err)
			if e == nil || e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Op != opVerify {
				t.Fatalf("got %+v, want %s %q", e, c.code, c.says)
			}
			near, _ := e.Detail["nearest"].(Nearest)
			if near.Name != c.nearest {
				t.Errorf("nearest %+v, want <%s>", near, c.nearest)
			}
			if near.Name != "" {
				if id, ok := tree.Find(near.Path); !ok || tree.Name(id) != near.Name || e.Hint == "" {
					t.Errorf("nearest %+v is not in the source, or not told: %q", near, e.Hint)
				}
			}
		})
	}
}

// hand is what a case may spoil.
type hand struct {
	claim *Claim
	page  *simPage
	el    *simElement
}

// again reads the pick anew, after the page has changed.
func (h hand) again() { h.claim.Pick = h.page.pick(h.el) }

// up gives the nearest ancestor of that name.
func (h hand) up(name string) *simElement {
	e := h.el
	for e.name != name {
		e = e.parent
	}
	return e
}

// R-PICK-3: what scripts may do without taking a proof away.
func TestAllowedChanges(t *testing.T) {
	cases := []struct {
		name string
		do   func(p *simPage, li *simElement)
	}{
		{"nothing", func(*simPage, *simElement) {}},
		{"class added to the element", func(_ *simPage, li *simElement) { li.set("class", "x l y k") }},
		{"attribute added to the element", func(_ *simPage, li *simElement) { li.set("style", "x") }},
		{"classes and styles of ancestors", func(_ *simPage, li *simElement) { m := li.parent.parent; m.set("class", ""); m.set("style", "") }},
		{"anything of html and body", func(p *simPage, _ *simElement) { p.root.set("lang", "fr"); p.root.kids[1].set("class", "") }},
		{"text", func(_ *simPage, li *simElement) { li.text = "other"; li.parent.kids[1].text = "x" }},
		{"siblings gone", func(_ *simPage, li *simElement) { li.parent.kids = []*simElement{li} }},
		{"wrapped by a script", func(_ *simPage, li *simElement) {
			w, ul := &simElement{ns: "html", name: "div", birth: -1, script: true}, li.parent
			li.cut()
			w.put(ul, 0)
			li.put(w, 0)
		}},
		{"moved to the end of the body", func(p *simPage, li *simElement) { li.cut(); li.put(p.root.kids[1], 0) }},
		{"banner in front", func(p *simPage, _ *simElement) {
			(&simElement{ns: "html", name: "div", birth: -1, script: true}).put(p.root.kids[1], 0)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := mustParse(t, plain)
			p := load(tree)
			li := p.find(t, "li", 1)
			c.do(p, li)
			v, err := Verify(claimOf(p, li), tree, "s")
			if err != nil || v.Node() != li.src {
				t.Fatalf("%v %v", v.Node(), err)
			}
			a := v.Anchor("", "")
			if a.DocumentID != "doc" || a.RevisionID != "rev" || a.SourceSHA != "s" || a.Name != "li" ||
				string(tree.Source()[a.StartTag.Start:a.StartTag.End]) != `<li class="k l" data-n=1>` || a.Quote != "one" || a.SharedBy != 1 || a.Range == nil {
				t.Errorf("anchor %+v", a)
			}
			if b := v.Anchor("d2", "r2"); b.DocumentID != "d2" || b.RevisionID != "r2" {
				t.Errorf("anchor %+v", b)
			}
		})
	}
}

// An unclosed b is opened again in the next paragraph: one tag, two elements.
// Both are proven to be that tag, and never as unique (SRCMAP 7.4, H14).
func TestSharedTag(t *testing.T) {
	tree := mustParse(t, plain)
	p := load(tree)
	for n := 1; n <= 2; n++ {
		v, err := Verify(claimOf(p, p.find(t, "b", n)), tree, "s")
		if err != nil {
			t.Fatal(err)
		}
		if a := v.Anchor("", ""); v.SharedBy() != 2 || a.SharedBy != 2 || string(tree.Source()[a.StartTag.Start:a.StartTag.End]) != "<b>" {
			t.Errorf("b %d: %+v", n, a)
		}
	}
}

// Attributes beyond the bridge's bounds come cut.
func TestCutAttributes(t *testing.T) {
	long := strings.Repeat("x", 9000)
	tree := mustParse(t, `<body><img alt="`+long+`" src=a>`)
	p := load(tree)
	img := p.find(t, "img", 1)
	for _, c := range []struct {
		attrs []contract.Attr
		cut   bool
		ok    bool
	}{
		{[]contract.Attr{{Name: "alt", Value: long[:4096]}, {Name: "src", Value: "a"}}, true, true},
		{[]contract.Attr{{Name: "alt", Value: long[:4096]}, {Name: "src", Value: "a"}}, false, false},
		{[]contract.Attr{{Name: "alt", Value: long[:4095] + "y"}, {Name: "src", Value: "a"}}, true, false},
		{[]contract.Attr{{Name: "alt", Value: long[:4096]}, {Name: "src", Value: "b"}}, true, false},
		{[]contract.Attr{{Name: "alt", Value: long[:4096]}}, true, true},
		{[]contract.Attr{{Name: "alt", Value: ""}, {Name: "src", Value: "a"}}, true, false},
	} {
		claim := claimOf(p, img)
		claim.Pick.Chain[0].Attrs, claim.Pick.Chain[0].AttrsCut = c.attrs, c.cut
		if _, err := Verify(claim, tree, "s"); (err == nil) != c.ok {
			t.Errorf("cut %v, %d attributes: %v", c.cut, len(c.attrs), err)
		}
	}
}

// The zero Verified holds nothing.
func TestZeroVerified(t *testing.T) {
	var v Verified
	if a := v.Anchor("d", "r"); v.Node() != 0 || v.SharedBy() != 0 || a.ID != "" || a.SourceSHA != "" {
		t.Errorf("%+v", a)
	}
}

// A tie of another map or another register is not used.
func TestForeignTieIsMadeAnew(t *testing.T) {
	tree := mustParse(t, plain)
	p := load(tree)
	li := p.find(t, "li", 2)
	claim := claimOf(p, li)
	claim.Tie = NewTie(p.births, mustParse(t, "<p>other"))
	if v, err := Verify(claim, tree, "s"); err != nil || v.Node() != li.src {
		t.Errorf("%v %v", v.Node(), err)
	}
}

// No chain, however wrong, makes the proof panic or name a node that is none.
func FuzzVerify(f *testing.F) {
	f.Add(plain, uint8(3), "li", 2, 1, true)
	f.Add("<template><p>a</template><div><template shadowrootmode=open><b>x", uint8(2), "p", -1, 0, false)
	f.Add("", uint8(0), "html", 0, 0, true)
	f.Fuzz(func(t *testing.T, src string, depth uint8, name string, birth, index int, complete bool) {
		tree, err := htmlsrc.Parse([]byte(src), htmlsrc.Options{Scripting: true})
		if err != nil {
			return
		}
		births := load(tree).births
		births.Complete = complete
		c := Claim{Births: births, SourceSHA: "s"}
		for i := range int(depth) {
			step := []string{"", "", "", "content", "shadow"}[(i+int(depth))%5]
			c.Pick.Chain = append(c.Pick.Chain, contract.Link{NS: "html", Name: name, Index: index, Birth: birth - i, Step: step, Siblings: []string{name}})
		}
		v, err := Verify(c, tree, "s")
		if err == nil {
			if tag, ok := tree.StartTag(v.Node()); !ok || tree.Name(v.Node()) != name || tag.Len() < 3 {
				t.Errorf("proved node %d <%s>", v.Node(), tree.Name(v.Node()))
			}
		} else if core.CodeOf(err) == core.Internal {
			t.Error(err)
		}
	})
}
