package htmlsrc

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"proofmark/gateway/core"
)

// hostileLimit is generous: the slowest of these takes 1 s on a slow core.
const hostileLimit = 4 * time.Second

// numbered repeats a format with a counter.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestHostile bounds inputs that make walks over the stack, the formatting
// list or the children long: each is mapped, or refused, in time (H67, H68).
func TestHostile(t *testing.T) {
	const n = 100_000
	rep := strings.Repeat
	fonts := numbered("<font size=%d>", 20_000)
	for _, c := range []struct{ name, src string }{
		{"divs", rep("<div>", n)},
		{"spans", rep("<span>", n)},
		{"p div", rep("<p><div>", n/2)},
		{"li span", rep("<li><span>", n/2)},
		{"ul li", rep("<ul><li>", n/2)},
		{"fonts", fonts},
		{"fonts then paragraphs", fonts + rep("<p>x</p>", 2000)},
		{"b p", numbered("<b id=%d><p>", 20_000)},
		{"tables", rep("<table>", n)},
		{"table td", rep("<table><td>", n/2)},
		{"options", "<select>" + rep("<option>x", n)},
		{"a div", rep("<a><div>", n/2)},
		{"svg g", "<svg>" + rep("<g>", n)},
		{"unknown end tags", rep("<x>", 5000) + rep("</y>", n)},
		{"less-than signs", rep("<", 4<<20)},
		{"comment starts", rep("<!--", 1<<20)},
		{"dashes", "<!--" + rep("-", 4<<20)},
		{"ampersands", rep("&", 4<<20)},
		{"script in comments in script", "<script>" + rep("<!--<script", 400_000)},
		{"end tag starts in title", "<title>" + rep("</", 2<<20)},
		{"attributes", "<p " + rep("a ", 1<<20) + ">"},
		// Beyond SRCMAP's 21: walks that had no bound there.
		{"terms behind a list", "<dd><ul>" + rep("<span>", n) + rep("<dd></dd>", n)},
		{"shadow roots of one host", "<div>" + rep("<template shadowrootmode=open></template>", n)},
		{"text in nested tables", rep("<table>x", n)},
		{"adoption of spans", "<b>" + rep("<span>", n/2) + "<div>" + rep("<span>", n/2) + "</b>"},
		{"tables below spans", rep("<span>", n/2) + rep("<table></table>", n/2)},
		{"late bodies", "<body>" + rep("<body><p>", n)},
		{"one attribute name", "<p " + numbered("a%d ", 50_000) + rep("a1 ", 50_000) + ">"},
		{"tag names", numbered("<x%d>", n)},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			tree, err := ParseUnchecked([]byte(c.src), Options{})
			what := core.CodeOf(err)
			if err == nil {
				what = core.Code(fmt.Sprintf("%d nodes", tree.Len()))
				ask(tree)
			} else if what != core.TooComplex && what != core.TooLarge {
				t.Errorf("refused with %v", err)
			}
			took := time.Since(begin)
			t.Logf("%d bytes, %s, %v", len(c.src), what, took.Round(time.Millisecond))
			if took > hostileLimit {
				t.Errorf("took %v", took)
			}
		})
	}
}

// ask asks a map everything that costs more than a look at one node.
func ask(t *Tree) {
	t.Births()
	last := ID(0)
	for id := range t.Elements() {
		t.Contained(id)
		last = id
	}
	t.Attrs(last)
	t.Path(last)
	t.SharedBy(last)
	t.At(len(t.src) - 1)
}
