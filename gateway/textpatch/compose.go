package textpatch

import (
	"slices"
	"strings"

	"proofmark/gateway/core"
)

// Compose joins two edit lists in a row into one: first is against src, second
// against Apply(src, first), and the result, against src, gives the same bytes
// as both. Edits that do not meet stay apart and keep their notes. Where an
// edit of second reaches into text that first wrote, or swallows a place where
// first deleted, they become one edit with the notes of both; where nothing of
// what first wrote is left, with the later one's alone. Edits that end up
// changing nothing, alone or with those they touch, are dropped.
func Compose(src []byte, first, second []core.Edit) ([]core.Edit, error) {
	f, err := normalizeFor(src, first)
	if err != nil {
		return nil, core.AsError(err).In("textpatch.Compose")
	}
	mid := apply(src, f)
	s, err := normalizeFor(mid, second)
	if err != nil {
		return nil, core.AsError(err).In("textpatch.Compose")
	}
	c := composer{src: src, mid: mid, first: f, second: s, made: Inverse(src, f)}
	for c.i < len(c.first) || c.j < len(c.second) {
		c.cluster()
	}
	return withoutReturns(src, c.out), nil
}

// maxReturn bounds how many edits are looked at for text that came back.
const maxReturn = 16

// part is one edit of a composed list; alone tells that it is one of first that
// only deletes, or one of second that only inserts.
type part struct {
	core.Edit
	alone bool
}

// withoutReturns drops what first deleted and second inserted again at the same
// place. What one list deletes and inserts side by side stays: it was carried
// past something that need not be there any more.
func withoutReturns(src []byte, parts []part) []core.Edit {
	out := parts[:0]
	for _, p := range parts {
		if from, to := cameBack(src, out, p); from < to {
			out = slices.Delete(out, from, to)
		} else {
			out = append(out, p)
		}
	}
	var edits []core.Edit
	for _, p := range out {
		edits = append(edits, p.Edit)
	}
	return edits
}

// cameBack finds the deletions right before an insertion that together took out
// what it puts in. All deletions at a place come before the insertions there, so
// it does not matter which of them they are.
func cameBack(src []byte, before []part, p part) (from, to int) {
	if !p.alone || p.Span.Len() > 0 {
		return 0, 0
	}
	first, at := len(before), p.Span.Start // of the deletions that touch the place
	for first > max(0, len(before)-maxReturn) {
		d := before[first-1]
		if !d.alone || d.Span.Len() == 0 || d.Span.End != at {
			break
		}
		first, at = first-1, d.Span.Start
	}
	for to = len(before); to > first; to-- {
		for from = to - 1; from >= first; from-- {
			if string(src[before[from].Span.Start:before[to-1].Span.End]) == p.Replacement {
				return from, to
			}
		}
	}
	return 0, 0
}

// composer walks two lists over the text between them. made[i] is where
// first[i] landed in that text.
type composer struct {
	src, mid      []byte
	first, second []core.Edit
	made          []core.Edit
	i, j          int // next of first, next of second
	shift         int // mid offset less src offset, behind first[:i]
	out           []part
}

// firstIsNext tells whether the next edit of first stands before the next one
// of second; of two at one point, what first deleted comes first and what
// second inserts stands before what first wrote.
func (c *composer) firstIsNext() bool {
	if c.j == len(c.second) {
		return true
	}
	if c.i == len(c.first) {
		return false
	}
	a, b := c.made[c.i].Span, c.second[c.j].Span
	return a.Start < b.Start || a.Start == b.Start && (a.Len() == 0 || b.Len() > 0)
}

// cluster takes the next edit and all that overlap with it, directly or
// through one another, and emits one edit for them.
func (c *composer) cluster() {
	var mid, src core.Span // extent in the text between, and in src
	var text strings.Builder
	i0, j0 := c.i, c.j
	written := 0 // mid offset up to which text has been taken
	started := false
	for c.i < len(c.first) || c.j < len(c.second) {
		takeFirst := c.firstIsNext()
		var at core.Span
		if takeFirst {
			at = c.made[c.i].Span
		} else {
			at = c.second[c.j].Span
		}
		if !started {
			mid, src, written, started = at, core.Span{Start: at.Start - c.shift, End: at.End - c.shift}, at.Start, true
		} else if !mid.Overlaps(at) {
			break
		}
		if takeFirst {
			e := c.first[c.i]
			c.shift += len(e.Replacement) - e.Span.Len()
			c.i++
		} else {
			e := c.second[c.j]
			text.Write(c.mid[written:e.Span.Start])
			text.WriteString(e.Replacement)
			written = e.Span.End
			c.j++
		}
		mid.End = max(mid.End, at.End)
		src.End = mid.End - c.shift
	}
	text.Write(c.mid[written:mid.End])
	if string(c.src[src.Start:src.End]) != text.String() {
		e := notesOf(c.first[i0:c.i], c.made[i0:c.i], c.second[j0:c.j])
		e.Span, e.Replacement = src, text.String()
		alone := j0 == c.j && e.Replacement == "" || i0 == c.i && e.Span.Len() == 0
		c.out = append(c.out, part{e, alone})
	}
}

// notesOf gives the notes an edit carries that stands for several: those of the
// later edits, and of the earlier ones of whose text something is left.
func notesOf(first, made []core.Edit, second []core.Edit) core.Edit {
	var e core.Edit
	for _, l := range second {
		e = e.Shared(l)
	}
	later := e.Note
	for i, f := range first {
		gone := later != 0 && slices.ContainsFunc(second, func(l core.Edit) bool {
			return made[i].Span.Len() > 0 && l.Span.Contains(made[i].Span)
		})
		if !gone {
			e = f.Shared(e)
		}
	}
	return e
}
