package scene

import (
	"fmt"
	"strings"
)

// Names listed on one line of the snapshot.
const maxListed = 5

// document says where the person is: the document, each of its worlds, the
// cursor, and what is picked.
func (c *collector) document(room int) part {
	l := &list{room: room}
	if len(c.paths.labels) > 0 {
		l.add("- Workspace: %s.\n", names(c.paths.labels))
	}
	c.identity(l)
	if c.src.View != "" || len(c.src.Panes) > 0 {
		l.add("- View: %s.\n", join("; also visible: ", names([]string{c.src.View}), names(c.src.Panes)))
	}
	c.worlds(l)
	if !c.hidden {
		c.place(l)
		c.picks(l)
	}
	return l.part()
}

func (c *collector) identity(l *list) {
	d := c.src.Document
	switch {
	case d == nil:
		l.add("- No document is active.\n")
		return
	case c.hidden:
		l.add("- The active document is of a kind that is never sent; nothing of it is here.\n")
		return
	}
	size := ""
	if d.Bytes > 0 {
		size = fmt.Sprintf("%d bytes", d.Bytes)
	}
	count := ""
	if c.total > 0 {
		count = plural(c.total, "line")
	}
	what := join(", ", language(*d), count, size)
	if what != "" {
		what = " (" + what + ")"
	}
	l.add("- The active document is %s%s.\n", c.paths.shown(d.Path), what)
}

// countLines counts the lines of the document, where its text is there and the
// host did not; 0 where nobody knows.
func (c *collector) countLines() int {
	d := c.src.Document
	switch {
	case d == nil:
		return 0
	case d.Lines == 0 && d.Text != nil:
		return newLines(plain(*d.Text), 1).count()
	case d.Lines == 0 && c.lines != nil && c.src.Editor.FirstLine == 0:
		return c.lines.count()
	}
	return d.Lines
}

// worlds says what each world holds, and where two of them differ.
func (c *collector) worlds(l *list) {
	d := c.src.Document
	if d == nil {
		d = &Document{}
	}
	head := Head.inWords(d.Revision)
	if d.Revision > 0 {
		l.add("- %s: the newest saved version.\n", head)
	}
	if d.OnDisk != nil {
		l.add("- disk: %s.\n", onDisk(*d.OnDisk, d.Revision))
	}
	if e := c.src.Editor; e != nil && c.src.Document != nil {
		l.add("- buffer: %s.\n", c.buffer(*e, d.Revision))
	}
	if s := c.src.Staged; s != nil {
		base := ""
		if s.Base > 0 {
			base = fmt.Sprintf(" on r%d", s.Base)
		}
		l.add("- candidate: a change is staged%s and not committed.\n", base)
	}
	if p := c.src.Preview; p != nil {
		c.page(l, *p, d.Revision)
	}
}

func onDisk(d OnDisk, head int64) string {
	switch {
	case d.Missing:
		return "there is no file"
	case d.Revision == 0:
		return "the file holds bytes that are no saved version"
	case d.Revision == head:
		return fmt.Sprintf("the file holds head r%d", head)
	}
	return fmt.Sprintf("the file holds r%d, not %s", d.Revision, Head.inWords(head))
}

func (c *collector) buffer(e Editor, head int64) string {
	based := ""
	switch {
	case e.Base > 0 && head > 0 && e.Base != head:
		based = fmt.Sprintf(", based on r%d, and head is r%d by now", e.Base, head)
	case e.Base > 0:
		based = fmt.Sprintf(", based on head r%d", e.Base)
	}
	if !e.Dirty {
		return "no unsaved changes" + based
	}
	s := "has unsaved changes" + based + "; neither what is saved nor the page has them"
	if _, known := c.difference(); !known && !c.hidden {
		s += "; what differs was not collected"
	}
	return s
}

func (c *collector) page(l *list, p Preview, head int64) {
	var shows string
	switch {
	case p.Candidate:
		shows = "the candidate"
	case p.Revision == 0:
		shows = "the document"
	case p.Revision == head:
		shows = Head.inWords(head)
	default:
		shows = fmt.Sprintf("r%d, not %s", p.Revision, Head.inWords(head))
	}
	if p.Width > 0 && p.Height > 0 {
		shows += fmt.Sprintf(", at %d × %d CSS pixels", p.Width, p.Height)
	}
	if p.Changed {
		shows += "; scripts have changed its DOM, so not all it shows stands in the source"
	}
	l.add("- page: the preview shows %s.\n", shows)
	if s := c.few(p.Missing); s != "" {
		l.add("- The page asked for files that are not there: %s.\n", s)
	}
	if s := c.few(p.Offline); s != "" {
		l.add("- The page asked for origins it may not load from: %s.\n", s)
	}
}

// few lists the first paths and says how many more there are.
func (c *collector) few(list []string) string {
	var out []string
	more := 0
	for _, p := range list {
		switch {
		case secret(p) && !strings.Contains(p, "://"):
		case len(out) == maxListed:
			more++
		default:
			out = append(out, c.paths.shown(p))
		}
	}
	if more > 0 {
		return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(out, ", ")
}

// place says where the cursor or the selection is.
func (c *collector) place(l *list) {
	e := c.src.Editor
	if e == nil || c.src.Document == nil {
		return
	}
	if r := selection(e); r != nil {
		l.add("- Selection: %s to %s.\n", r.Start, r.End)
	} else if at := cursor(e); at != nil {
		l.add("- Cursor: %s.\n", *at)
	}
}

// String writes a position for people.
func (p Position) String() string {
	if p.Column > 0 {
		return fmt.Sprintf("line %d, column %d", p.Line, p.Column)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// picks lists what the notes point at, a line each.
func (c *collector) picks(l *list) {
	var order []int
	byNote := map[int][]string{}
	for _, p := range c.src.Picks {
		if byNote[p.Note] == nil {
			order = append(order, p.Note)
		}
		s := name(p.Name)
		if p.Line > 0 {
			s += fmt.Sprintf(" (line %d)", p.Line)
		}
		byNote[p.Note] = append(byNote[p.Note], s)
	}
	where := ""
	if d := c.src.Document; d != nil && d.Revision > 0 {
		where = " in " + Head.inWords(d.Revision)
	}
	for _, n := range order {
		list := byNote[n]
		more := ""
		if len(list) > maxListed {
			more = fmt.Sprintf(" and %d more", len(list)-maxListed)
			list = list[:maxListed]
		}
		l.add("- Note %d points at %s%s%s.\n", n, strings.Join(list, ", "), more, where)
	}
}

func names(list []string) string {
	var out []string
	for i, s := range list {
		if i == maxListed {
			out = append(out, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		if s != "" {
			out = append(out, name(s))
		}
	}
	return strings.Join(out, ", ")
}
