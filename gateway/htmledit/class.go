package htmledit

import (
	"slices"
	"strings"

	"proofmark/gateway/core"
)

// changeClass plans add_class and remove_class, name by name.
func (tp *tagPlan) changeClass(op Op) error {
	names := fields(op.Value)
	if len(names) == 0 {
		return core.Errorf(core.InvalidEdit, "no class is named")
	}
	if err := checkText(op.Value); err != nil {
		return err
	}
	p, raw, quote, err := tp.piecewise("class", op.Note)
	if err != nil {
		return err
	}
	text, at, ok := decodeMapped(raw)
	if !ok {
		return core.Errorf(core.Unsupported, "the class attribute is written with character references that cannot be told apart")
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			continue
		}
		if err := tp.take("class", n); err != nil {
			return err
		}
	}
	var edits []core.Edit
	if op.Kind == AddClass {
		edits = addClasses(text, names)
	} else {
		edits = removeClasses(text, names)
	}
	if len(edits) == 0 && op.Kind == AddClass {
		return noOp("the element has the class %s already", quoted(op.Value))
	}
	if len(edits) == 0 {
		return noOp("the element has no class %s", quoted(op.Value))
	}
	for i, e := range edits {
		edits[i] = core.Edit{
			Note: op.Note, Span: core.Span{Start: at[e.Span.Start], End: at[e.Span.End]},
			Replacement: escapeValue(e.Replacement, quote),
		}
	}
	return p.amend(tp, edits)
}

// addClasses appends the names that are not there.
func addClasses(s string, names []string) []core.Edit {
	have := fields(s)
	var add []string
	for _, n := range names {
		if !slices.Contains(have, n) && !slices.Contains(add, n) {
			add = append(add, n)
		}
	}
	if len(add) == 0 {
		return nil
	}
	end := len(strings.TrimRight(s, spaces))
	text := strings.Join(add, " ")
	if len(have) > 0 {
		text = " " + text
	}
	return []core.Edit{{Span: core.Span{Start: end, End: end}, Replacement: text}}
}

// removeClasses takes out each of the names, with the blanks before it, or
// behind it where it is the first.
func removeClasses(s string, names []string) []core.Edit {
	var out []core.Edit
	kept := 0 // names kept so far
	for i := 0; i < len(s); {
		gap := i
		for i < len(s) && strings.IndexByte(spaces, s[i]) >= 0 {
			i++
		}
		start := i
		for i < len(s) && strings.IndexByte(spaces, s[i]) < 0 {
			i++
		}
		if start == i {
			break
		}
		if !slices.Contains(names, s[start:i]) {
			kept++
			continue
		}
		span := core.Span{Start: gap, End: i}
		if kept == 0 {
			span.Start = start
			for i < len(s) && strings.IndexByte(spaces, s[i]) >= 0 {
				i++
			}
			span.End = i
		}
		out = append(out, core.Edit{Span: span})
	}
	return out
}

// fields splits at the white space of HTML, which knows fewer kinds than
// Unicode.
func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(spaces, r) })
}
