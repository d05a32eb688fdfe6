package htmlsrc

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"proofmark/gateway/core"
)

// testdata/hard.txt holds, for each case of HARD_CASES section 1 that one
// source can show, the source and the map it must give: each node with its
// spans and, quoted, what they slice to. hard_crlf.txt holds those whose line
// ends count. After a change: go test -run TestHardCases -args -update-hard,
// and read the difference.
var hardFiles = []string{"testdata/hard.txt", "testdata/hard_crlf.txt"}

const hardWant = "--- map\n"

// TestHardCases maps each case, holds the map against the expected one, and
// edits every text run and attribute value by splicing: all bytes outside stay
// (H1 to H75 but for those in other tests; R-MAP-1, R-MAP-2).
func TestHardCases(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range hardFiles {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for block := range strings.SplitSeq(strings.TrimPrefix(string(raw), "=== "), "\n=== ") {
			title, rest, _ := strings.Cut(block, "\n")
			src, want, _ := strings.Cut(rest, "\n"+hardWant)
			t.Run(title, func(t *testing.T) {
				for _, n := range strings.Fields(title) {
					seen[n] = true
				}
				tree := parse(t, src, Options{Scripting: strings.Contains(title, "scripting noscript")})
				got := drawSpans(tree)
				if !*updateHard && strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("%s\n got\n%s\n want\n%s", src, got, want)
				}
				spliceAll(t, tree)
				fmt.Fprintf(&out, "=== %s\n%s\n%s%s", title, src, hardWant, got)
			})
		}
		if *updateHard {
			if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	// In other tests: refusals (TestRefusals), long and deep inputs (TestHostile,
	// TestDeep), the live page (proof), nested frames (bridge/suite).
	elsewhere := strings.Fields("H42 H43 H45 H66 H67 H68 H71 H72 H73")
	for i := 1; i <= 75; i++ {
		if n := "H" + strconv.Itoa(i); !seen[n] && !slices.Contains(elsewhere, n) {
			t.Errorf("no case for %s", n)
		}
	}
}

// drawSpans draws a map: one node a line.
func drawSpans(t *Tree) string {
	var out strings.Builder
	slice := func(s core.Span) string { return fmt.Sprintf("%v %q", s, t.src[s.Start:s.End]) }
	var draw func(id ID, depth int)
	draw = func(id ID, depth int) {
		n := &t.nodes[id]
		out.WriteString(strings.Repeat("  ", depth))
		switch {
		case t.IsText(id):
			fmt.Fprintf(&out, "text %v %q\n", t.TextSpan(id), t.Text(id))
		case n.bits&flagShadow != 0:
			out.WriteString("#shadow\n")
		default:
			fmt.Fprintf(&out, "%s %s", t.Name(id), t.Provenance(id))
			if s, ok := t.StartTag(id); ok {
				out.WriteString(" start " + slice(s))
			}
			if s, ok := t.EndTag(id); ok {
				out.WriteString(" end " + slice(s))
			}
			if s, reason := t.Range(id); reason != "" {
				fmt.Fprintf(&out, " no range: %s", reason)
			} else {
				fmt.Fprintf(&out, " range %v", s)
			}
			if k := t.SharedBy(id); k > 1 {
				fmt.Fprintf(&out, " shared by %d", k)
			}
			out.WriteString("\n")
			for _, a := range t.Attrs(id) {
				fmt.Fprintf(&out, "%s@%s %v = %v %q", strings.Repeat("  ", depth+1), a.Name, a.NameSpan, a.ValueSpan, a.Value)
				if len(a.Duplicates) > 0 {
					fmt.Fprintf(&out, " again %v", a.Duplicates)
				}
				out.WriteString("\n")
			}
		}
		for c := n.first; c != 0; c = t.nodes[c].next {
			draw(c, depth+1)
		}
	}
	for c := t.nodes[0].first; c != 0; c = t.nodes[c].next {
		draw(c, 0)
	}
	return out.String()
}

// spliceAll replaces every text run and attribute value in turn, and holds
// that what was not touched stays, in bytes and in the map.
func spliceAll(t *testing.T, tree *Tree) {
	t.Helper()
	for i := 1; i < tree.Len(); i++ {
		id := ID(i)
		if tree.IsText(id) {
			checkSplice(t, tree, tree.TextSpan(id), "Zz", id)
			continue
		}
		if _, ok := tree.StartTag(id); !ok || tree.SharedBy(id) > 1 || tree.LateTags(id) != nil {
			continue
		}
		for _, a := range tree.Attrs(id) {
			if a.Quote != 0 {
				after := checkSplice(t, tree, a.ValueSpan, "Zz", id)
				if after == nil {
					t.Errorf("the value of %s cannot be changed", a.Name)
				} else if got, _ := after.Attr(id, a.Name); got.Value != "Zz" {
					t.Errorf("%s became %q", a.Name, got.Value)
				}
			}
		}
	}
}

// checkSplice gives the map of the edited bytes, or nil where Compare refuses.
func checkSplice(t *testing.T, tree *Tree, span core.Span, value string, target ID) *Tree {
	t.Helper()
	src := bytes.Join([][]byte{tree.src[:span.Start], []byte(value), tree.src[span.End:]}, nil)
	after, err := ParseUnchecked(src, tree.opts)
	if err != nil {
		t.Fatal(err)
	}
	edits := []core.Edit{{Span: span, Replacement: value}}
	if Compare(tree, after, edits, func(id ID) bool { return id == target }) != nil {
		return nil
	}
	if Compare(tree, after, edits, func(ID) bool { return false }) == nil {
		t.Errorf("an edit of %v passes though nothing was declared", span)
	}
	return after
}
