package scene

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"proofmark/gateway/fence"
)

// Bounds of single entries, in code points and lines.
const (
	messageRunes   = 400
	messageLines   = 6
	maxUnavailable = 10
)

// unavailable says what could not be collected, so that its absence is not taken
// for good news.
func (c *collector) unavailable(room int) part {
	var all []Unavailable
	for _, u := range c.src.Unavailable {
		if !secret(u.What) {
			all = append(all, u)
		}
	}
	for _, f := range c.src.Files {
		if f.Error != "" && c.wanted(f.Path) {
			all = append(all, Unavailable{What: f.Path, Why: f.Error})
		}
	}
	l := &list{room: room}
	for i, u := range all {
		if i == maxUnavailable {
			l.add("- and %d more\n", len(all)-i)
			break
		}
		why := ""
		if u.Why != "" {
			why = fence.Inline(short(c.paths.text(plain(u.Why)), pathRunes))
		}
		l.add("- %s\n", join(": ", name(c.paths.relIfPath(u.What)), why))
	}
	return l.part()
}

// wanted tells whether a file beside the active document may be named.
func (c *collector) wanted(p string) bool {
	if secret(p) {
		return false
	}
	rel := c.paths.rel(p)
	d := c.src.Document
	return !noise(rel) || d != nil && c.paths.rel(d.Path) == rel
}

// diagnostics lists complaints as leads: who says what, where, about which
// world.
func (c *collector) diagnostics(room int) part {
	var rows []string
	for _, level := range []string{"error", "warning"} {
		for _, d := range c.src.Diagnostics {
			if !strings.EqualFold(d.Level, level) || d.Path != "" && !c.wanted(d.Path) {
				continue
			}
			if row := c.diagnostic(level, d); row != "" && !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		return part{}
	}
	for n := min(len(rows), c.o.MaxDiagnostics); n > 0; n-- {
		text := "Leads, not verdicts: each is what its source said, in its own words, and may be stale or mistaken."
		if n < len(rows) {
			text += fmt.Sprintf(" %d of %d are shown.", n, len(rows))
		}
		text += "\n\n" + fence.Block(label("diagnostics"), "level | world | place | source | message\n"+strings.Join(rows[:n], ""))
		if utf8.RuneCountInString(text) <= room {
			return part{text: text, truncated: n < len(rows), full: n < min(len(rows), c.o.MaxDiagnostics)}
		}
	}
	return part{truncated: true, full: true}
}

func (c *collector) diagnostic(level string, d Diagnostic) string {
	message := c.message(d.Message)
	if message == "" {
		return ""
	}
	world := d.World.inWords(d.Revision)
	if doc := c.src.Document; doc != nil && d.Revision > 0 && d.Revision < doc.Revision {
		world += " (before the last save)"
	}
	place := ""
	if d.Path != "" {
		place = short(c.paths.rel(d.Path), pathRunes)
	}
	for _, n := range []int{d.Line, d.Column} {
		if n < 1 {
			break
		}
		place = join(":", place, fmt.Sprint(n))
	}
	row := []string{level, world, place, short(d.Source, nameRunes)}
	for i, f := range row {
		if row[i] = strings.ReplaceAll(f, " | ", " ¦ "); f == "" {
			row[i] = "-"
		}
	}
	return strings.Join(append(row, message), " | ") + "\n"
}

// message bounds a raw message; its further lines are set in, so that none of
// them looks like an entry.
func (c *collector) message(s string) string {
	s, more := prefix(c.paths.text(strings.TrimSpace(plain(s))), messageRunes)
	var out []string
	for _, line := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		if line = fence.Line(strings.ReplaceAll(line, "\t", "  ")); strings.TrimSpace(line) == "" {
			continue
		}
		if len(out) == messageLines {
			more = true
			break
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	s = strings.Join(out, "\n    ")
	if more {
		s += "…"
	}
	return s
}

// tabs lists the open files: what is active and visible first.
func (c *collector) tabs(room int) part {
	var rows []string
	seen := map[string]bool{}
	for rank := range 3 {
		for _, t := range c.src.Tabs {
			if rankOf(t) != rank || t.Path == "" || !c.wanted(t.Path) || seen[c.paths.rel(t.Path)] {
				continue
			}
			seen[c.paths.rel(t.Path)] = true
			rows = append(rows, fmt.Sprintf("- %s%s\n", c.paths.shown(t.Path), tabState(t)))
		}
	}
	l := &list{room: room}
	for i, row := range rows {
		if i == c.o.MaxTabs {
			l.add("- and %d more\n", len(rows)-i)
			break
		}
		l.add("%s", row)
	}
	p := l.part()
	p.truncated = p.truncated || len(rows) > c.o.MaxTabs
	return p
}

func rankOf(t Tab) int {
	switch {
	case t.Active:
		return 0
	case t.Visible:
		return 1
	}
	return 2
}

func tabState(t Tab) string {
	var words []string
	for _, w := range []struct {
		on   bool
		word string
	}{{t.Active, "active"}, {t.Visible && !t.Active, "visible"}, {t.Dirty, "unsaved"}} {
		if w.on {
			words = append(words, w.word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}
