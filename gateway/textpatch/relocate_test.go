package textpatch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// TestRelocateTwins: which of several equal items is gone cannot be told from
// two texts, so an edit of one is not carried (R-PICK-4, R-DOC-3, H74).
func TestRelocateTwins(t *testing.T) {
	list := func(n int) string {
		return "<p>before it</p><ul>" + strings.Repeat("<li>x</li>", n) + "</ul><p>behind it</p>"
	}
	before := list(9)
	at := len("<p>before it</p><ul>") + 4*len("<li>x</li>") + len("<li>")
	edit := []core.Edit{{Span: core.Span{Start: at, End: at + 1}, Replacement: "y"}}
	if got, err := Relocate([]byte(before), []byte(list(8)), edit); core.CodeOf(err) != core.OverlapsLater {
		t.Errorf("%v %v", got, err)
	}
	after := "<!doctype html>\n" + before + "<p>more</p>"
	got, err := Relocate([]byte(before), []byte(after), edit)
	if err != nil || len(got) != 1 || got[0].Span.Start != at+len("<!doctype html>\n") {
		t.Errorf("%v %v", got, err)
	}
	// The bytes themselves were changed.
	if got, err := Relocate([]byte("<b>one</b> <i>two</i>"), []byte("<b>eins</b> <i>two</i>"), []core.Edit{{Span: core.Span{Start: 3, End: 6}}}); err == nil {
		t.Errorf("%v", got)
	}
}

// TestRelocateNeverMovesToAnotherItem: over random outside changes of a page of
// items, an edit stays with its item or is refused. Items without a number of
// their own see one change: several can conspire to a text that one single other
// change makes, too (x x y x x, one dropped and two reworded, is x y x x), and no
// two texts can tell which it was.
func TestRelocateNeverMovesToAnotherItem(t *testing.T) {
	carried := 0
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"x", "x", "long words here", "yy"}
		type item struct {
			id   int
			text string
		}
		page := func(items []item, marks bool) string {
			var b strings.Builder
			b.WriteString("<main>\n")
			for _, it := range items {
				if marks {
					fmt.Fprintf(&b, "<h2>%d</h2>", it.id)
				}
				fmt.Fprintf(&b, "<li>%s</li>\n", it.text)
			}
			return b.String() + "</main>"
		}
		marks := rapid.Bool().Draw(t, "marks")
		var items []item
		for i := range rapid.IntRange(1, 8).Draw(t, "n") {
			items = append(items, item{i, rapid.SampledFrom(words).Draw(t, "word")})
		}
		k := rapid.IntRange(0, len(items)-1).Draw(t, "k")
		before := page(items, marks)
		start := len(page(items[:k], marks)) - len("</main>") + len("<li>")
		if marks {
			start += len(fmt.Sprintf("<h2>%d</h2>", items[k].id))
		}
		edit := core.Edit{Span: core.Span{Start: start, End: start + len(items[k].text)}, Replacement: "CHANGED"}
		next := append([]item{}, items...)
		most := 1
		if marks {
			most = 3
		}
		for range rapid.IntRange(0, most).Draw(t, "changes") {
			if i := rapid.IntRange(0, len(next)-1).Draw(t, "i"); rapid.Bool().Draw(t, "drop") && next[i].id != items[k].id {
				next = append(next[:i:i], next[i+1:]...)
			} else if next[i].id != items[k].id {
				next[i].text = rapid.SampledFrom(words).Draw(t, "new")
			}
		}
		after := page(next, marks)
		got, err := Relocate([]byte(before), []byte(after), []core.Edit{edit})
		if err != nil {
			return
		}
		carried++
		out, err := Apply([]byte(after), got)
		if err != nil {
			t.Fatal(err)
		}
		for i := range next {
			if next[i].id == items[k].id {
				next[i].text = "CHANGED"
			}
		}
		if want := page(next, marks); !bytes.Equal(out, []byte(want)) {
			t.Fatalf("before\n%s\nafter\n%s\ngot\n%s\nwant\n%s", before, after, out, want)
		}
	})
	if carried == 0 {
		t.Error("nothing was ever carried")
	}
}
