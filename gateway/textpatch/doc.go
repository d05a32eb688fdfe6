// Package textpatch cuts and joins bytes: it applies edit lists, inverts,
// composes and re-projects them, turns exact-match patches and differences
// between two versions into edit lists, and prints unified diffs.
//
// An edit list is a []core.Edit whose spans are byte offsets into one text,
// all of them into the text before any edit. Every function takes lists in any
// order and gives sorted ones. Two edits may touch but not share a byte;
// insertions at one point keep the order they were given in. Texts are valid
// UTF-8, and both ends of a span stand on rune borders; a list that breaks
// this is refused with core.InvalidEdit, one that overlaps with core.Overlap.
//
// Where a border is shared, one rule holds everywhere: an insertion at the
// border of a span does not touch the span. An insertion at its start pushes it
// back, an insertion at its end stays behind it.
package textpatch
