package scene

import (
	"fmt"
	"unicode/utf8"
)

// excerpt is a stretch of a text with the places it was taken from.
type excerpt struct {
	text     string
	from, to Position // of its first and its last character
	cut      bool     // it is less than what was asked for
}

// where says which lines an excerpt shows, and which columns where it does not
// hold its lines from end to end.
func (e excerpt) where(l *lines) string {
	start, _ := l.span(e.from.Line)
	_, end := l.span(e.to.Line)
	whole := len(e.text) == end-start || trimEOL(l.text[start:end]) == e.text
	switch {
	case whole && e.from.Line == e.to.Line:
		return fmt.Sprintf("line %d", e.from.Line)
	case whole:
		return fmt.Sprintf("lines %d–%d", e.from.Line, e.to.Line)
	case e.from.Line == e.to.Line:
		return fmt.Sprintf("line %d, columns %d–%d", e.from.Line, e.from.Column, e.to.Column)
	}
	return fmt.Sprintf("line %d, column %d to line %d, column %d", e.from.Line, e.from.Column, e.to.Line, e.to.Column)
}

// take makes the excerpt of the bytes from a to b.
func (l *lines) take(a, b int, cut bool) excerpt {
	e := excerpt{text: l.text[a:b], from: l.position(a), cut: cut}
	_, size := utf8.DecodeLastRuneInString(e.text)
	e.to = l.position(b - size)
	return e
}

// selected gives the text of a range, at most limit code points of it from its
// start on. Where it must be cut, it is cut behind a line, unless that would
// lose more than half.
func selected(l *lines, r Range, limit int) excerpt {
	a, b := l.at(r.Start), l.at(r.End)
	if b < a {
		a, b = b, a
	}
	text, cut := prefix(l.text[a:b], limit)
	if !cut {
		return l.take(a, b, false)
	}
	end := a + len(text)
	if line, _ := l.span(l.position(end).Line); line > a+len(text)/2 {
		end = line
	}
	return l.take(a, end, true)
}

// around gives the lines near a cursor: radius lines before and behind it, or as
// many as limit code points hold, in turn from both sides, so that the cursor's
// own line is the last to go. A line too long for that is shown around the
// cursor's column.
func around(l *lines, cursor Position, radius, limit int) excerpt {
	line := l.clamp(cursor.Line)
	a, b := l.span(line)
	left := limit - utf8.RuneCountInString(l.text[a:b])
	if left < 0 {
		return within(l, a, b, l.at(Position{line, cursor.Column}), limit)
	}
	cut := false
	for up, down, n := true, true, 1; n <= radius && (up || down); n++ {
		for _, next := range []struct {
			line int
			on   *bool
		}{{line - n, &up}, {line + n, &down}} {
			if !*next.on || next.line < l.first || next.line > l.last() {
				continue
			}
			from, to := l.span(next.line)
			if cost := utf8.RuneCountInString(l.text[from:to]); cost <= left {
				left -= cost
				a, b = min(a, from), max(b, to)
				continue
			}
			*next.on, cut = false, true
		}
	}
	return l.take(a, b, cut)
}

// within cuts the one line from a to b to limit code points around at.
func within(l *lines, a, b, at, limit int) excerpt {
	half := at
	for n := 0; n < limit/2 && half > a; n++ {
		_, size := utf8.DecodeLastRuneInString(l.text[a:half])
		half -= size
	}
	half = forward(l.text[:b], half)
	text, _ := prefix(l.text[half:b], limit)
	return l.take(half, half+len(text), true)
}
