package htmledit

import (
	"proofmark/gateway/core"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/textpatch"
)

// Plan gives the edits that do the operations, sorted and not overlapping.
// Operations on one tag are joined; two that want the same attribute, property,
// class, text or element are refused with Overlap. A refusal names the 1-based
// operation in Detail["index"] where one is to blame. Plan does not map the
// result: Check does.
func Plan(t *htmlsrc.Tree, ops []Op) ([]core.Edit, error) {
	if len(ops) == 0 {
		return nil, core.Errorf(core.NoOp, "there is nothing to do").In("htmledit.Plan")
	}
	if len(ops) > core.MaxMutationsPerCall {
		return nil, core.Errorf(core.TooMany, "at most %d operations at once, these are %d", core.MaxMutationsPerCall, len(ops)).In("htmledit.Plan")
	}
	p := planner{t: t, eol: textpatch.EOL(t.Source()), tags: map[int]*tagPlan{}}
	for i, op := range ops {
		if err := p.add(op); err != nil {
			return nil, core.AsError(err).With("index", i+1).With("operation", string(op.Kind)).In("htmledit.Plan")
		}
	}
	if err := refuseRemoved(t, ops); err != nil {
		return nil, core.AsError(err).In("htmledit.Plan")
	}
	for _, tp := range p.order {
		edits, err := tp.edits()
		if err != nil {
			return nil, core.AsError(err).In("htmledit.Plan")
		}
		p.out = append(p.out, edits...)
	}
	norm, err := textpatch.Normalize(p.out, len(t.Source()))
	if err != nil {
		return nil, core.AsError(err).In("htmledit.Plan")
	}
	if len(norm) == 0 {
		return nil, noOp("the operations take each other back").In("htmledit.Plan")
	}
	return norm, nil
}

// refuseRemoved refuses operations on elements that another one removes, or on
// what is in them.
func refuseRemoved(t *htmlsrc.Tree, ops []Op) error {
	removed := map[htmlsrc.ID]int{}
	for i, op := range ops {
		if op.Kind == RemoveNode {
			removed[op.Target] = i
		}
	}
	if len(removed) == 0 {
		return nil
	}
	for i, op := range ops {
		for id := op.Target; id != 0; id = t.Parent(id) {
			if by, ok := removed[id]; ok && by != i {
				return core.Errorf(core.Overlap, "one operation removes <%s>, another changes something in it", t.Name(id)).
					With("index", i+1)
			}
		}
	}
	return nil
}

func noOp(format string, args ...any) *core.Error {
	return core.Errorf(core.NoOp, format, args...)
}

// planner gathers edits; those of tags are made last, per tag.
type planner struct {
	t     *htmlsrc.Tree
	eol   string
	tags  map[int]*tagPlan // by offset of the tag
	order []*tagPlan
	out   []core.Edit
}

func (p *planner) add(op Op) error {
	if err := editable(p.t, op.Target); err != nil {
		return err
	}
	switch op.Kind {
	case ReplaceText:
		e, err := replaceText(p.t, op, p.eol)
		if err == nil {
			p.out = append(p.out, e)
		}
		return err
	case RemoveNode:
		s, err := removable(p.t, op.Target)
		if err == nil {
			p.out = append(p.out, core.Edit{Note: op.Note, Span: s})
		}
		return err
	case SetAttribute, RemoveAttribute, SetStyle, AddClass, RemoveClass:
		return p.tag(op.Target).add(op)
	}
	return core.Errorf(core.InvalidEdit, "there is no operation %q", op.Kind)
}

// tag gives the plan of the target's start tag.
func (p *planner) tag(id htmlsrc.ID) *tagPlan {
	s, _ := p.t.StartTag(id)
	tp := p.tags[s.Start]
	if tp == nil {
		tp = newTagPlan(p.t, id, s, p.eol)
		p.tags[s.Start] = tp
		p.order = append(p.order, tp)
	}
	return tp
}
