package textpatch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// Diff gives edits that turn before into after: Apply(before, Diff(before,
// after)) is after, byte for byte. Lines are compared first, then the words,
// spaces and signs of the lines that differ, so that an edit seldom takes more
// than what changed. Edits stand on rune borders and never between CR and LF.
//
// Work is bounded: a stretch in which nothing unique is shared and the
// difference is large comes back as one edit. Both texts must be valid UTF-8.
func Diff(before, after []byte) []core.Edit {
	d := differ{before: string(before), after: string(after), budget: diffBudget}
	d.lines()
	return slideAll(d.before, d.after, d.out)
}

// diffBudget bounds the inner steps of one diff, over all its stretches.
const diffBudget = 8 << 20

// differ holds the state of one diff.
type differ struct {
	before, after string
	budget        int
	out           []core.Edit
}

// lines compares line by line and looks closer at each stretch that differs.
func (d *differ) lines() {
	p := commonPrefix(d.before, d.after)
	for !atLineStart(d.before, p) || !atLineStart(d.after, p) {
		p--
	}
	a, b := d.before[p:], d.after[p:]
	q := commonSuffix(a, b)
	for !atLineStart(a, len(a)-q) || !atLineStart(b, len(b)-q) {
		q--
	}
	a, b = a[:len(a)-q], b[:len(b)-q]
	if a == "" && b == "" {
		return
	}
	long := longLines(a) || longLines(b)
	sa, sb := splitLines(a, long), splitLines(b, long)
	ia, ib := intern(a, sa, b, sb)
	hunks, _ := compare(ia, ib, &d.budget)
	for _, h := range hunks {
		before := len(d.out)
		if d.tokens(p+sa[h.aStart], p+sa[h.aEnd], p+sb[h.bStart], p+sb[h.bEnd]) || h.aEnd-h.aStart != h.bEnd-h.bStart {
			continue
		}
		// Too much differs to be compared at once, and there are as many lines as
		// before: something was done to each of them.
		d.out = d.out[:before]
		for i := range h.aEnd - h.aStart {
			d.tokens(p+sa[h.aStart+i], p+sa[h.aStart+i+1], p+sb[h.bStart+i], p+sb[h.bStart+i+1])
		}
	}
}

// tokens compares the stretches before[a0:a1] and after[b0:b1] token by token.
// It is false where the bounds did not allow that, and a part came back whole.
func (d *differ) tokens(a0, a1, b0, b1 int) bool {
	a, b := d.before[a0:a1], d.after[b0:b1]
	p := commonPrefix(a, b)
	for !atTokenStart(a, p) || !atTokenStart(b, p) {
		p--
	}
	a, b = a[p:], b[p:]
	q := commonSuffix(a, b)
	for !atTokenStart(a, len(a)-q) || !atTokenStart(b, len(b)-q) {
		q--
	}
	a, b = a[:len(a)-q], b[:len(b)-q]
	a0 += p
	if a == "" || b == "" {
		d.emit(core.Span{Start: a0, End: a0 + len(a)}, b)
		return true
	}
	sa, sb := splitTokens(a), splitTokens(b)
	ia, ib := intern(a, sa, b, sb)
	hunks, whole := compare(ia, ib, &d.budget)
	for _, h := range hunks {
		d.emit(core.Span{Start: a0 + sa[h.aStart], End: a0 + sa[h.aEnd]}, b[sb[h.bStart]:sb[h.bEnd]])
	}
	return whole
}

// emit appends an edit, joined to the one before where they touch.
func (d *differ) emit(s core.Span, text string) {
	if s.Len() == 0 && text == "" {
		return
	}
	if n := len(d.out); n > 0 && d.out[n-1].Span.End == s.Start {
		d.out[n-1].Span.End = s.End
		d.out[n-1].Replacement += text
		return
	}
	d.out = append(d.out, core.Edit{Span: s, Replacement: text})
}

// longLines tells whether lines are no useful unit of s: a page written on few
// long lines is compared by tags first instead.
func longLines(s string) bool {
	const long = 512 // bytes a line, on average
	return len(s) > long*(1+strings.Count(s, "\n"))
}

// splitLines gives the starts of the lines of s and, last, its length. A line
// ends behind "\n", or behind an "\r" no "\n" follows, and, with tags, behind
// each ">" as well.
func splitLines(s string, tags bool) []int {
	starts := []int{0}
	for i := 0; i+1 < len(s); i++ {
		switch s[i] {
		case '\n', '\r':
			if atLineStart(s, i+1) {
				starts = append(starts, i+1)
			}
		case '>':
			if tags {
				starts = append(starts, i+1)
			}
		}
	}
	return append(starts, len(s))
}

// atLineStart tells whether a line of s starts at i, or s ends there.
func atLineStart(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	return s[i-1] == '\n' || s[i-1] == '\r' && s[i] != '\n'
}

// splitTokens gives the starts of the tokens of s and, last, its length.
func splitTokens(s string) []int {
	starts := make([]int, 0, len(s)/4+2)
	var last class
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		c := classOf(r)
		if i == 0 || !joins(last, c) {
			starts = append(starts, i)
		}
		last, i = c, i+n
	}
	return append(starts, len(s))
}

// atTokenStart tells whether tokens may be cut at i: on a rune border, between
// two runes that do not join.
func atTokenStart(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	if !utf8.RuneStart(s[i]) {
		return false
	}
	a, _ := utf8.DecodeLastRuneInString(s[:i])
	b, _ := utf8.DecodeRuneInString(s[i:])
	return !joins(classOf(a), classOf(b))
}

// class is the kind of a rune: runs of words and of blanks are one token each,
// CR and LF are one together, every other rune stands alone.
type class uint8

const (
	sign class = iota
	word
	blank
	cr
	lf
)

func joins(a, b class) bool {
	return a == b && (a == word || a == blank) || a == cr && b == lf
}

func classOf(r rune) class {
	switch {
	case r == '\r':
		return cr
	case r == '\n':
		return lf
	case r == ' ' || r == '\t' || r == '\f':
		return blank
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return word
		}
		return sign
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
		return sign // scripts that write no spaces between words
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return word
	}
	return sign
}

// intern numbers the pieces of a and b so that equal pieces have equal numbers.
func intern(a string, sa []int, b string, sb []int) (ia, ib []int32) {
	ids := make(map[string]int32, len(sa))
	number := func(s string, starts []int) []int32 {
		out := make([]int32, len(starts)-1)
		for i := range out {
			piece := s[starts[i]:starts[i+1]]
			id, ok := ids[piece]
			if !ok {
				id = int32(len(ids))
				ids[piece] = id
			}
			out[i] = id
		}
		return out
	}
	return number(a, sa), number(b, sb)
}
