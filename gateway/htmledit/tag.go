package htmledit

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// tagPlan gathers the operations on one start tag. Elements that share a tag
// share its plan.
type tagPlan struct {
	t     *htmlsrc.Tree
	id    htmlsrc.ID
	span  core.Span
	eol   string
	attrs []htmlsrc.Attr
	late  []htmlsrc.Attr // attributes that late html or body tags add
	plans []*attrPlan    // in the order in which attributes were first named
	taken map[string]bool
}

// attrPlan is what becomes of one attribute.
type attrPlan struct {
	name   string        // as the DOM has it, for comparing
	typed  string        // as it is to be written where it is new
	old    *htmlsrc.Attr // nil where the tag has none
	notes  []int
	remove bool
	set    *string // the new value, decoded
	// raw and edits are for values changed piece by piece: the value as written,
	// and the edits, counted in old's value, that lead to it.
	raw   *string
	edits []core.Edit
}

func newTagPlan(t *htmlsrc.Tree, id htmlsrc.ID, span core.Span, eol string) *tagPlan {
	tp := &tagPlan{t: t, id: id, span: span, eol: eol, attrs: t.Attrs(id), taken: map[string]bool{}}
	for _, s := range t.LateTags(id) {
		if s != span {
			tp.late = append(tp.late, readTag(t.Source()[s.Start:s.End])...)
		}
	}
	return tp
}

// take reserves an attribute, a style property or a class for one operation.
// Whoever has the whole style or class attribute shares it with nobody.
func (tp *tagPlan) take(what, name string) error {
	var taken bool
	if what == "attribute" {
		taken = tp.taken["attribute "+name] || tp.taken["part of "+name]
	} else {
		taken = tp.taken["attribute "+what] || tp.taken[what+" "+name]
		tp.taken["part of "+what] = true
	}
	if taken {
		return core.Errorf(core.Overlap, "two operations change the %s %s of one tag", what, quoted(name))
	}
	tp.taken[what+" "+name] = true
	return nil
}

func (tp *tagPlan) add(op Op) error {
	switch op.Kind {
	case SetAttribute:
		return tp.setAttribute(op)
	case RemoveAttribute:
		return tp.removeAttribute(op)
	case SetStyle:
		return tp.setStyle(op)
	default:
		return tp.changeClass(op)
	}
}

// plan gives the attribute's plan.
func (tp *tagPlan) plan(typed string, note int) *attrPlan {
	name := lower(typed)
	for _, p := range tp.plans {
		if p.name == name {
			p.notes = append(p.notes, note)
			return p
		}
	}
	p := &attrPlan{name: name, typed: typed, notes: []int{note}}
	for i := range tp.attrs {
		if lower(tp.attrs[i].Name) == name {
			p.old = &tp.attrs[i]
		}
	}
	tp.plans = append(tp.plans, p)
	return p
}

// find gives the tag's attribute of that name.
func (tp *tagPlan) find(name string) *htmlsrc.Attr {
	for i := range tp.attrs {
		if lower(tp.attrs[i].Name) == lower(name) {
			return &tp.attrs[i]
		}
	}
	return nil
}

// hidden refuses to change an attribute whose effective value comes from a late
// tag.
func (tp *tagPlan) hidden(name string) error {
	for _, a := range tp.late {
		if lower(a.Name) == lower(name) {
			return core.Errorf(core.Unsupported, "a second <%s> tag of the page sets %s as well", tp.t.Name(tp.id), name)
		}
	}
	return nil
}

func (tp *tagPlan) setAttribute(op Op) error {
	if err := checkAttribute(tp.t, tp.id, op.Name, op.Value); err != nil {
		return err
	}
	if err := tp.take("attribute", lower(op.Name)); err != nil {
		return err
	}
	value := textpatch.WithEOL(op.Value, "\n")
	if a := tp.find(op.Name); a != nil && a.Value == value {
		return noOp("%s is %s already", op.Name, quoted(op.Value))
	}
	tp.plan(op.Name, op.Note).set = &value
	return nil
}

func (tp *tagPlan) removeAttribute(op Op) error {
	if err := checkAttributeName(op.Name); err != nil {
		return err
	}
	if err := tp.take("attribute", lower(op.Name)); err != nil {
		return err
	}
	if tp.find(op.Name) == nil {
		return noOp("there is no attribute %s", quoted(op.Name))
	}
	if err := tp.hidden(op.Name); err != nil {
		return err
	}
	tp.plan(op.Name, op.Note).remove = true
	return nil
}

// piecewise gives the value an operation on pieces of it begins with: as
// written, and decoded.
func (tp *tagPlan) piecewise(name string, note int) (p *attrPlan, raw string, quote byte, err error) {
	if tp.find(name) == nil {
		if err := tp.hidden(name); err != nil {
			return nil, "", 0, err
		}
	}
	p = tp.plan(name, note)
	if p.raw == nil {
		s := ""
		if p.old != nil {
			v := p.old.ValueSpan
			s = string(tp.t.Source()[v.Start:v.End])
		}
		p.raw = &s
	}
	quote = '"'
	if p.old != nil && p.old.Quote != 0 {
		quote = p.old.Quote
	}
	return p, *p.raw, quote, nil
}

