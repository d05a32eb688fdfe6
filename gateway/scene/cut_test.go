package scene

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// REQUIREMENTS 2.4: a cut stands on a rune's border and, where it can, between
// two characters as a reader sees them.
func TestPrefixKeepsCharactersWhole(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"日本語", 2, "日本"},
		{"ae\u0301b", 2, "a"},               // a letter and its accent
		{"ae\u0301b", 3, "ae\u0301"},        //
		{"a\r\nb", 2, "a"},                  // one line end
		{"x👩\u200d👩\u200d👧y", 4, "x"},       // a family
		{"x👍🏽y", 2, "x"},                    // a skin tone
		{"🇫🇷🇩🇪", 3, "🇫🇷"},                   // two flags
		{"🇫🇷🇩🇪", 2, "🇫🇷"},                   //
		{"a❤\ufe0fb", 2, "a"},               // a variation selector
		{"x\u1100\u1161\u11a8y", 3, "x"},    // a syllable in parts
		{"x🏴\U000e0067\U000e007fy", 2, "x"}, // a flag of tags
		{"a" + strings.Repeat("\u0301", 500), 200, "a" + strings.Repeat("\u0301", 199)}, // no character any more
	} {
		got, cut := prefix(c.text, c.n)
		if got != c.want || cut != (c.want != c.text) {
			t.Errorf("prefix(%q, %d) = %q, %v, want %q", c.text, c.n, got, cut, c.want)
		}
	}
}

var pieces = []string{"a", "é", "e\u0301", "日", "\r\n", "\n", "\r", "👩\u200d👧", "🇫🇷", "🇩", "👍🏽", "`", "```", "~~~", "#", "| ", "<b>", " ", "\x1b", "\u202e"}

func someText(t *rapid.T, name string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, most).Draw(t, name), "")
}

// T-42's unit: a prefix has at most n code points, is valid, and loses nothing
// it need not lose.
func TestPrefixProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := someText(t, "text", 60)
		n := rapid.IntRange(0, 80).Draw(t, "n")
		got, cut := prefix(text, n)
		switch {
		case !strings.HasPrefix(text, got) || !utf8.ValidString(got) || utf8.RuneCountInString(got) > n:
			t.Fatalf("%q, %d: %q", text, n, got)
		case cut != (got != text) || !cut && utf8.RuneCountInString(text) > n:
			t.Fatalf("%q, %d: cut is %v", text, n, cut)
		case cut && !border(text, len(got)):
			t.Fatalf("%q is cut within a character: %q", text, got)
		}
	})
}

// R-CTX-1, B-16: an excerpt is a stretch of the text within its limit, its lines
// are the ones it says, and the cursor is in it.
func TestExcerptProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := someText(t, "text", 120)
		l := newLines(text, rapid.IntRange(1, 50).Draw(t, "first"))
		p := Position{rapid.IntRange(0, 180).Draw(t, "line"), rapid.IntRange(0, 40).Draw(t, "column")}
		limit := rapid.IntRange(0, 120).Draw(t, "limit")
		radius := rapid.IntRange(1, 10).Draw(t, "radius")
		e := around(l, p, radius, limit)
		check(t, l, e, limit)
		line := l.clamp(p.Line)
		a, b := l.span(line)
		if e.text != "" && (e.from.Line > line || a < b && e.to.Line < line || e.from.Line < line-radius || e.to.Line > line+radius) {
			t.Fatalf("cursor at %v, shown is %v to %v", p, e.from, e.to)
		}
		end := Position{rapid.IntRange(0, 180).Draw(t, "endLine"), rapid.IntRange(0, 40).Draw(t, "endColumn")}
		s := selected(l, Range{p, end}, limit)
		check(t, l, s, limit)
		if a, b := l.at(p), l.at(end); !s.cut && s.text != text[min(a, b):max(a, b)] {
			t.Fatalf("from %v to %v is %q, got %q", p, end, text[min(a, b):max(a, b)], s.text)
		}
	})
}

func check(t *rapid.T, l *lines, e excerpt, limit int) {
	if utf8.RuneCountInString(e.text) > limit || !strings.Contains(l.text, e.text) {
		t.Fatalf("limit %d: %q of %q", limit, e.text, l.text)
	}
	if e.text == "" {
		return
	}
	from, to := l.at(e.from), l.at(e.to)
	if l.position(from) != e.from || !strings.HasPrefix(l.text[from:], e.text) && e.from.Column == 1 {
		t.Fatalf("%q of %q begins at %v", e.text, l.text, e.from)
	}
	if to > len(l.text) || e.to.Line < e.from.Line {
		t.Fatalf("%q of %q ends at %v", e.text, l.text, e.to)
	}
}

// A line too long for the budget is shown around the cursor's column, and the
// snapshot says which columns these are.
func TestLongLineIsShownAroundTheCursor(t *testing.T) {
	long := strings.Repeat("日本", 5_000)
	l := newLines("<!doctype html>\n"+long+"\nend", 1)
	e := around(l, Position{2, 6_000}, 80, 100)
	if got := e.where(l); got != "line 2, columns 5950–6049" || !e.cut {
		t.Errorf("shown is %s", got)
	}
	if e = around(l, Position{2, 10_001}, 80, 100); e.where(l) != "line 2, columns 9951–10001" {
		t.Errorf("at the end it is %s", e.where(l))
	}
}
