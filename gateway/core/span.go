package core

import (
	"encoding/json"
	"fmt"
)

// Span is a half-open range of UTF-8 byte offsets, [Start, End). In JSON it is
// the pair [start, end].
type Span struct{ Start, End int }

// Len gives the span's length in bytes.
func (s Span) Len() int { return s.End - s.Start }

// Contains tells whether t lies inside s.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Overlaps tells whether the spans share a byte, or an empty one stands
// strictly inside the other.
func (s Span) Overlaps(t Span) bool { return s.Start < t.End && t.Start < s.End }

// String gives "start-end".
func (s Span) String() string { return fmt.Sprintf("%d-%d", s.Start, s.End) }

// MarshalJSON gives [start,end].
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{s.Start, s.End}) }

// UnmarshalJSON reads [start,end].
func (s *Span) UnmarshalJSON(b []byte) error {
	var a [2]int
	if err := json.Unmarshal(b, &a); err != nil {
		return err
	}
	s.Start, s.End = a[0], a[1]
	return nil
}

// Edit replaces the bytes of Span, counted in the bytes before the edit, by
// Replacement. Both ends of the span stand on UTF-8 rune borders. Note is the
// 1-based order of the note that asked for it, 0 where none did; where several
// notes share the edit it is the last of them, and Notes holds them all.
type Edit struct {
	Note        int     `json:"note,omitempty"`
	Notes       NoteSet `json:"notes,omitzero"`
	Span        Span    `json:"span"`
	Replacement string  `json:"replacement"`
}

// For tells whether the note with that order asked for the edit, alone or with others.
func (e Edit) For(note int) bool { return e.Note == note || e.Notes.Has(note) }

// Joint tells whether several notes share the edit, so that none can be taken
// back alone.
func (e Edit) Joint() bool { return e.Notes != 0 }

// Shared gives e as the edit of its own notes and of f's.
func (e Edit) Shared(f Edit) Edit {
	all := e.Notes.with(e.Note) | f.Notes.with(f.Note)
	if f.Note != 0 {
		e.Note = f.Note
	}
	e.Notes = 0
	if all&(all-1) != 0 {
		e.Notes = all
	}
	return e
}

// NoteSet is a set of note orders, 1 to 31. In JSON it is their sorted list.
type NoteSet uint32

// Has tells whether the note is in the set.
func (s NoteSet) Has(note int) bool { return note > 0 && note < 32 && s&(1<<note) != 0 }

func (s NoteSet) with(note int) NoteSet {
	if note > 0 && note < 32 {
		s |= 1 << note
	}
	return s
}

// List gives the notes in order.
func (s NoteSet) List() []int {
	var out []int
	for n := 1; n < 32; n++ {
		if s.Has(n) {
			out = append(out, n)
		}
	}
	return out
}

// MarshalJSON gives the sorted list.
func (s NoteSet) MarshalJSON() ([]byte, error) { return json.Marshal(s.List()) }

// UnmarshalJSON reads a list.
func (s *NoteSet) UnmarshalJSON(b []byte) error {
	var list []int
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*s = 0
	for _, n := range list {
		*s = s.with(n)
	}
	return nil
}

// PathStep is one step of an element path: a name and a 1-based index among
// element siblings. A template's contents hang below the step {"#content", 1}.
// In JSON it is the pair [name, index].
type PathStep struct {
	Name  string
	Index int
}

// MarshalJSON gives [name,index].
func (p PathStep) MarshalJSON() ([]byte, error) { return json.Marshal([2]any{p.Name, p.Index}) }

// UnmarshalJSON reads [name,index].
func (p *PathStep) UnmarshalJSON(b []byte) error {
	var a []json.RawMessage
	if err := json.Unmarshal(b, &a); err != nil {
		return err
	}
	if len(a) != 2 {
		return fmt.Errorf("path step: want [name, index], got %d values", len(a))
	}
	if err := json.Unmarshal(a[0], &p.Name); err != nil {
		return err
	}
	return json.Unmarshal(a[1], &p.Index)
}
