package htmledit

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Arranged is a change that moves or copies whole elements, byte for byte.
type Arranged struct {
	Edits  []core.Edit // sorted, not overlapping
	Moved  []Piece     // what stands elsewhere afterwards
	Copied []Piece     // what stands there a second time
	IDs    []string    // of id attributes that stand twice in the page by it, in order
}

// Piece is an element's range before the change, and where it, or its copy,
// begins after it.
type Piece struct {
	From core.Span
	To   int
}

// MoveUp lets an element change places with the one before it under the same
// parent; MoveDown with the one behind it. What stands between the two stays
// between them. Elements nobody sees (scripts, styles, templates and the like)
// are stepped over, unless the target is one itself.
//
// Where only blanks stand between, the target keeps its bytes and the other
// element goes around it, so that notes and earlier changes in the target stay
// what they are; but an element with a script in it is not what goes.
//
// NoOp says that there is nothing to change places with. An element whose range
// is not certain is refused with UnsafeStructure.
func MoveUp(t *htmlsrc.Tree, id htmlsrc.ID) (Arranged, error) { return move(t, id, true) }

// MoveDown is MoveUp the other way.
func MoveDown(t *htmlsrc.Tree, id htmlsrc.ID) (Arranged, error) { return move(t, id, false) }

func move(t *htmlsrc.Tree, id htmlsrc.ID, up bool) (Arranged, error) {
	const op = "htmledit.Move"
	own, err := whole(t, id)
	if err != nil {
		return Arranged{}, core.AsError(err).In(op)
	}
	other := neighbour(t, id, up)
	if other == 0 {
		side := "behind"
		if up {
			side = "before"
		}
		return Arranged{}, noOp("nothing stands %s <%s> in its <%s> that it could change places with", side, t.Name(id), t.Name(t.Parent(id))).In(op)
	}
	theirs, err := whole(t, other)
	if err != nil {
		e := core.AsError(err)
		e.Message = "the element to change places with: " + e.Message
		return Arranged{}, e.In(op)
	}
	first, second := own, theirs
	if up {
		first, second = theirs, own
	}
	if first.End > second.Start {
		return Arranged{}, core.Errorf(core.UnsafeStructure, "the two elements do not stand one after the other in the source").In(op)
	}
	src := string(t.Source())
	between := src[first.End:second.Start]
	stays := own
	if holdsScript(t, other) && !holdsScript(t, id) {
		stays = theirs
	}
	switch {
	case strings.Trim(between, spaces) != "":
		return exchange(src, first, second), nil
	case stays == first:
		return before(src, first, second), nil
	}
	return behind(src, first, second), nil
}

// behind takes first, and the blanks behind it, to behind second.
func behind(src string, first, second core.Span) Arranged {
	gap := src[first.End:second.Start]
	return Arranged{
		Edits: []core.Edit{
			{Span: core.Span{Start: first.Start, End: second.Start}},
			{Span: core.Span{Start: second.End, End: second.End}, Replacement: gap + src[first.Start:first.End]},
		},
		Moved: []Piece{{first, first.Start + second.Len() + len(gap)}},
	}
}

// before takes second, and the blanks before it, to before first.
func before(src string, first, second core.Span) Arranged {
	gap := src[first.End:second.Start]
	return Arranged{
		Edits: []core.Edit{
			{Span: core.Span{Start: first.Start, End: first.Start}, Replacement: src[second.Start:second.End] + gap},
			{Span: core.Span{Start: first.End, End: second.End}},
		},
		Moved: []Piece{{second, first.Start}},
	}
}

// exchange leaves what stands between the two as it is.
func exchange(src string, first, second core.Span) Arranged {
	return Arranged{
		Edits: []core.Edit{
			{Span: first, Replacement: src[second.Start:second.End]},
			{Span: second, Replacement: src[first.Start:first.End]},
		},
		Moved: []Piece{{second, first.Start}, {first, second.End - first.Len()}},
	}
}

// unseen names elements that show nothing where they stand.
var unseen = set("script style link meta base title template")

// neighbour gives the sibling to change places with, 0 for none.
func neighbour(t *htmlsrc.Tree, id htmlsrc.ID, up bool) htmlsrc.ID {
	next := t.NextSibling
	if up {
		next = t.PrevSibling
	}
	for n := next(id); n != 0; n = next(n) {
		if t.IsElement(n) && (!unseen[t.Name(n)] || unseen[t.Name(id)]) {
			return n
		}
	}
	return 0
}

func holdsScript(t *htmlsrc.Tree, id htmlsrc.ID) bool {
	if t.Name(id) == "script" {
		return true
	}
	for d := range t.Descendants(id) {
		if t.Name(d) == "script" {
			return true
		}
	}
	return false
}

// whole gives the range of an element that may be moved or copied as a piece.
func whole(t *htmlsrc.Tree, id htmlsrc.ID) (core.Span, error) {
	if err := editable(t, id); err != nil {
		return core.Span{}, err
	}
	name := t.Name(id)
	switch {
	case name == "script":
		return core.Span{}, core.Errorf(core.ScriptRegion, "a script is not moved or copied")
	case t.NS(id) == htmlsrc.HTML && (name == "html" || name == "head" || name == "body" || name == "frameset"):
		return core.Span{}, core.Errorf(core.UnsafeStructure, "a page has one <%s>; it is not moved or copied", name)
	case t.Provenance(id) == htmlsrc.FromMove:
		return core.Span{}, core.Errorf(core.UnsafeStructure, "<%s> is misplaced inside a table, and the browser moves it out", name)
	}
	s, reason := t.Range(id)
	switch reason {
	case "":
		return s, nil
	case htmlsrc.Shared:
		n := t.SharedBy(id)
		return core.Span{}, core.Errorf(core.UnsafeStructure, "one tag makes %d elements here; they cannot be moved or copied one by one", n).
			With("sharedBy", n)
	}
	return core.Span{}, core.Errorf(core.UnsafeStructure, "the page's markup is tangled here: what stands between the tags of <%s> is not just its contents", name).
		With("reason", string(reason))
}