// amend makes further edits of a piecewise value.
func (p *attrPlan) amend(tp *tagPlan, edits []core.Edit) error {
	was := ""
	if p.old != nil {
		was = string(tp.t.Source()[p.old.ValueSpan.Start:p.old.ValueSpan.End])
	}
	now, err := textpatch.Apply([]byte(*p.raw), edits)
	if err != nil {
		return err
	}
	if p.edits, err = textpatch.Compose([]byte(was), p.edits, edits); err != nil {
		return err
	}
	s := string(now)
	p.raw = &s
	return nil
}

// edit gives an edit with the notes of all operations it serves.
func (p *attrPlan) edit(span core.Span, replacement string) core.Edit {
	e := core.Edit{Span: span, Replacement: replacement}
	for _, n := range p.notes {
		e = e.Shared(core.Edit{Note: n})
	}
	return e
}

// edits gives the edits of the tag and proves, by reading the new tag, that it
// has exactly the attributes it is to have.
func (tp *tagPlan) edits() ([]core.Edit, error) {
	var out []core.Edit
	for _, p := range tp.plans {
		if p.old != nil {
			out = append(out, tp.change(p)...)
		}
	}
	at, guard := tp.insertion()
	for _, p := range tp.plans {
		if p.old != nil {
			continue
		}
		text := guard + tp.separator() + tp.written(p)
		out = append(out, p.edit(core.Span{Start: at, End: at}, text))
		guard = ""
	}
	return out, tp.verify(out)
}

// change gives the edits of an attribute that is there.
func (tp *tagPlan) change(p *attrPlan) []core.Edit {
	a := p.old
	if p.remove {
		out := []core.Edit{p.edit(tp.withGap(a.Span), "")}
		for _, s := range a.Duplicates {
			out = append(out, p.edit(tp.withGap(s), ""))
		}
		return out
	}
	if p.raw != nil && a.Quote != 0 {
		out := make([]core.Edit, len(p.edits))
		for i, e := range p.edits {
			e.Span.Start += a.ValueSpan.Start
			e.Span.End += a.ValueSpan.Start
			out[i] = e
		}
		return out
	}
	var raw string
	if p.raw != nil {
		raw = *p.raw
	} else {
		raw = textpatch.WithEOL(escapeValue(*p.set, a.Quote), tp.eol)
	}
	switch {
	case !a.HasValue && raw == "":
		return nil
	case !a.HasValue:
		at := a.NameSpan.End
		return []core.Edit{p.edit(core.Span{Start: at, End: at}, "="+quoteRaw(raw))}
	case a.Quote == 0 && !fitsUnquoted(raw):
		raw = quoteRaw(raw)
	}
	return []core.Edit{p.edit(a.ValueSpan, raw)}
}

// withGap widens an attribute's span by what parts it from the thing before,
// where the thing behind brings its own.
func (tp *tagPlan) withGap(s core.Span) core.Span {
	src := tp.t.Source()
	start := s.Start
	for strings.IndexByte(spaces+"/", src[start-1]) >= 0 && !tp.inValue(start-1) {
		start--
	}
	switch next := src[s.End]; {
	case strings.IndexByte(spaces, next) >= 0 || next == '>':
		s.Start = start
	case next == '/' && !tp.inBareValue(start-1):
		s.Start = start
	}
	return s
}

// inValue tells whether offset is a byte of an attribute.
func (tp *tagPlan) inValue(offset int) bool {
	for _, a := range tp.attrs {
		for _, s := range append([]core.Span{a.Span}, a.Duplicates...) {
			if s.Start <= offset && offset < s.End {
				return true
			}
		}
	}
	return false
}

// inBareValue tells whether offset is a byte of an unquoted value, which would
// swallow a slash behind it.
func (tp *tagPlan) inBareValue(offset int) bool {
	for _, a := range tp.attrs {
		if a.HasValue && a.Quote == 0 && a.Span.Start <= offset && offset < a.Span.End {
			return true
		}
	}
	return false
}

// insertion gives where new attributes go, and what must be written there first
// so that the attribute before does not swallow them.
func (tp *tagPlan) insertion() (at int, guard string) {
	name, _ := tp.t.TagNameSpan(tp.id)
	at = name.End
	for _, a := range tp.attrs {
		if a.Span.End > at {
			at, guard = a.Span.End, ""
			if a.HasValue && a.Quote == 0 && a.ValueSpan.Len() == 0 {
				guard = `""`
			}
		}
		for _, s := range a.Duplicates {
			if s.End > at {
				at, guard = s.End, ""
			}
		}
	}
	return at, guard
}

// separator gives the white space before a new attribute: that of the last one,
// where attributes stand on lines of their own.
func (tp *tagPlan) separator() string {
	if len(tp.attrs) == 0 {
		return " "
	}
	src := tp.t.Source()
	end := tp.attrs[len(tp.attrs)-1].Span.Start
	start := end
	for strings.IndexByte(spaces, src[start-1]) >= 0 {
		start--
	}
	if gap := string(src[start:end]); strings.ContainsAny(gap, "\r\n") {
		return gap
	}
	return " "
}

// written gives a new attribute as it is written.
func (tp *tagPlan) written(p *attrPlan) string {
	var raw string
	switch {
	case p.raw != nil:
		raw = *p.raw
	case *p.set == "" && booleanAttributes[p.name]:
		return p.typed
	default:
		raw = textpatch.WithEOL(escapeValue(*p.set, '"'), tp.eol)
	}
	return p.typed + `="` + raw + `"`
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
