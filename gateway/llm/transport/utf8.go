package transport

// utf8Check follows UTF-8 byte by byte, so that it does not matter where a
// character is cut between reads. The zero value stands between two characters.
type utf8Check struct {
	need   int8 // continuation bytes that must follow
	lo, hi byte // what the next of them may be
}

// next takes one byte and tells whether the text can still be UTF-8.
func (u *utf8Check) next(c byte) bool {
	if u.need > 0 {
		if c < u.lo || c > u.hi {
			return false
		}
		u.need--
		u.lo, u.hi = 0x80, 0xbf
		return true
	}
	u.lo, u.hi = 0x80, 0xbf
	switch {
	case c < 0x80:
	case c >= 0xc2 && c <= 0xdf:
		u.need = 1
	case c >= 0xe0 && c <= 0xef:
		u.need = 2
		switch c {
		case 0xe0:
			u.lo = 0xa0 // no overlong form
		case 0xed:
			u.hi = 0x9f // no surrogate
		}
	case c >= 0xf0 && c <= 0xf4:
		u.need = 3
		switch c {
		case 0xf0:
			u.lo = 0x90
		case 0xf4:
			u.hi = 0x8f // nothing beyond U+10FFFF
		}
	default:
		return false
	}
	return true
}

// whole tells whether no character is open.
func (u *utf8Check) whole() bool { return u.need == 0 }
