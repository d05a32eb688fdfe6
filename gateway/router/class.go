package router

import "proofmark/gateway/core"

// Tier is how able a model must be, from C1, the least, to C4.
type Tier string

// Tiers, in ascending order.
const (
	C1 Tier = "c1"
	C2 Tier = "c2"
	C3 Tier = "c3"
	C4 Tier = "c4"
)

// Tiers lists every tier in ascending order.
func Tiers() []Tier { return []Tier{C1, C2, C3, C4} }

// Operations of a class.
const (
	Answer         = "answer"          // nothing is pointed at, so nothing can change
	SelectionEdit  = "selection_edit"  // one element that was found exactly
	StructuralEdit = "structural_edit" // several elements, or one to be looked for
)

// HTML is the only format there is.
const HTML = "html"

// Class is what the router knows of a turn: words from closed lists.
type Class struct {
	Format    string // HTML
	Operation string // Answer, SelectionEdit or StructuralEdit
	Floor     Tier   // the smallest tier that may do it
}

// Classify puts a turn into its class. It looks at how many notes and targets
// there are and how certainly they were found, at no text.
func Classify(t core.Turn) Class {
	targets, exact := 0, true
	for _, n := range t.Notes {
		for _, target := range n.Targets {
			targets++
			exact = exact && target.Resolution == core.Exact
		}
	}
	switch {
	case len(t.Notes) == 0:
		return Class{Format: HTML, Operation: Answer, Floor: C1}
	case len(t.Notes) == 1 && targets == 1 && exact:
		return Class{Format: HTML, Operation: SelectionEdit, Floor: C2}
	}
	return Class{Format: HTML, Operation: StructuralEdit, Floor: C3}
}
