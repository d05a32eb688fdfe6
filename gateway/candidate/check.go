package candidate

import (
	"slices"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
)

// checked proves that the edits change what they touch and nothing else. It gives
// the map of the edited bytes and the edits it was proved for. An exact-text
// patch often repeats what stands around the change ("<div>" becomes "<div
// class=x>"); where it is refused for what it only repeats, the bytes that really
// differ decide, read from either side: of "<b>" made "<i></i><b>" all but "i></i><"
// is repeated, and all but "<i></i>".
func checked(base *htmlsrc.Tree, edits []core.Edit) (*htmlsrc.Tree, []core.Edit, error) {
	tree, err := htmledit.Check(base, edits, parseOptions)
	if core.CodeOf(err) != core.UnsafeStructure {
		return tree, edits, err
	}
	tried := edits
	for _, less := range [][]core.Edit{trimmed(base.Source(), edits), trimmedBackwards(base.Source(), edits)} {
		if slices.Equal(less, tried) {
			continue
		}
		if tree, again := htmledit.Check(base, less, parseOptions); again == nil {
			return tree, less, nil
		}
		tried = less
	}
	return nil, nil, err
}

// trimmedBackwards is trimmed that looks at the end first.
func trimmedBackwards(src []byte, edits []core.Edit) []core.Edit {
	out := make([]core.Edit, 0, len(edits))
	for _, e := range edits {
		old, now := string(src[e.Span.Start:e.Span.End]), e.Replacement
		m := commonSuffix(old, now)
		n := commonPrefix(old[:len(old)-m], now[:len(now)-m])
		e.Span = core.Span{Start: e.Span.Start + n, End: e.Span.End - m}
		e.Replacement = now[n : len(now)-m]
		out = append(out, e)
	}
	return out
}

// trimmed takes off each edit what its replacement has in common with the bytes
// it replaces, at the start and at the end, on rune borders.
func trimmed(src []byte, edits []core.Edit) []core.Edit {
	out := make([]core.Edit, 0, len(edits))
	for _, e := range edits {
		old, now := string(src[e.Span.Start:e.Span.End]), e.Replacement
		n := commonPrefix(old, now)
		old, now = old[n:], now[n:]
		m := commonSuffix(old, now)
		e.Span = core.Span{Start: e.Span.Start + n, End: e.Span.End - m}
		e.Replacement = now[:len(now)-m]
		out = append(out, e)
	}
	return out
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}
