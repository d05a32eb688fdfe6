package bundle

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// How much of a change the page shows; all of it is in the data.
const (
	maxHunks     = 12      // of one change
	maxHunkEdits = 200     // of one hunk
	maxSideLines = 40      // taken out or put in by one hunk
	maxSegment   = 600     // bytes of one piece of a line
	maxShown     = 4 << 20 // bytes of all hunks of a page
	aroundLines  = 2
	aroundBytes  = 160 // of a line, before and behind an edit
	joinBytes    = 200 // edits that are no further apart share a hunk
)

// hunk is one place that a change touches, as lines to be shown. It is made from
// the edits that were made, so that it marks these bytes and no others.
type hunk struct {
	Lines []line
	Cut   int // lines that are not shown
}

// line is one line of a hunk. Kind is " " for an unchanged line, "-" for one that
// was there, "+" for one that is there now.
type line struct {
	Kind   string
	Number int // from 1, in the text before for "-", in the text after for the others
	Pieces []piece
}

// piece is a stretch of a line; the marked ones are what the edits took or gave.
type piece struct {
	Text string
	Mark bool
}

// hunksOf shows edits, which are sorted, in the text they were made in; more is
// the number of edits that are not shown. What is shown is taken off the budget.
func hunksOf(before []byte, edits []core.Edit, budget *int) (out []hunk, more int) {
	at, number, grown := 0, 1, 0
	for len(edits) > 0 {
		n := 1
		for n < min(len(edits), maxHunkEdits) && near(before[edits[n-1].Span.End:edits[n].Span.Start]) {
			n++
		}
		if len(out) == maxHunks || *budget <= 0 {
			return out, len(edits)
		}
		from, to := lineFrom(before, edits[0].Span.Start), lineTo(before, edits[n-1].Span.End)
		number += bytes.Count(before[at:from], []byte{'\n'})
		at = from
		h := hunkOf(before, edits[:n], from, to, number, number+grown)
		for _, e := range edits[:n] {
			grown += strings.Count(e.Replacement, "\n") - bytes.Count(before[e.Span.Start:e.Span.End], []byte{'\n'})
		}
		for _, l := range h.Lines {
			for _, p := range l.Pieces {
				*budget -= len(p.Text) + 64
			}
		}
		out, edits = append(out, h), edits[n:]
	}
	return out, 0
}

// near tells whether what is between two edits is shown with them.
func near(between []byte) bool {
	return len(between) <= joinBytes && bytes.Count(between, []byte{'\n'}) <= aroundLines
}

// lineFrom gives where the line of i begins, or a place not far before i.
func lineFrom(text []byte, i int) int {
	from := i - 1
	for from >= 0 && text[from] != '\n' && i-from <= aroundBytes {
		from--
	}
	for from++; from < i && !utf8.RuneStart(text[from]); {
		from++
	}
	return from
}

// lineTo gives where the line of i ends, before its line end, or a place not far
// behind i.
func lineTo(text []byte, i int) int {
	to := i
	for to < len(text) && text[to] != '\n' && to-i < aroundBytes {
		to++
	}
	for to < len(text) && to > i && !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}

func hunkOf(before []byte, edits []core.Edit, from, to, oldNumber, newNumber int) hunk {
	var was, is []piece
	i := from
	for _, e := range edits {
		was = append(was, piece{string(before[i:e.Span.Start]), false}, piece{string(before[e.Span.Start:e.Span.End]), true})
		is = append(is, piece{string(before[i:e.Span.Start]), false}, piece{e.Replacement, true})
		i = e.Span.End
	}
	rest := piece{string(before[i:to]), false}
	wasLines, isLines := linesOf("-", oldNumber, append(was, rest)), linesOf("+", newNumber, append(is, rest))
	newLines := len(isLines)
	// A line that is whole in both is no change.
	var lead, tail []line
	for len(wasLines) > 0 && len(isLines) > 0 && unmarked(wasLines[0], isLines[0]) {
		lead, wasLines, isLines = append(lead, isLines[0]), wasLines[1:], isLines[1:]
	}
	for len(wasLines) > 0 && len(isLines) > 0 && unmarked(wasLines[len(wasLines)-1], isLines[len(isLines)-1]) {
		tail = append([]line{isLines[len(isLines)-1]}, tail...)
		wasLines, isLines = wasLines[:len(wasLines)-1], isLines[:len(isLines)-1]
	}
	var h hunk
	h.add(" ", linesBefore(before, from, newNumber, aroundLines-len(lead)))
	h.add(" ", lead)
	h.add("-", wasLines)
	h.add("+", isLines)
	h.add(" ", tail)
	h.add(" ", linesAfter(before, to, newNumber+newLines-1, aroundLines-len(tail)))
	markCuts(before, from, to, h.Lines)
	return h
}

