package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quoted pieces of an instruction are taken out before the grammar looks at
// it, and one private-use character stands in for each, so that nothing inside
// quotes is ever read as an instruction.
const (
	firstMark = '\uE000'
	lastMark  = '\uE0FF'
)

// phrase is an instruction with its quoted pieces taken out.
type phrase struct {
	text   string   // with marks
	quoted []string // what each mark stands for
}

// closers gives for each opening quote the characters that close it.
var closers = map[rune]string{
	'"': `"`, '“': "”“", '”': "”", '„': "“”", '‘': "’", '\'': "'", '「': "」", '『': "』",
	'«': "»", '»': "«", '‹': "›", '`': "`", '＂': "＂", '〝': "〞",
}

// unquote takes the quoted pieces out. It fails where a quote is not closed,
// and where the instruction holds the marks' own characters.
func unquote(s string) (phrase, bool) {
	var b strings.Builder
	p := phrase{}
	before := ' '
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= firstMark && r <= lastMark || r == utf8.RuneError && size <= 1 {
			return phrase{}, false
		}
		ends := closers[r]
		if ends == "" || r == '\'' && !opens(before) {
			b.WriteRune(r)
			before = r
			i += size
			continue
		}
		inner, length, ok := quotedAt(s[i+size:], ends)
		if !ok {
			if r == '\'' { // an apostrophe after all
				b.WriteRune(r)
				before = r
				i += size
				continue
			}
			return phrase{}, false
		}
		mark := firstMark + rune(len(p.quoted))
		if mark > lastMark {
			return phrase{}, false
		}
		p.quoted = append(p.quoted, inner)
		b.WriteRune(mark)
		before = mark
		i += size + length
	}
	p.text = b.String()
	return p, true
}

// opens tells whether an apostrophe behind this character can be a quote.
func opens(before rune) bool {
	return unicode.IsSpace(before) || strings.ContainsRune("(=:,：，", before) || unicode.Is(unicode.Han, before)
}

// quotedAt gives what stands before the closing quote and the length up to and
// including it. An apostrophe-like closer only closes at the end of a word.
func quotedAt(s string, ends string) (string, int, bool) {
	for i, r := range s {
		if !strings.ContainsRune(ends, r) {
			continue
		}
		rest := s[i+utf8.RuneLen(r):]
		if (r == '\'' || r == '’') && wordGoesOn(rest) {
			continue
		}
		return s[:i], i + utf8.RuneLen(r), true
	}
	return "", 0, false
}

func wordGoesOn(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

// value gives what a matched value is: the quoted piece where it is exactly one
// mark. An unquoted value that holds a mark is no value.
func (p phrase) value(s string) (v string, quoted, ok bool) {
	s = strings.TrimSpace(s)
	r, size := utf8.DecodeRuneInString(s)
	if r >= firstMark && r <= lastMark {
		i := int(r - firstMark)
		if size != len(s) || i >= len(p.quoted) {
			return "", false, false
		}
		return p.quoted[i], true, true
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r >= firstMark && r <= lastMark }) {
		return "", false, false
	}
	return s, false, s != ""
}
