// Package fence puts text that others wrote between back-ticks which that text
// cannot close, so that it stays data wherever a model reads it. A block's text
// is never altered: a model that copies a quote back must hit it exactly.
package fence

import (
	"strings"
	"unicode"
)

// Block gives text between two lines of back-ticks longer than any run of
// back-ticks in it. The label stands behind the opening line; what could end
// that line or lengthen its ticks is left out of it.
func Block(label, text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text)+1))
	var b strings.Builder
	b.Grow(len(text) + 2*len(ticks) + len(label) + 3)
	b.WriteString(ticks)
	b.WriteString(strings.Map(labelRune, label))
	b.WriteByte('\n')
	b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(ticks)
	b.WriteByte('\n')
	return b.String()
}

// Inline gives text as a Markdown code span on one line: a name, a path, a short
// message. What would end the line, steer a terminal or turn the reading
// direction is shown as U+FFFD.
func Inline(text string) string {
	text = Line(text)
	ticks := strings.Repeat("`", longestRun(text)+1)
	if text == "" || text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// Line gives text without what would end a line, steer a terminal or turn the
// reading direction; U+FFFD stands in the place of each such character.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func longestRun(text string) int {
	longest, run := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func labelRune(r rune) rune {
	if r == '`' || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
		return -1
	}
	return r
}
