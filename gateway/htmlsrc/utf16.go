package htmlsrc

import "unicode/utf8"

// UTF16 gives the number of UTF-16 units before a byte offset, as an editor or
// a browser counts. A byte that is no UTF-8 counts one unit; an offset inside
// a rune counts as that rune's start.
func UTF16(src []byte, offset int) int {
	offset = runeStart(src, min(max(offset, 0), len(src)))
	units := 0
	for i := 0; i < offset; {
		r, n := utf8.DecodeRune(src[i:])
		units += unitsOf(r)
		i += n
	}
	return units
}

// FromUTF16 gives the byte offset of a UTF-16 offset; ok is false where it
// stands inside a surrogate pair or behind the end.
func FromUTF16(src []byte, units int) (offset int, ok bool) {
	i := 0
	for units > 0 && i < len(src) {
		r, n := utf8.DecodeRune(src[i:])
		units -= unitsOf(r)
		i += n
	}
	return i, units == 0
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// runeStart moves an offset inside a rune back to its start.
func runeStart(src []byte, offset int) int {
	for i := offset; i > 0 && i > offset-utf8.UTFMax; i-- {
		if i == len(src) || utf8.RuneStart(src[i]) {
			if _, n := utf8.DecodeRune(src[i:]); i == offset || i+n > offset {
				return i
			}
			return offset
		}
	}
	if offset < utf8.UTFMax {
		if _, n := utf8.DecodeRune(src); n > offset {
			return 0
		}
	}
	return offset
}
