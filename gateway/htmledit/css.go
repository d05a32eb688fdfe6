package htmledit

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"proofmark/gateway/core"
)

// cssToken is one CSS token with its place.
type cssToken struct {
	kind       css.TokenType
	text       string
	start, end int
}

// cssTokens reads all tokens of s; false where the lexer loses bytes.
func cssTokens(s string) ([]cssToken, bool) {
	l := css.NewLexer(parse.NewInputString(s))
	var out []cssToken
	at := 0
	for {
		kind, text := l.Next()
		if kind == css.ErrorToken {
			return out, at == len(s)
		}
		if at+len(text) > len(s) || string(text) != s[at:at+len(text)] {
			return nil, false
		}
		out = append(out, cssToken{kind, s[at : at+len(text)], at, at + len(text)})
		at += len(text)
	}
}

// declaration is one declaration of a style attribute.
type declaration struct {
	name      string    // lower case, but for custom properties
	span      core.Span // from the name to the end of the value
	value     core.Span // trimmed, with !important
	important bool
	semicolon int  // the offset behind its semicolon, 0 where none follows
	junk      bool // no declaration: skipped by the browser
}

// declarations splits the contents of a style attribute as CSS does. open tells
// that brackets, a string or a comment stay open at the end, so that what were
// written behind would be swallowed.
func declarations(s string) (out []declaration, open, ok bool) {
	toks, ok := cssTokens(s)
	if !ok {
		return nil, false, false
	}
	var cur []cssToken
	depth := []css.TokenType{}
	flush := func(semicolon int) {
		if d, some := readDeclaration(cur); some {
			d.semicolon = semicolon
			out = append(out, d)
		}
		cur = nil
	}
	for _, t := range toks {
		switch t.kind {
		case css.LeftBraceToken:
			depth = append(depth, css.RightBraceToken)
		case css.LeftBracketToken:
			depth = append(depth, css.RightBracketToken)
		case css.LeftParenthesisToken, css.FunctionToken:
			depth = append(depth, css.RightParenthesisToken)
		case css.RightBraceToken, css.RightBracketToken, css.RightParenthesisToken:
			if n := len(depth); n > 0 && depth[n-1] == t.kind {
				depth = depth[:n-1]
			}
		case css.SemicolonToken:
			if len(depth) == 0 {
				flush(t.end)
				continue
			}
		}
		cur = append(cur, t)
	}
	flush(0)
	return out, len(depth) > 0 || len(toks) > 0 && unclosed(toks[len(toks)-1]), true
}

