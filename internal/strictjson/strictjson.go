// Package strictjson reads JSON from strangers: one value, nothing behind it, in
// valid UTF-8, of bounded depth, with no name twice in an object and none that is
// not known. Go's own decoder lets all of these pass, replaces or ignores them.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 32

// Unmarshal reads b into v, a pointer to a struct, map or slice. The error says
// what is wrong in words for whoever sent it, and holds none of the values.
func Unmarshal(b []byte, v any) error {
	if !utf8.Valid(b) {
		return errors.New("the text is not valid UTF-8")
	}
	if err := scan(b); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return plain(err)
	}
	return nil
}

// level is an object or array that is being read.
type level struct {
	names map[string]bool // of an object; nil in an array
	value bool            // a value comes next, not a name
}

// scan looks at the whole text before any of it is used.
func scan(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var open []level
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 {
				return errors.New("the JSON ends too early")
			}
			return errors.New("there is no JSON")
		}
		if err != nil {
			return plain(err)
		}
		top := len(open) - 1
		switch d, _ := tok.(json.Delim); d {
		case '}', ']':
			open = open[:top]
		case '{', '[':
			if len(open) == MaxDepth {
				return fmt.Errorf("the JSON nests deeper than %d levels", MaxDepth)
			}
			if top >= 0 {
				open[top].value = false
			}
			l := level{}
			if d == '{' {
				l.names = map[string]bool{}
			}
			open = append(open, l)
			continue
		default:
			if name, ok := tok.(string); ok && top >= 0 && open[top].names != nil && !open[top].value {
				// Names are compared as the decoder matches them to fields.
				if folded := strings.ToLower(strings.ToUpper(name)); open[top].names[folded] {
					return errors.New("an object has a name twice")
				} else {
					open[top].names[folded] = true
				}
				open[top].value = true
				continue
			}
		}
		if len(open) == 0 {
			break
		}
		open[len(open)-1].value = false
	}
	if len(bytes.TrimLeft(b[dec.InputOffset():], " \t\r\n")) > 0 {
		return errors.New("there is something behind the JSON")
	}
	return nil
}

// plain puts the decoder's errors in words without the values.
func plain(err error) error {
	var t *json.UnmarshalTypeError
	var s *json.SyntaxError
	switch {
	case errors.As(err, &t) && t.Field != "":
		return fmt.Errorf("%s must not be a %s", t.Field, strings.Fields(t.Value)[0])
	case errors.As(err, &t):
		return fmt.Errorf("a %s is not what is asked for", strings.Fields(t.Value)[0])
	case errors.As(err, &s):
		return fmt.Errorf("it is no JSON at byte %d", s.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends too early")
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return fmt.Errorf("there is no field %.80s", strings.TrimPrefix(err.Error(), "json: unknown field "))
	}
	return errors.New("it cannot be read as JSON")
}
