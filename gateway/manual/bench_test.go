package manual

import (
	"strings"
	"testing"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/internal/testbed"
	"proofmark/gateway/proof"
)

// BenchmarkTasks: 16 direct edits, one after the other, of a page of 1 MB.
func BenchmarkTasks(b *testing.B) {
	var page strings.Builder
	page.WriteString("<!doctype html><title>T</title><body>\n")
	for page.Len() < 1<<20 {
		page.WriteString("<section class=\"s\">\n  <h2>Heading</h2>\n  <p>Some <b>bold</b> text in a paragraph.</p>\n</section>\n")
	}
	tree, err := htmlsrc.Parse([]byte(page.String()), parseOptions)
	if err != nil {
		b.Fatal(err)
	}
	sha := core.SHA256Hex(tree.Source())
	var tasks []Task
	for i, do := range []Do{SetText, AddClass, Duplicate, MoveUp, MoveDown, SetText, AddClass, Duplicate, MoveUp, MoveDown, SetText, AddClass, Duplicate, MoveUp, MoveDown, Remove} {
		v, err := proof.Verify(testbed.Claim(tree, testbed.Element(b, tree, "h2", 100*(i+1)), "doc_x", "rev_x", sha), tree, sha)
		if err != nil {
			b.Fatal(err)
		}
		if do == MoveUp || do == MoveDown {
			p := tree.Parent(v.Node())
			if v, err = proof.Verify(testbed.Claim(tree, p, "doc_x", "rev_x", sha), tree, sha); err != nil {
				b.Fatal(err)
			}
		}
		tasks = append(tasks, Task{Do: do, Value: "new", Targets: []proof.Verified{v}})
	}
	for b.Loop() {
		if _, err := planTasks(tree, tasks); err != nil {
			b.Fatal(err)
		}
	}
}
