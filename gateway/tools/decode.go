package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// decode reads the arguments of one call, strictly: invalid JSON is an error
// and never an empty object, unknown and repeated names are refused, and what
// the schema says is checked before a Go value is made.
func decode(d *definition, arguments string, into any) error {
	if len(arguments) > maxArgumentBytes {
		return badArguments("the arguments have %d bytes, the limit is %d", len(arguments), maxArgumentBytes)
	}
	if !utf8.ValidString(arguments) {
		return badArguments("the arguments are not UTF-8")
	}
	if err := wellFormedJSON(arguments); err != nil {
		return err
	}
	if half, ok := halfCharacter(arguments); ok {
		return badArguments("the arguments hold %s, which is half of a character", half)
	}
	var value any
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		return badArguments("the arguments are not JSON")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return badArguments("the arguments are not a JSON object")
	}
	for name := range object {
		if !d.fields[name] {
			return badArguments("%q is not an argument of %s; it takes %s", printable(name), d.Name, listed(d.fields))
		}
	}
	if err := d.resolved.Validate(object); err != nil {
		return badArguments("the arguments do not fit: %s", schemaSentence(err))
	}
	if err := json.Unmarshal([]byte(arguments), into); err != nil {
		return badArguments("the arguments do not fit the tool")
	}
	return nil
}

// wellFormedJSON makes sure that the text is one JSON value and that no object
// in it names a member twice, where readers differ on which one counts.
func wellFormedJSON(s string) error {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	if err := oneValue(dec, 0); err != nil {
		var repeated repeatedName
		if errors.As(err, &repeated) {
			return badArguments("the arguments name %q twice", printable(string(repeated)))
		}
		return badArguments("the arguments are not valid JSON (%s)", jsonReason(err, s))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badArguments("the arguments go on behind the JSON object")
	}
	return nil
}

// halfCharacter finds an escape of one half of a surrogate pair without the
// other. What it was meant to be is not known, and a sign of replacement in its
// place would end up in the page.
func halfCharacter(s string) (string, bool) {
	unit := func(i int) rune {
		if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if r := unit(i); utf16.IsSurrogate(r) {
			if utf16.DecodeRune(r, unit(i+6)) == utf8.RuneError {
				return s[i : i+6], true
			}
			i += 10
		}
		i++ // what is escaped
	}
	return "", false
}

type repeatedName string

func (r repeatedName) Error() string { return "repeated name " + string(r) }

const maxJSONDepth = 16

func oneValue(dec *json.Decoder, depth int) error {
	if depth > maxJSONDepth {
		return fmt.Errorf("nested more than %d deep", maxJSONDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if delim == '{' {
			k, err := dec.Token()
			if err != nil {
				return err
			}
			name, _ := k.(string)
			if seen[name] {
				return repeatedName(name)
			}
			seen[name] = true
		}
		if err := oneValue(dec, depth+1); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

func jsonReason(err error, s string) string {
	if strings.TrimSpace(s) == "" {
		return "they are empty; send {} for none"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "they end in the middle"
	}
	return printable(err.Error())
}

// schemaSentence shortens what the validator says to the part about the value.
func schemaSentence(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, "validating "); i >= 0 {
		s = s[i+len("validating "):]
	}
	s = strings.ReplaceAll(s, "<invalid reflect.Value>", "the value")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return strings.ReplaceAll(s, "/properties/", "")
}

func listed(fields map[string]bool) string {
	if len(fields) == 0 {
		return "none"
	}
	var names []string
	for f := range fields {
		names = append(names, f)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func badArguments(format string, args ...any) *core.Error {
	return core.Errorf(core.ToolArguments, format, args...).WithHint("nothing was done; send the call again with arguments as the tool describes them")
}

// printable bounds a piece of the model's own text before it is repeated.
func printable(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// canonical gives the arguments in one form, so that the same call written
// differently compares equal. What is too large to be read stays as it is.
func canonical(arguments string) string {
	if len(arguments) > maxArgumentBytes {
		return arguments
	}
	var v any
	dec := json.NewDecoder(strings.NewReader(arguments))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return arguments
	}
	var b bytes.Buffer
	if json.NewEncoder(&b).Encode(v) != nil {
		return arguments
	}
	return b.String()
}
