package textpatch_test

import (
	"strings"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
)

// pieces are what random texts are made of: markup, line ends of all kinds,
// and runes of one to four bytes.
var pieces = []string{
	"<p>", "</p>", "<b class=x>", "a", "b", "word", "wörd", "東京", "😀", " ", "  ", "\t", "\n", "\r\n", "\r",
	"&amp;", "\"", "=", "\u0301", "\ufeff", "<!-- -->", "1", "_",
}

// genText makes a random text.
func genText(maxPieces int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, maxPieces).Draw(t, "pieces"), "")
	})
}

// runeBorders gives every offset at which s may be cut.
func runeBorders(s string) []int {
	var out []int
	for i := range s {
		out = append(out, i)
	}
	return append(out, len(s))
}

// genEdits makes a random valid edit list of s, sorted.
func genEdits(s string) *rapid.Generator[[]core.Edit] {
	return rapid.Custom(func(t *rapid.T) []core.Edit {
		cuts := runeBorders(s)
		var out []core.Edit
		at := 0 // index into cuts
		for n := rapid.IntRange(0, 5).Draw(t, "edits"); n > 0 && at < len(cuts); n-- {
			start := rapid.IntRange(at, len(cuts)-1).Draw(t, "start")
			end := rapid.IntRange(start, min(start+6, len(cuts)-1)).Draw(t, "end")
			e := core.Edit{
				Note:        rapid.IntRange(0, 3).Draw(t, "note"),
				Span:        core.Span{Start: cuts[start], End: cuts[end]},
				Replacement: genText(3).Draw(t, "text"),
			}
			if e.Span.Len() > 0 || e.Replacement != "" {
				out = append(out, e)
			}
			at = end
		}
		return out
	})
}
