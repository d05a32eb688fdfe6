package htmlsrc

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"proofmark/gateway/htmlsrc/fuzzgen"
	"proofmark/gateway/htmlsrc/internal/benchpage"
)

// secondOpinion gives html.Parse's tree as brief does.
func secondOpinion(t *testing.T, src []byte) string {
	t.Helper()
	root, err := html.ParseWithOptions(bytes.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var list func(*html.Node, string) string
	list = func(n *html.Node, mark string) string {
		var out []string
		for c := range n.ChildNodes() {
			if c.Type != html.ElementNode {
				continue
			}
			s, inner := mark, ""
			if c.Namespace != "" {
				s += c.Namespace + ":"
			}
			if c.DataAtom == atom.Template && c.Namespace == "" {
				inner = "[t]"
			}
			s += c.Data
			if k := list(c, inner); k != "" {
				s += "(" + k + ")"
			}
			out = append(out, s)
		}
		return strings.Join(out, " ")
	}
	return list(root, "")
}

// knownKinds find documents that SRCMAP section 4 may concern: html.Parse has
// another tree there than Chromium.
var knownKinds = []*regexp.Regexp{
	regexp.MustCompile(`(?is)</(body|html)`),                       // 1
	regexp.MustCompile(`(?is)selectedcontent`),                     // 2
	regexp.MustCompile(`(?is)<template|shadowroot`),                // 3, 4, 8 to 11
	regexp.MustCompile(`\x00`),                                     // 6
	regexp.MustCompile(`(?is)<caption.*<th`),                       // 7
	regexp.MustCompile(`(?is)<frameset|<col`),                      // 8
	regexp.MustCompile(`(?is)</foreignobject`),                     // 12
	regexp.MustCompile(`(?is)(\w+)=\S* .*=/`),                      // 13
	regexp.MustCompile(`(?is)<script.*<!--|<!--.*<s`),              // 14
	regexp.MustCompile(`(?is)annotation-xml|<m[ion]|<mtext|<desc`), // 15
	regexp.MustCompile(`(?is)<noscript`),                           // 16
}

// TestSecondOpinion holds the map against html.Parse where no known kind of
// difference can play: a second opinion that needs no browser.
func TestSecondOpinion(t *testing.T) {
	page := benchpage.App(200_000)
	if brief(parse(t, string(page), Options{})) != secondOpinion(t, page) {
		t.Error("the application page: the trees differ")
	}
	r := rand.New(rand.NewPCG(*fuzzSeed, 17))
	compared := 0
	for range 20_000 {
		src := fuzzgen.Document(r, fuzzgen.Kind(r.IntN(int(fuzzgen.Kinds))))
		known := false
		for _, k := range knownKinds {
			known = known || k.Match(src)
		}
		if known {
			continue
		}
		compared++
		if got, want := brief(parse(t, string(src), Options{})), secondOpinion(t, src); got != want {
			t.Errorf("%q\n map        %s\n html.Parse %s", src, got, want)
		}
	}
	if compared < 5_000 {
		t.Errorf("only %d documents were compared", compared)
	}
	t.Logf("%d documents compared", compared)
}
