package scene

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"proofmark/gateway/core"
	"proofmark/gateway/fence"
)

// Bounds of the project files' summaries.
const (
	maxFiles     = 6
	summaryLines = 30    // not empty
	summaryRunes = 2_000 // of one file
)

// files shows what the project's own files say of it, in short.
func (c *collector) files(room int) part {
	var p part
	shown := 0
	for _, f := range c.src.Files {
		if f.Error != "" || f.Path == "" || !c.wanted(f.Path) {
			continue
		}
		text := c.file(f)
		if text == "" {
			continue
		}
		if shown == maxFiles {
			p.truncated = true
			break
		}
		if p.text != "" {
			text = "\n" + text
		}
		n := utf8.RuneCountInString(text)
		if n > room {
			p.truncated, p.full = true, true
			break
		}
		room -= n
		p.text += text
		shown++
	}
	return p
}

func (c *collector) file(f File) string {
	title := c.paths.shown(f.Path)
	if size := max(f.Bytes, int64(len(f.Text))); size > core.MaxProjectFileBytes {
		return fmt.Sprintf("%s (disk): %d bytes, too large to summarise.\n", title, size)
	}
	text, what := plain(f.Text), "whole"
	if strings.TrimSpace(text) == "" {
		return ""
	}
	switch base := path.Base(c.paths.rel(f.Path)); {
	case base == "package.json" && manifest(text) != "":
		text, what = manifest(text), "in short"
	case path.Ext(base) != ".json":
		if first := firstLines(text); first != "" {
			text, what = first, fmt.Sprintf("its first %d lines", summaryLines)
		}
	}
	text, cut := prefix(calm(c.paths.text(text)), summaryRunes)
	if cut {
		what = "its start"
	}
	return fmt.Sprintf("%s (disk, %s):\n\n%s", title, what, fence.Block(label(""), text))
}

// calm takes out of a summary what would steer a terminal. Summaries are no
// quotes: nobody edits by them.
func calm(text string) string {
	rows := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, row := range rows {
		rows[i] = fence.Line(strings.ReplaceAll(row, "\t", "  "))
	}
	return strings.Join(rows, "\n")
}

// manifest summarises a package.json: its name and the names of its scripts and
// dependencies; "" where it is none.
func manifest(text string) string {
	var m struct {
		Name            string         `json:"name"`
		Description     string         `json:"description"`
		Scripts         map[string]any `json:"scripts"`
		Dependencies    map[string]any `json:"dependencies"`
		DevDependencies map[string]any `json:"devDependencies"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return ""
	}
	var b strings.Builder
	for _, f := range []struct{ what, value string }{
		{"name", m.Name},
		{"description", m.Description},
		{"scripts", keys(m.Scripts)},
		{"dependencies", keys(m.Dependencies)},
		{"devDependencies", keys(m.DevDependencies)},
	} {
		if v := fence.Line(f.value); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.what, v)
		}
	}
	return b.String()
}

func keys(m map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

// firstLines gives the first lines of a long text that are not empty; "" where
// it has no more than these.
func firstLines(text string) string {
	var b strings.Builder
	n := 0
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if n == summaryLines {
			return b.String()
		}
		n++
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return ""
}
