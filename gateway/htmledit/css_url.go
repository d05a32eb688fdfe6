package htmledit

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// urlFunctions are CSS functions whose strings are addresses.
var urlFunctions = set("url( src( image( image-set( -webkit-image-set( cross-fade( -webkit-cross-fade(")

// styleURL is an address in CSS.
type styleURL struct {
	url  string
	uses string // the element whose use of addresses is like it: see activeScheme
}

// styleURLs gives the addresses that CSS tokens load: url(), strings in the
// functions above, and @import. A string that a custom property or function can
// hand to one of them counts as well, where it names another host. custom tells
// that the tokens are the value of a custom property.
func styleURLs(toks []cssToken, custom bool) []styleURL {
	r := styleReader{toks: toks, custom: custom}
	for i := range toks {
		r.read(i)
	}
	return r.out
}

type styleReader struct {
	toks    []cssToken
	out     []styleURL
	open    []bracket
	imports bool // in @import
	custom  bool // in the value of a custom property, which began with so many brackets open:
	depth   int
}

// bracket is an open one: how it closes, and what the strings in it are.
type bracket struct {
	close css.TokenType
	holds holding
}

type holding uint8

const (
	texts     holding = iota
	addresses         // of what is loaded
	handedOn          // arguments of a custom function
)

func (r *styleReader) found(u string) {
	uses := "img"
	if r.imports {
		uses = styleSheet
	}
	r.out = append(r.out, styleURL{u, uses})
}

func (r *styleReader) within(h holding) bool {
	return slices.ContainsFunc(r.open, func(b bracket) bool { return b.holds == h })
}

func (r *styleReader) read(i int) {
	switch t := r.toks[i]; t.kind {
	case css.URLToken, css.BadURLToken:
		r.found(unquoteURL(t.text))
	case css.StringToken, css.BadStringToken:
		u := unquoteString(t.text)
		if r.imports || r.within(addresses) || (r.custom || r.within(handedOn)) && namesHost(u) {
			r.found(u)
		}
	case css.FunctionToken:
		name := lower(cssUnescape(t.text))
		if name == "url(" { // with an escape in its name: what follows is the address as it stands
			r.found(rawURL(r.toks[i+1:]))
		}
		holds := texts
		if urlFunctions[name] {
			holds = addresses
		} else if strings.HasPrefix(name, "--") {
			holds = handedOn
		}
		r.open = append(r.open, bracket{css.RightParenthesisToken, holds})
	case css.LeftParenthesisToken:
		holds := texts
		if i > 0 && strings.HasPrefix(cssUnescape(r.toks[i-1].text), "--") { // the lexer has no custom functions
			holds = handedOn
		}
		r.open = append(r.open, bracket{css.RightParenthesisToken, holds})
	case css.LeftBracketToken:
		r.open = append(r.open, bracket{css.RightBracketToken, texts})
	case css.LeftBraceToken:
		r.open = append(r.open, bracket{css.RightBraceToken, texts})
		r.imports = false
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		if n := len(r.open); n > 0 && r.open[n-1].close == t.kind {
			r.open = r.open[:n-1]
			r.custom = r.custom && n > r.depth
		}
	case css.AtKeywordToken:
		if r.imports = strings.EqualFold(cssUnescape(t.text), "@import"); r.imports {
			r.bareImport(r.toks[i+1:])
		}
	case css.SemicolonToken:
		r.imports = false
		r.custom = r.custom && len(r.open) > r.depth
	case css.IdentToken, css.CustomPropertyNameToken:
		if !r.custom && handsOn(lower(cssUnescape(t.text))) && colonFollows(r.toks[i+1:]) {
			r.custom, r.depth = true, len(r.open)
		}
	}
}

// bareImport finds an address without quotes, which browsers take when they look
// ahead.
func (r *styleReader) bareImport(toks []cssToken) {
	var b strings.Builder
	for _, t := range toks {
		switch {
		case isBlankToken(t) && b.Len() == 0:
			continue
		case isBlankToken(t) || t.kind == css.SemicolonToken:
			r.found(b.String())
			return
		case b.Len() == 0 && (t.kind == css.StringToken || t.kind == css.BadStringToken || t.kind == css.URLToken ||
			t.kind == css.BadURLToken || t.kind == css.FunctionToken):
			return
		}
		b.WriteString(t.text)
	}
	r.found(b.String())
}

// handsOn tells whether what a declaration of that name says can stand in
// another one: custom properties, and the descriptors of @property and
// @function.
func handsOn(name string) bool {
	return strings.HasPrefix(name, "--") || name == "initial-value" || name == "result"
}

func colonFollows(toks []cssToken) bool {
	for _, t := range toks {
		if !isBlankToken(t) {
			return t.kind == css.ColonToken
		}
	}
	return false
}

// namesHost tells whether a string reads as the address of another host, and
// not only as words with a colon.
func namesHost(u string) bool {
	scheme, _ := schemeOf(cleanURL(u))
	return externalOrigin(u) != "" && (scheme == "" || webSchemes[scheme])
}

var webSchemes = set("http https ftp ws wss")

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
