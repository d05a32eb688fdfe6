// Package fence puts text that others wrote between lines of back-ticks which
// that text cannot close, so that it stays data wherever a model reads it. The
// text is never altered: a model that copies a quote back must hit it exactly.
package fence

import "strings"

// Block gives text between two lines of back-ticks longer than any run of
// back-ticks in it. The label stands behind the opening line; what could end
// that line or lengthen its ticks is left out of it.
func Block(label, text string) string {
	longest, run := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	ticks := strings.Repeat("`", max(3, longest+1))
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

func labelRune(r rune) rune {
	if r < ' ' || r == '`' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
		return -1
	}
	return r
}
