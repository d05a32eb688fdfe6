package jscheck

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// Bounds of what is parsed. Time goes with depth times names, and with arrow
// functions times names; the stack with the depth.
const (
	maxDepth        = 200
	maxDepthNames   = 1 << 19
	maxArrowNames   = 16 << 20
	maxOpenBrackets = 1 << 16 // in all: what a text may nest even if it were measured wrong
)

// bounded tells whether a text may be given to the parser.
func bounded(text string) error {
	if len(text) > MaxBytes {
		return unchecked("it has %d bytes, at most %d are checked", len(text), MaxBytes)
	}
	// A first line that begins like this is skipped by the parser, and to nobody else a comment.
	if strings.HasPrefix(text, "#!") {
		return unchecked("it begins with #!")
	}
	m := measure{lex: js.NewLexer(parse.NewInputString(text)), names: map[string]bool{}}
	if err := m.run(); err != nil {
		return err
	}
	if m.deepest > maxDepth {
		return unchecked("it is nested more than %d deep", maxDepth)
	}
	if m.scopes*len(m.names) > maxDepthNames || m.arrows*len(m.names) > maxArrowNames || m.opened > maxOpenBrackets {
		return unchecked("it has too many names for how deep it is nested")
	}
	return nil
}

// measure reads the tokens of a text and finds what the parser's costs depend
// on. It ends at the first token the parser cannot take, because the parser
// goes no further either.
type measure struct {
	lex   *js.Lexer
	names map[string]bool

	stack   []bracket
	chain   int // scopes around the current place: brackets and arrow functions
	deepest int // the most brackets around a place
	scopes  int // the most scopes around a place
	arrows  int
	opened  int

	before  js.TokenType // the last token, blanks and comments apart
	second  js.TokenType // the one before it
	newLine bool         // a line end stands between before and the current token
	operand ending       // whether before ends an operand
	export  int          // the depth of an export's declaration, from 1; 0 for none
}

// bracket is one open bracket.
type bracket struct {
	opener js.TokenType
	arrows int  // arrow functions open directly in it
	head   bool // the head of if, while, for or with, behind which a statement begins
}

// ending says whether an expression may end with the last token.
type ending uint8

const (
	no     ending = iota // a slash begins a regular expression
	yes                  // a slash divides
	unsure               // only a parser knows
)

func (m *measure) run() error {
	for {
		tt, data := m.lex.Next()
		switch tt {
		case js.WhitespaceToken, js.CommentToken:
			continue
		case js.LineTerminatorToken, js.CommentLineTerminatorToken:
			m.newLine = true
			continue
		case js.DivToken, js.DivEqToken:
			if m.operand == unsure || m.operand == yes && m.newLine {
				return unchecked("it holds a slash that could begin a regular expression or divide")
			}
			if m.operand == no {
				tt, data = m.lex.RegExp()
			}
		}
		if tt == js.ErrorToken || !m.take(tt, data) {
			return nil
		}
		m.second, m.before, m.newLine = m.before, tt, false
	}
}

// take counts one token; false where the parser would stop at it.
func (m *measure) take(tt js.TokenType, data []byte) bool {
	property := m.before == js.DotToken || m.before == js.OptChainToken
	switch tt {
	case js.OpenParenToken, js.OpenBracketToken, js.OpenBraceToken, js.TemplateStartToken:
		m.open(tt)
	case js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken, js.TemplateEndToken:
		return m.close(tt)
	case js.TemplateMiddleToken:
		m.operand = no
		return len(m.stack) > 0 && m.stack[len(m.stack)-1].opener == js.TemplateStartToken
	case js.ArrowToken:
		m.arrows++
		m.chain++
		m.scopes = max(m.scopes, m.chain)
		if n := len(m.stack); n > 0 {
			m.stack[n-1].arrows++
		}
		m.operand = no
	case js.CommaToken, js.SemicolonToken:
		m.endArrows()
		m.operand = no
		if tt == js.SemicolonToken && m.export > len(m.stack) {
			m.export = 0
		}
	case js.IncrToken, js.DecrToken:
		// Behind an operand on its line it belongs to that; else to what follows.
		if m.newLine && m.operand != unsure {
			m.operand = no
		}
	case js.StringToken:
		m.operand = yes
		if m.before == js.FromToken || m.before == js.ImportToken {
			m.operand = unsure
		}
	case js.TemplateToken, js.RegExpToken, js.PrivateIdentifierToken:
		m.operand = yes
	default:
		switch {
		case js.IsNumeric(tt):
			m.operand = yes
		case js.IsIdentifierName(tt):
			m.operand = m.word(tt, property)
			if !property {
				m.names[string(data)] = true
			}
		default:
			m.operand = no
		}
	}
	return true
}

// word tells whether an operand may end with an identifier or a keyword.
func (m *measure) word(tt js.TokenType, property bool) ending {
	if property {
		return yes
	}
	switch tt {
	case js.ExportToken:
		m.export = len(m.stack) + 1
		return no
	case js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return yes
	case js.OfToken, js.YieldToken, js.AwaitToken:
		return unsure
	}
	if js.IsReservedWord(tt) {
		return no
	}
	// Behind these a name ends a statement, or a declaration without a value,
	// and what follows may be the next statement.
	switch m.before {
	case js.BreakToken, js.ContinueToken, js.ImportToken, js.FromToken, js.AsToken:
		return unsure
	case js.VarToken, js.LetToken, js.ConstToken, js.CommaToken:
		if m.export == len(m.stack)+1 {
			return unsure
		}
	}
	return yes
}

func (m *measure) open(tt js.TokenType) {
	b := bracket{opener: tt}
	if tt == js.OpenParenToken {
		b.head = m.heads()
	}
	m.stack = append(m.stack, b)
	m.opened++
	m.chain++
	m.deepest, m.scopes = max(m.deepest, len(m.stack)), max(m.scopes, m.chain)
	m.operand = no
}

// heads tells whether a parenthesis here is the head of a statement.
func (m *measure) heads() bool {
	word, before := m.before, m.second
	switch word {
	case js.IfToken, js.WhileToken, js.ForToken, js.WithToken:
		return before != js.DotToken && before != js.OptChainToken
	case js.AwaitToken:
		return before == js.ForToken
	}
	return false
}

var closes = map[js.TokenType]js.TokenType{
	js.CloseParenToken: js.OpenParenToken, js.CloseBracketToken: js.OpenBracketToken,
	js.CloseBraceToken: js.OpenBraceToken, js.TemplateEndToken: js.TemplateStartToken,
}

func (m *measure) close(tt js.TokenType) bool {
	n := len(m.stack)
	if n == 0 || m.stack[n-1].opener != closes[tt] {
		return false
	}
	m.endArrows()
	b := m.stack[n-1]
	m.stack = m.stack[:n-1]
	m.chain--
	switch {
	case tt == js.CloseBraceToken:
		m.operand = unsure // a block, an object, a function or a class
	case b.head:
		m.operand = no
	default:
		m.operand = yes
	}
	return true
}

// endArrows ends the arrow functions that the bracket holds directly: their
// bodies cannot reach beyond a comma, a semicolon or the bracket's end.
func (m *measure) endArrows() {
	if n := len(m.stack); n > 0 {
		m.chain -= m.stack[n-1].arrows
		m.stack[n-1].arrows = 0
		return
	}
	m.chain = 0
}
