package htmlsrc

import "proofmark/gateway/core"

// pieceKind says what comes next among the children of a node, with what the
// edits take away or bring left out.
type pieceKind uint8

const (
	pieceNone pieceKind = iota
	pieceText
	pieceElement
	pieceEnd
)

// piece is an element, or bytes of a text run.
type piece struct {
	kind       pieceKind
	id         ID
	start, end int
	literal    bool
}

func (p *piece) empty() bool {
	return p.kind == pieceNone || p.kind == pieceText && p.start == p.end
}

// cursor goes along a list of children, shadow roots included. A text run that
// edits touch becomes several pieces, kept in queue.
type cursor struct {
	t        *Tree
	id       ID
	parent   ID   // in before
	declared bool // whether parent is
	queue    []piece
}

// nextBefore gives the next child, or piece of text, that the edits leave.
func (c *comparison) nextBefore(x *cursor) (piece, error) {
	for {
		if p, ok := x.queued(); ok {
			return p, nil
		}
		id := x.id
		if id == 0 {
			return piece{kind: pieceEnd}, nil
		}
		n := &x.t.nodes[id]
		x.id = n.next
		if n.isText() {
			if err := c.editsOfRun(x, id); err != nil {
				return piece{}, err
			}
			x.cut(id, c.shift.spansBefore(int(n.open), int(n.openEnd)))
			continue
		}
		gone := c.shift.covering(n.open, n.openEnd)
		if gone < 0 {
			return piece{kind: pieceElement, id: id}, nil
		}
		if !c.declared(id) {
			return piece{}, unsafeEdit("the edit would take away the element <%s> at byte %d", x.t.Name(id), n.open)
		}
		c.state[gone] = editState{used: true, free: true, parent: x.parent}
	}
}

// editsOfRun judges the edits that touch a text run of before.
func (c *comparison) editsOfRun(x *cursor, id ID) error {
	n := &x.t.nodes[id]
	from, to := int(n.open), int(n.openEnd)
	first, end := c.shift.touching(from, to)
	for i := first; i < end; i++ {
		e, s := c.shift.edits[i].Span, &c.state[i]
		inside := from <= e.Start && e.End <= to
		border := e.Len() == 0 && (e.Start == from || e.Start == to)
		switch declared := c.declared(id); {
		case declared && inside && !s.free:
			s.used, s.inText, s.parent = true, true, x.parent
		case declared || x.declared:
			s.used = s.used || !border || declared
		case !border:
			return unsafeEdit("the text at byte %d would change, though it is no target of the edit", max(from, e.Start))
		}
	}
	return nil
}

// nextAfter gives the next child, or piece of text, that no edit brought.
func (c *comparison) nextAfter(x *cursor) (piece, error) {
	for {
		if p, ok := x.queued(); ok {
			return p, nil
		}
		id := x.id
		if id == 0 {
			return piece{kind: pieceEnd}, nil
		}
		n := &x.t.nodes[id]
		x.id = n.next
		if n.isText() {
			x.cut(id, c.newText(x, int(n.open), int(n.openEnd)))
			continue
		}
		i := c.shift.broughtBy(n.open)
		if i < 0 {
			return piece{kind: pieceElement, id: id}, nil
		}
		if !c.allNew(id, c.shift.replaced[i]) {
			return piece{}, unsafeEdit("the new element <%s> would take in what follows it", x.t.Name(id))
		}
		c.arrivals = append(c.arrivals, arrival{edit: i, parent: x.parent, declared: x.declared})
	}
}

// newText gives the parts of a text run of after that edits brought.
func (c *comparison) newText(x *cursor, from, to int) []core.Span {
	spans := c.shift.spansAfter(from, to)
	for _, s := range spans {
		i := c.shift.broughtBy(int32(s.Start))
		c.arrivals = append(c.arrivals, arrival{edit: i, parent: x.parent, declared: x.declared, text: s.Len()})
	}
	return spans
}

// allNew tells whether the whole subtree of id comes from the replacement.
func (c *comparison) allNew(id ID, replacement core.Span) bool {
	n := &c.after.nodes[id]
	if n.open >= 0 && !replacement.Contains(core.Span{Start: int(n.open), End: int(n.openEnd)}) {
		return false
	}
	for k := n.first; k != 0; k = c.after.nodes[k].next {
		if !c.allNew(k, replacement) {
			return false
		}
	}
	return true
}

func (x *cursor) queued() (piece, bool) {
	if len(x.queue) == 0 {
		return piece{}, false
	}
	p := x.queue[0]
	x.queue = x.queue[1:]
	return p, true
}

// cut queues what the spans leave of a text run.
func (x *cursor) cut(id ID, out []core.Span) {
	n := &x.t.nodes[id]
	p := piece{kind: pieceText, id: id, start: int(n.open), literal: n.bits&flagLiteral != 0}
	x.queue = x.queue[:0]
	for _, s := range out {
		if p.end = s.Start; p.end > p.start {
			x.queue = append(x.queue, p)
		}
		p.start = max(p.start, s.End)
	}
	if p.end = int(n.openEnd); p.end > p.start {
		x.queue = append(x.queue, p)
	}
}
