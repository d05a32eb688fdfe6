package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"proofmark/bridge/contract"
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// simPage is a page as a browser would hold it: a tree of its own, which
// "scripts" may change at will. Every element knows the element of the map it
// came from, which the proof is never told.
type simPage struct {
	root   *simElement
	births contract.Births
}

type simElement struct {
	ns, name string
	attrs    []contract.Attr
	text     string // what stands in it directly, before its children
	src      htmlsrc.ID
	birth    int
	script   bool
	step     string
	parent   *simElement
	kids     []*simElement
}

// load makes the page of a map without scripts.
func load(t *htmlsrc.Tree) *simPage {
	p := &simPage{births: contract.Births{Complete: true}}
	number := map[htmlsrc.ID]int{}
	for i, id := range t.Births() {
		number[id] = i
		b := contract.Birth{NS: t.NS(id).String(), Name: t.Name(id)}
		for _, a := range t.Attrs(id) {
			switch a.Name {
			case "id":
				b.ID = a.Value
			case "class":
				b.Class = a.Value
			}
		}
		p.births.List = append(p.births.List, b)
	}
	var make func(id htmlsrc.ID, parent *simElement) *simElement
	make = func(id htmlsrc.ID, parent *simElement) *simElement {
		e := &simElement{ns: t.NS(id).String(), name: t.Name(id), src: id, parent: parent, birth: -1}
		if n, ok := number[id]; ok {
			e.birth = n
		}
		for _, a := range t.Attrs(id) {
			e.attrs = append(e.attrs, contract.Attr{Name: a.Name, Value: a.Value})
		}
		for _, run := range t.TextRuns(id) {
			e.text += t.Text(run)
		}
		for c := range t.Children(id) {
			e.kids = append(e.kids, make(c, e))
		}
		return e
	}
	p.root = make(t.Root(), nil)
	return p
}

// forget takes the register away, as on a page that is too large for it.
func (p *simPage) forget() {
	p.births = contract.Births{Reason: "more than 50000 elements"}
}

func (e *simElement) index() int {
	if e.parent == nil {
		return 1
	}
	return slices.Index(e.parent.kids, e) + 1
}

func (e *simElement) fullText() string {
	var b strings.Builder
	b.WriteString(e.text)
	for _, k := range e.kids {
		if k.name != "script" && k.name != "style" {
			b.WriteString(k.fullText())
		}
	}
	return b.String()
}

func (p *simPage) pick(e *simElement) contract.Pick {
	out := contract.Pick{Handle: "h", Epoch: 1, Text: quoteOf(e.fullText())}
	for ; e != nil; e = e.parent {
		l := contract.Link{NS: e.ns, Name: e.name, Index: e.index(), Step: e.step, Attrs: slices.Clone(e.attrs), Birth: e.birth, ScriptMade: e.script}
		if !p.births.Complete {
			l.Birth = -1
			list := []*simElement{e}
			if e.parent != nil {
				list = e.parent.kids
			}
			for _, s := range list {
				l.Siblings = append(l.Siblings, s.name)
			}
		}
		out.Chain = append(out.Chain, l)
	}
	return out
}

func (p *simPage) all() []*simElement {
	var out []*simElement
	var visit func(*simElement)
	visit = func(e *simElement) {
		out = append(out, e)
		for _, k := range e.kids {
			visit(k)
		}
	}
	visit(p.root)
	return out
}

func (e *simElement) cut() {
	if e.parent != nil {
		i := slices.Index(e.parent.kids, e)
		e.parent.kids = slices.Delete(e.parent.kids, i, i+1)
		e.parent = nil
	}
}

func (e *simElement) put(parent *simElement, at int) {
	e.parent = parent
	parent.kids = slices.Insert(parent.kids, at, e)
}

func (e *simElement) holds(o *simElement) bool {
	for ; o != nil; o = o.parent {
		if o == e {
			return true
		}
	}
	return false
}

// clone makes a script's copy.
func (e *simElement) clone() *simElement {
	c := &simElement{ns: e.ns, name: e.name, attrs: slices.Clone(e.attrs), text: e.text, birth: -1, script: true}
	for _, k := range e.kids {
		c.kids = append(c.kids, k.clone())
		c.kids[len(c.kids)-1].parent = c
	}
	return c
}

