package fence

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// DESIGN 5, R-CTX-4, T-38: text stands inside a fence it cannot close, whatever
// it is, and comes out of it unaltered.
func TestTextCannotCloseItsFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("`~a \n\r<>/"))).Draw(t, "text")
		got := Block("page", text)
		open, rest, _ := strings.Cut(got, "page\n")
		if strings.Trim(open, "`") != "" || len(open) < 3 {
			t.Fatalf("opens with %q", open)
		}
		inner, ok := strings.CutSuffix(rest, open+"\n")
		if !ok || strings.TrimSuffix(inner, "\n") != strings.TrimSuffix(text, "\n") {
			t.Fatalf("%q became %q", text, got)
		}
		if strings.Contains(inner, open) {
			t.Fatalf("%q closes its fence in %q", text, got)
		}
	})
}

// A label cannot end its line, nor change how long the fence is.
func TestLabelStaysOnItsLine(t *testing.T) {
	if got := Block("a`\r\n\u2028b", "x"); got != "```ab\nx\n```\n" {
		t.Errorf("got %q", got)
	}
}

// R-CTX-4: a name stays a code span on one line, whatever is in it.
func TestInlineStaysASpan(t *testing.T) {
	for in, want := range map[string]string{
		"a.html":             "`a.html`",
		"a`b``c":             "```a`b``c```",
		"`x`":                "`` `x` ``",
		"":                   "`  `",
		"a\nb\u2028\x1b[2Jc": "`a\ufffdb\ufffd\ufffd[2Jc`",
		"\u202egnp.exe":      "`\ufffdgnp.exe`",
	} {
		if got := Inline(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
