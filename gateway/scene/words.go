package scene

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"proofmark/gateway/fence"
)

// plain gives valid UTF-8: what a host could not read stands as U+FFFD.
func plain(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// short gives a value from outside on one line of at most n code points.
func short(s string, n int) string {
	s = strings.TrimSpace(fence.Line(plain(s)))
	if cut, more := prefix(s, n-1); more && utf8.RuneCountInString(s) > n {
		return cut + "…"
	}
	return s
}

// Names and paths are cut to these many code points.
const (
	nameRunes = 80
	pathRunes = 240
)

func name(s string) string { return fence.Inline(short(s, nameRunes)) }

// shown writes a path as a code span.
func (p paths) shown(s string) string { return fence.Inline(short(p.rel(s), pathRunes)) }

// inWords names a world with its revision, as in "head r12".
func (w World) inWords(revision int64) string {
	switch w {
	case Page, Head, Disk, Candidate, Buffer:
	default:
		return ""
	}
	if revision > 0 {
		return fmt.Sprintf("%s r%d", w, revision)
	}
	return string(w)
}

// languages by a file name's extension.
var languages = map[string]string{
	".html": "HTML", ".htm": "HTML", ".xhtml": "HTML", ".css": "CSS", ".js": "JavaScript", ".mjs": "JavaScript", ".ts": "TypeScript",
	".json": "JSON", ".md": "Markdown", ".svg": "SVG",
}

func language(d Document) string {
	l, _ := prefix(strings.TrimSpace(strings.Map(languageRune, d.Language)), 20)
	if l != "" {
		return l
	}
	return languages[strings.ToLower(path.Ext(plain(d.Path)))]
}

func languageRune(r rune) rune {
	if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune(" +#-./", r) {
		return r
	}
	return -1
}

// label marks a fence as context and says what is in it.
func label(words string) string {
	return strings.TrimSpace("context " + strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' {
			return '-'
		}
		return r
	}, words)))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// join writes the parts that are not empty.
func join(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
