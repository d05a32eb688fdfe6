package htmlsrc

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"proofmark/bridge/oracle"
)

// Each line pair of trees.txt is an input of SRCMAP section 4 or of the
// prototype's list of differences, and its tree as Chromium 156 builds it.
//
//go:embed testdata/trees.txt
var treesText string

type treeCase struct{ src, want string }

func tableCases() []treeCase {
	var out []treeCase
	for block := range strings.SplitSeq(strings.TrimSpace(treesText), "\n\n") {
		lines := strings.SplitN(block, "\n", 2)
		src, err := strconv.Unquote(lines[0])
		if err != nil || len(lines) != 2 {
			panic("testdata/trees.txt: " + block)
		}
		out = append(out, treeCase{src, lines[1]})
	}
	return out
}

// TestTrees holds the smallest input of every known difference between parsers:
// R-MAP-3.
func TestTrees(t *testing.T) {
	cases := tableCases()
	for _, c := range cases {
		if got := brief(parse(t, c.src, Options{})); got != c.want {
			t.Errorf("%q\n want %s\n got  %s", c.src, c.want, got)
		}
	}
	if len(cases) < 60 {
		t.Errorf("only %d cases", len(cases))
	}
}

// TestTreesOfChromium asks the browser, by navigation, whether the table still
// tells what it does.
func TestTreesOfChromium(t *testing.T) {
	b := oracle.Open(t)
	for _, c := range tableCases() {
		doc, _, err := b.Navigate([]byte(c.src), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Brief(); got != c.want && !invisible(c.src) {
			t.Errorf("%q\n table    %s\n chromium %s", c.src, c.want, got)
		}
	}
}

// invisible tells whether a script in the browser sees another tree: it does
// not see into closed shadow roots, and it sees the copy in selectedcontent.
func invisible(src string) bool {
	return strings.Contains(src, "selectedcontent") || strings.Contains(src, "shadowrootmode=closed")
}
