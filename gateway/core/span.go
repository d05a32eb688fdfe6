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
// 1-based order of the note that asked for it, 0 where none did.
type Edit struct {
	Note        int    `json:"note,omitempty"`
	Span        Span   `json:"span"`
	Replacement string `json:"replacement"`
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
