package htmledit

import (
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// verify reads the tag as it will be and holds it against what it is to be.
func (tp *tagPlan) verify(edits []core.Edit) error {
	src := tp.t.Source()[tp.span.Start:tp.span.End]
	local := make([]core.Edit, len(edits))
	for i, e := range edits {
		e.Span.Start -= tp.span.Start
		e.Span.End -= tp.span.Start
		local[i] = e
	}
	now, err := textpatch.Apply(src, local)
	if err != nil {
		return err
	}
	got := readTag(now)
	want := tp.wanted()
	same := len(got) == len(want) && selfClosing(now, got) == selfClosing(src, readTag(src))
	for i := 0; same && i < len(want); i++ {
		same = lower(got[i].Name) == want[i].name && got[i].Value == want[i].value
	}
	if !same {
		return core.Errorf(core.Unsupported, "the start tag of <%s> is written in a way that cannot be changed safely", tp.t.Name(tp.id)).
			WithHint("replace the whole tag with a patch")
	}
	return nil
}

type nameValue struct{ name, value string }

// wanted gives the attributes the tag is to have, in order.
func (tp *tagPlan) wanted() []nameValue {
	var out []nameValue
	for i := range tp.attrs {
		a := &tp.attrs[i]
		v := nameValue{lower(a.Name), a.Value}
		p := tp.planned(v.name)
		switch {
		case p == nil:
		case p.remove:
			continue
		default:
			v.value = p.value()
		}
		out = append(out, v)
	}
	for _, p := range tp.plans {
		if p.old == nil {
			out = append(out, nameValue{p.name, p.value()})
		}
	}
	return out
}

func (tp *tagPlan) planned(name string) *attrPlan {
	for _, p := range tp.plans {
		if p.name == name {
			return p
		}
	}
	return nil
}

// value gives the decoded value the attribute is to have.
func (p *attrPlan) value() string {
	if p.raw == nil {
		return *p.set
	}
	return decodeValue(*p.raw)
}

// decodeValue decodes an attribute value as written between double or single
// quotes.
func decodeValue(raw string) string {
	quote := `"`
	if strings.Contains(raw, quote) {
		quote = "'"
	}
	as := readTag([]byte("<x v=" + quote + raw + quote + ">"))
	if len(as) != 1 {
		return raw
	}
	return as[0].Value
}

// readTag gives the attributes of a start tag that stands alone. The name of the
// tag does not count: it is read as that of an unknown element, which makes an
// element everywhere.
func readTag(tag []byte) []htmlsrc.Attr {
	i := 1
	for i < len(tag) && strings.IndexByte(spaces+"/>", tag[i]) < 0 {
		i++
	}
	prefix := len("<x-tag") - i
	t, err := htmlsrc.ParseUnchecked(append([]byte("<x-tag"), tag[i:]...), htmlsrc.Options{Scripting: true})
	if err != nil {
		return nil
	}
	for id := range t.Elements() {
		s, ok := t.StartTag(id)
		if !ok || t.Name(id) != "x-tag" || s.Start != 0 || s.End != len(tag)+prefix {
			continue
		}
		out := t.Attrs(id)
		for k := range out {
			shiftAttr(&out[k], -prefix)
		}
		return out
	}
	return nil
}

func shiftAttr(a *htmlsrc.Attr, by int) {
	for _, s := range []*core.Span{&a.Span, &a.NameSpan, &a.ValueSpan} {
		s.Start += by
		s.End += by
	}
}

// selfClosing tells whether the tag ends in "/>" with the slash not part of a
// value.
func selfClosing(tag []byte, attrs []htmlsrc.Attr) bool {
	n := len(tag)
	if n < 3 || tag[n-2] != '/' {
		return false
	}
	for _, a := range attrs {
		if a.Span.End > n-2 {
			return false
		}
	}
	return true
}
