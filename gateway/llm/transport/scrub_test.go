package transport

import (
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestScrub(t *testing.T) {
	for in, out := range map[string]string{
		"Incorrect API key provided: sk-proj-abc***wxyz. See the page.": "Incorrect API key provided: [key] See the page.",
		"Authorization: Bearer abcd1234efgh":                            "Authorization: [key]",
		"key gsk_0123456789abcdef was revoked":                          "key [key] was revoked",
		"key AIzaSyA1234567890abcdefghijklmnop here":                    "key [key] here",
		"invalid: ab12****cd34":                                         "invalid: [key]",
		"token 0123456789abcdef0123456789abcdef!":                       "token [key]!",
		"The model gpt-4o-mini does not exist":                          "The model gpt-4o-mini does not exist",
		"claude-sonnet-4-5-20250929 is overloaded":                      "claude-sonnet-4-5-20250929 is overloaded",
		"maximum context length is 8192 tokens, got 9000":               "maximum context length is 8192 tokens, got 9000",
		"messages.1.content.0.tool_use.input: Input should be a dict":   "messages.1.content.0.tool_use.input: Input should be a dict",
		"my-own-key says no":                                            "[key] says no",
	} {
		if got := Scrub(in, "my-own-key", ""); got != out {
			t.Errorf("%q became %q, want %q", in, got, out)
		}
	}
}

// TestScrubHidesTheKey: whatever it looks like and wherever it stands.
func TestScrubHidesTheKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[-_.A-Za-z0-9]{8,40}`).Draw(t, "key")
		text := rapid.String().Draw(t, "before") + key + rapid.String().Draw(t, "behind")
		h := http.Header{}
		if rapid.Bool().Draw(t, "bearer") {
			h.Set("Authorization", "Bearer "+key)
		} else {
			h.Set("X-Api-Key", key)
		}
		if got := Scrub(text, secrets(h)...); strings.Contains(got, key) && !strings.Contains(hidden, key) {
			t.Fatalf("%q is left in %q", key, got)
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("a\nb\x00c\x1b[0m ß\u202e\xff", 10)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 3 + (most&0x7fffffff)%400
		got := clean(text, most)
		if len(got) > most || !utf8.ValidString(got) || strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Errorf("%q of %q", got, text)
		}
	})
}
