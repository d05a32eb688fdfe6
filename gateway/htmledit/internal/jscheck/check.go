package jscheck

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// Kind says where code stands, which decides what it may hold.
type Kind uint8

// Kinds of code.
const (
	Classic Kind = iota // a script element
	Module              // a script element of type module
	Handler             // an event-handler attribute: a function's body
)

// MaxBytes is the longest text that is checked, in bytes.
const MaxBytes = 256 << 10

// ErrUnchecked tells that a text is too large, too deep or too ambiguous to be
// checked; it may be JavaScript or not.
var ErrUnchecked = errors.New("it cannot be checked")

// Check tells whether the text is JavaScript of the kind: nil where it is, an
// error that wraps ErrUnchecked where that cannot be told, and otherwise one
// that says what is wrong, in one short line.
func Check(text string, k Kind) (err error) {
	if err := bounded(text); err != nil {
		return err
	}
	defer func() {
		// The parser is not ours; a text it fails on is one it cannot check.
		if recover() != nil {
			err = unchecked("the parser fails on it")
		}
	}()
	tree, err := js.Parse(parse.NewInputString(text), js.Options{Inline: k == Handler})
	if err != nil {
		return syntax(err)
	}
	if k != Classic {
		return nil
	}
	for _, s := range tree.List {
		switch s.(type) {
		case *js.ImportStmt, *js.ExportStmt:
			return errors.New("import and export are for scripts of type module")
		}
	}
	return nil
}

func unchecked(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnchecked, fmt.Sprintf(format, args...))
}

// syntax shortens the parser's error to one line.
func syntax(err error) error {
	const most = 160 // bytes
	message, line := err.Error(), 0
	var at *parse.Error
	if errors.As(err, &at) {
		message, line = at.Message, at.Line
	}
	message = strings.Join(strings.Fields(message), " ")
	if len(message) > most {
		message = message[:most] + "…"
	}
	message = strings.ToValidUTF8(message, "")
	if line > 0 {
		return fmt.Errorf("line %d of it: %s", line, message)
	}
	return errors.New(message)
}
