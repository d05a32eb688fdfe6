package scene

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"proofmark/gateway/fence"
	"proofmark/gateway/textpatch"
)

// Code points: what the difference of buffer and head may take, and the least an
// excerpt is worth showing with.
const (
	diffRunes    = 2_000
	excerptRunes = 40
)

// selection gives the selected range, nil where nothing is selected.
func selection(e *Editor) *Range {
	if e.Selection == nil || e.Selection.Start == e.Selection.End || e.Selection.Start.Line < 1 || e.Selection.End.Line < 1 {
		return nil
	}
	r := *e.Selection
	if r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Column < r.Start.Column {
		r.Start, r.End = r.End, r.Start // selected backwards
	}
	return &r
}

// cursor gives the cursor, which an empty selection stands for too.
func cursor(e *Editor) *Position {
	at := e.Cursor
	if at == nil && e.Selection != nil {
		at = &e.Selection.Start
	}
	if at == nil || at.Line < 1 {
		return nil
	}
	return at
}

// difference compares an unsaved buffer with the head; known is false where one
// of the two was not collected whole.
func (c *collector) difference() (diff string, known bool) {
	d, e := c.src.Document, c.src.Editor
	if c.lines == nil || d == nil || d.Text == nil || e.FirstLine != 0 {
		return "", false
	}
	if c.diff == nil {
		u := textpatch.Unified(Head.inWords(d.Revision), "buffer, unsaved", []byte(plain(*d.Text)), []byte(c.lines.text), 1)
		c.diff = &u
	}
	return *c.diff, true
}

// unsaved shows where the buffer differs from the head.
func (c *collector) unsaved(room int) part {
	if c.src.Editor == nil || !c.src.Editor.Dirty {
		return part{}
	}
	diff, known := c.difference()
	if !known {
		return part{}
	}
	head := Head.inWords(c.src.Document.Revision)
	if diff == "" {
		l := &list{room: room}
		l.add("The buffer is marked as changed, but its text equals %s.\n", head)
		return l.part()
	}
	intro := fmt.Sprintf("Lines with `-` are %s, which is saved; lines with `+` are the buffer, which is not.\n\n", head)
	return fit(min(room, diffRunes), room, func(limit int) (string, bool) {
		text, cut := prefix(diff, limit)
		if text == "" {
			return "", true
		}
		if cut {
			l := newLines(text, 1)
			if from, _ := l.span(l.last()); from > len(text)/2 {
				text = text[:from]
			}
		}
		return intro + fence.Block(label("diff"), text), cut
	})
}

// selection shows what is selected.
func (c *collector) selection(room int) part {
	r, ok := c.excerpted()
	if !ok || r == nil {
		return part{}
	}
	whole := c.lines.take(c.lines.at(r.Start), c.lines.at(r.End), false)
	return fit(room, room, func(limit int) (string, bool) {
		e := selected(c.lines, *r, limit)
		of := ""
		if e.cut {
			of = "; cut, the selection goes on to line " + fmt.Sprint(whole.to.Line)
		}
		return c.shownExcerpt(e, of)
	})
}

// nearby shows the lines near the cursor, where nothing is selected.
func (c *collector) nearby(room int) part {
	r, ok := c.excerpted()
	if !ok || r != nil {
		return part{}
	}
	at := cursor(c.src.Editor)
	if at == nil {
		return part{}
	}
	give := 0
	if p := c.diagnostics(c.o.MaxRunes / 4); p.text != "" && !slices.Contains(c.o.LeaveOut, SectionDiagnostics) {
		give = utf8.RuneCountInString(heading(SectionDiagnostics)) + utf8.RuneCountInString(p.text)
	}
	p := fit(max(room-give, 0), max(room-give, 0), func(limit int) (string, bool) {
		e := around(c.lines, *at, c.o.Radius, limit)
		of := ""
		if e.cut {
			of = fmt.Sprintf("; cut, %d lines before and behind the cursor were asked for", c.o.Radius)
		}
		return c.shownExcerpt(e, of)
	})
	if p.text != "" { // there is room left, for what it gave way to and for nothing else
		p.gaveWay, p.full = p.full, false
	}
	return p
}

// excerpted tells whether there is a text to take an excerpt from, and gives the
// selected range, if any.
func (c *collector) excerpted() (*Range, bool) {
	if c.lines == nil || c.src.Document == nil || c.lines.text == "" {
		return nil, false
	}
	return selection(c.src.Editor), true
}

func (c *collector) shownExcerpt(e excerpt, of string) (string, bool) {
	if e.text == "" {
		return "", e.cut
	}
	d, ed := *c.src.Document, c.src.Editor
	world := Head.inWords(d.Revision)
	switch {
	case ed.Dirty:
		world = join(" ", "buffer, unsaved", based(ed.Base))
	case ed.Base > 0 && ed.Base != d.Revision:
		world = join(" ", "buffer", based(ed.Base))
	}
	lang := language(d)
	total := ""
	if c.total > 0 {
		total = fmt.Sprintf(" of %d", c.total)
	}
	intro := join(", ", world, lang, e.where(c.lines)+total+of) + ":\n\n"
	return intro + fence.Block(label(lang), e.text), e.cut
}

func based(revision int64) string {
	if revision == 0 {
		return ""
	}
	return fmt.Sprintf("(based on r%d)", revision)
}

// fit makes the largest part that build gives within room. Build is told how many
// code points of a text it may show, at first limit, and says whether it cut it.
func fit(limit, room int, build func(limit int) (string, bool)) part {
	for n := limit; n >= excerptRunes; {
		text, cut := build(n)
		over := utf8.RuneCountInString(text) - room
		if over <= 0 {
			return part{text: text, truncated: cut, full: cut && (n < limit || text == "")}
		}
		n -= over
	}
	if text, _ := build(excerptRunes); text == "" {
		return part{} // there is nothing to show
	}
	return part{truncated: true, full: true}
}
