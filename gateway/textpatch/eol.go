package textpatch

import "strings"

// EOL gives the line end most lines of the text have: "\r\n", "\n" or "\r". A
// text of one line has "\n".
func EOL[T string | []byte](text T) string {
	crlf, lf, cr := countEOL(text)
	switch {
	case crlf > 0 && crlf >= lf && crlf >= cr:
		return "\r\n"
	case cr > lf:
		return "\r"
	}
	return "\n"
}

// WithEOL gives s with every line end, of whatever kind, written as eol.
func WithEOL(s, eol string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	if eol == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", eol)
}

func countEOL[T string | []byte](text T) (crlf, lf, cr int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			lf++
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				crlf++
				i++
			} else {
				cr++
			}
		}
	}
	return crlf, lf, cr
}

// onlyCRLF tells whether the text has line ends and all of them are CRLF.
func onlyCRLF(text string) bool {
	crlf, lf, cr := countEOL(text)
	return crlf > 0 && lf == 0 && cr == 0
}

// toCRLF turns bare LFs into CRLF and leaves all else.
func toCRLF(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
