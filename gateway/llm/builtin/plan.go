package builtin

import (
	"regexp"
	"slices"
	"strings"
)

// planned is what became of reading all notes.
type planned struct {
	mutations []mutation
	refused   []refusal
	lost      []refusal // notes left out because a target of theirs was not found for certain
	chinese   bool
	done      []noteDone
	// unmeasured are the targets whose present size has to be known first.
	unmeasured []place
}

type refusal struct {
	order int
	say   string
	why   *why // nil where the instruction itself was not understood
}

type noteDone struct {
	order int
	steps []step
}

// plan reads every note as far as the turn has come.
func (c conversation) plan() planned { return plan(c.seen, c.sizes) }

// plan reads every note and binds it to its targets. It is all or nothing: when
// one note cannot be carried out, none is, and the answer says which and why. But
// a note whose place is gone is left out alone (R-PICK-4).
func plan(in inspected, sizes map[place]float64) planned {
	p := planned{}
	message := strings.TrimSpace(in.Message)
	used := message == "" || filler.MatchString(message)
	for _, n := range in.Notes {
		say := strings.TrimSpace(n.Instruction)
		if say == "" && message != "" {
			say, used = message, true
		}
		if say == message {
			used = true
		}
		p.chinese = p.chinese || isChinese(say)
		p.note(n, say, sizes)
	}
	if !used {
		p.chinese = p.chinese || isChinese(message)
		p.refused = append(p.refused, refusal{say: message, why: &why{"message_alone", nil}})
	}
	if len(in.Notes) == 0 {
		p.refused = append(p.refused, refusal{why: &why{"no_notes", nil}})
	}
	if len(p.refused) > 0 || len(p.done) == 0 {
		p.refuseLost()
	}
	return p
}

// refuseLost makes the notes that are left out a part of why nothing is done.
func (p *planned) refuseLost() {
	p.refused = append(p.refused, p.lost...)
	slices.SortStableFunc(p.refused, func(a, b refusal) int { return a.order - b.order })
	p.lost = nil
}

// filler is a message that says no more than that the notes are to be done.
var filler = regexp.MustCompile(`(?i)^(?:please |now |just )*(?:(?:do|apply|make|carry out|implement|execute|run|go)(?: (?:these|this|the|all|my|it|them|it all|these notes))*(?: (?:notes?|changes?|edits?|annotations?))?(?: please)?|go ahead|thanks?|thank you|ok(?:ay)?|请?(?:执行|修改|应用|按批注修改|照做|处理)(?:这些|以下)?(?:批注|修改|标注)?|谢谢)[.!。！]*$`)

func (p *planned) note(n noteSeen, say string, sizes map[place]float64) {
	steps, ok := parse(say)
	if !ok {
		p.refused = append(p.refused, refusal{order: n.Order, say: say})
		return
	}
	if len(n.Targets) == 0 {
		p.refused = append(p.refused, refusal{order: n.Order, say: say, why: &why{"no_target", nil}})
		return
	}
	var unmeasured []place
	var mutations []mutation
	for i, t := range n.Targets {
		at := place{n.Order, i + 1}
		own, ok := sized(steps, sizes[at])
		if !ok {
			unmeasured = append(unmeasured, at)
		}
		m, w := bind(own, t, len(n.Targets))
		if w != nil && w.key == notCertain {
			p.lost = append(p.lost, refusal{order: n.Order, say: say, why: w})
			return
		}
		if w != nil {
			p.refused = append(p.refused, refusal{order: n.Order, say: say, why: w})
			return
		}
		mutations = append(mutations, m...)
	}
	p.mutations = append(p.mutations, mutations...)
	p.unmeasured = append(p.unmeasured, unmeasured...)
	p.done = append(p.done, noteDone{n.Order, steps})
}
