package manual

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"proofmark/gateway/core"
	"proofmark/gateway/htmledit"
	"proofmark/gateway/htmlsrc"
	"proofmark/gateway/proof"
	"proofmark/gateway/textpatch"
)

// Do names what a direct edit does to an element.
type Do string

// Direct edits (R-DOC-8). Those with the names of semantic operations are those
// operations of htmledit; see there for what each means exactly.
const (
	SetText         = Do(htmledit.ReplaceText)
	SetAttribute    = Do(htmledit.SetAttribute)
	RemoveAttribute = Do(htmledit.RemoveAttribute)
	SetStyle        = Do(htmledit.SetStyle) // an empty value removes the property
	AddClass        = Do(htmledit.AddClass)
	RemoveClass     = Do(htmledit.RemoveClass)
	Remove          = Do(htmledit.RemoveNode)
	Duplicate       = Do("duplicate")
	MoveUp          = Do("move_up")
	MoveDown        = Do("move_down")
)

// Task is one direct edit of one or several elements. Tasks are carried out in
// order, each on what the ones before it have made of the page.
type Task struct {
	Say     string // the task as the person put it, kept with the change
	Do      Do
	Name    string // of the attribute or style property
	Value   string // text, value, or class names parted by blanks
	Targets []proof.Verified
}

// Plan is what a list of tasks comes to.
type Plan struct {
	Edits []core.Edit // from the base; the note of each is its task's number, from 1
	// Remarks say, by task from 0, what a person should know beside what they
	// asked for; "" for nothing.
	Remarks []string
}

// planTasks works out the edits of tasks on the map of a page. Each step is
// proved to differ from the one before only where it says.
func planTasks(base *htmlsrc.Tree, tasks []Task) (Plan, error) {
	p := planner{base: base, tree: base, did: make([]bool, len(tasks))}
	steps := 0
	for _, t := range tasks {
		at := make([]place, len(t.Targets))
		for i, v := range t.Targets {
			if v.Tree() != base && (v.Tree() == nil || string(v.Tree().Source()) != string(base.Source())) {
				return Plan{}, core.Errorf(core.StaleSource, "the target was found in another version of the page").
					WithHint("Point at it again.").In(opDirect)
			}
			tag, _ := v.Tree().StartTag(v.Node())
			at[i] = place{start: tag.Start, there: true}
		}
		if len(at) == 0 {
			return Plan{}, core.Errorf(core.Unbound, "the direct edit %s has no target", t.Do).In(opDirect)
		}
		steps += len(at)
		p.places = append(p.places, at)
	}
	switch {
	case steps == 0:
		return Plan{}, core.Errorf(core.NoOp, "there is nothing to do").In(opDirect)
	case steps > core.MaxMutationsPerCall:
		return Plan{}, core.Errorf(core.TooMany, "at most %d direct edits at once, these are %d", core.MaxMutationsPerCall, steps).In(opDirect)
	}
	out := Plan{Remarks: make([]string, len(tasks))}
	for i, t := range tasks {
		var doubled []string
		for k := range t.Targets {
			ids, err := p.step(i, k, t)
			if err != nil {
				return Plan{}, forPerson(core.AsError(err)).With("task", i+1).In(opDirect)
			}
			doubled = append(doubled, ids...)
		}
		out.Remarks[i] = twice(doubled)
	}
	made, err := textpatch.Apply(base.Source(), p.edits)
	if err != nil || !bytes.Equal(made, p.tree.Source()) {
		return Plan{}, core.Wrap(core.Internal, err, "the edits together do not make what they make one by one").In(opDirect)
	}
	if bytes.Equal(made, base.Source()) {
		return Plan{}, core.Errorf(core.NoOp, "these edits together change nothing").In(opDirect)
	}
	for i := range tasks {
		if p.did[i] && out.Remarks[i] == "" && !slices.ContainsFunc(p.edits, func(e core.Edit) bool { return e.For(i + 1) }) {
			out.Remarks[i] = "the edits behind it left nothing of it"
		}
	}
	out.Edits = p.edits
	return out, nil
}

