package scene

import (
	"sort"
	"unicode/utf8"
)

// lines knows where the lines of a text begin. A line ends with LF, CRLF or CR.
type lines struct {
	text   string
	first  int // number of the first line
	starts []int
}

func newLines(text string, first int) *lines {
	l := &lines{text: text, first: max(first, 1), starts: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// last is the number of the last line.
func (l *lines) last() int { return l.first + len(l.starts) - 1 }

// count is the number of lines as people count them: the end of the last line
// begins no further one.
func (l *lines) count() int {
	if n := len(l.starts); n > 1 && l.starts[n-1] == len(l.text) {
		return n - 1
	}
	return len(l.starts)
}

// clamp gives the nearest line there is.
func (l *lines) clamp(line int) int { return min(max(line, l.first), l.last()) }

// span gives the bytes of a line, its end included.
func (l *lines) span(line int) (from, to int) {
	i := line - l.first
	if i+1 < len(l.starts) {
		return l.starts[i], l.starts[i+1]
	}
	return l.starts[i], len(l.text)
}

// at gives the byte a position stands on, the nearest where there is none.
func (l *lines) at(p Position) int {
	switch {
	case p.Line < l.first:
		return 0
	case p.Line > l.last():
		return len(l.text)
	}
	from, to := l.span(p.Line)
	return from + min(offset(l.text[from:to], p.Column-1), len(trimEOL(l.text[from:to])))
}

// position gives the line and column of a byte.
func (l *lines) position(at int) Position {
	i := sort.SearchInts(l.starts, at+1) - 1
	return Position{Line: l.first + i, Column: utf8.RuneCountInString(l.text[l.starts[i]:at]) + 1}
}

func trimEOL(s string) string {
	for s != "" && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}