func (e *simElement) set(name, value string) {
	for i := range e.attrs {
		if e.attrs[i].Name == name {
			e.attrs[i].Value = value
			return
		}
	}
	e.attrs = append(e.attrs, contract.Attr{Name: name, Value: value})
}

// mutate lets a script change one thing and gives its name.
func (p *simPage) mutate(r *rand.Rand) string {
	all := p.all()
	if len(all) < 4 {
		return "nothing"
	}
	e := all[3+r.IntN(len(all)-3)]
	switch r.IntN(10) {
	case 0:
		r.Shuffle(len(e.kids), func(i, j int) { e.kids[i], e.kids[j] = e.kids[j], e.kids[i] })
		return "shuffle " + e.name
	case 1:
		slices.Reverse(e.kids)
		return "reverse " + e.name
	case 2:
		e.cut()
		return "remove " + e.name
	case 3:
		if parent := e.parent; parent != nil {
			at := e.index() - 1
			c := e.clone()
			e.cut()
			c.put(parent, at)
		}
		return "re-create " + e.name
	case 4:
		to := all[2+r.IntN(len(all)-2)]
		if !e.holds(to) {
			e.cut()
			e.put(to, r.IntN(len(to.kids)+1))
		}
		return "move " + e.name
	case 5:
		e.clone().put(e.parent, r.IntN(len(e.parent.kids)+1))
		return "clone " + e.name
	case 6:
		w := &simElement{ns: "html", name: "div", birth: -1, script: true}
		at, parent := e.index()-1, e.parent
		e.cut()
		w.put(parent, at)
		e.put(w, 0)
		return "wrap " + e.name
	case 7:
		e.set("class", "on "+strings.TrimSpace(attrOf(e, "class")))
		return "class " + e.name
	case 8:
		e.set("style", "color:red")
		return "style " + e.name
	}
	e.text = fmt.Sprint("text ", r.IntN(4))
	return "text " + e.name
}

func attrOf(e *simElement, name string) string {
	for _, a := range e.attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// listPage writes a page of lists whose items are mostly identical twins.
func listPage(r *rand.Rand, scripted bool) string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>t</title></head><body class=page>\n")
	if scripted {
		b.WriteString("<script>go()</script>")
	}
	texts := []string{"A", "B", "same", "same", "same"}
	for range 1 + r.IntN(4) {
		tag := [][2]string{{"ul", "li"}, {"section", "button"}, {"div", "p"}, {"nav", "a"}}[r.IntN(4)]
		attrs := []string{"", " class=box", ` id=x` + fmt.Sprint(r.IntN(1000))}[r.IntN(3)]
		fmt.Fprintf(&b, "<%s%s>", tag[0], attrs)
		for i := range 1 + r.IntN(6) {
			item := []string{"", "", " class=k", ` class="k l"`, fmt.Sprintf(" data-k=%d", i)}[r.IntN(5)]
			fmt.Fprintf(&b, "<%s%s>%s", tag[1], item, texts[r.IntN(len(texts))])
			if r.IntN(3) == 0 {
				b.WriteString("<b>x</b>")
			}
			fmt.Fprintf(&b, "</%s>", tag[1])
		}
		fmt.Fprintf(&b, "</%s>\n", tag[0])
	}
	b.WriteString("</body></html>")
	return b.String()
}

