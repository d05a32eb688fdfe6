package htmledit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
)

// bigPage makes a page of about n bytes as applications make them.
func bigPage(n int) []byte {
	r := rand.New(rand.NewPCG(3, 3))
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Report</title>\n</head>\n<body>\n<main>\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<section class=\"card c%d\" id=\"s%d\" style=\"--i:%d; color: red\">\n  <h2><a href=\"/p/%d?x=1&amp;y=2\">Title %d</a></h2>\n"+
			"  <p>Some %d words <strong>strong</strong> and <em>more</em> of them.</p>\n  <img src=\"/img/%d.jpg\" alt=\"x\">\n</section>\n",
			i%7, i, i, i, i, r.IntN(1000), i)
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	return b.Bytes()
}

func benchmarkEdit(b *testing.B, kind htmledit.Kind, name, value string) {
	src := bigPage(1 << 20)
	tree, err := htmlsrc.Parse(src, scripting)
	if err != nil {
		b.Fatal(err)
	}
	var target htmlsrc.ID
	for id := range tree.Elements() {
		if tree.Name(id) == "strong" {
			target = id // the last one
		}
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		edits, err := htmledit.Plan(tree, []htmledit.Op{{Kind: kind, Target: target, Name: name, Value: value}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := htmledit.Check(tree, edits, scripting); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEdit plans and checks one edit of a 1 MB page.
func BenchmarkEdit(b *testing.B) {
	b.Run("replace_text", func(b *testing.B) { benchmarkEdit(b, htmledit.ReplaceText, "", "new") })
	b.Run("set_style", func(b *testing.B) { benchmarkEdit(b, htmledit.SetStyle, "color", "red") })
	b.Run("remove_node", func(b *testing.B) { benchmarkEdit(b, htmledit.RemoveNode, "", "") })
}

// BenchmarkAdded compares what two 1 MB pages hold.
func BenchmarkAdded(b *testing.B) {
	src := bigPage(1 << 20)
	before, err := htmlsrc.Parse(src, scripting)
	if err != nil {
		b.Fatal(err)
	}
	after, err := htmlsrc.Parse(append(bytes.Clone(src), "<script>x</script>"...), scripting)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if got := htmledit.Added(before, after); len(got) != 1 {
			b.Fatal(got)
		}
	}
}

// BenchmarkCheckScripts looks for code near one edit of a 1 MB page.
func BenchmarkCheckScripts(b *testing.B) {
	src := bigPage(1 << 20)
	before, err := htmlsrc.Parse(src, scripting)
	if err != nil {
		b.Fatal(err)
	}
	at := bytes.Index(src, []byte(">strong<"))
	edits := []core.Edit{{Span: core.Span{Start: at + 1, End: at + 2}, Replacement: "x"}}
	after, err := htmledit.Check(before, edits, scripting)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := htmledit.CheckScripts(before, after, edits); err != nil {
			b.Fatal(err)
		}
	}
}
