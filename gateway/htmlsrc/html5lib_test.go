package htmlsrc

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"proofmark/bridge/oracle"
)

// fixture holds what Chromium 156 made of each document of the html5lib
// corpus: one JSON line a document, packed. It is made anew, in some minutes, by
//
//	go test ./gateway/htmlsrc -run TestHTML5Lib -timeout 20m -args -update
const fixture = "testdata/html5lib.jsonl.gz"

var (
	update     = flag.Bool("update", false, "ask Chromium again for the fixture of the html5lib corpus")
	updateHard = flag.Bool("update-hard", false, "write the maps of the hard cases anew")
)

// record is one line of the fixture.
type record struct {
	ID      string
	Src     []byte
	Tree    oracle.Document
	Sources []oracle.Source
	Unsure  []int `json:",omitempty"`
}

// What the corpus holds, and what the map makes of it. selectedcontent, in one
// document, is filled by Chromium with clones that have no source.
const (
	corpusDocuments = 1728
	corpusElements  = 9041
	corpusUndecided = 24 // clones of tags that the browser cannot be asked about
	corpusOtherTree = 1
)

// TestHTML5Lib holds the map against Chromium's answers, element by element:
// R-MAP-2 (no wrong span), R-MAP-3, H10, H14, H18 to H22, H46, H47, H57 to H63.
func TestHTML5Lib(t *testing.T) {
	if *update {
		makeFixture(t)
	}
	var documents, elements, right, undecided, other int
	for _, r := range readFixture(t) {
		documents++
		elements += len(r.Tree)
		tree := parse(t, string(r.Src), Options{})
		if bytes.Contains(r.Src, []byte("selectedcontent")) && flat(tree).Diff(r.Tree, false) != "" {
			other++
			continue
		}
		unsure := map[int]bool{}
		for _, at := range r.Unsure {
			unsure[at] = true
		}
		ok, not := compareTags(t, tree, r.Tree, r.Sources, unsure)
		right += ok
		undecided += not
		compareAttrs(t, r.ID, tree, r.Tree)
	}
	t.Logf("%d documents, %d elements: %d right, %d undecided by the browser, %d documents with another tree", documents, elements, right, undecided, other)
	if documents != corpusDocuments || elements != corpusElements || undecided != corpusUndecided || other != corpusOtherTree {
		t.Errorf("want %d documents, %d elements, %d undecided, %d other", corpusDocuments, corpusElements, corpusUndecided, corpusOtherTree)
	}
}

// TestFixtureIsOfCorpus tells when the corpus has moved on.
func TestFixtureIsOfCorpus(t *testing.T) {
	cases, records := html5lib(t), readFixture(t)
	if len(cases) != len(records) {
		t.Fatalf("%d documents in the corpus, %d in the fixture", len(cases), len(records))
	}
	for i, c := range cases {
		if c.ID != records[i].ID || !bytes.Equal(c.Src, records[i].Src) {
			t.Fatalf("document %d: %s in the corpus, %s in the fixture", i, c.ID, records[i].ID)
		}
	}
}

// compareAttrs holds the attributes of every element against Chromium's.
func compareAttrs(t *testing.T, id string, tree *Tree, doc oracle.Document) {
	t.Helper()
	i := 0
	for e := range tree.Elements() {
		if len(tree.LateTags(e)) == 0 {
			if got := joinAttrs(tree.Attrs(e)); got != doc[i].Attrs {
				t.Errorf("%s %q: <%s> has %q, chromium %q", id, tree.src, tree.Name(e), got, doc[i].Attrs)
			}
		}
		i++
	}
}

// makeFixture asks Chromium: the tree by navigation with JavaScript off, the
// tags by one parse a tag.
func makeFixture(t *testing.T) {
	b := oracle.Open(t)
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(z)
	for _, c := range html5lib(t) {
		doc, _, err := b.Navigate(c.Src, "")
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		tagged, err := b.Tags([][]byte{c.Src})
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if d := doc.Diff(tagged[0].Document, true); d != "" {
			t.Errorf("%s: parsing and navigating differ: %s", c.ID, d)
		}
		if err := enc.Encode(record{c.ID, c.Src, doc, tagged[0].Sources, tagged[0].Unsure}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fixture, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFixture(t *testing.T) []record {
	t.Helper()
	f, err := os.Open(fixture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []record
	for d := json.NewDecoder(z); d.More(); {
		var r record
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}