func mustParse(t testing.TB, src string) *htmlsrc.Tree {
	t.Helper()
	tree, err := htmlsrc.Parse([]byte(src), htmlsrc.Options{Scripting: true})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// tally counts what a proof said of a page's elements.
type tally struct{ right, refused, refusedSource int }

// check asks for a proof of every element and fails on a wrong one.
func (p *simPage) check(t *testing.T, tree *htmlsrc.Tree, what string, sum *tally) {
	t.Helper()
	tie := NewTie(p.births, tree)
	for _, e := range p.all() {
		v, err := Verify(Claim{Pick: p.pick(e), Births: p.births, SourceSHA: "s", Tie: tie}, tree, "s")
		if err != nil {
			if n, ok := core.AsError(err).Detail["nearest"].(Nearest); ok {
				p.checkNearest(t, tree, e, n, what)
			}
			if sum.refused++; !e.script {
				sum.refusedSource++
			}
			continue
		}
		if v.Node() != e.src || e.script {
			t.Fatalf("%s: <%s> of node %d (script-made: %v) proven to be node %d\n%s", what, e.name, e.src, e.script, v.Node(), tree.Source())
		}
		sum.right++
	}
}

func (p *simPage) checkNearest(t *testing.T, tree *htmlsrc.Tree, e *simElement, n Nearest, what string) {
	t.Helper()
	for range n.Steps {
		e = e.parent
	}
	if tag, _ := tree.StartTag(e.src); e.script || tag != n.Start {
		t.Fatalf("%s: nearest of the refused element is %v, want the tag of node %d\n%s", what, n, e.src, tree.Source())
	}
}

// R-PICK-3, H74, T-61, T-62, T-64: whatever scripts do once the page is there,
// a proof names the right element or refuses.
func TestMutatedPagesAreRightOrRefused(t *testing.T) {
	for _, register := range []bool{true, false} {
		t.Run(fmt.Sprintf("register=%v", register), func(t *testing.T) {
			var sum tally
			for seed := range uint64(3000) {
				r := rand.New(rand.NewPCG(seed, 1))
				tree := mustParse(t, listPage(r, true))
				p := load(tree)
				if !register {
					p.forget()
				}
				var did []string
				for range r.IntN(6) {
					did = append(did, p.mutate(r))
				}
				p.check(t, tree, fmt.Sprintf("seed %d, %q", seed, did), &sum)
			}
			t.Logf("%d proven, %d refused, of them %d not made by scripts", sum.right, sum.refused, sum.refusedSource)
			if sum.right == 0 || register && sum.refusedSource*20 > sum.right {
				t.Errorf("too little proven: %+v", sum)
			}
		})
	}
}

// Without a register a page that cannot run scripts is proven by place, twins
// and all.
func TestStaticPageWithoutRegister(t *testing.T) {
	var sum tally
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		tree := mustParse(t, listPage(r, false))
		p := load(tree)
		p.forget()
		p.check(t, tree, fmt.Sprint("seed ", seed), &sum)
	}
	if sum.refused != 0 || sum.right == 0 {
		t.Errorf("%+v, want everything proven", sum)
	}
}

// A register may miss births (an open element was taken out of the page) or
// have more than the source (a template's own contents were moved in).
func TestUnevenRegisters(t *testing.T) {
	var sum tally
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		tree := mustParse(t, listPage(r, true))
		p := load(tree)
		what := "missing"
		n := len(p.births.List)
		from := 4 + r.IntN(n-4)
		count := 1 + r.IntN(min(3, n-from))
		if r.IntN(2) == 0 {
			p.lose(from, count)
		} else {
			what = "more"
			p.gain(r, from, count)
		}
		for range r.IntN(3) {
			p.mutate(r)
		}
		p.check(t, tree, fmt.Sprintf("seed %d, %d %s from %d", seed, count, what, from), &sum)
	}
	t.Logf("%d proven, %d refused, of them %d not made by scripts", sum.right, sum.refused, sum.refusedSource)
	if sum.right == 0 {
		t.Error("nothing proven")
	}
}

// lose makes the register miss a run of births.
func (p *simPage) lose(from, count int) {
	p.births.List = slices.Delete(p.births.List, from, from+count)
	for _, e := range p.all() {
		switch {
		case e.birth >= from+count:
			e.birth -= count
		case e.birth >= from:
			e.birth = -1
		}
	}
}

// gain puts elements in that have no creation trace and no place in the map.
func (p *simPage) gain(r *rand.Rand, from, count int) {
	for range count {
		all := p.all()
		like := all[3+r.IntN(len(all)-3)]
		for _, e := range all {
			if e.birth >= from {
				e.birth++
			}
		}
		extra := like.clone()
		extra.kids, extra.script, extra.birth = nil, false, from
		b := contract.Birth{NS: extra.ns, Name: extra.name, ID: attrOf(extra, "id"), Class: attrOf(extra, "class")}
		p.births.List = slices.Insert(p.births.List, from, b)
		extra.put(like.parent, r.IntN(len(like.parent.kids)+1))
	}
}
