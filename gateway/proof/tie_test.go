package proof

import (
	"slices"
	"strings"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
)

// The register and the map must agree in names, name spaces, and in id and
// class where the source gives them.
func TestTieWitnesses(t *testing.T) {
	const src = `<body><ul><li id=a class="k l">x</li><li id=b>y</li></ul><svg><a/></svg>`
	cases := []struct {
		name string
		do   func(b *contract.Births)
		tied bool
	}{
		{"as it is", func(*contract.Births) {}, true},
		{"class added by then", func(b *contract.Births) { b.List[4].Class = "l up k" }, true},
		{"id and class where the source has none", func(b *contract.Births) { b.List[3].ID, b.List[3].Class = "n", "n" }, true},
		{"script-made births between", func(b *contract.Births) {
			b.List = slices.Insert(b.List, 4, contract.Birth{NS: "html", Name: "li", ScriptMade: true})
		}, true},
		{"ids the other way round", func(b *contract.Births) { b.List[4].ID, b.List[5].ID = "b", "a" }, false},
		{"id gone", func(b *contract.Births) { b.List[5].ID = "" }, false},
		{"class gone", func(b *contract.Births) { b.List[4].Class = "k" }, false},
		{"another name", func(b *contract.Births) { b.List[5].Name = "dt" }, false},
		{"another name space", func(b *contract.Births) { b.List[7].NS = "html" }, false},
		{"another order", func(b *contract.Births) { b.List[3], b.List[6] = b.List[6], b.List[3] }, false},
		{"incomplete", func(b *contract.Births) { b.Complete = false }, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := mustParse(t, src)
			births := load(tree).births
			c.do(&births)
			k := NewTie(births, tree)
			if all := k.Tied() == len(tree.Births()); all != c.tied || k.Usable() != c.tied || (k.Reason() == "") != c.tied {
				t.Errorf("%d tied, usable %v, reason %q", k.Tied(), k.Usable(), k.Reason())
			}
			if k.Node(-1) != 0 || k.Node(len(births.List)) != 0 {
				t.Error("a birth that is none is tied")
			}
		})
	}
}

// Where births are missing, what can only be one element stays tied, and twins
// beside the gap do not.
func TestTieWithMissingBirths(t *testing.T) {
	tree := mustParse(t, `<body><h1>t</h1><ul><li>a</li><li>b</li><li>c</li></ul><ol><li id=x>d</li></ol><p>e`)
	births := load(tree).births // html head body h1 ul li li li ol li p
	births.List = slices.Delete(births.List, 6, 7)
	k := NewTie(births, tree)
	var got []string
	for i := range births.List {
		name := "-"
		if id := k.Node(i); id != 0 {
			name = tree.Name(id) + Quote(tree, id)
		}
		got = append(got, name)
	}
	if s := strings.Join(got, " "); s != "htmltabcde head bodytabcde h1t ulabc - - oldd lid pe" && s != "htmltabcde head bodytabcde h1t ulabc - - old lid pe" {
		t.Error(s)
	}
}

// Behind a script that a script wrote, only what nothing else looks like is
// tied; without the word write in the source nothing changes.
func TestTieBehindWrittenScripts(t *testing.T) {
	for _, c := range []struct {
		script string
		twins  bool
	}{{"document.write(x)", false}, {"go(x)", true}} {
		tree := mustParse(t, `<body><p>a</p><script>`+c.script+`</script><p>b</p><h2>c</h2>`)
		births := load(tree).births
		births.List = slices.Insert(births.List, 5, contract.Birth{NS: "html", Name: "script", ScriptMade: true})
		k := NewTie(births, tree)
		if k.Node(3) == 0 || (k.Node(6) != 0) != c.twins || k.Node(7) == 0 {
			t.Errorf("%s: %d %d %d", c.script, k.Node(3), k.Node(6), k.Node(7))
		}
	}
}

// Without a register the whole list of siblings must be the source's.
func TestPlaceWants(t *testing.T) {
	const src = `<body><main><h1>One</h1><p>two</p></main><script>go()</script>`
	cases := []struct {
		name string
		do   func(p *simPage, h1 *simElement)
		code core.Code
	}{
		{"as it is", func(*simPage, *simElement) {}, ""},
		{"one more behind", func(_ *simPage, h1 *simElement) {
			(&simElement{ns: "html", name: "p", birth: -1, script: true}).put(h1.parent, 2)
		}, core.Ambiguous},
		{"one less", func(_ *simPage, h1 *simElement) { h1.parent.kids[1].cut() }, core.Ambiguous},
		{"another name", func(_ *simPage, h1 *simElement) { h1.parent.kids[1].name = "i" }, core.Ambiguous},
		{"wrapped", func(_ *simPage, h1 *simElement) {
			w, m := &simElement{ns: "html", name: "main", birth: -1, script: true}, h1.parent
			at := m.index() - 1
			body := m.parent
			m.cut()
			w.put(body, at)
			m.put(w, 0)
		}, core.Ambiguous},
		{"script-made", func(_ *simPage, h1 *simElement) { h1.script = true }, core.ScriptMade},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := mustParse(t, src)
			p := load(tree)
			p.forget()
			h1 := p.find(t, "h1", 1)
			c.do(p, h1)
			v, err := Verify(claimOf(p, h1), tree, "s")
			if core.CodeOf(err) != c.code || err == nil && v.Node() != h1.src {
				t.Errorf("%v %v", v.Node(), err)
			}
		})
	}
}

// Without a register an element that is not what the place should hold is not
// taken for it, whatever only its attributes say.
func TestPlaceWantsAttributes(t *testing.T) {
	tree := mustParse(t, `<body><a href=/x>one</a><a href=/y>two</a><script>go()</script>`)
	p := load(tree)
	p.forget()
	a, b := p.find(t, "a", 1), p.find(t, "a", 2)
	a.attrs, b.attrs = b.attrs, a.attrs
	for _, e := range []*simElement{a, b} {
		if v, err := Verify(claimOf(p, e), tree, "s"); core.CodeOf(err) != core.Ambiguous {
			t.Errorf("%v %v", v.Node(), err)
		}
	}
}
