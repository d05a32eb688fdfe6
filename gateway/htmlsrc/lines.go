package htmlsrc

import (
	"sort"
	"unicode/utf8"
)

// Lines finds lines and columns in a source. A line ends with LF, CRLF or CR.
type Lines struct {
	src    []byte
	starts []int
}

// NewLines reads where the lines of src begin.
func NewLines(src []byte) *Lines {
	l := &Lines{src: src, starts: []int{0}}
	for i, c := range src {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// Len gives the number of lines, at least 1.
func (l *Lines) Len() int { return len(l.starts) }

// Position gives the line of a byte offset and the column in it in runes, both
// from 1. An offset inside a rune counts as that rune's.
func (l *Lines) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(l.src))
	line = sort.SearchInts(l.starts, offset+1)
	start := l.starts[line-1]
	column = utf8.RuneCount(l.src[start:offset]) + 1
	if offset < len(l.src) && !utf8.RuneStart(l.src[offset]) {
		column = utf8.RuneCount(l.src[start:runeStart(l.src, offset)]) + 1
	}
	return line, column
}

// Offset gives the byte offset of a line and column, both from 1, held to the
// line's end.
func (l *Lines) Offset(line, column int) int {
	line = min(max(line, 1), len(l.starts))
	at, end := l.starts[line-1], len(l.src)
	if line < len(l.starts) {
		end = l.starts[line]
	}
	for ; column > 1 && at < end; column-- {
		_, n := utf8.DecodeRune(l.src[at:])
		at += n
	}
	return at
}
