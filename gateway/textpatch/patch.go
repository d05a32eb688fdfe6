package textpatch

import (
	"strings"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// Replacement is one exact-match replacement: Expected stands exactly once in
// the text.
type Replacement struct {
	Expected    string `json:"expectedText"`
	Replacement string `json:"replacement"`
}

// Patch turns exact-match replacements into edits of src. Each expected text
// must match at exactly one place, overlapping places counted; otherwise it
// refuses with NoMatch or SeveralMatches and the 1-based number of the
// replacement in Detail["index"]. Matches that share bytes are refused with
// Overlap, one that changes nothing with NoOp, an empty expected text or text
// that is not UTF-8 with InvalidEdit, more than core.MaxPatchEdits with
// TooMany.
//
// The edits come trimmed: what expected text and replacement share at both ends
// is context, used to find the place, and not part of the edit; what is only put
// in or only taken out is cut at whole tags where it can be. Edits carry no note.
//
// Line ends: in a text whose every line ends in CRLF, bare LFs of a replacement
// become CRLF, and an expected text with bare LFs that stands nowhere as it is
// is looked for with CRLF. Nothing else is ever matched loosely.
func Patch(src []byte, list []Replacement) ([]core.Edit, error) {
	if len(list) == 0 {
		return nil, core.Errorf(core.NoOp, "the patch holds no edit").In("textpatch.Patch")
	}
	if len(list) > core.MaxPatchEdits {
		return nil, core.Errorf(core.TooMany, "a patch holds at most %d edits, this one %d", core.MaxPatchEdits, len(list)).In("textpatch.Patch")
	}
	text := string(src)
	crlf := onlyCRLF(text)
	whole := make([]core.Edit, 0, len(list))
	for i, r := range list {
		e, err := match(text, r, crlf)
		if err != nil {
			return nil, core.AsError(err).With("index", i+1).In("textpatch.Patch")
		}
		whole = append(whole, e)
	}
	norm, err := Normalize(whole, len(src))
	if err != nil {
		return nil, core.AsError(err).In("textpatch.Patch")
	}
	for i, e := range norm {
		norm[i] = trim(text, e)
	}
	return norm, nil
}

// match finds the one place of r's expected text.
func match(text string, r Replacement, crlf bool) (core.Edit, error) {
	if r.Expected == "" {
		return core.Edit{}, core.Errorf(core.InvalidEdit, "the expected text is empty").
			WithHint("to insert, expect the text next to the place and repeat it in the replacement")
	}
	if !utf8.ValidString(r.Expected) || !utf8.ValidString(r.Replacement) {
		return core.Edit{}, core.Errorf(core.InvalidEdit, "the patch holds text that is not UTF-8")
	}
	expected, replacement := r.Expected, r.Replacement
	if crlf {
		replacement = toCRLF(replacement)
	}
	at := strings.Index(text, expected)
	if at < 0 && crlf {
		if e := toCRLF(expected); e != expected {
			expected = e
			at = strings.Index(text, e)
		}
	}
	if at < 0 {
		return core.Edit{}, core.Errorf(core.NoMatch, "the expected text does not stand in the document").
			WithHint("read the place again and copy it exactly, white space included")
	}
	if n := 1 + countFrom(text, expected, at+1); n > 1 {
		return core.Edit{}, core.Errorf(core.SeveralMatches, "the expected text stands in the document %d times", n).
			WithHint("expect more of the text around the place, so that it is unique").With("matches", n)
	}
	if expected == replacement {
		return core.Edit{}, core.Errorf(core.NoOp, "the replacement equals the expected text")
	}
	return core.Edit{Span: core.Span{Start: at, End: at + len(expected)}, Replacement: replacement}, nil
}

// countFrom counts the matches of sub from offset on, overlapping ones too, but
// not more than maxCounted.
func countFrom(text, sub string, from int) int {
	const maxCounted = 999
	n := 0
	for n < maxCounted {
		i := strings.Index(text[from:], sub)
		if i < 0 {
			break
		}
		n++
		from += i + 1
	}
	return n
}

// trim takes off what the edit leaves as it is at both ends, on rune borders
// and never between CR and LF.
func trim(text string, e core.Edit) core.Edit {
	old := text[e.Span.Start:e.Span.End]
	p := commonPrefix(old, e.Replacement)
	for !cuttable(old, p) || !cuttable(e.Replacement, p) {
		p--
	}
	q := commonSuffix(old[p:], e.Replacement[p:])
	for !cuttable(old, len(old)-q) || !cuttable(e.Replacement, len(e.Replacement)-q) {
		q--
	}
	whole := e.Replacement
	switch from := e.Span.Start; {
	case p+q == len(old):
		a, b := slide(whole, p, len(whole)-q, 0, len(whole))
		e.Span = core.Span{Start: from + a, End: from + a}
		e.Replacement = whole[a:b]
	case p+q == len(whole):
		a, b := slide(old, p, len(old)-q, 0, len(old))
		e.Span = core.Span{Start: from + a, End: from + b}
		e.Replacement = ""
	default:
		e.Span = core.Span{Start: from + p, End: e.Span.End - q}
		e.Replacement = whole[p : len(whole)-q]
	}
	return e
}

func cuttable(s string, i int) bool {
	return onBorder(s, i) && !(i > 0 && i < len(s) && s[i-1] == '\r' && s[i] == '\n')
}
