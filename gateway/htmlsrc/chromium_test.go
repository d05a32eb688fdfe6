package htmlsrc

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"proofmark/bridge/oracle"
	"proofmark/gateway/htmlsrc/fuzzgen"
)

var (
	treeDocs = flag.Int("trees", 6_000, "random documents whose trees are compared with Chromium's")
	spanDocs = flag.Int("tags", 200, "random documents whose tags are compared with Chromium's")
	fuzzSeed = flag.Uint64("seed", 1, "seed of the random documents")
	cutDocs  = flag.Int("cuts", 300, "random documents whose elements are cut out")
)

// perBrowser is how many documents one browser is asked about: it keeps their
// memory for long.
const perBrowser = 100_000

// TestChromiumTrees holds the trees of random documents against Chromium's:
// R-MAP-2, R-MAP-3. For the long run: -args -trees=1000000 -seed=7.
func TestChromiumTrees(t *testing.T) {
	b := oracle.Open(t)
	r := rand.New(rand.NewPCG(*fuzzSeed, 7))
	counts := map[fuzzgen.Kind]int{}
	begin, differ := time.Now(), 0
	for done := 0; done < *treeDocs; {
		const batch = 400
		if done > 0 && done%perBrowser == 0 {
			b.Close()
			b = oracle.Open(t)
			t.Logf("%d documents so far, %d trees differ", done, differ)
		}
		var tokens [batch][]string
		sources := make([][]byte, batch)
		for i := range sources {
			kind := fuzzgen.Kind(r.IntN(int(fuzzgen.Kinds)))
			counts[kind]++
			tokens[i] = fuzzgen.Tokens(r, kind)
			sources[i] = []byte(strings.Join(tokens[i], ""))
		}
		want, err := b.Briefs(sources)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if got := brief(parse(t, string(sources[i]), Options{})); got != w {
				differ++
				small := minimise(t, b, tokens[i])
				t.Errorf("%q\n chromium %s\n map      %s", small, briefs(t, b, small)[0], brief(parse(t, small, Options{})))
			}
		}
		if done += batch; differ > 20 {
			t.Fatal("too many differences")
		}
	}
	t.Logf("seed %d: %v documents, %d trees differ, %v", *fuzzSeed, counts, differ, time.Since(begin).Round(time.Second))
}

func briefs(t *testing.T, b *oracle.Browser, docs ...string) []string {
	t.Helper()
	sources := make([][]byte, len(docs))
	for i, d := range docs {
		sources[i] = []byte(d)
	}
	out, err := b.Briefs(sources)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// minimise leaves tokens out while the trees still differ.
func minimise(t *testing.T, b *oracle.Browser, tokens []string) string {
	for changed := true; changed && len(tokens) > 1; {
		changed = false
		var docs []string
		var candidates [][]string
		for i := range tokens {
			c := append(append([]string{}, tokens[:i]...), tokens[i+1:]...)
			candidates = append(candidates, c)
			docs = append(docs, strings.Join(c, ""))
		}
		for i, w := range briefs(t, b, docs...) {
			if brief(parse(t, docs[i], Options{})) != w {
				tokens, changed = candidates[i], true
				break
			}
		}
	}
	return strings.Join(tokens, "")
}

// TestChromiumTags holds the tag of every element of random documents against
// the one that Chromium shows made it: R-MAP-2.
func TestChromiumTags(t *testing.T) {
	b := oracle.Open(t)
	r := rand.New(rand.NewPCG(*fuzzSeed, 9))
	elements, undecided := 0, 0
	for done := 0; done < *spanDocs; {
		sources := make([][]byte, min(100, *spanDocs-done))
		for i := range sources {
			sources[i] = fuzzgen.Document(r, fuzzgen.Kind(r.IntN(int(fuzzgen.Kinds))))
		}
		done += len(sources)
		answers, err := b.Tags(sources)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if len(a.Unsure) > 0 {
				undecided++
				continue
			}
			elements += len(a.Document)
			compareTags(t, parse(t, string(sources[i]), Options{}), a.Document, a.Sources, nil)
		}
	}
	t.Logf("seed %d: %d documents, %d not decided by the browser, %d elements", *fuzzSeed, *spanDocs, undecided, elements)
}

// compareTags holds a map against the browser's elements and their sources;
// elements of unsure tags are passed over. It gives how many were right.
func compareTags(t *testing.T, tree *Tree, doc oracle.Document, sources []oracle.Source, unsure map[int]bool) (right, undecided int) {
	t.Helper()
	if d := flat(tree).Diff(doc, false); d != "" {
		t.Errorf("%q: shape: %s", tree.src, d)
		return 0, 0
	}
	i := 0
	for id := range tree.Elements() {
		want := sources[i]
		n := &tree.nodes[id]
		got := oracle.Source{Start: int(n.open), Shared: n.bits&flagShared != 0, Merged: n.bits&flagMerged != 0}
		switch {
		case got == want:
			right++
		case unsure[got.Start]:
			undecided++
		default:
			t.Errorf("%q: element %d <%s>: map %+v, chromium %+v", tree.src, i, doc[i].Name, got, want)
		}
		i++
	}
	return right, undecided
}

// flat gives a map in the oracle's form, without attributes.
func flat(t *Tree) oracle.Document {
	at := map[ID]int{0: -1}
	var out oracle.Document
	for id := range t.Elements() {
		e := oracle.Element{Parent: at[t.Parent(id)], NS: t.NS(id).String(), Name: t.Name(id)}
		switch {
		case t.InContent(id):
			e.Step = "content"
		case t.InShadow(id):
			e.Step = "shadow"
		}
		at[id] = len(out)
		out = append(out, e)
	}
	return out
}

// joinAttrs gives attributes as the oracle does: sorted and joined.
func joinAttrs(as []Attr) string {
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = a.Name + "=" + a.Value
	}
	slices.Sort(out)
	return strings.Join(out, "\x01")
}
