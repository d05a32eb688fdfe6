package htmlsrc

import (
	"sort"

	"proofmark/gateway/core"
)

// shift carries offsets through a sorted list of edits.
type shift struct {
	edits    []core.Edit
	replaced []core.Span // each edit's replacement, in the bytes after
	delta    []int       // of all edits up to and with each
}

func newShift(edits []core.Edit, lenBefore, lenAfter int) (*shift, error) {
	s := &shift{edits: edits, replaced: make([]core.Span, len(edits)), delta: make([]int, len(edits))}
	at, delta := 0, 0
	for i, e := range edits {
		if e.Span.Start < at || e.Span.End < e.Span.Start || e.Span.End > lenBefore {
			return nil, core.Errorf(core.InvalidEdit, "edit %d is out of order or out of the file", i+1).In("htmlsrc.Compare")
		}
		at = e.Span.End
		s.replaced[i] = core.Span{Start: e.Span.Start + delta, End: e.Span.Start + delta + len(e.Replacement)}
		delta += len(e.Replacement) - e.Span.Len()
		s.delta[i] = delta
	}
	if lenBefore+delta != lenAfter {
		return nil, core.Errorf(core.InvalidEdit, "the edits do not lead to the bytes that were mapped").In("htmlsrc.Compare")
	}
	return s, nil
}

func (s *shift) after(n int) int {
	if n == 0 {
		return 0
	}
	return s.delta[n-1]
}

// start carries the offset where something begins: insertions there come in
// front of it. -1 stays -1.
func (s *shift) start(at int32) int32 {
	if at < 0 {
		return at
	}
	n := sort.Search(len(s.edits), func(i int) bool { return s.edits[i].Span.End > int(at) })
	return at + int32(s.after(n))
}

// end carries the offset where something ends: insertions there come behind it.
func (s *shift) end(at int32) int32 {
	if at < 0 {
		return at
	}
	n := sort.Search(len(s.edits), func(i int) bool { return s.edits[i].Span.Start >= int(at) })
	return at + int32(s.after(n))
}

// span carries a span that no edit touches.
func (s *shift) span(x core.Span) core.Span {
	return core.Span{Start: int(s.start(int32(x.Start))), End: int(s.end(int32(x.End)))}
}

// touching gives the edits that share a byte with [from, to) or insert at or
// between its ends, as indexes [first, end).
func (s *shift) touching(from, to int) (first, end int) {
	first = sort.Search(len(s.edits), func(i int) bool { return s.edits[i].Span.End >= from })
	if first < len(s.edits) {
		if e := s.edits[first].Span; e.End == from && e.Len() > 0 {
			first++
		}
	}
	end = first
	for end < len(s.edits) {
		if e := s.edits[end].Span; e.Start > to || e.Start == to && e.Len() > 0 {
			break
		}
		end++
	}
	return first, end
}

// overlapping gives the edits that share a byte with [from, to) or insert
// strictly inside.
func (s *shift) overlapping(from, to int) (first, end int) {
	first = sort.Search(len(s.edits), func(i int) bool { return s.edits[i].Span.End > from })
	end = first
	for end < len(s.edits) && s.edits[end].Span.Start < to {
		end++
	}
	return first, end
}

// touches tells whether an edit shares a byte with x or inserts strictly inside.
func (s *shift) touches(x core.Span) bool {
	first, end := s.overlapping(x.Start, x.End)
	return first < end
}

// covering gives the edit that takes all of [from, to) away, or -1.
func (s *shift) covering(from, to int32) int {
	if from < 0 {
		return -1
	}
	i := sort.Search(len(s.edits), func(i int) bool { return s.edits[i].Span.End >= int(to) })
	if i < len(s.edits) && s.edits[i].Span.Start <= int(from) && s.edits[i].Span.Len() > 0 {
		return i
	}
	return -1
}

// broughtBy gives the edit whose replacement holds an offset of the bytes
// after, or -1.
func (s *shift) broughtBy(at int32) int {
	i := sort.Search(len(s.replaced), func(i int) bool { return s.replaced[i].End > int(at) })
	if i < len(s.replaced) && s.replaced[i].Start <= int(at) {
		return i
	}
	return -1
}

// spansBefore gives what the edits take of [from, to).
func (s *shift) spansBefore(from, to int) []core.Span {
	first, end := s.overlapping(from, to)
	var out []core.Span
	for i := first; i < end; i++ {
		e := s.edits[i].Span
		out = append(out, core.Span{Start: max(from, e.Start), End: min(to, e.End)})
	}
	return out
}

// spansAfter gives what the edits brought of [from, to), offsets in the bytes
// after.
func (s *shift) spansAfter(from, to int) []core.Span {
	i := sort.Search(len(s.replaced), func(i int) bool { return s.replaced[i].End > from })
	var out []core.Span
	for ; i < len(s.replaced) && s.replaced[i].Start < to; i++ {
		r := core.Span{Start: max(from, s.replaced[i].Start), End: min(to, s.replaced[i].End)}
		if r.Len() > 0 {
			out = append(out, r)
		}
	}
	return out
}
