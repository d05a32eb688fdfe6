package textpatch

import (
	"bytes"
	"slices"

	"proofmark/gateway/core"
)

// Conflict is one place that two versions changed in different ways.
type Conflict struct {
	Base core.Span `json:"base"` // the bytes of the base either version changed; may be empty
	Head core.Span `json:"head"` // what stands there in the head
	// The texts of the three versions there.
	BaseText string `json:"baseText"`
	HeadText string `json:"headText"`
	MineText string `json:"mineText"`
}

// Merged is what a three-way merge came to.
type Merged struct {
	// Bytes are the head with every change of mine that does not conflict; where
	// there are conflicts the head's text stands.
	Bytes []byte
	// Edits turn the head into Bytes. Their spans are in the head's bytes.
	Edits []core.Edit
	// Conflicts are in order; none means that Bytes holds all of both.
	Conflicts []Conflict
}

// Merge joins two versions that were made from the same base: head, which
// others see already, and mine. What either of them leaves as the base has it,
// the other decides. A place that both changed is no conflict when they made
// the same of it; otherwise it is, and so are changes that touch each other,
// since nothing tells which of two texts at one point comes first. Conflicts in one
// line, or hardly apart, are one: what a person decides about is a line.
//
// The changes are found by Diff, on tokens. All three texts must be valid UTF-8.
func Merge(base, head, mine []byte) (Merged, error) {
	theirs, ours := Diff(base, head), Diff(base, mine)
	var mineOnly []core.Edit
	var out Merged
	m := merger{base: base, head: theirs, mine: ours}
	list, err := m.regions()
	if err != nil {
		return Merged{}, err
	}
	for _, r := range list {
		switch {
		case r.mine == nil:
		case r.head == nil:
			mineOnly = append(mineOnly, r.mine...)
		default:
			h, n, err := m.texts(r)
			if err != nil {
				return Merged{}, err
			}
			if h != n {
				out.Conflicts = append(out.Conflicts, Conflict{
					Base: r.span, BaseText: string(base[r.span.Start:r.span.End]), HeadText: h, MineText: n,
					Head: core.Span{Start: r.span.Start + r.before, End: r.span.Start + r.before + len(h)},
				})
			}
		}
	}
	edits, err := ReprojectEdits(mineOnly, theirs)
	if err != nil {
		return Merged{}, err
	}
	out.Edits = edits
	if out.Bytes, err = Apply(head, edits); err != nil {
		return Merged{}, err
	}
	if len(edits) == 0 {
		out.Bytes = bytes.Clone(head)
	}
	return out, nil
}

// Bounds of what lies between two conflicts that are one place.
const (
	farBytes   = 240 // further apart in one line, of a minified page say, they are two
	apartWords = 3   // so many words keep conflicts of neighbouring lines apart
)

// isOnePlace tells whether conflicts with this between them are one place to a
// person: in one line, or almost.
func isOnePlace(gap []byte) bool {
	if len(gap) > farBytes {
		return false
	}
	breaks := bytes.Count(gap, []byte("\n")) + bytes.Count(gap, []byte("\r")) - bytes.Count(gap, []byte("\r\n"))
	return breaks == 0 || breaks == 1 && len(bytes.Fields(gap)) < apartWords
}

// regions gives all stretches in order. A line that both sides wrote anew is one:
// fragments of it, each taken from another side, would be a line that nobody wrote.
// What one side alone changed between two conflicts goes with that side.
func (m *merger) regions() ([]stretch, error) {
	var out []stretch
	last := -1 // where the last conflict is in out
	for m.more() {
		r := m.region()
		out = append(out, r)
		if r.head == nil || r.mine == nil {
			continue
		}
		h, n, err := m.texts(r)
		if err != nil {
			return nil, err
		}
		switch {
		case h == n:
		case last >= 0 && isOnePlace(m.base[out[last].span.End:r.span.Start]):
			first := &out[last]
			for _, x := range out[last+1:] {
				first.head, first.mine = append(first.head, x.head...), append(first.mine, x.mine...)
			}
			first.span.End = r.span.End
			out = out[:last+1]
		default:
			last = len(out) - 1
		}
	}
	return out, nil
}

// texts gives what either side has where the base has a stretch.
func (m *merger) texts(r stretch) (head, mine string, err error) {
	if head, err = textIn(m.base, r.span, r.head); err != nil {
		return "", "", err
	}
	mine, err = textIn(m.base, r.span, r.mine)
	return head, mine, err
}

// merger walks two sorted edit lists of the same text together.
type merger struct {
	base       []byte
	head, mine []core.Edit // what is left of each
	// moved is by how many bytes the head is longer than the base up to the end of
	// the region that was given last.
	moved int
}

func (m *merger) more() bool { return len(m.head) > 0 || len(m.mine) > 0 }

// stretch is a part of the base with all edits in it, of one list or both.
type stretch struct {
	span       core.Span
	before     int // by how many bytes the head is longer than the base up to it
	head, mine []core.Edit
}

// region gives the next stretch that no edit leads out of. Edits of different
// lists that touch are in one; edits of one list alone stay apart.
func (m *merger) region() stretch {
	first := &m.head
	if len(m.head) == 0 || len(m.mine) > 0 && compareEdits(m.mine[0], m.head[0]) < 0 {
		first = &m.mine
	}
	r := stretch{span: (*first)[0].Span, before: m.moved}
	m.take(first, &r)
	for {
		switch {
		case len(m.head) > 0 && m.head[0].Span.Start <= r.span.End && (r.mine != nil || touchesNext(m.head, m.mine)):
			m.take(&m.head, &r)
		case len(m.mine) > 0 && m.mine[0].Span.Start <= r.span.End && (r.head != nil || touchesNext(m.mine, m.head)):
			m.take(&m.mine, &r)
		default:
			return r
		}
	}
}

// touchesNext tells whether the next edit of a list, which touches a stretch of
// the same list alone, draws in one of the other list.
func touchesNext(list, other []core.Edit) bool {
	return len(other) > 0 && other[0].Span.Start <= list[0].Span.End
}

// take moves the next edit of a list into the stretch.
func (m *merger) take(from *[]core.Edit, r *stretch) {
	e := (*from)[0]
	*from = (*from)[1:]
	r.span.End = max(r.span.End, e.Span.End)
	if from == &m.head {
		r.head = append(r.head, e)
		m.moved += len(e.Replacement) - e.Span.Len()
		return
	}
	r.mine = append(r.mine, e)
}

// textIn gives what edits make of a part of the text they all lie in.
func textIn(base []byte, span core.Span, edits []core.Edit) (string, error) {
	moved := slices.Clone(edits)
	for i := range moved {
		moved[i].Span.Start -= span.Start
		moved[i].Span.End -= span.Start
	}
	b, err := Apply(base[span.Start:span.End], moved)
	return string(b), err
}
