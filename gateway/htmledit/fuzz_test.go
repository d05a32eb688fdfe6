package htmledit_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
)

// FuzzPlan: no operation on any page breaks what edits promise.
func FuzzPlan(f *testing.F) {
	for i, s := range []string{
		`<p class=a style="color: red">one <b>two</b></p>`, "<ul><li>a<li>b</ul>", `<table><tr><td>a<td>b</table>`,
		"<pre>\nx</pre>", "\ufeff<a href='x' href=y>t</a>\r\n", "<svg viewBox=0><path d=''/></svg>", "<p><b>x<p>y", "<title>a&amp;b</title>",
		"<select><select><select>", "<html><meta><head x>", `<a b="1"c>`,
	} {
		f.Add(s, byte(i), uint16(i), "class", "v w")
		f.Add(s, byte(i+3), uint16(3), "color", "blue")
		f.Add(s, byte(6), uint16(4), "", "")
		f.Add(s, byte(0), uint16(4), "", "new & <b>")
	}
	f.Fuzz(func(t *testing.T, src string, kind byte, target uint16, name, value string) {
		tree, err := htmlsrc.Parse([]byte(src), scripting)
		if err != nil || tree.Len() < 2 {
			return
		}
		op := htmledit.Op{
			Note: 1, Kind: kinds[int(kind)%len(kinds)], Target: htmlsrc.ID(int(target) % tree.Len()), Name: name, Value: value,
		}
		htmledit.Touches(tree, op)
		edits, err := htmledit.Plan(tree, []htmledit.Op{op})
		if err != nil {
			if core.CodeOf(err) == core.Internal {
				t.Fatalf("%v", err)
			}
			return
		}
		after, err := htmledit.Check(tree, edits, scripting)
		if err != nil {
			return
		}
		done(t, tree, after, edits, op)
		if err := htmlsrc.Compare(tree, after, edits, declaredBy(tree, []htmledit.Op{op})); err != nil && !stricter(tree, op) {
			t.Fatalf("allowed here, but Compare says %v:\n%q with %+v\n%q", err, src, op, after.Source())
		}
		for _, e := range edits {
			if !htmledit.Touches(tree, op).Contains(e.Span) {
				t.Fatalf("%v is outside of what %+v touches, %v", e, op, htmledit.Touches(tree, op))
			}
		}
		htmledit.Added(tree, after)
	})
}

// FuzzCheck: whatever an edit puts anywhere, if it is allowed then each tag it
// does not touch makes the same elements as before, and no other bytes do.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		"<div><p>a</p><p>b</p></div>", "<table><tr><td>a</table>", "<ul><li>a<li>b</ul>", "<p>a<b>c</b></p>", "<!-- x --><i>y</i>",
	} {
		f.Add(s, uint16(5), uint16(3), "<b>x</b>")
		f.Add(s, uint16(8), uint16(0), "</div>")
		f.Add(s, uint16(3), uint16(9), "")
		f.Add(s, uint16(11), uint16(0), "<!--")
	}
	f.Add("<script>a()</script><b onclick='c()'>d</b>", uint16(9), uint16(1), "e")
	f.Add("<script>a()</script><b onclick=c() >d</b>", uint16(32), uint16(3), "e()' onfocus='")
	f.Fuzz(func(t *testing.T, src string, start, length uint16, text string) {
		tree, err := htmlsrc.Parse([]byte(src), scripting)
		if err != nil {
			return
		}
		at := int(start) % (len(src) + 1)
		e := core.Edit{Span: core.Span{Start: at, End: min(len(src), at+int(length)%32)}, Replacement: text}
		after, err := htmledit.Check(tree, []core.Edit{e}, scripting)
		if err != nil {
			if core.CodeOf(err) == core.Internal {
				t.Fatalf("%v", err)
			}
			return
		}
		outside(t, tree, after, e)
		if _, err := htmledit.CheckScripts(tree, after, []core.Edit{e}); err != nil && core.CodeOf(err) != core.ScriptRegion {
			t.Fatalf("%v", err)
		}
		htmledit.Added(tree, after)
	})
}

var snippets = []string{
	"<b>x</b>", "<p>x</p>", "<li>x", "<li>x</li>", "<tr><td>x</td></tr>", "<td>x", "</p><p>", "</li><li>", "text", "a & b", "<img src=x>", "<br>",
	"<div><i>x</i> y</div>", "<!-- x -->", "<script>x()</script>", "<style>p{}</style>", "<svg><path/></svg>", "<table><tr><td>x</table>", "",
	"<div>", "</div>", "<b>", "</b>", "<!--", "-->", "<p", "\"", "<textarea>", "<select><option>x</select>", "<a href=x>y</a>", "<form>", "</body>", "\n",
	"&", "amp;", "<ul><li>1<li>2</ul>", "<h2>x</h2>", "<template><p>x</template>", "<plaintext>", "<body class=x>", "<head>", "\r\n",
}