// forPerson puts into a refusal what a person can do, where it speaks to a model.
func forPerson(e *core.Error) *core.Error {
	if e.Code == core.Ambiguous {
		e.Message = strings.TrimSuffix(e.Message, "; say which one")
		return e.WithHint("Point at the element in it that holds the one text, or edit the source: `proofmark help source`.")
	}
	return e
}

const opDirect = "manual.Direct"

// place is where a target's start tag stands in the page as it is by now.
type place struct {
	start int
	there bool
}

// planner is the page on its way.
type planner struct {
	base, tree *htmlsrc.Tree
	edits      []core.Edit // from base to tree
	places     [][]place   // of each task's targets
	did        []bool      // by task, whether it changed anything
}

// step does one task to one of its targets.
func (p *planner) step(task, target int, t Task) (ids []string, err error) {
	at := p.places[task][target]
	id := htmlsrc.ID(0)
	if at.there {
		id = elementAt(p.tree, at.start)
	}
	if id == 0 {
		return nil, core.Errorf(core.Overlap, "an earlier one of these edits took the target away")
	}
	a, err := arranged(p.tree, id, t)
	if err != nil {
		return nil, err
	}
	for i := range a.Edits {
		a.Edits[i].Note = task + 1
	}
	next, err := a.Check(p.tree, parseOptions)
	if err != nil {
		return nil, err
	}
	p.did[task] = p.did[task] || len(a.Edits) > 0
	p.credit(a)
	if p.edits, err = textpatch.Compose(p.base.Source(), p.edits, a.Edits); err != nil {
		return nil, err
	}
	p.tree = next
	for _, list := range p.places {
		for i, l := range list {
			if l.there {
				list[i].start, list[i].there = a.At(l.start)
			}
		}
	}
	return a.IDs, nil
}

// credit adds to the edits of a move the earlier tasks whose work goes with what
// is moved: the moved text is theirs too, and would else be nobody's but the
// move's (R-DOC-4).
func (p *planner) credit(a htmledit.Arranged) {
	if len(a.Moved) == 0 {
		return
	}
	var theirs core.Edit
	for i, made := range textpatch.Inverse(p.base.Source(), p.edits) {
		for _, e := range a.Edits {
			if e.Span.Overlaps(made.Span) {
				theirs = theirs.Shared(p.edits[i])
			}
		}
	}
	for i := range a.Edits {
		both := theirs.Shared(a.Edits[i])
		a.Edits[i].Note, a.Edits[i].Notes = both.Note, both.Notes
	}
}

var parseOptions = htmlsrc.Options{Scripting: true}

// arranged gives the edits of one direct edit of one element.
func arranged(t *htmlsrc.Tree, id htmlsrc.ID, task Task) (htmledit.Arranged, error) {
	switch task.Do {
	case Duplicate:
		return htmledit.Duplicate(t, id)
	case MoveUp:
		return htmledit.MoveUp(t, id)
	case MoveDown:
		return htmledit.MoveDown(t, id)
	}
	edits, err := htmledit.Plan(t, []htmledit.Op{{Kind: htmledit.Kind(task.Do), Target: id, Name: task.Name, Value: task.Value}})
	return htmledit.Arranged{Edits: edits}, err
}

// elementAt gives the element whose start tag begins at offset, 0 for none; the
// first one where the tag makes several.
func elementAt(t *htmlsrc.Tree, offset int) htmlsrc.ID {
	for id := range t.Elements() {
		if tag, ok := t.StartTag(id); ok && tag.Start == offset {
			return id
		}
	}
	return 0
}

// twice says which ids stand in the page a second time.
func twice(ids []string) string {
	const most = 5
	if len(ids) == 0 {
		return ""
	}
	named := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		named = append(named, fmt.Sprintf("%q", shortened(id)))
	}
	list, more := strings.Join(named, ", "), ""
	if n := len(ids) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	if len(ids) == 1 {
		return "the id " + list + " now stands in the page more than once"
	}
	return "the ids " + list + more + " now stand in the page more than once"
}

func shortened(s string) string {
	const most = 40 // runes
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