// add appends lines, as many as are shown of one side.
func (h *hunk) add(kind string, list []line) {
	if n := len(list); n > maxSideLines {
		h.Cut += n - maxSideLines
		list = list[:maxSideLines]
	}
	for _, l := range list {
		l.Kind = kind
		for i := range l.Pieces {
			l.Pieces[i].Text = visible(middle(l.Pieces[i].Text))
		}
		h.Lines = append(h.Lines, l)
	}
}

// markCuts says where a long line is not shown from its beginning or to its end.
func markCuts(text []byte, from, to int, lines []line) {
	for i := range lines {
		l := &lines[i]
		if l.Kind == " " {
			continue
		}
		if from > 0 && text[from-1] != '\n' && (i == 0 || lines[i-1].Kind != l.Kind) {
			l.Pieces = append([]piece{{"…", false}}, l.Pieces...)
		}
		if to < len(text) && text[to] != '\n' && (i == len(lines)-1 || lines[i+1].Kind != l.Kind) {
			l.Pieces = append(l.Pieces, piece{"…", false})
		}
	}
}

// linesOf cuts pieces into lines.
func linesOf(kind string, number int, pieces []piece) []line {
	out := []line{{Kind: kind, Number: number}}
	for _, p := range pieces {
		for {
			head, tail, more := strings.Cut(p.Text, "\n")
			last := &out[len(out)-1]
			if !p.Mark {
				head = strings.TrimSuffix(head, "\r")
			}
			if head != "" {
				last.Pieces = append(last.Pieces, piece{head, p.Mark})
			}
			if !more {
				break
			}
			number++
			out, p.Text = append(out, line{Kind: kind, Number: number}), tail
		}
	}
	return out
}

// unmarked tells whether two lines are the same and no edit is in them.
func unmarked(a, b line) bool {
	x, okX := plainText(a)
	y, okY := plainText(b)
	return okX && okY && x == y
}

func plainText(l line) (string, bool) {
	s := ""
	for _, p := range l.Pieces {
		if p.Mark {
			return "", false
		}
		s += p.Text
	}
	return s, true
}

// linesBefore gives the n lines that end before a place where a line begins.
func linesBefore(text []byte, i, number, n int) []line {
	var out []line
	for range max(n, 0) {
		if i == 0 || text[i-1] != '\n' {
			break
		}
		end := i - 1
		i = bytes.LastIndexByte(text[:end], '\n') + 1
		number--
		out = append(linesOf(" ", number, []piece{{string(text[i:min(end, i+2*aroundBytes)]), false}}), out...)
	}
	return out
}

// linesAfter gives the count lines behind a place where a line ends.
func linesAfter(text []byte, i, number, count int) []line {
	var out []line
	for range max(count, 0) {
		if i >= len(text) || text[i] != '\n' || i+1 == len(text) {
			break
		}
		i++
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			n = len(text) - i
		}
		number++
		out = append(out, linesOf(" ", number, []piece{{string(text[i : i+min(n, 2*aroundBytes)]), false}})...)
		i += n
	}
	return out
}

// middle takes the middle out of a long text and says how much it was.
func middle(s string) string {
	if len(s) <= maxSegment {
		return s
	}
	a, b := maxSegment/2, len(s)-maxSegment/2
	for !utf8.RuneStart(s[a]) {
		a--
	}
	for !utf8.RuneStart(s[b]) {
		b++
	}
	return fmt.Sprintf("%s … %s bytes more … %s", s[:a], thousands(b-a), s[b:])
}

// Visible writes what does not show, would turn the direction of what stands
// around it, or would steer a terminal, as its number. Line ends and tabs stay.
func Visible(s string) string { return visible(s) }

// visible is Visible, and mends a text that was cut within a character.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return strings.ToValidUTF8(s, "\ufffd") // a piece may have been cut within a character
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, "‹U+%04X›", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u00a0', '\u3000', '\u200c', '\u200d': // the joiners shape letters and pictures
		return false
	case '\u2028', '\u2029':
		return true
	}
	return !unicode.IsPrint(r)
}

// thousands writes a count with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