// TestCheckProperty makes random patches on random pages. Those that are allowed
// leave all outside them as it was; enough are allowed, and enough refused.
func TestCheckProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(*editSeed, 17))
	allowed, refused := 0, 0
	for range *propertyPages {
		src := randomPage(r)
		tree, err := htmlsrc.Parse(src, scripting)
		if err != nil || len(src) == 0 {
			continue
		}
		cuts := tagBorders(src)
		for range 4 {
			from := cuts[r.IntN(len(cuts))]
			to := from
			if r.IntN(2) == 0 {
				to = cuts[min(len(cuts)-1, slices.Index(cuts, from)+r.IntN(4))]
			}
			e := core.Edit{Span: core.Span{Start: from, End: to}, Replacement: snippets[r.IntN(len(snippets))]}
			if string(src[from:to]) == e.Replacement {
				continue
			}
			after, err := htmledit.Check(tree, []core.Edit{e}, scripting)
			if err != nil {
				refused++
				if code := core.CodeOf(err); code != core.UnsafeStructure {
					t.Fatalf("%q with %v: %v", src, e, err)
				}
				continue
			}
			allowed++
			outside(t, tree, after, e)
		}
	}
	t.Logf("%d allowed, %d refused", allowed, refused)
	if allowed < *propertyPages/4 || refused < *propertyPages/4 {
		t.Error("too few of one kind to show anything")
	}
}

// tagBorders gives the offsets before each "<" and behind each ">", and both ends.
func tagBorders(src []byte) []int {
	out := []int{0}
	for i, c := range src {
		if c == '<' && i > 0 {
			out = append(out, i)
		}
		if c == '>' {
			out = append(out, i+1)
		}
	}
	out = append(out, len(src))
	slices.Sort(out)
	return slices.Compact(out)
}

// outside proves what Check promises about everything outside one edit, in
// another way than Check does: each tag that is not touched makes elements of the
// same names, under the same untouched ancestors, in the same order, and each
// byte of text is text under the same ones.
func outside(t *testing.T, before, after *htmlsrc.Tree, e core.Edit) {
	t.Helper()
	shift := len(e.Replacement) - e.Span.Len()
	now := core.Span{Start: e.Span.Start, End: e.Span.Start + len(e.Replacement)}
	was, is := elementsOutside(before, e.Span, shift), elementsOutside(after, now, 0)
	if !slices.Equal(was, is) {
		t.Fatalf("%q with %v is %q:\n was %q\n is  %q", before.Source(), e, after.Source(), was, is)
	}
	wasText, isText := textOutside(before, e.Span, shift), textOutside(after, now, 0)
	if !maps.Equal(wasText, isText) {
		t.Fatalf("%q with %v is %q:\n text was %v\n text is  %v", before.Source(), e, after.Source(), wasText, isText)
	}
}

func elementsOutside(t *htmlsrc.Tree, edit core.Span, shift int) (out []string) {
	for id := range t.Elements() {
		if tag, ok := t.StartTag(id); ok && !tag.Overlaps(edit) {
			out = append(out, fmt.Sprintf("%s@%d", pathOutside(t, id, edit), shifted(tag.Start, edit, shift)))
		}
	}
	return out
}

// pathOutside names the element and its ancestors, but for touched ones; one
// whose end tag is not touched is half of one that stays, and counts.
func pathOutside(t *htmlsrc.Tree, id htmlsrc.ID, edit core.Span) string {
	var names []string
	for p := id; p != 0; p = t.Parent(p) {
		end, closed := t.EndTag(p)
		if s, ok := t.StartTag(p); ok && (!s.Overlaps(edit) || closed && !end.Overlaps(edit)) {
			names = append(names, t.Name(p))
		}
	}
	slices.Reverse(names)
	return strings.Join(names, " ")
}

// textOutside gives for each byte of text outside the edit what it hangs under.
// Blanks directly in html, head and body are left out.
func textOutside(t *htmlsrc.Tree, edit core.Span, shift int) map[int]string {
	out := map[int]string{}
	reached := map[htmlsrc.ID]bool{}
	for id := range t.Elements() {
		reached[id] = true
	}
	for i := 1; i < t.Len(); i++ {
		id := htmlsrc.ID(i)
		parent := t.Parent(id)
		if !t.IsText(id) || !reached[parent] {
			continue
		}
		span := t.TextSpan(id)
		raw := string(t.Source()[span.Start:span.End])
		n := t.Name(parent)
		top := n == "html" || n == "head" || n == "body"
		if top {
			raw = blanks.ReplaceAllStringFunc(raw, func(s string) string { return strings.Repeat(" ", len(s)) })
		}
		for k, c := range raw {
			if top && c == ' ' {
				continue
			}
			if at := span.Start + k; at < edit.Start || at >= edit.End {
				// Where an element is cut in two, its half counts as itself.
				out[shifted(at, edit, shift)] = lastName(pathOutside(t, parent, edit))
			}
		}
	}
	return out
}

// blanks finds white space, however it is written.
var blanks = regexp.MustCompile(`&#(0*(9|10|12|13|32)|[xX]0*(9|[aA]|[cC]|[dD]|20));?|&(Tab|NewLine);|[ \t\n\f\r]`)

func lastName(path string) string { return path[strings.LastIndexByte(path, ' ')+1:] }

func shifted(at int, edit core.Span, shift int) int {
	if at >= edit.End {
		return at + shift
	}
	return at
}
