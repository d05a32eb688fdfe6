package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// kind is what a JSON value is.
type kind string

const (
	object  kind = "an object"
	list    kind = "a list"
	text    kind = "a text"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// node is a JSON value that knows where it stands, so that an error can say so.
type node struct {
	kind   kind
	at     int    // byte offset of its first byte
	text   string // of a text; the digits of a number
	yes    bool   // of a boolean
	items  []node
	fields []field
}

// field is a name in an object, with its value.
type field struct {
	name  string
	at    int
	value node
}

// syntaxError is what is wrong with a text as JSON, and where.
type syntaxError struct {
	at   int
	what string
}

func (e *syntaxError) Error() string { return e.what }

// maxDepth bounds how deep values may stand in each other: the schema needs four.
const maxDepth = 16

// parseJSON reads one JSON value. A name that stands twice in an object is an
// error: which of the two counts is nothing to guess about an address or a key.
func parseJSON(b []byte) (node, error) {
	if i := invalidUTF8(b); i >= 0 {
		return node{}, &syntaxError{i, "not UTF-8"}
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return node{}, &syntaxError{0, "the file is empty"}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			return node{}, &syntaxError{max(0, int(bad.Offset)-1), "not JSON: " + bad.Error()}
		}
		return node{}, &syntaxError{0, "not JSON"}
	}
	r := &nodeReader{text: b, dec: json.NewDecoder(bytes.NewReader(b))}
	r.dec.UseNumber()
	return r.value(0)
}

// nodeReader walks over the tokens of valid JSON.
type nodeReader struct {
	text []byte
	dec  *json.Decoder
}

// next gives the next token and the offset of its first byte.
func (r *nodeReader) next() (json.Token, int, error) {
	at := int(r.dec.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, at, &syntaxError{at, "not JSON"}
	}
	return tok, at, nil
}

func (r *nodeReader) value(depth int) (node, error) {
	tok, at, err := r.next()
	if err != nil {
		return node{}, err
	}
	if depth > maxDepth {
		return node{}, &syntaxError{at, "values stand too deep in each other"}
	}
	n := node{at: at}
	switch v := tok.(type) {
	case json.Delim:
		if v == '{' {
			n.kind = object
			return n, r.object(&n, depth)
		}
		n.kind = list
		return n, r.list(&n, depth)
	case string:
		n.kind, n.text = text, v
	case json.Number:
		n.kind, n.text = number, v.String()
	case bool:
		n.kind, n.yes = boolean, v
	default:
		n.kind = null
	}
	return n, nil
}

func (r *nodeReader) object(n *node, depth int) error {
	seen := map[string]bool{}
	for r.dec.More() {
		tok, at, err := r.next()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		if seen[name] {
			return &syntaxError{at, fmt.Sprintf("the field %q stands here twice", short(name))}
		}
		seen[name] = true
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.fields = append(n.fields, field{name, at, v})
	}
	_, _, err := r.next()
	return err
}

func (r *nodeReader) list(n *node, depth int) error {
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	_, _, err := r.next()
	return err
}

// invalidUTF8 gives the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// position gives the line and the column, in characters, of an offset, both from 1.
func position(b []byte, at int) (line, column int) {
	at = min(max(at, 0), len(b))
	before := b[:at]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
