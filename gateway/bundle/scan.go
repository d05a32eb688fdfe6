package bundle

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// scanner reads JSON by a closed schema: whoever reads says what comes next, and
// anything else is refused. Nothing is built but what was asked for, and nothing
// is skipped, so that neither depth nor the number of entries is the sender's to
// choose. The first error stays; after it every call gives a zero value.
type scanner struct {
	b     []byte
	i     int
	where []step
	err   *core.Error
}

// step is one step of the place that is read: a field, or an index from 0.
type step struct {
	key   string
	index int // -1 for a field
}

// place writes where the scanner is, such as changes[3].edits[0].span.
func (s *scanner) place() string {
	var b strings.Builder
	for _, w := range s.where {
		switch {
		case w.index >= 0:
			fmt.Fprintf(&b, "[%d]", w.index)
		case b.Len() > 0:
			b.WriteString("." + w.key)
		default:
			b.WriteString(w.key)
		}
	}
	if b.Len() == 0 {
		return "the whole"
	}
	return b.String()
}

// fail keeps the first error.
func (s *scanner) fail(code core.Code, format string, args ...any) {
	if s.err == nil {
		s.err = refused(code, s.place(), format, args...).With("byte", s.i)
	}
}

// refused is the error of a bundle that is not taken: where in it, and why.
func refused(code core.Code, where, format string, args ...any) *core.Error {
	return core.Errorf(code, "the review file is refused: %s: %s", where, fmt.Sprintf(format, args...)).
		WithHint("Nothing was stored. Ask whoever sent it to export it once more.").With("where", where).In(opRead)
}

func (s *scanner) blank() {
	for s.i < len(s.b) && strings.IndexByte(" \t\r\n", s.b[s.i]) >= 0 {
		s.i++
	}
}

// take reads one sign of the syntax.
func (s *scanner) take(c byte) bool {
	if s.err != nil {
		return false
	}
	if s.blank(); s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// want is take of what has to come.
func (s *scanner) want(c byte, what string) bool {
	if s.take(c) {
		return true
	}
	s.fail(core.InvalidBundle, "%s is expected, %s is there", what, s.found())
	return false
}

// found says what stands at the scanner, briefly and without raw signs.
func (s *scanner) found() string {
	s.blank()
	switch {
	case s.i >= len(s.b):
		return "the end"
	case s.b[s.i] == '"':
		return "a text"
	case s.b[s.i] == '{':
		return "an object"
	case s.b[s.i] == '[':
		return "a list"
	}
	end := s.i
	for end < len(s.b) && end-s.i < 12 && strings.IndexByte(",]}: \t\r\n", s.b[end]) < 0 {
		end++
	}
	return strconv.Quote(strings.ToValidUTF8(string(s.b[s.i:max(end, s.i+1)]), "?"))
}

// object reads an object. field reads the value of a field it knows, and is
// false for any other; a field may come once, and each of the required (separated
// by blanks) has to.
func (s *scanner) object(required string, field func(key string) bool) {
	if !s.want('{', "an object") {
		return
	}
	var seen []string
	for first := true; s.err == nil && !s.take('}'); first = false {
		if !first && !s.want(',', "a comma or the end of the object") {
			return
		}
		key := s.text(128)
		if s.err != nil || !s.want(':', "a colon") {
			return
		}
		if slices.Contains(seen, key) {
			s.fail(core.InvalidBundle, "the field %s is there twice", short(key))
			return
		}
		seen = append(seen, key)
		s.where = append(s.where, step{key, -1})
		known := field(key)
		s.where = s.where[:len(s.where)-1]
		if !known {
			s.fail(core.InvalidBundle, "there is no field %s in this format", short(key))
		}
	}
	for _, r := range strings.Fields(required) {
		if !slices.Contains(seen, r) {
			s.fail(core.InvalidBundle, "the field %s is missing", r)
		}
	}
}

// list reads a list of at most most entries; one more is refused before it is
// read.
func (s *scanner) list(most int, entry func()) {
	if !s.want('[', "a list") {
		return
	}
	for n := 0; s.err == nil && !s.take(']'); n++ {
		if n > 0 && !s.want(',', "a comma or the end of the list") {
			return
		}
		if n == most {
			s.fail(core.TooMany, "it has more than the %d entries it may have", most)
			return
		}
		s.where = append(s.where, step{"", n})
		entry()
		s.where = s.where[:len(s.where)-1]
	}
}

// null reads a null, if one is there.
func (s *scanner) null() bool {
	s.blank()
	if s.err == nil && bytes.HasPrefix(s.b[s.i:], []byte("null")) {
		s.i += 4
		return true
	}
	return false
}

func (s *scanner) bool() bool {
	s.blank()
	for _, word := range []string{"true", "false"} {
		if s.err == nil && bytes.HasPrefix(s.b[s.i:], []byte(word)) {
			s.i += len(word)
			return word == "true"
		}
	}
	s.fail(core.InvalidBundle, "true or false is expected, %s is there", s.found())
	return false
}

// digits reads the text of a number, at most 32 signs.
func (s *scanner) digits() string {
	s.blank()
	from := s.i
	for s.i < len(s.b) && s.i-from <= 32 && strings.IndexByte("+-0123456789.eE", s.b[s.i]) >= 0 {
		s.i++
	}
	return string(s.b[from:s.i])
}

// int reads a whole number from least to most, written without a fraction or an
// exponent.
func (s *scanner) int(least, most int64) int64 {
	if s.err != nil {
		return 0
	}
	was, at := s.found(), s.i
	text := s.digits()
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || strconv.FormatInt(n, 10) != text:
		s.i = at
		s.fail(core.InvalidBundle, "a whole number is expected, %s is there", was)
	case n < least || n > most:
		s.i = at
		s.fail(core.InvalidBundle, "%d is not from %d to %d", n, least, most)
	default:
		return n
	}
	return 0
}