// unclosed tells whether a token, the last, waits for its end.
func unclosed(t cssToken) bool {
	switch t.kind {
	case css.BadStringToken, css.BadURLToken:
		return true
	case css.CommentToken:
		return len(t.text) < 4 || !strings.HasSuffix(t.text, "*/")
	case css.StringToken:
		return len(t.text) < 2 || t.text[len(t.text)-1] != t.text[0]
	case css.URLToken:
		return !strings.HasSuffix(t.text, ")")
	}
	return strings.HasSuffix(t.text, `\`)
}

func isBlankToken(t cssToken) bool {
	return t.kind == css.WhitespaceToken || t.kind == css.CommentToken
}

// readDeclaration reads one stretch between semicolons; false where it is blank.
func readDeclaration(toks []cssToken) (declaration, bool) {
	for len(toks) > 0 && isBlankToken(toks[0]) {
		toks = toks[1:]
	}
	for len(toks) > 0 && isBlankToken(toks[len(toks)-1]) {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 {
		return declaration{}, false
	}
	d := declaration{span: core.Span{Start: toks[0].start, End: toks[len(toks)-1].end}, junk: true}
	name := toks[0]
	rest := toks[1:]
	for len(rest) > 0 && isBlankToken(rest[0]) {
		rest = rest[1:]
	}
	if name.kind != css.IdentToken && name.kind != css.CustomPropertyNameToken || len(rest) == 0 || rest[0].kind != css.ColonToken {
		return d, true
	}
	rest = rest[1:]
	for len(rest) > 0 && isBlankToken(rest[0]) {
		rest = rest[1:]
	}
	d.junk = false
	d.name = propertyKey(name.text)
	d.value = core.Span{Start: d.span.End, End: d.span.End}
	if len(rest) > 0 {
		d.value.Start = rest[0].start
	}
	d.important = endsImportant(rest)
	return d, true
}

func endsImportant(toks []cssToken) bool {
	var last []cssToken
	for _, t := range toks {
		if !isBlankToken(t) {
			last = append(last, t)
		}
	}
	n := len(last)
	return n >= 2 && last[n-2].text == "!" && strings.EqualFold(last[n-1].text, "important")
}

// propertyKey gives the name by which properties are compared.
func propertyKey(name string) string {
	if strings.HasPrefix(name, "--") {
		return name
	}
	return lower(name)
}

// checkProperty refuses names that are no property names or that run code.
func checkProperty(name string) error {
	ok := len(name) <= core.MaxAttributeNameLen && strings.Trim(name, "-") != ""
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-':
		case c >= '0' && c <= '9' && strings.Trim(name[:i], "-") != "" || c >= '0' && c <= '9' && strings.HasPrefix(name, "--"):
		default:
			ok = false
		}
	}
	if !ok {
		return core.Errorf(core.InvalidEdit, "%s is no name of a style property", quoted(name))
	}
	switch strings.Trim(lower(name), "-") {
	case "behavior", "moz-binding", "ms-behavior":
		return core.Errorf(core.Policy, "the property %s can run code", name)
	}
	return nil
}

// checkDeclarationValue refuses values that are not one CSS value, that could
// end the declaration, or that load something from elsewhere.
func checkDeclarationValue(name, value string) error {
	if err := checkText(value); err != nil {
		return err
	}
	bad := core.Errorf(core.InvalidEdit, "%s is not one style value", quoted(value))
	toks, ok := cssTokens(value)
	if !ok {
		return bad
	}
	ds, open, ok := declarations("x:" + value)
	if !ok || open || len(ds) != 1 || ds[0].junk || ds[0].semicolon > 0 || ds[0].value.Len() == 0 {
		return bad
	}
	depth := 0
	for i, t := range toks {
		switch t.kind {
		case css.BadStringToken, css.BadURLToken, css.CommentToken, css.CDOToken, css.CDCToken, css.SemicolonToken,
			css.LeftBraceToken, css.RightBraceToken, css.AtKeywordToken:
			return bad
		case css.LeftParenthesisToken, css.LeftBracketToken, css.FunctionToken:
			depth++
		case css.RightParenthesisToken, css.RightBracketToken:
			depth--
		}
		if depth < 0 || t.text == "!" && !isImportantAt(toks, i) || unclosed(t) {
			return bad
		}
		if t.kind != css.StringToken && strings.Contains(t.text, `\`) {
			return core.Errorf(core.InvalidEdit, "the style value holds an escape outside a string")
		}
	}
	return checkStyleCalls(toks, strings.HasPrefix(name, "--"))
}

// isImportantAt tells whether the "!" at i begins the value's last "!important".
func isImportantAt(toks []cssToken, i int) bool {
	if i == 0 {
		return false
	}
	var rest []cssToken
	for _, t := range toks[i:] {
		if !isBlankToken(t) {
			rest = append(rest, t)
		}
	}
	return len(rest) == 2 && endsImportant(rest)
}

// checkStyleCalls refuses functions that run code and addresses that are not
// beside the page.
func checkStyleCalls(toks []cssToken, custom bool) error {
	for _, t := range toks {
		if t.kind == css.FunctionToken && strings.EqualFold(t.text, "expression(") {
			return core.Errorf(core.Policy, "expression() runs script")
		}
	}
	for _, found := range styleURLs(toks, custom) {
		u := found.url
		scheme, rest := schemeOf(cleanURL(u))
		raster := scheme == "data" && strings.HasPrefix(lower(rest), "image/") && !strings.HasPrefix(lower(rest), "image/svg")
		if strings.Contains(u, `\`) || externalOrigin(u) != "" || scheme != "" && !raster {
			return core.Errorf(core.Policy, "the style would load %s; only files beside the page may be named", quoted(u))
		}
	}
	return nil
}

// checkInlineStyle refuses the value of a style attribute unless every
// declaration is one that set_style takes.
func checkInlineStyle(value string) error {
	ds, open, ok := declarations(value)
	if !ok || open {
		return core.Errorf(core.InvalidEdit, "the style is not a list of declarations")
	}
	for _, d := range ds {
		if d.junk {
			return core.Errorf(core.InvalidEdit, "%s is no style declaration", quoted(value[d.span.Start:d.span.End]))
		}
		if err := checkProperty(d.name); err != nil {
			return err
		}
		if err := checkDeclarationValue(d.name, value[d.value.Start:d.value.End]); err != nil {
			return err
		}
	}
	return nil
}
