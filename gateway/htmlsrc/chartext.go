package htmlsrc

// text is a run of text in the source.
type text struct {
	start, end int
	literal    bool // character references do not count
}

// charClass is how the tree rules see a character.
type charClass uint8

const (
	charSpace charClass = iota
	charNUL
	charOther
)

// classify gives the class of the first character of s and its length in the
// source; character references to white space count as white space.
func classify(s []byte, literal bool) (charClass, int) {
	switch c := s[0]; {
	case isSpace(c):
		return charSpace, 1
	case c == 0:
		return charNUL, 1
	case c == '&' && !literal:
		if n, _ := spaceReference(s); n > 0 {
			return charSpace, n
		}
	}
	return charOther, 1
}

// leadingSpace gives the length of the white space at the start of t. NUL
// counts with it: Chromium drops NUL before the tree builder sees it.
func (b *builder) leadingSpace(t text) int {
	i := t.start
	for i < t.end {
		class, n := classify(b.src[i:t.end], t.literal)
		if class == charOther {
			break
		}
		i += n
	}
	return i - t.start
}

// hasOther tells whether t holds anything but white space and NUL.
func (b *builder) hasOther(t text) bool { return t.start+b.leadingSpace(t) < t.end }

func (b *builder) onlyNUL(t text) bool {
	for _, c := range b.src[t.start:t.end] {
		if c != 0 {
			return false
		}
	}
	return true
}

// spaceReference gives the length and value of a character reference to white
// space at the start of s; the length is 0 where there is none.
func spaceReference(s []byte) (n int, value byte) {
	if len(s) >= 5 && string(s[:5]) == "&Tab;" {
		return 5, '\t'
	}
	if len(s) >= 9 && string(s[:9]) == "&NewLine;" {
		return 9, '\n'
	}
	if len(s) < 3 || s[1] != '#' {
		return 0, 0
	}
	i, base := 2, 10
	if s[2]|0x20 == 'x' {
		i, base = 3, 16
	}
	digits, v := i, 0
	for ; i < len(s); i++ {
		x := digitValue(s[i])
		if x < 0 || x >= base {
			break
		}
		if v < 1<<20 {
			v = v*base + x
		}
	}
	if i == digits || v > ' ' || !isSpace(byte(v)) {
		return 0, 0
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	return i, byte(v)
}

func digitValue(c byte) int {
	switch low := c | 0x20; {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= low && low <= 'f':
		return int(low-'a') + 10
	}
	return -1
}