// share reads a number from 0 to 1.
func (s *scanner) share() float64 {
	if s.err != nil {
		return 0
	}
	was, at := s.found(), s.i
	text := s.digits()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1) || text[0] < '0' || text[0] > '9' || text[len(text)-1] == '.' {
		s.i = at
		s.fail(core.InvalidBundle, "a number from 0 to 1 is expected, %s is there", was)
		return 0
	}
	return f
}

// moment reads a time in UTC as RFC 3339 writes it.
func (s *scanner) moment() time.Time {
	text := s.text(40)
	if s.err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !strings.HasSuffix(text, "Z") || t.Year() < 1970 {
		s.fail(core.InvalidBundle, "%s is not a time such as 2026-01-02T15:04:05Z", short(text))
		return time.Time{}
	}
	return t.UTC()
}

// text reads a text of at most most bytes of UTF-8.
func (s *scanner) text(most int) string {
	if !s.want('"', "a text") {
		return ""
	}
	from, plain := s.i, true
	for ; s.i < len(s.b) && s.b[s.i] != '"'; s.i++ {
		switch c := s.b[s.i]; {
		case c < ' ':
			s.fail(core.InvalidBundle, "a text has a raw control character")
			return ""
		case c == '\\':
			plain = false
			s.i++
		}
	}
	if s.i >= len(s.b) {
		s.i = len(s.b)
		s.fail(core.InvalidBundle, "a text has no end")
		return ""
	}
	raw := s.b[from:s.i]
	s.i++
	switch {
	case !utf8.Valid(raw):
		s.fail(core.NotUTF8, "a text is not valid UTF-8")
	case plain && len(raw) > most, len(raw) > 6*most: // \u003c is the longest way to write a byte
		s.tooLong(most)
	case plain:
		return string(raw)
	default:
		return s.unescape(raw, most)
	}
	return ""
}

func (s *scanner) tooLong(most int) {
	s.fail(core.TooLarge, "a text is longer than the %d bytes it may have", most)
}

// unescape gives what a JSON text with escapes means.
func (s *scanner) unescape(raw []byte, most int) string {
	var b strings.Builder
	b.Grow(min(len(raw), most))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			continue
		}
		i++ // the closing quote is no part of raw, so there is a sign behind it
		if at := strings.IndexByte(`"\/bfnrt`, raw[i]); at >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[at])
			continue
		}
		r, ok := hex4(raw, i)
		i += 4
		if ok && utf16.IsSurrogate(r) {
			low, ok2 := rune(0), i+2 < len(raw) && raw[i+1] == '\\'
			if ok2 {
				low, ok2 = hex4(raw, i+2)
			}
			r, i, ok = utf16.DecodeRune(r, low), i+6, ok2
			ok = ok && r != utf8.RuneError
		}
		if !ok {
			s.fail(core.InvalidBundle, "a text has an escape that means nothing")
			return ""
		}
		if r == 0 {
			s.fail(core.HasNUL, "a text has a NUL in it")
			return ""
		}
		b.WriteRune(r)
	}
	if b.Len() > most {
		s.tooLong(most)
		return ""
	}
	return b.String()
}

// hex4 reads the four digits behind the u at i.
func hex4(raw []byte, i int) (rune, bool) {
	if raw[i] != 'u' || i+5 > len(raw) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[i+1:i+5]), 16, 16)
	return rune(n), err == nil
}

// short quotes the beginning of a text so that it can be shown anywhere.
func short(s string) string {
	if r := []rune(s[:min(len(s), 256)]); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}
