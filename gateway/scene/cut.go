package scene

import (
	"unicode"
	"unicode/utf8"
)

// The unit of every limit here is the Unicode code point. A cut stands on the
// border of one, and where it can, between two characters as a reader sees them.

// maxCluster bounds how many code points a cut goes back to find a border
// between characters; text that stacks more marks than that is cut within them.
const maxCluster = 64

const zwj = '\u200d'

// prefix gives the start of s that has at most n code points. Text that is cut
// is cut between characters.
func prefix(s string, n int) (string, bool) {
	at := offset(s, n)
	if at == len(s) {
		return s, false
	}
	return s[:back(s, at)], true
}

// offset gives the byte behind the first n code points of s.
func offset(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// back moves a cut at i back to the nearest border between characters.
func back(s string, i int) int {
	for at, n := i, 0; n < maxCluster; n++ {
		if border(s, at) {
			return at
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return i
}

// forward moves a cut at i on to the nearest border between characters.
func forward(s string, i int) int {
	for at, n := i, 0; n < maxCluster; n++ {
		if border(s, at) {
			return at
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return i
}

// border tells whether a reader sees two characters on the two sides of byte i,
// which stands between two code points. It knows CRLF, combining marks, joined
// emoji, skin tones, tags, flags and Hangul syllables in parts.
func border(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	switch {
	case before == '\r' && after == '\n', before == zwj, after == zwj, unicode.IsMark(after):
		return false
	case after >= 0x1f3fb && after <= 0x1f3ff: // skin tones
		return false
	case after >= 0xe0020 && after <= 0xe007f: // tags, in some flags
		return false
	case after >= 0x1160 && after <= 0x11ff: // vowels and finals of Hangul
		return before < 0x1100 || before > 0x11ff && (before < 0xac00 || before > 0xd7a3)
	case regional(after):
		return countRegional(s[:i])%2 == 0
	}
	return true
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// countRegional counts the regional indicators s ends with; two make a flag.
func countRegional(s string) int {
	n := 0
	for {
		r, size := utf8.DecodeLastRuneInString(s)
		if !regional(r) {
			return n
		}
		n++
		s = s[:len(s)-size]
	}
}
