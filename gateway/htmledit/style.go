package htmledit

import (
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/textpatch"
)

// setStyle plans set_style: one property, the other declarations byte for byte
// as they are.
func (tp *tagPlan) setStyle(op Op) error {
	name := strings.TrimSpace(op.Name)
	if err := checkProperty(name); err != nil {
		return err
	}
	value := strings.Trim(textpatch.WithEOL(op.Value, " "), spaces)
	if value != "" {
		if err := checkDeclarationValue(name, value); err != nil {
			return err
		}
	}
	key := propertyKey(name)
	if err := tp.take("style", key); err != nil {
		return err
	}
	p, raw, quote, err := tp.piecewise("style", op.Note)
	if err != nil {
		return err
	}
	text, at, ok := decodeMapped(raw)
	if !ok {
		return core.Errorf(core.Unsupported, "the style attribute is written with character references that cannot be told apart").
			WithHint("set the whole style attribute instead")
	}
	edits, err := styleEdits(text, name, value)
	if err != nil {
		return err
	}
	if len(edits) == 0 {
		if value == "" {
			return noOp("the style has no %s", name)
		}
		return noOp("%s is %s already", name, quoted(value))
	}
	for i, e := range edits {
		edits[i] = core.Edit{
			Note: op.Note, Span: core.Span{Start: at[e.Span.Start], End: at[e.Span.End]},
			Replacement: textpatch.WithEOL(escapeValue(e.Replacement, quote), tp.eol),
		}
	}
	if err := p.amend(tp, edits); err != nil {
		return err
	}
	return checkStyleResult(text, decodeValue(*p.raw), key, value)
}

// styleEdits gives the edits of a style text that give the property the value,
// or, for an empty one, take it out; none where it is so already.
func styleEdits(s, name, value string) ([]core.Edit, error) {
	ds, open, ok := declarations(s)
	if !ok {
		return nil, core.Errorf(core.Unsupported, "the style attribute cannot be read")
	}
	key := propertyKey(name)
	if value == "" {
		return dropDeclarations(s, ds, func(d declaration) bool { return d.name == key }), nil
	}
	win := winner(ds, key)
	if win >= 0 && ds[win].important && !strings.HasSuffix(lower(value), "important") {
		value += " !important"
	}
	if win >= 0 && !overridden(ds, win) {
		d := ds[win]
		if s[d.value.Start:d.value.End] == value {
			return nil, nil
		}
		return []core.Edit{{Span: d.value, Replacement: value}}, nil
	}
	if open {
		return nil, core.Errorf(core.Unsupported, "the style attribute ends in the middle of something, so nothing can be added to it").
			WithHint("set the whole style attribute instead")
	}
	edits := dropDeclarations(s, ds, func(d declaration) bool { return d.name == key })
	return append(edits, appendDeclaration(s, ds, name, value)), nil
}

// winner gives the declaration of the property that has effect, or -1.
func winner(ds []declaration, key string) int {
	win := -1
	for i, d := range ds {
		if d.name == key && !d.junk && (win < 0 || d.important || !ds[win].important) {
			win = i
		}
	}
	return win
}

// overridden tells whether a declaration behind i sets the same thing by
// another name: a shorthand of it, or a part of it.
func overridden(ds []declaration, i int) bool {
	return slices.ContainsFunc(ds[i+1:], func(d declaration) bool {
		return !d.junk && d.name != ds[i].name && related(d.name, ds[i].name) && (d.important || !ds[i].important)
	})
}

func related(a, b string) bool {
	if strings.HasPrefix(a, "--") || strings.HasPrefix(b, "--") {
		return false
	}
	return a == "all" || b == "all" || strings.HasPrefix(a, b+"-") || strings.HasPrefix(b, a+"-") ||
		a == "font" && b == "line-height" || a == "line-height" && b == "font"
}

// dropDeclarations takes declarations out, each with its semicolon and the
// blanks before it.
func dropDeclarations(s string, ds []declaration, drop func(declaration) bool) []core.Edit {
	var out []core.Edit
	for i, d := range ds {
		if d.junk || !drop(d) {
			continue
		}
		span := d.span
		if i > 0 {
			for span.Start > 0 && strings.IndexByte(spaces, s[span.Start-1]) >= 0 {
				span.Start--
			}
		}
		if d.semicolon > 0 {
			span.End = d.semicolon
			if i == 0 && len(ds) > 1 {
				for span.End < len(s) && strings.IndexByte(spaces, s[span.End]) >= 0 {
					span.End++
				}
			}
		}
		out = append(out, core.Edit{Span: span})
	}
	return out
}

// appendDeclaration adds a declaration behind the last, written as the others
// are.
func appendDeclaration(s string, ds []declaration, name, value string) core.Edit {
	end := len(strings.TrimRight(s, spaces))
	at := core.Span{Start: end, End: end}
	if len(ds) == 0 {
		return core.Edit{Span: at, Replacement: name + ": " + value}
	}
	last := ds[len(ds)-1]
	colon := ": "
	if text := s[last.span.Start:last.value.Start]; !last.junk && strings.HasSuffix(text, ":") {
		colon = ":"
	}
	gap := " "
	if len(ds) > 1 {
		start := last.span.Start
		for start > 0 && strings.IndexByte(spaces, s[start-1]) >= 0 {
			start--
		}
		gap = s[start:last.span.Start]
	} else if colon == ":" {
		gap = ""
	}
	text := gap + name + colon + value
	if last.semicolon > 0 {
		return core.Edit{Span: at, Replacement: text + ";"}
	}
	return core.Edit{Span: at, Replacement: ";" + text}
}

// checkStyleResult proves that all declarations of other properties are as they
// were and the property has its value.
func checkStyleResult(before, after, key, value string) error {
	others := func(s string) (out []string, mine []string) {
		ds, _, _ := declarations(s)
		for _, d := range ds {
			if d.name == key && !d.junk {
				mine = append(mine, s[d.value.Start:d.value.End])
				continue
			}
			out = append(out, s[d.span.Start:d.span.End])
		}
		return out, mine
	}
	was, _ := others(before)
	is, mine := others(after)
	good := value == "" && len(mine) == 0 || value != "" && slices.ContainsFunc(mine, func(m string) bool { return strings.HasPrefix(m, value) })
	if !slices.Equal(was, is) || !good {
		return core.Errorf(core.Unsupported, "the style attribute is written in a way that cannot be changed one property at a time").
			WithHint("set the whole style attribute instead")
	}
	return nil
}
