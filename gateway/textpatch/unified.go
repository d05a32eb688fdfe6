package textpatch

import (
	"fmt"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// Unified gives the difference of two texts as a unified diff that patch(1)
// takes, with context unchanged lines around each change; "" where the texts
// are equal. Lines end at "\n": a CR before it belongs to the line and is
// printed as it is. A text whose last line has no line end gets the usual
// remark.
func Unified(oldName, newName string, before, after []byte, context int) string {
	edits := lineEdits(string(before), string(after))
	u, err := udiff.ToUnifiedDiff(fileLabel(oldName), fileLabel(newName), string(before), edits, max(context, 0))
	if err != nil || len(u.Hunks) == 0 {
		return "" // the edits are made here, sorted and in bounds
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", u.From, u.To)
	grown := 0
	for _, h := range u.Hunks {
		// ToLine is counted here: go-udiff forgets the unchanged lines that
		// join two changes of one hunk.
		removed, added := hunkCounts(h.Lines)
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", lineRange(h.FromLine, removed), lineRange(h.FromLine+grown, added))
		grown += added - removed
		for _, l := range h.Lines {
			b.WriteByte(lineMark[l.Kind])
			b.WriteString(l.Content)
			if !strings.HasSuffix(l.Content, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

var lineMark = map[udiff.OpKind]byte{udiff.Delete: '-', udiff.Insert: '+', udiff.Equal: ' '}

// hunkCounts gives the lines a hunk covers in the old and in the new text.
func hunkCounts(lines []udiff.Line) (removed, added int) {
	for _, l := range lines {
		if l.Kind != udiff.Insert {
			removed++
		}
		if l.Kind != udiff.Delete {
			added++
		}
	}
	return removed, added
}

// lineRange prints the lines a hunk covers as diff -u does: an empty range
// names the line before it.
func lineRange(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}

// fileLabel keeps a file name on its line of the header.
func fileLabel(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}

// lineEdits compares two texts by lines that end in "\n".
func lineEdits(before, after string) []udiff.Edit {
	sa, sb := splitLF(before), splitLF(after)
	ia, ib := intern(before, sa, after, sb)
	budget := diffBudget
	var out []udiff.Edit
	hunks, _ := compare(ia, ib, &budget)
	for _, h := range hunks {
		out = append(out, udiff.Edit{Start: sa[h.aStart], End: sa[h.aEnd], New: after[sb[h.bStart]:sb[h.bEnd]]})
	}
	return out
}

// splitLF gives the starts of the lines of s, which end at "\n", and, last, its
// length.
func splitLF(s string) []int {
	starts := make([]int, 0, 64)
	for i := 0; i < len(s); {
		starts = append(starts, i)
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
	}
	return append(starts, len(s))
}
