package htmledit

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// urlFunctions are CSS functions whose strings are addresses.
var urlFunctions = set("url( src( image( image-set( -webkit-image-set( cross-fade( -webkit-cross-fade(")

// styleURLs gives the addresses that CSS tokens load: url(), strings in the
// functions above, and @import.
func styleURLs(toks []cssToken) []string {
	var out []string
	var calls []bool // open brackets; true for a function whose strings are addresses
	within := 0      // of them true
	imports := false
	for i, t := range toks {
		switch t.kind {
		case css.URLToken, css.BadURLToken:
			out = append(out, unquoteURL(t.text))
		case css.StringToken, css.BadStringToken:
			if within > 0 || imports {
				out = append(out, unquoteString(t.text))
			}
		case css.FunctionToken:
			name := lower(cssUnescape(t.text))
			if name == "url(" { // with an escape in its name: what follows is the address as it stands
				out = append(out, rawURL(toks[i+1:]))
			}
			is := urlFunctions[name]
			calls = append(calls, is)
			if is {
				within++
			}
		case css.LeftParenthesisToken:
			calls = append(calls, false)
		case css.RightParenthesisToken:
			if n := len(calls); n > 0 {
				if calls[n-1] {
					within--
				}
				calls = calls[:n-1]
			}
		case css.AtKeywordToken:
			imports = strings.EqualFold(cssUnescape(t.text), "@import")
		case css.SemicolonToken, css.LeftBraceToken:
			imports = false
		}
	}
	return out
}

// rawURL gives the address up to the next closing bracket.
func rawURL(toks []cssToken) string {
	var b strings.Builder
	for _, t := range toks {
		if t.kind == css.RightParenthesisToken {
			break
		}
		b.WriteString(t.text)
	}
	s := strings.Trim(b.String(), spaces)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		return unquoteString(s)
	}
	return cssUnescape(s)
}

// unquoteURL gives the address in a url( … ) token.
func unquoteURL(s string) string {
	if i := strings.IndexByte(s, '('); i >= 0 {
		s = s[i+1:]
	}
	s = strings.Trim(strings.TrimSuffix(s, ")"), spaces)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		return unquoteString(s)
	}
	return cssUnescape(s)
}

func unquoteString(s string) string {
	q := s[:1]
	return cssUnescape(strings.TrimSuffix(s[1:], q))
}

// cssUnescape decodes CSS escapes: hexadecimal ones with one blank behind, and
// any other character taken as it is.
func cssUnescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		r, n := rune(0), 0
		for n < 6 && i+n < len(s) && hexDigit(s[i+n]) >= 0 {
			r = r<<4 | rune(hexDigit(s[i+n]))
			n++
		}
		switch {
		case n > 0:
			b.WriteRune(r)
			i += n - 1
			if i+1 < len(s) && strings.IndexByte(spaces, s[i+1]) >= 0 {
				i++
			}
		case s[i] == '\n': // a line continued
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
