package htmledit_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"

	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/htmlsrc/fuzzgen"
)

// randomPage makes a page: half of them tangled, as fuzzgen makes them, half
// orderly, as people write them.
func randomPage(r *rand.Rand) []byte {
	if r.IntN(2) == 0 {
		s := fuzzgen.Document(r, fuzzgen.Kind(r.IntN(int(fuzzgen.Kinds))))
		return bytes.ReplaceAll(s, []byte{0}, nil)
	}
	return orderlyPage(r)
}

var (
	words    = strings.Fields("Price list card one two café 東京 &amp; &lt;x&gt; &copy; a&b 5€ 😀 &nbsp;")
	blocks   = strings.Fields("div section article main header footer ul ol table p h1 h2 li blockquote pre figure")
	inlines  = strings.Fields("b i em span a code strong small button label")
	someTags = []string{"<br>", "<img src=a.png alt='x'>", "<hr/>", "<input disabled value=\"1\">", "<!-- note -->"}
	someAttr = []string{
		"", "", ` class="a b"`, ` id=x`, " style='color: red; margin:0'", "\n  title=\"t &quot;q&quot;\"\n  data-x='{\"a\":1}'",
		` hidden`, ` href="?a=1&b=2"`, ` CLASS=A`, ` a=1 a=2`, ` style="background:url(a.png);top:1px;"`, ` class`, ` style=""`, " = x",
	}
)

// orderlyPage makes a page with the parts people write, end tags now and then
// left out, and one of the three kinds of line ends.
func orderlyPage(r *rand.Rand) []byte {
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString("\ufeff")
	}
	if r.IntN(4) > 0 {
		b.WriteString("<!DOCTYPE html>\n")
	}
	if r.IntN(2) == 0 {
		b.WriteString("<html lang=en>\n<head>\n<title>T &amp; t</title>\n<style>p{color:red}</style>\n</head>\n<body>\n")
	}
	for range 1 + r.IntN(4) {
		orderlyBlock(r, &b, 0)
	}
	if r.IntN(3) == 0 {
		b.WriteString("<script>if (a < b) go('</p>')</script>\n")
	}
	eol := []string{"\n", "\n", "\r\n", "\r"}[r.IntN(4)]
	return []byte(strings.ReplaceAll(b.String(), "\n", eol))
}

func orderlyBlock(r *rand.Rand, b *strings.Builder, depth int) {
	name := blocks[r.IntN(len(blocks))]
	attr := someAttr[r.IntN(len(someAttr))]
	b.WriteString("<" + name + attr + ">")
	if name == "table" {
		b.WriteString("\n<tr><td>")
	}
	if r.IntN(2) == 0 {
		b.WriteString("\n  ")
	}
	for range 1 + r.IntN(4) {
		switch k := r.IntN(10); {
		case k < 4:
			for range 1 + r.IntN(3) {
				b.WriteString(words[r.IntN(len(words))] + " ")
			}
		case k < 6:
			in := inlines[r.IntN(len(inlines))]
			b.WriteString("<" + in + someAttr[r.IntN(len(someAttr))] + ">" + words[r.IntN(len(words))] + "</" + in + ">")
		case k < 7:
			b.WriteString(someTags[r.IntN(len(someTags))])
		case depth < 3:
			orderlyBlock(r, b, depth+1)
		}
	}
	if name == "table" {
		b.WriteString("</table>\n")
		return
	}
	if (name == "p" || name == "li") && r.IntN(3) == 0 {
		b.WriteString("\n")
		return
	}
	b.WriteString("</" + name + ">\n")
}

var (
	newTexts  = []string{"new", "a < b & c > d", "</p><script>x</script>", " two\nlines ", "&amp;", "東京", "", "\"'", "<!--", "]]>", "\n\nx"}
	newValues = []string{"", "v", "a b", `say "hi"`, "it's", "a&b", "&amp;", "<b>", "x>y", "line\nbreak", "a=b", "`", "/"}
	attrNames = []string{"class", "title", "type", "color", "size", "encoding", "id", "data-x", "hidden", "alt", "lang", "a"}
	styles    = [][2]string{{"color", "blue"}, {"margin", "0 auto"}, {"font-weight", "bold !important"}, {"top", ""}, {"font-family", `"A B", 'c'`}, {"--x", "1"}, {"background", "none"}}
	classes   = []string{"a", "b", "c d", "A", "new"}
)

// randomOp makes an operation of the kind on a random element, or on a run.
func randomOp(r *rand.Rand, t *htmlsrc.Tree, kind htmledit.Kind) (htmledit.Op, bool) {
	all := slices.Collect(t.Elements())
	if len(all) == 0 {
		return htmledit.Op{}, false
	}
	op := htmledit.Op{Note: 1 + r.IntN(3), Kind: kind, Target: all[r.IntN(len(all))]}
	for range 3 { // mostly elements that are written in the source
		if _, ok := t.StartTag(op.Target); ok {
			break
		}
		op.Target = all[r.IntN(len(all))]
	}
	switch kind {
	case htmledit.ReplaceText:
		op.Value = newTexts[r.IntN(len(newTexts))]
		if runs := htmledit.Runs(t, op.Target); len(runs) > 0 {
			op.Run = runs[r.IntN(len(runs))]
		}
	case htmledit.SetAttribute:
		op.Name, op.Value = attrNames[r.IntN(len(attrNames))], newValues[r.IntN(len(newValues))]
		if as := t.Attrs(op.Target); len(as) > 0 && r.IntN(2) == 0 {
			op.Name = as[r.IntN(len(as))].Name
		}
	case htmledit.RemoveAttribute:
		as := t.Attrs(op.Target)
		if len(as) == 0 {
			return op, false
		}
		op.Name = as[r.IntN(len(as))].Name
	case htmledit.SetStyle:
		s := styles[r.IntN(len(styles))]
		op.Name, op.Value = s[0], s[1]
	case htmledit.AddClass, htmledit.RemoveClass:
		op.Value = classes[r.IntN(len(classes))]
	}
	return op, true
}

var kinds = []htmledit.Kind{
	htmledit.ReplaceText, htmledit.SetAttribute, htmledit.RemoveAttribute, htmledit.SetStyle,
	htmledit.AddClass, htmledit.RemoveClass, htmledit.RemoveNode,
}
