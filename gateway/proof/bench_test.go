package proof

import (
	"fmt"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// bigPage is a page of about 1 MB as programs write them: cards in lists.
func bigPage() string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><title>t</title></head><body class=app><script>go()</script><main>\n")
	for i := 0; b.Len() < 1_000_000; i++ {
		if i%50 == 0 {
			fmt.Fprintf(&b, "<section id=s%d class=\"row wide\">\n", i)
		}
		fmt.Fprintf(&b, `<div class="card shadow" data-k="%d"><h3>Product %d</h3><p class="text">Some words about it.</p><a href="/p/%d">More</a><button type="button">Buy</button></div>`+"\n", i, i, i)
		if i%50 == 49 {
			b.WriteString("</section>\n")
		}
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

// Bar: < 5 ms for an anchor on a mapped page of 1 MB.
func BenchmarkAnchor1MB(b *testing.B) {
	tree := mustParse(b, bigPage())
	ids := tree.Births()
	for i := 0; b.Loop(); i++ {
		if _, err := FromNode(tree, ids[3+i*7919%(len(ids)-3)], "d", "r", "s"); err != nil && core.CodeOf(err) != core.NoSource {
			b.Fatal(err)
		}
	}
}

// The first anchor on a new map pays for the map's own indexes.
func BenchmarkFirstAnchor1MB(b *testing.B) {
	page := bigPage()
	for b.Loop() {
		b.StopTimer()
		tree := mustParse(b, page)
		id := tree.Births()[15000]
		b.StartTimer()
		if _, err := FromNode(tree, id, "d", "r", "s"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTie1MB(b *testing.B) {
	tree := mustParse(b, bigPage())
	births := load(tree).births
	for b.Loop() {
		if k := NewTie(births, tree); k.Tied() != len(births.List) {
			b.Fatal(k.Reason())
		}
	}
}

// Bar: 200 look-ups below 1 ms each; one operation is one look-up.
func BenchmarkVerify1MB(b *testing.B) {
	tree := mustParse(b, bigPage())
	p := load(tree)
	all := p.all()
	claims := make([]Claim, 200)
	tie := NewTie(p.births, tree)
	for i := range claims {
		e := all[3+i*7919%(len(all)-3)]
		claims[i] = Claim{Pick: p.pick(e), Births: p.births, SourceSHA: "s", Tie: tie}
	}
	for i := 0; b.Loop(); i++ {
		if _, err := Verify(claims[i%len(claims)], tree, "s"); err != nil {
			b.Fatal(err)
		}
	}
}

// Without a register: the whole source is asked for twins.
func BenchmarkVerifyNoRegister1MB(b *testing.B) {
	tree := mustParse(b, bigPage())
	p := load(tree)
	p.forget()
	tie := NewTie(p.births, tree)
	e := p.find(b, "h3", 2000)
	claim := Claim{Pick: p.pick(e), Births: p.births, SourceSHA: "s", Tie: tie}
	for b.Loop() {
		if _, err := Verify(claim, tree, "s"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReproject1MB(b *testing.B) {
	page := bigPage()
	tree := mustParse(b, page)
	a, err := FromNode(tree, tree.Births()[15000], "d", "r", "s")
	if err != nil {
		b.Fatal(err)
	}
	edits := []core.Edit{{Span: core.Span{Start: 200, End: 200}, Replacement: " "}}
	after := mustParse(b, page[:200]+" "+page[200:])
	for b.Loop() {
		if _, res, why := Reproject(a, edits, after, "s2", "r2"); res != core.Exact {
			b.Fatal(why)
		}
	}
}

func BenchmarkRemap1MB(b *testing.B) {
	page := bigPage()
	tree := mustParse(b, page)
	a, err := FromNode(tree, tree.Births()[15000], "d", "r", core.SHA256Hex([]byte(page)))
	if err != nil {
		b.Fatal(err)
	}
	after := mustParse(b, strings.Replace(page, "Product 1000<", "Changed<", 1))
	m, err := NewRemapper([]byte(page), after, "s2")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, res, why := m.Remap(a, "r2"); res != core.Exact {
			b.Fatal(a, why)
		}
	}
}
