package htmledit

import (
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
)

// Kind names a semantic operation.
type Kind string

// Operations (R-TURN-4).
const (
	ReplaceText     Kind = "replace_text"
	SetAttribute    Kind = "set_attribute"
	RemoveAttribute Kind = "remove_attribute"
	SetStyle        Kind = "set_style"
	AddClass        Kind = "add_class"
	RemoveClass     Kind = "remove_class"
	RemoveNode      Kind = "remove_node"
)

// Op is one operation on one element.
type Op struct {
	Note   int // 1-based order of the note that asked for it, 0 for none
	Kind   Kind
	Target htmlsrc.ID
	Run    htmlsrc.ID // replace_text: the text run inside the target; 0 for the only one
	Name   string     // of the attribute or the style property
	Value  string     // text, attribute value, style value, or class names parted by spaces
}

// Touches gives the span an operation reads and may change: the start tag, the
// text run or the element's range. A grant is bound to the bytes in it. It is
// the zero span where the operation is not possible on the target.
func Touches(t *htmlsrc.Tree, op Op) core.Span {
	if err := editable(t, op.Target); err != nil {
		return core.Span{}
	}
	switch op.Kind {
	case ReplaceText:
		p, err := placeOf(t, op)
		if err != nil {
			return core.Span{}
		}
		return p.span
	case RemoveNode:
		s, err := removable(t, op.Target)
		if err != nil {
			return core.Span{}
		}
		return s
	case SetAttribute, RemoveAttribute, SetStyle, AddClass, RemoveClass:
		s, _ := t.StartTag(op.Target)
		return s
	}
	return core.Span{}
}

// editable refuses targets that have no tag of their own in the source.
func editable(t *htmlsrc.Tree, id htmlsrc.ID) error {
	if !t.IsElement(id) {
		return core.Errorf(core.InvalidEdit, "the target is no element")
	}
	if _, ok := t.StartTag(id); !ok {
		return core.Errorf(core.NoSource, "<%s> has no tag in the source: the browser puts it in by itself", t.Name(id)).
			WithHint("choose an element around or inside it that is written in the file")
	}
	for p := t.Parent(id); p != 0; p = t.Parent(p) {
		if t.SelectedContent(p) {
			return core.Errorf(core.NoSource, "what stands in <selectedcontent> is the browser's copy of the chosen option").
				WithHint("edit the option itself")
		}
	}
	return nil
}

// removable gives the range that removing the element takes out.
func removable(t *htmlsrc.Tree, id htmlsrc.ID) (core.Span, error) {
	name := t.Name(id)
	if name == "script" {
		return core.Span{}, core.Errorf(core.ScriptRegion, "a script is not edited or removed")
	}
	if t.NS(id) == htmlsrc.HTML && (name == "html" || name == "head" || name == "body") {
		return core.Span{}, core.Errorf(core.UnsafeStructure, "<%s> cannot be removed: the browser would put it back", name)
	}
	if t.Provenance(id) == htmlsrc.FromMove {
		return core.Span{}, core.Errorf(core.UnsafeStructure, "<%s> is misplaced inside a table, and the browser moves it out; removing it could move something else", name)
	}
	s, reason := t.Range(id)
	switch reason {
	case "":
		return s, nil
	case htmlsrc.Implied:
		return core.Span{}, core.Errorf(core.NoSource, "<%s> has no tag in the source", name)
	case htmlsrc.Shared:
		n := t.SharedBy(id)
		return core.Span{}, core.Errorf(core.UnsafeStructure, "one tag makes %d elements here; they cannot be removed one by one", n).
			With("sharedBy", n)
	}
	return core.Span{}, core.Errorf(core.UnsafeStructure, "the page's markup is tangled here: what stands between the tags of <%s> is not just its contents", name).
		With("reason", string(reason))
}
