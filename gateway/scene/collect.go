package scene

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"proofmark/gateway/core"
)

// Options bound a snapshot. Zero values stand for the limits of package core.
type Options struct {
	MaxRunes       int // of the rendered block, in Unicode code points
	Radius         int // lines shown before and behind the cursor
	MaxTabs        int
	MaxDiagnostics int
	LeaveOut       []SectionID // sections the person does not want to send
}

func (o Options) withDefaults() Options {
	for _, f := range []struct {
		field *int
		value int
	}{
		{&o.MaxRunes, core.SnapshotMaxRunes},
		{&o.Radius, core.SnippetRadiusLines},
		{&o.MaxTabs, core.MaxTabs},
		{&o.MaxDiagnostics, core.MaxDiagnostics},
	} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return o
}

// Collect makes the snapshot of a source. The budget is spent in the order of
// the sections: the document with what is picked, unsaved changes, the selection
// or the lines near the cursor, diagnostics, tabs, project files. Where it ends,
// the section it ends in is cut and the later ones are left out, and the
// snapshot says so. Only the lines near the cursor give way a little, because
// the farthest of them say less than a complaint does: they leave diagnostics
// what these need, up to a quarter of the budget.
//
// A source with nothing useful in it gives a snapshot without sections.
func Collect(src Source, o Options) Snapshot {
	o = o.withDefaults()
	if !useful(src) {
		return Snapshot{Version: Version, Max: o.MaxRunes}
	}
	c := newCollector(src, o)
	s := c.snapshot(o.MaxRunes)
	if s.Used <= o.MaxRunes {
		return s
	}
	// It does not fit; the footer will say what is missing, which takes room too.
	for reserve := utf8.RuneCountInString(preamble); reserve < o.MaxRunes; reserve += s.Used - o.MaxRunes {
		if s = c.snapshot(o.MaxRunes - reserve); s.Used <= o.MaxRunes {
			return s
		}
	}
	return Snapshot{Version: Version, Max: o.MaxRunes, Truncated: true}
}

// useful tells whether there is anything that says where the person is.
func useful(s Source) bool {
	return s.Document != nil || len(s.Picks) > 0 || s.Preview != nil || s.Staged != nil ||
		len(s.Diagnostics) > 0 || len(s.Tabs) > 0 || len(s.Files) > 0
}

// collector makes the sections of one source.
type collector struct {
	src   Source
	o     Options
	paths paths
	lines *lines // of the editor's text; nil where there is none to show
	total int    // lines of the document, 0 where they are not known
	// hidden: the active document is one that never goes out.
	hidden bool
	diff   *string // of head and buffer, once it is known
}

func newCollector(src Source, o Options) *collector {
	c := &collector{src: src, o: o, paths: newPaths(src.Roots)}
	c.hidden = src.Document != nil && secret(src.Document.Path)
	if c.src.Editor != nil && !c.hidden {
		c.lines = newLines(plain(src.Editor.Text), src.Editor.FirstLine)
	}
	if !c.hidden {
		c.total = c.countLines()
	}
	return c
}

// part is a section's Markdown.
type part struct {
	text      string
	truncated bool // something is missing, by a limit or for lack of room
	full      bool // the room ended
	gaveWay   bool // the room is what the diagnostics need
}

// snapshot spends room code points on the sections.
func (c *collector) snapshot(room int) Snapshot {
	s := Snapshot{Version: Version, Max: c.o.MaxRunes}
	full, last := false, false
	for _, section := range []struct {
		id   SectionID
		make func(room int) part
	}{
		{SectionDocument, c.document},
		{SectionUnsaved, c.unsaved},
		{SectionUnavailable, c.unavailable},
		{SectionSelection, c.selection},
		{SectionNearby, c.nearby},
		{SectionDiagnostics, c.diagnostics},
		{SectionTabs, c.tabs},
		{SectionFiles, c.files},
	} {
		full = full || last && section.id == SectionTabs
		head := utf8.RuneCountInString(heading(section.id))
		p := section.make(max(room-head, 0))
		switch {
		case p.text == "" && !p.truncated:
			continue
		case slices.Contains(c.o.LeaveOut, section.id):
			s.LeftOut = append(s.LeftOut, section.id)
			continue
		case full:
			p = part{truncated: true}
		case p.text != "":
			room -= head + utf8.RuneCountInString(p.text)
		}
		last = last || p.gaveWay
		full = full || p.full
		s.Sections = append(s.Sections, Section{ID: section.id, Title: titles[section.id], Text: p.text, Truncated: p.truncated})
		s.Truncated = s.Truncated || p.truncated
	}
	s.measure()
	return s
}

// list collects the lines of a section while there is room.
type list struct {
	text string
	room int
	full bool
}

func (l *list) add(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	n := utf8.RuneCountInString(s)
	if l.full || n > l.room {
		l.full = true
		return
	}
	l.text += s
	l.room -= n
}

func (l *list) part() part { return part{text: l.text, truncated: l.full, full: l.full} }
