package htmledit

import (
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Duplicate puts a copy of an element right behind it, byte for byte, set apart
// by the blanks that set the element apart from what stands before it. An id in
// it stands twice in the page then: IDs names them, and nothing is renamed,
// since styles, labels, links and scripts may be meant for the copy as well.
// Duplicating a script, or an element in it that holds one, is for Added and
// CheckScripts to flag.
//
// An element whose range is not certain is refused with UnsafeStructure.
func Duplicate(t *htmlsrc.Tree, id htmlsrc.ID) (Arranged, error) {
	own, err := whole(t, id)
	if err != nil {
		return Arranged{}, core.AsError(err).In("htmledit.Duplicate")
	}
	src := string(t.Source())
	gap := gapBefore(src, own)
	return Arranged{
		Edits:  []core.Edit{{Span: core.Span{Start: own.End, End: own.End}, Replacement: gap + src[own.Start:own.End]}},
		Copied: []Piece{{own, own.End + len(gap)}},
		IDs:    idsIn(t, id),
	}, nil
}

// gapBefore gives the blanks for a copy to stand behind the element as the
// element stands behind what comes before it: on a line of its own, or apart
// from another element by a blank.
func gapBefore(src string, own core.Span) string {
	start := len(strings.TrimRight(src[:own.Start], spaces))
	gap := src[start:own.Start]
	text := src[own.Start:own.End]
	if tail := text[len(strings.TrimRight(text, spaces)):]; strings.ContainsAny(tail, "\r\n") {
		return "" // its end tag is left out, and the line's end is part of it
	}
	if i := strings.LastIndexAny(gap, "\r\n"); i >= 0 {
		if i > 0 && gap[i] == '\n' && gap[i-1] == '\r' {
			i--
		}
		return gap[i:]
	}
	if start > 0 && src[start-1] == '>' {
		return gap
	}
	return ""
}

// idsIn lists the ids of an element and of what is in it, each once.
func idsIn(t *htmlsrc.Tree, id htmlsrc.ID) []string {
	var out []string
	add := func(e htmlsrc.ID) {
		if a, ok := t.Attr(e, "id"); ok && a.Value != "" && !slices.Contains(out, a.Value) {
			out = append(out, a.Value)
		}
	}
	add(id)
	for d := range t.Descendants(id) {
		add(d)
	}
	return out
}
