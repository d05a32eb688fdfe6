package transport

import (
	"net/http"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden takes the place of a key.
const hidden = "[key]"

// keyLike finds what is written as keys are: with a known beginning, behind a
// word that announces one, half hidden by stars, or long and mixed.
var keyLike = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+[^\s"',;]{4,}`),
	regexp.MustCompile(`\b(?:sk|pk|rk|ak|xai|gsk|hf|key|api|AIza)[-_A-Za-z0-9*.…]*[-_*][-_A-Za-z0-9*.…]{6,}`),
	regexp.MustCompile(`[-_A-Za-z0-9.]*\*{3,}[-_A-Za-z0-9.*]*`),
	regexp.MustCompile(`\bAIza[-_A-Za-z0-9]{20,}`),
}

var longWord = regexp.MustCompile(`[-_A-Za-z0-9+=]{32,}`)

// Scrub takes keys out of a text: those given, wherever they stand, and what
// looks like one.
func Scrub(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, hidden)
		}
	}
	for _, re := range keyLike {
		text = re.ReplaceAllString(text, hidden)
	}
	return longWord.ReplaceAllStringFunc(text, func(w string) string {
		if strings.ContainsAny(w, "0123456789") && strings.IndexFunc(w, unicode.IsLetter) >= 0 {
			return hidden
		}
		return w
	})
}

// secrets gives what a request's headers hold that must not be told.
func secrets(h http.Header) []string {
	var out []string
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "Proxy-Authorization"} {
		for _, v := range h.Values(name) {
			_, token, ok := strings.Cut(v, " ")
			if ok {
				out = append(out, token)
			}
			out = append(out, v)
		}
	}
	return out
}

// clean makes a foreign text fit for a sentence: valid, printable, on one line,
// at most so many bytes.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	cut := most - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
