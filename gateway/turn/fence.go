package turn

import "strings"

// fence puts text between two lines of back-ticks that are longer than any run
// of back-ticks in it, so that the text cannot close the fence.
func fence(label, text string) string {
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
	b.WriteString(label)
	b.WriteByte('\n')
	b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(ticks)
	b.WriteByte('\n')
	return b.String()
}
