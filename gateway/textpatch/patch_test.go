package textpatch_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

// T-75: missing match, two matches, overlap, no-op; R-TURN-2.
func TestPatch(t *testing.T) {
	r := func(pairs ...string) (out []textpatch.Replacement) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, textpatch.Replacement{Expected: pairs[i], Replacement: pairs[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name, src string
		list      []textpatch.Replacement
		want      string
		code      core.Code
	}{
		{"one", "<p>old</p>", r("old", "new"), "<p>new</p>", ""},
		{"two", "<p>old</p><b>x</b>", r("<b>x", "<b>y", "old", "new"), "<p>new</p><b>y</b>", ""},
		{"insertion", "<ul><li>a</li></ul>", r("<li>a</li>", "<li>a</li><li>b</li>"), "<ul><li>a</li><li>b</li></ul>", ""},
		{"deletion", "a<!-- x -->b", r("<!-- x -->", ""), "ab", ""},
		{"missing", "<p>old</p>", r("Old", "new"), "", core.NoMatch},
		{"twice", "<p>x</p><p>x</p>", r("<p>x</p>", ""), "", core.SeveralMatches},
		{"twice, overlapping", "aaa", r("aa", "b"), "", core.SeveralMatches},
		{"overlap", "<p>old</p>", r("<p>old", "<p>x", "old</p>", "y</p>"), "", core.Overlap},
		{"the same twice", "<p>old</p>", r("old", "x", "old", "y"), "", core.Overlap},
		{"no-op", "<p>old</p>", r("old", "old"), "", core.NoOp},
		{"nothing", "<p>old</p>", nil, "", core.NoOp},
		{"empty", "<p>old</p>", r("", "x"), "", core.InvalidEdit},
		{"not UTF-8", "<p>old</p>", r("old", "\xff"), "", core.InvalidEdit},
		{"one bad refuses all", "<p>old</p>", r("old", "new", "none", "x"), "", core.NoMatch},
		{"white space is not loosened", "<p>a  b</p>", r("a b", "x"), "", core.NoMatch},
		{"CRLF kept", "a\r\nb\r\nc", r("a\nb", "a\nx\nb"), "a\r\nx\r\nb\r\nc", ""},
		{"CRLF in the replacement alone", "a\r\nb\r\nc", r("b", "b\nx"), "a\r\nb\r\nx\r\nc", ""},
		{"mixed line ends are left alone", "a\r\nb\nc", r("b", "b\nx"), "a\r\nb\nx\nc", ""},
		{"LF file", "a\nb", r("b", "b\r\nx"), "a\nb\r\nx", ""},
		{"BOM untouched", "\ufeffab", r("a", "x"), "\ufeffxb", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			edits, err := textpatch.Patch([]byte(c.src), c.list)
			if core.CodeOf(err) != c.code {
				t.Fatalf("%v, want code %q", err, c.code)
			}
			if err == nil && mustApply(t, c.src, edits) != c.want {
				t.Errorf("%q, want %q", mustApply(t, c.src, edits), c.want)
			}
		})
	}
}

func TestPatchLimit(t *testing.T) {
	src := strings.Repeat("<p>x</p>", 200)
	list := make([]textpatch.Replacement, core.MaxPatchEdits+1)
	if _, err := textpatch.Patch([]byte(src), list); core.CodeOf(err) != core.TooMany {
		t.Errorf("%v, want %s", err, core.TooMany)
	}
}

// Context at both ends of an expected text is no part of the edit.
func TestPatchTrims(t *testing.T) {
	src := "<ul>\r\n<li>é one</li>\r\n</ul>"
	edits, err := textpatch.Patch([]byte(src), []textpatch.Replacement{{Expected: "<li>é one</li>", Replacement: "<li>è one</li>"}})
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(src, "é")
	if want := edit(at, at+2, "è"); len(edits) != 1 || edits[0] != want {
		t.Errorf("%v, want %v: é and è share their first byte, which must not be cut off", edits, want)
	}
}

func TestPatchProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := genText(30).Draw(t, "src")
		cuts := runeBorders(src)
		i := rapid.IntRange(0, len(cuts)-1).Draw(t, "i")
		j := rapid.IntRange(i, len(cuts)-1).Draw(t, "j")
		expected, with := src[cuts[i]:cuts[j]], genText(5).Draw(t, "with")
		if strings.Contains(src, "\r\n") {
			with = strings.NewReplacer("\n", "", "\r", "").Replace(with)
		}
		edits, err := textpatch.Patch([]byte(src), []textpatch.Replacement{{Expected: expected, Replacement: with}})
		if err != nil {
			return
		}
		if got, want := mustApply(t, src, edits), strings.Replace(src, expected, with, 1); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
		if strings.LastIndex(src, expected) != strings.Index(src, expected) {
			t.Fatalf("%q stands twice in %q", expected, src)
		}
	})
}

func TestEOL(t *testing.T) {
	for text, want := range map[string]string{
		"": "\n", "a": "\n", "a\nb": "\n", "a\r\nb": "\r\n", "a\rb": "\r", "a\r\nb\nc\nd": "\n", "a\r\nb\r\nc\n": "\r\n", "\r": "\r",
	} {
		if got := textpatch.EOL(text); got != want {
			t.Errorf("EOL(%q) = %q, want %q", text, got, want)
		}
	}
	if got := textpatch.WithEOL("a\r\nb\rc\nd", "\r\n"); got != "a\r\nb\r\nc\r\nd" {
		t.Errorf("%q", got)
	}
}
