package htmlsrc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"proofmark/bridge/oracle"
	"proofmark/gateway/htmlsrc/fuzzgen"
)

// TestBirthsOfChromium holds the order of births against the one a mutation
// observer of the document sees (D4, R-PICK-2). Clones that come into the
// document inside another clone are no births of their own to it.
func TestBirthsOfChromium(t *testing.T) {
	b := oracle.Open(t)
	sources := [][]byte{
		[]byte("<b><i><u><p>x</b>y"), []byte("<b><i><s><div><p>1</b>2</i>3"), []byte("<table><b><tr>x<td>y</table>"),
		[]byte("<template><p></template><p>"), []byte("<p><frameset><frame>"), []byte("<div><template shadowrootmode=open><p></template><i>"),
	}
	const batch = 100
	r := rand.New(rand.NewPCG(*fuzzSeed, 13))
	for len(sources)%batch != 0 || len(sources) < 600 {
		if s := fuzzgen.Document(r, fuzzgen.Kind(r.IntN(2))); bytes.IndexByte(s, 0) < 0 {
			sources = append(sources, s)
		}
	}

	for at := 0; at < len(sources); at += batch {
		want, err := b.Births(sources[at : at+batch])
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			tree := parse(t, string(sources[at+i]), Options{})
			var got []string
			for _, id := range tree.Births() {
				if !tree.broughtAlong(id) {
					got = append(got, tree.NS(id).String()+":"+tree.Name(id))
				}
			}
			if !slices.Equal(got, w) {
				t.Errorf("%q\n map      %v\n chromium %v", sources[at+i], got, w)
			}
		}
	}
}

// broughtAlong tells whether a clone came into the document inside another.
func (t *Tree) broughtAlong(id ID) bool {
	for _, r := range t.reversed {
		if r.from <= id && id < r.to {
			return true
		}
	}
	return false
}
